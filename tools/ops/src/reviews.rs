//! `ops reviews`: audit and rebuild of the ledger that counts reviews.

use clap::Subcommand;
use presence_domain::ids::OrgId;
use presence_domain::review::ReviewId;
use presence_store::{IngestStore, RebuildPlan, schema};
use serde::Serialize;
use serde_json::json;

use crate::context::operator_scope;
use crate::error::CommandError;
use crate::rows::ReviewRow;
use crate::{Context, Exit, args, import};

#[derive(Debug, Subcommand)]
#[expect(clippy::doc_markdown, reason = "clap prints these texts as they are")]
pub(crate) enum Command {
    /// Compare the counted trees with the reviews
    ///
    /// Compares every tree of an organisation, its cities and its businesses with the reviews that `listing-index` lists, and
    /// reads what differs strongly, twice. Writes nothing. Prints one finding a line on stdout, a tree or a review each; with
    /// --json one object with the counts and the list of findings. The exit code is 1 if there are findings. Reviews that
    /// are written during the audit cause none. `ops reviews rebuild` corrects them.
    Audit {
        /// Only this organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: Option<OrgId>,
    },
    /// Correct the counted trees of an organisation by its reviews
    ///
    /// Changes only trees that are wrong. Moves reviews that are counted in another city than the one of their business, and
    /// deletes nodes that no tree uses. The service may run at the same time. With --json {"reviews":n,"moved":n,"rewritten":n}:
    /// the last is the number of trees.
    ///
    /// With --dry-run nothing is written. Prints the trees that would be corrected, one a line; with --json one object that has
    /// "folded", "unused_nodes" and the list "trees" besides.
    Rebuild {
        /// The organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: OrgId,
        /// Say what would be written, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Write the items that the rows of a file amount to, for DynamoDB's import from S3
    ///
    /// Takes the rows of `ops import reviews`, and writes what it would leave in an empty table: reviews, trees, directories and
    /// the list of organisations, as DynamoDB JSON in `DIR/<table>/part-00000.json.gz` and so on. Businesses are looked up at the
    /// endpoint; nothing is written there. The same rows give the same bytes. Sorts in files below DIR, which take some twice
    /// the space of FILE, and needs less than 256 MB of memory for any number of rows, and 500 bytes for each business.
    ///
    /// The table must have no other reviews. Rows are rejected, counted and reported as by an import; with --json one object
    /// {"created","updated","unchanged","rejected","items","parts","bytes"}.
    #[command(after_help = import::REVIEWS_FORMAT)]
    Build(import::build::BuildArgs),
    /// Take the progress of files that arrive along to another table of reviews
    ///
    /// Copies what ingest notes about the files in its bucket: how far each is split, and which rows are written. Run it after the
    /// service has changed to a table that was made from a build, before the messages that wait are written: otherwise their
    /// files get no report. Items that the new table has already stay as they are. Reads the whole table TABLE, for a read
    /// unit per 4 KB. With --json {"copied":n}.
    CopyProgress {
        /// Full name of the table that was in use before
        #[arg(long, value_name = "TABLE")]
        from: String,
    },
    /// Show a review
    ///
    /// Reads strongly. Prints one field a line; with --json one object: {"id","org_id","version"}, and the fields of an import.
    Show {
        /// Id of the review
        id: String,
    },
}

/// Review with what an import does not give.
#[derive(Serialize)]
struct ReviewBody<'a> {
    id: &'a str,
    org_id: u64,
    version: u64,
    #[serde(flatten)]
    row: ReviewRow<'a>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Audit { org } => audit(org, context).await,
        Command::Rebuild { org, dry_run: true } => plan_rebuild(org, context).await,
        Command::Rebuild { org, dry_run: false } => rebuild(org, context).await,
        Command::Build(args) => import::build::run(&args, context).await,
        Command::CopyProgress { from } => copy_progress(&from, context).await,
        Command::Show { id } => show(&id, context).await,
    }
}

async fn audit(org: Option<OrgId>, context: &mut Context) -> Result<Exit, CommandError> {
    let audit = context.stores.reviews.audit_reviews(org).await?;
    if audit.unused_nodes > 0 {
        let unused = audit.unused_nodes;
        context
            .console
            .write_message(format_args!("nodes that no tree uses: {unused}; `ops reviews rebuild` deletes them"));
    }
    let counts = format!("orgs: {}, reviews: {}", audit.orgs, audit.reviews);
    let exit = context.console.write_audit(&audit, &audit.findings, &counts)?;
    if exit == Exit::Failed {
        let org = org.map_or_else(|| "N".to_owned(), |org| org.to_string());
        context.console.write_next(format_args!("ops reviews rebuild --org {org}"));
    }
    Ok(exit)
}

async fn rebuild(org: OrgId, context: &mut Context) -> Result<Exit, CommandError> {
    let rebuilt = context.stores.reviews.rebuild_reviews(org).await?;
    let counts = format!("{} moved, {} trees rewritten", rebuilt.moved, rebuilt.rewritten);
    context.console.write_result(&rebuilt, format_args!("reviews: {}, {counts}", rebuilt.reviews))?;
    context.console.write_next(format_args!("ops reviews audit --org {org}"));
    Ok(Exit::Done)
}

async fn copy_progress(from: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let database = &context.stores.database;
    let to = database.name(&schema::REVIEWS);
    if from == to {
        return Err(CommandError::Usage(format!(
            "{from} is the table in use: name the one before, or set REVIEWS_TABLE"
        )));
    }
    let before = database.clone().with_reviews_table(Some(from));
    let copied = IngestStore::new(database).copy_progress_from(&before).await?;
    let message = format_args!("{copied} items copied from {from} to {to}");
    context.console.write_result(&json!({ "copied": copied }), message)?;
    context.console.write_next("ops reviews audit");
    Ok(Exit::Done)
}

async fn plan_rebuild(org: OrgId, context: &mut Context) -> Result<Exit, CommandError> {
    let plan = context.stores.reviews.plan_rebuild(org).await?;
    if context.console.json {
        context.console.write_json(&plan)?;
    } else {
        plan.trees.iter().try_for_each(|tree| context.console.write_line(tree))?;
    }
    let RebuildPlan { reviews, moved, rewritten, folded, unused_nodes, .. } = plan;
    let counts = format!("{moved} to be moved, {rewritten} trees to be rewritten");
    let rest = format!("{folded} changes to be folded, {unused_nodes} unused nodes to be deleted");
    context.console.write_message(format_args!("dry run, nothing written: reviews: {reviews}, {counts}, {rest}"));
    context.console.write_next(format_args!("ops reviews rebuild --org {org}"));
    Ok(Exit::Done)
}

async fn show(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let not_found = || CommandError::NotFound(format!("there is no review {id}"));
    let parsed = ReviewId::parse(id).ok_or_else(not_found)?;
    let review = context.stores.reviews.get_review(operator_scope(), &parsed).await?.ok_or_else(not_found)?;
    let (org_id, version) = (review.org_id.get(), review.version);
    context.console.write_object(&ReviewBody { id, org_id, version, row: ReviewRow::from(&review) })?;
    Ok(Exit::Done)
}
