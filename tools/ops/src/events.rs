//! `ops events`: prints the feed of an organisation, and follows it.

use std::time::Duration;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::event::EventData;
use presence_domain::feed::{EventFilter, EventPattern, FeedCursor, FeedEvent, FeedPage, FeedStart, format_at};
use presence_domain::ids::OrgId;
use serde::Serialize;

use crate::args::{self, Since};
use crate::console::cell_or_dash;
use crate::error::{CommandError, field_error_text};
use crate::table::{TableWriter, column};
use crate::{Context, Exit};

const EXAMPLES: &str = "\
Examples:
  ops events tail --org 42
  ops events tail --org 42 --since 1h --type 'review.*,reply.rejected'
  ops events tail --org none --since 2026-11-22 --no-follow --json

With --json a line {\"id\",\"type\",\"at\",\"data\"} each, as GET /events has it.";

/// Events that are read at once: those of a chunk.
const PAGE: usize = 100;
/// Pause at the end of the feed. A look at it costs one and a half read units.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the events of an organisation as they come, until Ctrl-C
    ///
    /// Begins with what happens from now on, or with --since or --after earlier: events are kept for 30 days. At its end, and at Ctrl-C, the
    /// command says with which --after to go on.
    #[command(after_help = EXAMPLES)]
    Tail(TailArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Organisation, or none for the users without one
    #[arg(long, value_name = "N", value_parser = parse_org)]
    org: FeedOwner,
    /// Events since then, too: 30m, 24h, 7d; or a date or an instant, in UTC without an offset
    #[arg(long, value_name = "TIME", value_parser = args::parse_since)]
    since: Option<Since>,
    /// Events after this cursor, which an earlier run or the API gave
    #[arg(long, value_name = "CURSOR", conflicts_with = "since")]
    after: Option<String>,
    /// Only these types, or groups such as review.*; separated by commas, or repeated
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = parse_pattern)]
    types: Vec<EventPattern>,
    /// End where the feed ends
    #[arg(long)]
    no_follow: bool,
    /// End after so many events
    #[arg(long, value_name = "COUNT", value_parser = parse_limit)]
    limit: Option<usize>,
}

/// Owner of a feed: an organisation, or the users without one.
#[derive(Clone, Copy, Debug)]
struct FeedOwner(Option<OrgId>);

fn parse_org(text: &str) -> Result<FeedOwner, String> {
    if text == "none" { Ok(FeedOwner(None)) } else { args::parse_org_id(text).map(|id| FeedOwner(Some(id))) }
}

fn parse_limit(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|limit| *limit > 0).ok_or("must be a number of events, at least 1")
}

fn parse_pattern(text: &str) -> Result<EventPattern, String> {
    EventPattern::parse(text).map_err(|error| field_error_text(&error))
}

/// Event as the API shows it.
#[derive(Serialize)]
struct PrintedEvent<'a> {
    id: &'a str,
    r#type: &'static str,
    at: String,
    data: &'a EventData,
}

/// Reader of a feed.
struct Tail {
    cursor: FeedCursor,
    filter: EventFilter,
    /// Instant before which no event is printed.
    since: Option<Timestamp>,
    follows: bool,
    /// Events that are still to be printed; no limit if there is none.
    left: Option<usize>,
    count: usize,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    let Command::Tail(args) = command;
    let mut tail = Tail::start(args, context).await?;
    let done = tokio::select! {
        done = tail.print(context) => done.map(|()| Exit::Done),
        _ = tokio::signal::ctrl_c() => Ok(Exit::Interrupted),
    };
    // The reader of a closed output has enough.
    if !done.as_ref().is_err_and(CommandError::is_closed_output) {
        let Tail { cursor, count, .. } = tail;
        context.console.write_message(format_args!("events: {count}, to go on: --after {cursor}"));
    }
    done
}

impl Tail {
    async fn start(args: TailArgs, context: &Context) -> Result<Self, CommandError> {
        let (org_id, now) = (args.org.0, context.clock.now());
        if let Some(id) = org_id
            && !context.stores.businesses.has_org(id).await?
        {
            return Err(CommandError::NotFound(format!("there is no organisation {id}: ops orgs list")));
        }
        let since = args.since.map(|since| since.before(now));
        let start = match (&args.after, since) {
            (Some(text), _) => FeedCursor::parse_start(text, org_id)
                .map_err(|error| CommandError::Usage(format!("--after {text} {error}")))?,
            (None, Some(since)) => context.stores.feed.start_since(org_id, since, now).await.map_err(without_table)?,
            (None, None) => FeedStart::Now,
        };
        let number = match start {
            FeedStart::After(number) => number,
            FeedStart::Now | FeedStart::Oldest => context.stores.feed.end(org_id).await.map_err(without_table)?,
        };
        Ok(Self {
            cursor: FeedCursor { org_id, number },
            filter: EventFilter(args.types),
            since,
            follows: !args.no_follow,
            left: args.limit,
            count: 0,
        })
    }

    /// Prints events until the limit, or until the end of the feed if it is not followed.
    async fn print(&mut self, context: &mut Context) -> Result<(), CommandError> {
        let mut table = TableWriter::new(["TIME", "TYPE", "ID", "FIELDS"].map(|heading| column(heading, "")));
        loop {
            let (FeedCursor { org_id, number }, now) = (self.cursor, context.clock.now());
            let page = context.stores.feed.read(org_id, FeedStart::After(number), PAGE, now).await;
            let page = self.wanted(page.map_err(without_table)?);
            for event in &page.events {
                let FeedEvent { id, kind, at, data, .. } = event;
                let row = PrintedEvent { id, r#type: kind.as_str(), at: format_at(*at), data };
                if context.console.json {
                    context.console.write_json(&row)?;
                } else {
                    table.add_cells(row.cells(), &mut context.console)?;
                }
            }
            table.finish(&mut context.console)?;
            // Ctrl-C comes at a wait alone: what is printed and the cursor are one.
            self.cursor.number = page.last;
            self.count += page.events.len();
            self.left = self.left.map(|left| left - page.events.len());
            if self.left == Some(0) || (!self.follows && !page.has_more) {
                return Ok(());
            }
            // A chunk may not be visible yet, although the head has it.
            if !page.has_more || page.last == number {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Returns the page with the events that are wanted. It ends at the last of them if the limit is reached.
    fn wanted(&self, page: FeedPage) -> FeedPage {
        let is_wanted =
            |event: &FeedEvent| self.filter.admits(event.kind) && self.since.is_none_or(|since| event.at >= since);
        let mut events: Vec<_> = page.events.into_iter().filter(is_wanted).collect();
        let mut last = page.last;
        if let Some(left) = self.left.filter(|left| *left <= events.len()) {
            events.truncate(left);
            last = events.last().map_or(last, |event| event.number);
        }
        FeedPage { events, last, ..page }
    }
}

impl PrintedEvent<'_> {
    fn cells(&self) -> [String; 4] {
        let id = self.data.id.as_ref().or(self.data.user_id.as_ref());
        let fields = self.data.fields.as_ref().filter(|fields| !fields.is_empty());
        let fields = fields.map(|fields| fields.join(", "));
        [self.at.clone(), self.r#type.to_owned(), cell_or_dash(id.cloned()), cell_or_dash(fields)]
    }
}

/// Returns the error of a read of the feed, whose table an environment may be without.
fn without_table(error: Error) -> CommandError {
    let error = CommandError::from(error);
    let is_missing = error.code() == "no_tables";
    match error {
        CommandError::Failed(cause) if is_missing => {
            cause.context("there is no feed without the table of events, which Events=true makes on AWS").into()
        }
        error => error,
    }
}
