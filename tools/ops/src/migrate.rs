//! `ops migrate`

use clap::Args;

use crate::exit::Failure;
use crate::{Context, Exit};

pub(crate) const EXAMPLE: &str = "\
With --json {\"user\":{\"current\":n,\"rewritten\":n,\"overtaken\":n,\"unreadable\":n},…}.

Example:
  ops migrate --dry-run && ops migrate";

/// Reads the tables in which some kind of item has had more than one format, and rewrites each item of an earlier one on the
/// condition that it still is as it was read: the service may go on meanwhile, and no change is lost. Interrupted, it is simply
/// run again. Deploy the version first: the one before may not read what this writes. The exit code is 1 when items cannot be
/// read; they are left as they are.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// Count, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) async fn run(options: Migrate, context: &mut Context) -> Result<Exit, Failure> {
    let tables = context.store.table_names().join(", ");
    let will = if options.dry_run { "reads" } else { "writes to" };
    context.console.note(format_args!("{will} {tables}"));
    let kinds = context.store.migrate(options.dry_run).await?;
    if context.console.json {
        context.console.json_line(&kinds)?;
    }
    for (kind, counts) in &kinds {
        let done = if options.dry_run { "to be rewritten" } else { "rewritten" };
        let others = format!("{} overtaken, {} unreadable", counts.overtaken, counts.unreadable);
        context.console.note(format_args!("{kind}: {} current, {} {done}, {others}", counts.current, counts.rewritten));
    }
    let unreadable = kinds.values().any(|counts| counts.unreadable > 0);
    Ok(if unreadable { Exit::Failed } else { Exit::Done })
}
