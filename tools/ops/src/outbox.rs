//! `ops outbox`

use clap::Subcommand;
use jiff::Timestamp;
use presence_store::{MailState, OutboxRow, UnreadableRow};
use serde::Serialize;

use crate::exit::Failure;
use crate::output::instant;
use crate::{Context, Exit};

const LIST_JSON: &str = "\
With --json a list of {\"id\",\"user_id\",\"state\",\"due_at\",\"created_at\",
\"attempts\"}; instants are RFC 3339 in UTC. The state is pending, failed or
unreadable; of an unreadable mail only id and user_id are known.";

const RETRY_JSON: &str = "\
With --json {\"id\"} of the mail; with --all {\"retried\",\"ids\"}: how many, and which.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the mails that wait to be sent, the one due first on top
    ///
    /// Mails that were given up are in the list too, as failed, and rows that cannot be read, as unreadable. Read from an
    /// index: a mail accepted a moment ago may be missing.
    #[command(after_help = LIST_JSON)]
    List,
    /// Send a mail that was given up, or all of them, from now on as if they were new
    #[command(after_help = RETRY_JSON)]
    Retry {
        /// The mail's id, from the list
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Every mail that was given up
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

#[derive(Serialize)]
struct Mail<'a> {
    id: &'a str,
    user_id: &'a str,
    state: &'static str,
    due_at: Option<String>,
    created_at: Option<String>,
    attempts: Option<u32>,
}

impl<'a> Mail<'a> {
    fn new(row: &'a OutboxRow) -> Self {
        let time = |milliseconds| Timestamp::from_millisecond(milliseconds).map(instant).ok();
        Self {
            id: row.id(),
            user_id: &row.user_id,
            state: match row.state {
                MailState::Pending => "pending",
                MailState::Failed => "failed",
            },
            due_at: time(row.due_at),
            created_at: time(row.created_at),
            attempts: Some(row.attempts),
        }
    }

    fn unreadable(row: &'a UnreadableRow) -> Self {
        let user_id = row.partition().trim_start_matches("USER#");
        Self { id: row.id(), user_id, state: "unreadable", due_at: None, created_at: None, attempts: None }
    }

    fn cells(self) -> [String; 6] {
        let Self { id, user_id, state, due_at, created_at, attempts } = self;
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let attempts = or_dash(attempts.map(|attempts| attempts.to_string()));
        [id.to_owned(), user_id.to_owned(), state.to_owned(), or_dash(due_at), or_dash(created_at), attempts]
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::List => list(context).await,
        Command::Retry { id: Some(id), .. } => retry(&id, context).await,
        Command::Retry { id: None, .. } => retry_all(context).await,
    }
}

async fn list(context: &mut Context) -> Result<Exit, Failure> {
    let (rows, unreadable) = (context.store.outbox().await?, context.store.unreadable_mails().await?);
    let mails: Vec<_> = rows.iter().map(Mail::new).chain(unreadable.iter().map(Mail::unreadable)).collect();
    if context.console.json {
        context.console.json_line(&mails)?;
    } else {
        let head = ["ID", "USER", "STATE", "DUE", "CREATED", "ATTEMPTS"];
        let count = mails.len();
        context.console.table(head, mails.into_iter().map(Mail::cells).collect())?;
        context.console.note(format_args!("mails: {count}"));
    }
    Ok(Exit::Done)
}

async fn retry(id: &str, context: &mut Context) -> Result<Exit, Failure> {
    if !context.store.retry_mail(id, context.clock.now()).await? {
        return Err(Failure::NotFound(format!("there is no mail {id} that was given up")));
    }
    if context.console.json {
        context.console.json_line(&serde_json::json!({ "id": id }))?;
    } else {
        context.console.note(format_args!("the mail is due now"));
    }
    Ok(Exit::Done)
}

async fn retry_all(context: &mut Context) -> Result<Exit, Failure> {
    let ids = context.store.retry_mails(context.clock.now()).await?;
    if context.console.json {
        context.console.json_line(&serde_json::json!({ "retried": ids.len(), "ids": ids }))?;
    } else {
        context.console.note(format_args!("mails due now: {}", ids.len()));
    }
    Ok(Exit::Done)
}
