//! `ops migrate`: rewrites items of earlier formats.

use clap::Args;

use crate::error::CommandError;
use crate::{Context, Exit};

pub(crate) const EXAMPLE: &str = "\
With --json {\"user\":{\"current\":n,\"rewritten\":n,\"overtaken\":n,\"unreadable\":n},…}.

Example:
  ops migrate --dry-run && ops migrate";

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Count, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) async fn run(args: MigrateArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let tables = context.stores.database.table_names().join(", ");
    let access = if args.dry_run { "reads" } else { "writes to" };
    context.console.write_message(format_args!("{access} {tables}"));
    let kinds = context.stores.database.migrate(args.dry_run).await?;
    if context.console.json {
        context.console.write_json(&kinds)?;
    }
    let rewritten = if args.dry_run { "to be rewritten" } else { "rewritten" };
    for (kind, counts) in &kinds {
        context.console.write_message(format_args!(
            "{kind}: {} current, {} {rewritten}, {} overtaken, {} unreadable",
            counts.current, counts.rewritten, counts.overtaken, counts.unreadable,
        ));
    }
    let has_unreadable = kinds.values().any(|counts| counts.unreadable > 0);
    Ok(if has_unreadable { Exit::Failed } else { Exit::Done })
}
