//! The operator command line: tables, imports, first users, API keys and audits.
//!
//! `main` parses the command line and calls [`start`]. Tests and benchmarks call [`run`] with a [`Context`] of their own.

mod actor;
mod args;
mod audit;
mod aws_program;
mod businesses;
mod connect;
mod console;
mod credentials;
mod doctor;
mod error;
mod export;
mod import;
mod key;
mod migrate;
mod offline;
mod orgs;
mod outbox;
mod restore;
mod reviews;
mod rows;
mod status;
mod table;
mod tables;
mod target;
mod user;
mod users;

use std::ffi::OsString;
use std::sync::Arc;

use aws_types::SdkConfig;
use clap::{Parser, Subcommand};
use presence_runtime::clock::Clock;
use presence_store::Stores;

pub use aws_program::AwsProgram;
use connect::ConnectionOptions;
pub use console::Console;
use error::CommandError;
pub use error::Exit;
use target::Target;

const AFTER_HELP: &str = "\
Data goes to stdout; messages, and progress bars on a terminal, go to stderr. A
command that writes says first where. With --json an error on stderr is
{\"error\":{\"code\":\"…\",\"message\":\"…\"}}.

Commands that delete or take access from users ask on a terminal, or take --yes:
users delete, users set-status, migrate --finish, restore plan --execute.

Exit codes:
  0  done
  1  failed, or an audit reported findings
  2  wrong usage
  3  no such user, key, mail or review
  4  some rows of an import were rejected

Environment:
  AWS_REGION, AWS_PROFILE, …   as in the AWS CLI: keys, profiles with SSO, a
                               credential_process or a role, web identity
  AWS_ENDPOINT_URL_DYNAMODB    another endpoint, such as the local stack; one on
                               this machine needs neither region nor credentials
  AWS_ENDPOINT_URL_S3          another endpoint for import reviews --remote
  TABLE_PREFIX                 prefix of the names of the tables
                               [default: presence-]
  AUDIT_TABLE                  table of the audit trail, for restored tables
                               [default: the prefix, then audit]
  REVIEWS_TABLE                table of the reviews, for one made from a build
                               [default: the prefix, then reviews]

Examples:
  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 ops tables create
  ops import orgs orgs.jsonl && ops import businesses businesses.jsonl
  ops import categories categories.jsonl
  ops import reviews reviews.jsonl && ops reviews audit
  ID=$(ops user create --email zoe@example.org --first-name Zoe \\
      --last-name Martin --role PROVIDER)
  KEY=$(ops key issue --user $ID --label laptop --expires 90d)";

/// Operates the presence service: creates tables, imports organisations, businesses, categories and reviews, creates users,
/// issues their API keys, and audits what is stored.
#[derive(Debug, Parser)]
#[command(name = "ops", version, after_help = AFTER_HELP, arg_required_else_help = true)]
pub struct Cli {
    /// Write JSON to stdout instead of text
    #[arg(long, global = true, display_order = 100)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the tables, and what is in them, at a glance
    #[command(after_help = status::JSON)]
    Status(status::StatusArgs),
    /// Find what is missing or wrong, and name the commands that mend it
    ///
    /// Writes nothing. Run it before a deployment, and when something is odd.
    #[command(after_help = doctor::CHECKS)]
    Doctor,
    /// The six tables
    #[command(subcommand, arg_required_else_help = true)]
    Tables(tables::Command),
    /// Load JSON Lines into the tables
    #[command(subcommand, arg_required_else_help = true)]
    Import(import::Command),
    /// Write users, reviews, categories, organisations or businesses as JSON Lines
    #[command(after_help = export::NOTES)]
    Export(export::ExportArgs),
    /// A single user
    #[command(subcommand, arg_required_else_help = true)]
    User(user::Command),
    /// API keys
    #[command(subcommand, arg_required_else_help = true)]
    Key(key::Command),
    /// All users
    #[command(subcommand, arg_required_else_help = true)]
    Users(users::Command),
    /// Organisations
    #[command(subcommand, arg_required_else_help = true)]
    Orgs(orgs::Command),
    /// Businesses of organisations
    #[command(subcommand, arg_required_else_help = true)]
    Businesses(businesses::Command),
    /// All reviews, and the ledger that counts them
    #[command(subcommand, arg_required_else_help = true)]
    Reviews(reviews::Command),
    /// Rewrite items of earlier formats in the format of this version
    ///
    /// Reads the tables in which some kind of item has had more than one format, and rewrites each item of an earlier
    /// format. A write takes place only if the item is as it was read: the service may run at the same time, and no change
    /// is lost. If interrupted, run it again. Deploy this version first: the version before may not read the new formats.
    /// The exit code is 1 if items cannot be read; they stay as they are.
    #[command(after_help = migrate::EXAMPLE)]
    Migrate(migrate::MigrateArgs),
    /// The mails that wait to be sent
    #[command(subcommand, arg_required_else_help = true)]
    Outbox(outbox::Command),
    /// A restore of the tables to an earlier instant
    #[command(subcommand, arg_required_else_help = true)]
    Restore(restore::Command),
    /// Print the audit trail: who changed which user or key, when, and which fields
    ///
    /// Prints the records of the audit trail, newest first; of several options, a record must fit all. Records hold names
    /// of fields, never values, and are kept for 400 days. A record of --user is there as soon as the change is; the others
    /// come from an index, which lags. Without --user, --actor, --org and --key the whole table is read, and the newest
    /// 10000 records are printed. An id that nothing is recorded of prints nothing.
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::AuditArgs),
    #[command(flatten)]
    Offline(offline::Command),
}

