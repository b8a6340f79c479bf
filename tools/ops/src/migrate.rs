//! `ops migrate`: rewrites items of earlier formats, and builds the present ledger of reviews.

use clap::Args;

use crate::error::CommandError;
use crate::{Context, Exit};

pub(crate) const EXAMPLE: &str = "\
The kind `ledger` stands for organisations: their reviews are counted anew. While this runs, no reviews may be imported, and
an organisation's searches of reviews answer 503 until it is done. When no function of the earlier version runs any more,
--finish deletes the items that only that version reads.

With --json {\"user\":{\"current\":n,\"rewritten\":n,\"overtaken\":n,\"unreadable\":n},…}, with --finish {\"deleted\":n}.

Example:
  ops migrate --dry-run && ops migrate
  ops migrate --finish --yes";

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Count, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Delete what only the earlier version reads; asks first
    #[arg(long)]
    finish: bool,
    /// Ask nothing
    #[arg(long)]
    yes: bool,
}

impl MigrateArgs {
    /// True if the command writes to the tables.
    pub(crate) fn writes(&self) -> bool {
        !self.dry_run
    }
}

pub(crate) async fn run(args: MigrateArgs, context: &mut Context) -> Result<Exit, CommandError> {
    if args.finish && !args.dry_run && !args.yes {
        context.console.confirm("Delete all that only the earlier version reads?")?;
    }
    if args.finish { finish(args.dry_run, context).await } else { migrate(args.dry_run, context).await }
}

async fn migrate(dry_run: bool, context: &mut Context) -> Result<Exit, CommandError> {
    let mut kinds = context.stores.database.migrate(dry_run).await?;
    kinds.insert("ledger", context.stores.reviews.migrate_ledger(dry_run).await?);
    if context.console.json {
        context.console.write_json(&kinds)?;
    }
    let rewritten = if dry_run { "to be rewritten" } else { "rewritten" };
    for (kind, counts) in &kinds {
        context.console.write_message(format_args!(
            "{kind}: {} current, {} {rewritten}, {} overtaken, {} unreadable",
            counts.current, counts.rewritten, counts.overtaken, counts.unreadable,
        ));
    }
    let has_unreadable = kinds.values().any(|counts| counts.unreadable > 0);
    Ok(if has_unreadable { Exit::Failed } else { Exit::Done })
}

async fn finish(dry_run: bool, context: &mut Context) -> Result<Exit, CommandError> {
    let deleted = context.stores.reviews.delete_first_edition(dry_run).await?;
    if context.console.json {
        context.console.write_json(&serde_json::json!({ "deleted": deleted }))?;
    }
    let done = if dry_run { "to be deleted" } else { "deleted" };
    context.console.write_message(format_args!("first edition of the ledger: {deleted} items {done}"));
    Ok(Exit::Done)
}
