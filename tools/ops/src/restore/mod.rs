//! `ops restore plan`: restores the tables to an earlier instant, under new names, without giving back what was taken away since.
//!
//! The plan is a list of steps, each with the commands that do it by hand. `--execute` does them in this order. Each looks first at
//! what is there, so that a plan that was interrupted is simply run again.

mod again;
mod execute;
mod names;
mod plan;
mod report;
mod stacks;
mod steps;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use presence_store::Stores;
use presence_store::restore::restored_tables;
use presence_store::schema::{AUDIT, EVENTS, REVIEWS};

use crate::error::CommandError;
use crate::{Context, Exit};
use names::{default_prefix, default_stack};
use plan::Plan;
use stacks::Stacks;
use steps::StepName;

const EXAMPLES: &str = "\
Examples:
  ops restore plan --at 2026-11-22T12:00:00Z
  ops restore plan --at 2026-11-22T12:00:00Z --execute
  ops restore plan --at 2026-11-22T12:00:00Z --execute --undo 4711-0a1b2c3d4e5f

The tables to restore are those of TABLE_PREFIX; --prefix names the new ones.

With --json a list of {\"step\",\"name\",\"does\",\"commands\"}; with --execute
{\"restored_to\",\"table_prefix\",\"audit_table\",\"deleted_users\",\"ended_keys\",
\"restricted_users\",\"secured_users\",\"held_mails\",\"decisions\",\"is_in_use\"},
where decisions are a list of {\"subject\",\"problem\"}.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the steps of a restore, or do them
    ///
    /// Restores the five tables to an instant under new names. Keys that were revoked and users that were deleted since
    /// are revoked and deleted again, and nobody gets rights back that were taken away: the audit trail tells, which is
    /// not restored. Mails that waited at that instant are held. After both audits the stack uses the new tables. The old
    /// ones stay. Interrupted, it is run again with the same arguments. Nothing is written without --execute.
    #[command(after_help = EXAMPLES)]
    Plan(PlanArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Instant to restore to, in RFC 3339 with whole seconds: 2026-11-22T12:00:00Z
    #[arg(long, value_name = "T", value_parser = parse_instant)]
    at: Timestamp,
    /// Do the steps
    #[arg(long)]
    execute: bool,
    /// Ask nothing
    #[arg(long, requires = "execute")]
    yes: bool,
    /// Do not repeat what this actor did since: the id of a user or of a key, or the name of an operator; may be repeated
    #[arg(long, value_name = "ID")]
    undo: Vec<String>,
    /// Stop after this step; another run goes on from there
    #[arg(long, value_name = "STEP", requires = "execute", value_parser = until_parser())]
    until: Option<StepName>,
    /// Name of the stack that uses the tables [default: their prefix without the dash]
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,
    /// Prefix of the new tables, from the option that every command has.
    #[arg(skip)]
    prefix: Option<String>,
}

impl Command {
    /// Takes the prefix of the options for the new tables. Those to restore have the prefix of the environment.
    pub(crate) fn take_prefix(&mut self, prefix: &mut Option<String>) {
        let Self::Plan(args) = self;
        args.prefix = args.prefix.take().or(prefix.take());
    }
}

/// Restore: the tables before and after it, and the instant.
pub(crate) struct Restore {
    at: Timestamp,
    /// Tables that are restored.
    running: Stores,
    /// Tables that the restore makes.
    restored: Stores,
    undo: Vec<String>,
    /// Stack that uses the tables; none for tables outside AWS.
    stacks: Option<Stacks>,
}

impl Restore {
    fn new(args: &PlanArgs, context: &Context) -> Result<Self, CommandError> {
        let running = context.stores.clone();
        let before = running.database.prefix().to_owned();
        let prefix = args.prefix.clone().unwrap_or_else(|| default_prefix(&before, args.at));
        if prefix == before {
            return Err(CommandError::Usage(format!(
                "the tables {before}* are those to restore: name another --prefix"
            )));
        }
        let stack = args.stack.clone().unwrap_or_else(|| default_stack(&before));
        let stacks = context.aws.as_ref().map(|aws| Stacks::new(stack, &prefix, aws));
        let restored = Stores::new(running.database.with_prefix(&prefix));
        Ok(Self { at: args.at, running, restored, undo: args.undo.clone(), stacks })
    }

    /// Returns the variables of the environment that name the restored tables.
    fn environment(&self) -> String {
        let database = &self.restored.database;
        let [prefix, audit, events] = [database.prefix(), &database.name(&AUDIT), &database.name(&EVENTS)];
        let names = format!("TABLE_PREFIX={prefix} AUDIT_TABLE={audit} EVENTS_TABLE={events}");
        // The name of a table that was made from a build must not outlive it in the operator's shell.
        if self.has_loaded_reviews() { format!("{names} REVIEWS_TABLE=") } else { names }
    }

    /// True if the reviews to restore are in a table that was made from a build, whose name is another one.
    fn has_loaded_reviews(&self) -> bool {
        let running = &self.running.database;
        running.name(&REVIEWS) != format!("{}{}", running.prefix(), REVIEWS.name)
    }

    /// Returns the names of the tables before and after the restore.
    fn table_names(&self) -> impl Iterator<Item = (String, String)> {
        restored_tables().map(|table| (self.running.database.name(table), self.restored.database.name(table)))
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    let Command::Plan(args) = command;
    let restore = Restore::new(&args, context)?;
    if args.execute {
        return execute::execute(&restore, &args, context).await;
    }
    let changes = again::read_changes(&restore).await?;
    Plan::new(&restore, &changes).print(&mut context.console)?;
    // The plan is printed whatever is wrong, so that it can be read before anything is mended.
    execute::check(&restore, context).await?;
    context.console.write_next("this command with --execute");
    Ok(Exit::Done)
}

/// Returns the parser of the step after which a run stops. The steps before `tables` write nothing, and the last ones belong together.
fn until_parser() -> impl TypedValueParser<Value = StepName> {
    const STEPS: [StepName; 4] = [StepName::Settings, StepName::Again, StepName::Mails, StepName::Audits];
    PossibleValuesParser::new(STEPS.map(StepName::as_str))
        .try_map(|text| STEPS.into_iter().find(|step| step.as_str() == text).ok_or("is no step"))
}

/// Parses an instant. Point-in-time recovery knows whole seconds.
fn parse_instant(text: &str) -> Result<Timestamp, String> {
    let at: Timestamp =
        text.trim().parse().map_err(|_| "must be an instant such as 2026-11-22T12:00:00Z".to_owned())?;
    if at.subsec_nanosecond() != 0 { Err("must be a whole second".to_owned()) } else { Ok(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_has_a_time_zone_and_whole_seconds() {
        for text in ["2026-11-22T12:00:00Z", "2026-11-22T13:00:00+01:00", " 2026-11-22 12:00:00.000Z "] {
            assert_eq!(parse_instant(text).map(|at| at.to_string()).as_deref(), Ok("2026-11-22T12:00:00Z"), "{text}");
        }
        for text in ["", "now", "2026-11-22", "2026-11-22T12:00:00", "2026-11-22T12:00:00.5Z"] {
            assert!(parse_instant(text).is_err(), "{text}");
        }
    }
}
