//! `ops import`: loads JSON Lines into the tables.

#[cfg(test)]
mod bare_review;
pub(crate) mod build;
mod businesses;
mod categories;
mod context;
mod error_limit;
mod file_type;
mod input;
mod interrupt;
mod kind;
mod orgs;
mod progress;
mod rejects;
mod remote;
mod reviews;
mod row;
mod row_import;
mod summary;
mod transfers;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use presence_domain::category::Category;

use crate::args::parse_wait;
use crate::error::CommandError;
use crate::{Context, Exit};
use context::ImportContext;
use input::Input;
use interrupt::Interrupt;
use kind::ImportKind;
use progress::Progress;
use rejects::RejectsFile;
use remote::RemoteLocation;
use reviews::ReviewImport;
use row::Row;
use row_import::RowImport;

const ORGS_FORMAT: &str = "\
One JSON object a line:
  {\"id\": 42, \"name\": \"Fast Retailer\"}
id is an integer from 1 to 2^53-1; name has 1 to 255 characters.";

const BUSINESSES_FORMAT: &str = "\
One JSON object a line (here broken in two):
  {\"id\": \"5409c35a97bbc544d8e26737\", \"org_id\": 42,
   \"name\": \"Corner shop\", \"city\": \"Saint-Étienne\"}
id has 1 to 64 letters, digits and : _ . -; org_id names an organisation that is
imported already; name has 1 to 255 characters; city has at most 255, and is \"\"
for a business that is in no city.

A business that changes its city or organisation takes its reviews with it: do
not import reviews at the same time. A business that changes its organisation is
removed from the lists of the old organisation's users. The import prints the
number of these users, with --json as \"users_updated\":n. A list that is written
at the same moment may keep the business: `ops users audit` finds it.";

pub(crate) const REVIEWS_FORMAT: &str = "\
One JSON object a line (here broken in several):
  {\"business_id\": \"5409c35a97bbc544d8e26737\", \"partner\": \"partner_8\",
   \"partner_id\": \"Ab12\", \"key\": \"Ab12\", \"author_name\": \"Zoë\",
   \"date\": \"2024-03-01T09:30:00+00:00\", \"update_date\": \"2024-03-02T10:00:00Z\",
   \"delete_date\": null, \"rating\": 5, \"title\": null,
   \"content\": \"Très bon accueil\", \"reply_comment\": null,
   \"state\": \"not_treated\", \"link\": \"https://example.org/r/1\"}
business_id names a business that is imported already; partner is partner_1,
partner_8 or partner_9; rating is an integer from 1 to 5; state is treated,
not_treated or deleted. A date is a day (its start in UTC) or an instant (in UTC
without an offset). key (default: partner_id), author_name, update_date,
delete_date, title, content, reply_comment, link, seen_at, stamp and acts may be
missing; an empty or blank text counts as missing. content and reply_comment have at
most 10000 characters, every other text 2048 bytes. Control characters other than tab
and line breaks are removed. seen_at is the instant at which the partner said so: a
row that is older than what is stored counts as unchanged, and one more than 24
hours in the future is rejected. stamp is written by exports of reviews that arrived
by themselves, and read by \"ops reviews build\" only. acts is of an export, too: only
\"ops reviews build\" reads it. The id of a review, as meant below, is its
business_id, partner and partner_id.";

const CATEGORIES_FORMAT: &str = "\
One JSON object a line (here broken in several):
  {\"id\": \"c98c57c34311d078171539c5\", \"code\": \"shop_bakery\",
   \"names\": {\"GB\": \"Bakery\", \"FR\": \"Boulangerie\"},
   \"ancestors\": {\"GB\": [\"Shop\"], \"FR\": [\"Commerce\"]},
   \"partners\": {\"partner_1\": [\"gcid:bakery\"],
                \"partner_4\": [{\"id\": \"a1\", \"name\": \"Bakery\"}]}}
id has 1 to 64 letters, digits and : _ . -; code and every other text have 1 to
255 characters; keys of names and ancestors are ISO 3166 codes of two upper-case
letters. ancestors, partners and any of the twelve partners may be missing.

All rows take effect together when the import ends; if it stops before, it
changes nothing. Categories that are not in the file stay as they are: an import
adds and updates, it never removes. Of two imports at the same time one stops.";

const IMPORTS: &str = "\
An import that is run again changes nothing; if interrupted, run it again. Ctrl-C
ends what is under way, prints the counts so far, and exits with 130. When
DynamoDB throttles, the import slows down. It stops if it wrote nothing for a
minute, and prints the counts so far, with --json also \"stopped\":true. A row whose
id exists is an update. The last of several rows with one id wins.

Rejected rows go to FILE.rejected.jsonl (stdin.rejected.jsonl in the current
folder for -), each as {\"line\":N,\"reason\":\"…\",\"row\":\"the line as it was\"}; the
exit code is then 4. The file is that of the last run; one of an earlier run is
kept as FILE.rejected.<its time>.jsonl. To import them again once corrected:
  jq -r .row orgs.jsonl.rejected.jsonl > again.jsonl

A file of another type or kind is refused before anything is written. If the first
100 rows are all rejected, the import stops; with --max-errors N it stops at the
Nth rejected row instead. The exit code is then 1, and with --json the counts have
\"stopped\":true.

--dry-run checks every row, compares it with the stored item and lists the rows
that it would reject, but writes nothing to the tables. With --json the last line
on stdout is {\"created\":n,\"updated\":n,\"unchanged\":n,\"rejected\":n}.";

const REMOTE: &str = "\
--remote uploads the file, and lets the service in AWS import it (its parameter
Ingest). The file may be compressed: FILE.jsonl.gz. The command waits for the
report and prints the same counts; rejected rows are fetched. It needs rights on
the bucket only, none on the tables. The row that is stored in the end is the one
with the latest seen_at, or from the latest upload. If interrupted, run it again.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Load organisations
    #[command(after_help = format!("{ORGS_FORMAT}\n\n{IMPORTS}"))]
    Orgs(ImportArgs),
    /// Load businesses of organisations that are loaded already
    #[command(after_help = format!("{BUSINESSES_FORMAT}\n\n{IMPORTS}"))]
    Businesses(ImportArgs),
    /// Load categories, which take effect together
    #[command(after_help = format!("{CATEGORIES_FORMAT}\n\n{IMPORTS}"))]
    Categories(ImportArgs),
    /// Load reviews of businesses that are loaded already
    #[command(after_help = format!("{REVIEWS_FORMAT}\n\n{IMPORTS}\n\n{REMOTE}"))]
    Reviews(ReviewImportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// JSON Lines file, - for stdin
    file: PathBuf,
    /// Check and count, but write nothing to the tables
    #[arg(long)]
    dry_run: bool,
    /// Stop at the Nth rejected row, instead of when the first 100 rows are all rejected
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_errors: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewImportArgs {
    #[command(flatten)]
    import: ImportArgs,
    /// Upload the file to `s3://BUCKET/inbox/`, and follow what the service makes of it
    #[arg(long, value_name = "URL", value_parser = RemoteLocation::parse, conflicts_with_all = ["dry_run", "max_errors"])]
    remote: Option<RemoteLocation>,
    /// Longest wait for the report, such as 30m
    #[arg(long, value_name = "DURATION", value_parser = parse_wait, default_value = "6h", requires = "remote")]
    wait: Duration,
}

impl Command {
    /// True if the command writes to the tables.
    pub(crate) fn writes(&self) -> bool {
        match self {
            Self::Orgs(args) | Self::Businesses(args) | Self::Categories(args) => !args.dry_run,
            Self::Reviews(args) => !args.import.dry_run && args.remote.is_none(),
        }
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Orgs(args) => import_rows::<orgs::OrgRow>(&args, context).await,
        Command::Businesses(args) => import_rows::<businesses::BusinessRow>(&args, context).await,
        Command::Categories(args) => import_rows::<Category>(&args, context).await,
        Command::Reviews(ReviewImportArgs { import, remote: Some(location), wait }) => {
            remote::run(&import.file, &location, wait, context).await
        }
        Command::Reviews(args) => import_reviews(&args.import, context).await,
    }
}

/// Parses the name of an organisation, as its rows have it.
pub(crate) fn parse_org_name(text: &str) -> Result<String, String> {
    row::parse_name("name", text)
}

async fn import_rows<R: Row>(args: &ImportArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let Input { lines, size, is_empty } = Input::open(&args.file, R::KIND).await?;
    warn_if_empty(is_empty, R::KIND, args, context);
    let actor = context.actor().await?;
    let import_context = ImportContext::new(context.stores.clone(), Arc::clone(&context.clock), actor, args.dry_run);
    let rejects = RejectsFile::for_import(&args.file, args.max_errors)?;
    let progress = Progress::start(size, context.console.shows_progress);
    let mut import = RowImport::<R>::new(import_context, rejects, progress);
    let result = import.run(lines, Interrupt::watch()).await;
    let (summary, rejects) = import.finish();
    summary.print(args.dry_run, R::KIND, result, rejects.finish(), &mut context.console)
}

async fn import_reviews(args: &ImportArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let kind = ImportKind::Reviews;
    let Input { lines, size, is_empty } = Input::open(&args.file, kind).await?;
    warn_if_empty(is_empty, kind, args, context);
    let rejects = RejectsFile::for_import(&args.file, args.max_errors)?;
    let progress = Progress::start(size, context.console.shows_progress);
    let (stores, clock) = (context.stores.clone(), Arc::clone(&context.clock));
    let mut import = ReviewImport::new(stores, clock, args.dry_run, rejects, progress);
    let result = import.run(lines, Interrupt::watch()).await;
    let (summary, rejects) = import.finish();
    summary.print(args.dry_run, kind, result, rejects.finish(), &mut context.console)
}

/// Tells the operator of a file without rows. That is no failure: there may be nothing to import today.
fn warn_if_empty(is_empty: bool, kind: ImportKind, args: &ImportArgs, context: &mut Context) {
    if is_empty {
        let (file, example) = (args.file.display(), kind.example());
        context
            .console
            .write_message(format_args!("note: {file} is empty; expected is one object a line, such as {example}"));
    }
}
