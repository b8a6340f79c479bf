//! `ops import`: JSON Lines into the tables, line by line.

mod businesses;
mod categories;
mod departures;
mod lines;
mod loading;
mod orgs;
mod progress;
mod rejects;
mod reviews;
mod rows;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use presence_domain::category::Category;
use tokio::io::AsyncRead;

use crate::exit::Failure;
use crate::{Context, Exit};
use lines::Lines;
use loading::{Loading, Tally};
use progress::Progress;
use rejects::Rejects;
use reviews::Reviews;
use rows::{Row, Tables};

const ORGS: &str = "\
One JSON object a line:
  {\"id\": 42, \"name\": \"Fast Retailer\"}
id is an integer from 1 to 2^53-1; name has 1 to 255 characters.";

const BUSINESSES: &str = "\
One JSON object a line (here broken in two):
  {\"id\": \"5409c35a97bbc544d8e26737\", \"org_id\": 42,
   \"name\": \"Corner shop\", \"city\": \"Saint-Étienne\"}
id has 1 to 64 letters, digits and : _ . -; org_id names an organisation that is
there; name has 1 to 255 characters; city at most 255, and is \"\" for a business
that is in no city. A business that is in another city or organisation than before
takes its reviews with it: do not import reviews at the same time. One that moves to
another organisation is taken out of the lists of the old one's users: how many they
are is said, with --json as \"users_updated\":n. `ops users audit` finds what is left
over: a list that was written at that very moment.";

const REVIEWS: &str = "\
One JSON object a line (here broken in several):
  {\"business_id\": \"5409c35a97bbc544d8e26737\", \"partner\": \"partner_8\",
   \"partner_id\": \"Ab12\", \"key\": \"Ab12\", \"author_name\": \"Zoë\",
   \"date\": \"2024-03-01T09:30:00+00:00\", \"update_date\": \"2024-03-02T10:00:00Z\",
   \"delete_date\": null, \"rating\": 5, \"title\": null,
   \"content\": \"Très bon accueil\", \"reply_comment\": null,
   \"state\": \"not_treated\", \"link\": \"https://example.org/r/1\"}
business_id names a business that is there; partner is partner_1, partner_8 or
partner_9; rating is an integer from 1 to 5; state is treated, not_treated or
deleted. Dates are days or instants, UTC without an offset; a day is its start.
key (default: partner_id), author_name, update_date, delete_date, title, content,
reply_comment and link may be missing; an empty or blank text counts as missing.
content and reply_comment have at most 10000 characters, every other text 2048
bytes. Control characters other than tab and line breaks are dropped. What one partner calls partner_id of one
business is one review: that is the id meant below.";

const CATEGORIES: &str = "\
One JSON object a line (here broken in several):
  {\"id\": \"c98c57c34311d078171539c5\", \"code\": \"shop_bakery\",
   \"names\": {\"GB\": \"Bakery\", \"FR\": \"Boulangerie\"},
   \"ancestors\": {\"GB\": [\"Shop\"], \"FR\": [\"Commerce\"]},
   \"partners\": {\"partner_1\": [\"gcid:bakery\"],
                \"partner_4\": [{\"id\": \"a1\", \"name\": \"Bakery\"}]}}
id has 1 to 64 letters, digits and : _ . -; code and every other text have 1 to
255 characters; keys of names and ancestors are ISO 3166 codes of two upper-case
letters. ancestors, partners and any of the twelve partners may be missing.

The rows count all at once, when the import ends; stopped before, it changes
nothing. Categories that are not in the file stay as they are: an import adds
and updates, it never removes. Of two imports at the same time one stops.";

const IMPORTS: &str = "\
Running it again changes nothing; interrupted, it is simply run again. When
DynamoDB throttles, it slows down, and stops only when it wrote nothing for a
minute: it says then what was written, and \"stopped\":true with --json. An id
that is there already is updated. The last of several rows with one id wins.

Rejected rows go to FILE.rejected.jsonl (stdin.rejected.jsonl in the current
folder for -), each as {\"line\":N,\"reason\":\"…\",\"row\":\"the line as it was\"}; the
exit code is then 4. To try them again once mended:
  jq -r .row orgs.jsonl.rejected.jsonl > again.jsonl

--dry-run checks every row, compares it with what is stored and lists what it
would reject, but writes nothing to the tables. With --json the last line on
stdout is {\"created\":n,\"updated\":n,\"unchanged\":n,\"rejected\":n}.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Load organisations
    #[command(after_help = format!("{ORGS}\n\n{IMPORTS}"))]
    Orgs(Import),
    /// Load businesses of organisations that are loaded already
    #[command(after_help = format!("{BUSINESSES}\n\n{IMPORTS}"))]
    Businesses(Import),
    /// Load categories, all at once
    #[command(after_help = format!("{CATEGORIES}\n\n{IMPORTS}"))]
    Categories(Import),
    /// Load reviews of businesses that are loaded already
    #[command(after_help = format!("{REVIEWS}\n\n{IMPORTS}"))]
    Reviews(Import),
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// JSON Lines file, - for stdin
    file: PathBuf,
    /// Check and count, but write nothing to the tables
    #[arg(long)]
    dry_run: bool,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Orgs(import) => load::<orgs::OrgRow>(&import, context).await,
        Command::Businesses(import) => load::<businesses::BusinessRow>(&import, context).await,
        Command::Categories(import) => load::<Category>(&import, context).await,
        Command::Reviews(import) => load_reviews(&import, context).await,
    }
}

async fn load_reviews(import: &Import, context: &mut Context) -> Result<Exit, Failure> {
    let (input, size) = open(import).await?;
    let progress = Progress::start(size, context.console.has_bars());
    let mut loading = Reviews::new(context.store.clone(), import.dry_run, Rejects::beside(&import.file)?, progress);
    let outcome = loading.load_all(Lines::new(input)).await;
    report(import, context, reviews::PLURAL, outcome, loading.finish())
}

async fn load<R: Row>(import: &Import, context: &mut Context) -> Result<Exit, Failure> {
    let (input, size) = open(import).await?;
    let progress = Progress::start(size, context.console.has_bars());
    let tables = Tables::new(context.store.clone(), Arc::clone(&context.clock), import.dry_run);
    let mut loading = Loading::<R>::new(tables, Rejects::beside(&import.file)?, progress);
    let outcome = loading.load_all(Lines::new(input)).await;
    report(import, context, R::PLURAL, outcome, loading.finish())
}

/// Tells what became of the rows.
fn report(
    import: &Import,
    context: &mut Context,
    plural: &str,
    outcome: anyhow::Result<()>,
    (tally, rejects): (Tally, Rejects),
) -> Result<Exit, Failure> {
    let rejected_to = rejects.finish()?;
    let Tally { created, updated, unchanged, rejected, .. } = tally;
    let counts = format!("{created} created, {updated} updated, {unchanged} unchanged, {rejected} rejected");
    if let Err(error) = outcome {
        if context.console.json {
            context.console.json_line(&Tally { stopped: true, ..tally })?;
        }
        let stopped = format!("stopped after {} rows ({counts}); simply run it again", tally.rows());
        return Err(error.context(stopped).into());
    }
    let dry = if import.dry_run { "dry run, nothing written: " } else { "" };
    if let Some(users) = tally.users_updated {
        let moved = "businesses that moved to another organisation";
        context.console.note(format_args!("{dry}{moved} were taken out of the lists of {users} users"));
    }
    context.console.note(format_args!("{dry}{plural}: {counts}"));
    if context.console.json {
        context.console.json_line(&tally)?;
    }
    let Some(file) = rejected_to else { return Ok(Exit::Done) };
    context.console.note(format_args!("the rejected rows and the reasons are in {}", file.display()));
    Ok(Exit::SomeRejected)
}

/// The file, or standard input; and its size, where it has one.
async fn open(import: &Import) -> Result<(Box<dyn AsyncRead + Send + Unpin>, Option<u64>), Failure> {
    if rejects::is_stdin(&import.file) {
        return Ok((Box::new(tokio::io::stdin()), None));
    }
    let cannot_read = || format!("cannot read {}", import.file.display());
    let file = tokio::fs::File::open(&import.file).await.with_context(cannot_read)?;
    let metadata = file.metadata().await.with_context(cannot_read)?;
    if metadata.is_dir() {
        return Err(Failure::because(format!("{} is a folder", import.file.display())));
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}