/// Stores, clock and console of a command.
pub struct Context {
    /// Store that the command reads and writes.
    pub stores: Stores,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Output of the command.
    pub console: Console,
    target: Target,
    /// Settings of the calls to S3; none for a context without an environment.
    s3: Option<SdkConfig>,
    /// Program for `CloudFormation`; none for tables outside AWS, where there are no stacks.
    aws: Option<AwsProgram>,
}

impl Context {
    /// Returns a context for tables outside AWS.
    #[must_use]
    pub fn new(stores: Stores, clock: Arc<dyn Clock>, console: Console) -> Self {
        let target = Target::outside_aws(stores.database.prefix(), None);
        Self { stores, clock, console, target, s3: None, aws: None }
    }

    /// Returns the context with a program for `CloudFormation`.
    #[must_use]
    pub fn with_aws_program(self, aws: AwsProgram) -> Self {
        Self { aws: Some(aws), ..self }
    }
}

impl Cli {
    /// Hands the option `--prefix` to the one command for which it names other tables than those that it reads.
    fn take_prefix(&mut self) {
        if let Command::Restore(command) = &mut self.command {
            command.take_prefix(&mut self.connection.prefix);
        }
    }
}

impl Command {
    /// True if the command may write to the tables.
    fn writes(&self) -> bool {
        match self {
            Self::Tables(tables::Command::Create) | Self::User(user::Command::Create(_)) => true,
            Self::Status(_)
            | Self::Doctor
            | Self::Orgs(_)
            | Self::Businesses(_)
            | Self::Export(_)
            | Self::Audit(_)
            | Self::Offline(_)
            // It says first which new tables it makes.
            | Self::Restore(_) => false,
            Self::Import(command) => command.writes(),
            Self::Key(command) => command.writes(),
            Self::Users(command) => command.writes(),
            Self::Reviews(command) => command.writes(),
            Self::Migrate(args) => args.writes(),
            Self::Outbox(command) => command.writes(),
        }
    }

    /// True if the command must not fail because nobody can tell who runs it.
    fn is_emergency(&self) -> bool {
        matches!(self, Self::Key(key::Command::Revoke { .. }))
    }
}

/// Parses the words of a command line. Writes help, version and errors as clap does; with `--json`, errors as JSON.
///
/// # Errors
/// The exit code, when there is no command to run.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, Exit> {
    let words: Vec<OsString> = words.into_iter().collect();
    Cli::try_parse_from(&words).map_err(|error| {
        if !error.use_stderr() {
            // A closed stdout is no reason to fail.
            let _ = error.print();
            return Exit::Done;
        }
        let is_json = words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
        if is_json {
            let mut console = Console::standard();
            console.json = true;
            console.write_error(&CommandError::Usage(usage_message(&error)));
        } else {
            let _ = error.print();
        }
        Exit::Usage
    })
}

/// Returns the error of clap in one line, without usage and advice.
fn usage_message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\nUsage:").next().and_then(|text| text.split("\n\nFor more information").next());
    let text = text.unwrap_or_default().trim_start_matches("error: ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Connects with the settings of the options and the environment, and runs one command.
pub async fn start(mut cli: Cli) -> Exit {
    if let Command::Offline(command) = &cli.command {
        let mut console = Console::standard();
        console.json = cli.json;
        let done = offline::run(command, &mut console);
        return done.unwrap_or_else(|error| end_reading(&error, &mut console));
    }
    cli.take_prefix();
    match Context::connect(&cli.connection).await {
        Ok(mut context) => run(cli, &mut context).await,
        Err(error) => {
            let mut console = Console::standard();
            console.json = cli.json;
            end_with(&error, &mut console)
        }
    }
}

/// Writes the error that ends a command. Returns the exit code.
fn end_with(error: &CommandError, console: &mut Console) -> Exit {
    console.write_error(error);
    error.exit()
}

/// Ends a command that writes to no table. Says nothing if the reader of its output has enough. Other commands say so: the output may have
/// been a key.
fn end_reading(error: &CommandError, console: &mut Console) -> Exit {
    if error.is_closed_output() { error.exit() } else { end_with(error, console) }
}

/// Runs one command. Writes its data, its messages and its error to the console of the context.
pub async fn run(mut cli: Cli, context: &mut Context) -> Exit {
    cli.take_prefix();
    context.console.json = cli.json;
    let makes_tables = matches!(cli.command, Command::Restore(_));
    let end = if cli.command.writes() || makes_tables { end_with } else { end_reading };
    run_command(cli.command, context).await.unwrap_or_else(|error| end(&error, &mut context.console))
}

async fn run_command(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    if command.is_emergency()
        && let Some(warning) = context.target.identity_in_an_emergency().await?
    {
        context.console.write_message(warning);
    }
    if command.writes() {
        let target = context.target.describe().await?;
        context.console.write_message(target);
    }
    match command {
        Command::Status(args) => status::run(&args, context).await,
        Command::Doctor => doctor::run(context).await,
        Command::Tables(command) => tables::run(command, context).await,
        Command::Import(command) => import::run(command, context).await,
        Command::Export(args) => export::run(&args, context).await,
        Command::User(command) => user::run(command, context).await,
        Command::Key(command) => key::run(command, context).await,
        Command::Users(command) => users::run(command, context).await,
        Command::Orgs(command) => orgs::run(command, context).await,
        Command::Businesses(command) => businesses::run(command, context).await,
        Command::Reviews(command) => reviews::run(command, context).await,
        Command::Migrate(args) => migrate::run(args, context).await,
        Command::Outbox(command) => outbox::run(command, context).await,
        Command::Restore(command) => restore::run(command, context).await,
        Command::Audit(args) => audit::run(args, context).await,
        Command::Offline(command) => offline::run(&command, &mut context.console),
    }
}
