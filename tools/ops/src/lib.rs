//! The operator command line: tables, imports, first users, API keys and audits.
//!
//! `main` parses and calls [`run`]; so may anything else in the same process, with a [`Context`] of its own.

mod args;
mod audit;
mod connect;
mod credentials;
mod exit;
mod find;
mod import;
mod key;
mod migrate;
mod outbox;
mod output;
mod reviews;
mod tables;
mod user;

use std::sync::Arc;

use clap::{Parser, Subcommand};
use presence_runtime::clock::Clock;
use presence_store::Store;

use connect::Connection;
pub use exit::Exit;
pub use output::Console;

const AFTER_HELP: &str = "\
Data goes to stdout; messages, and progress bars on a terminal, go to stderr.

Exit codes:
  0  done
  1  failed, or the audit found something
  2  wrong usage
  3  no such user or key
  4  some rows of an import were rejected

Environment:
  AWS_REGION, AWS_PROFILE, …   as for every AWS tool: keys, profiles with SSO, a
                               credential_process or a role, web identity
  AWS_ENDPOINT_URL_DYNAMODB    another endpoint, such as the local stack's; one on
                               this machine needs neither region nor credentials
  TABLE_PREFIX                 what the names of the tables start with
                               [default: presence-]

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
    connection: Connection,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The five tables
    #[command(subcommand, arg_required_else_help = true)]
    Tables(tables::Command),
    /// Load JSON Lines into the tables
    #[command(subcommand, arg_required_else_help = true)]
    Import(import::Command),
    /// A single user
    #[command(subcommand, arg_required_else_help = true)]
    User(user::Command),
    /// API keys
    #[command(subcommand, arg_required_else_help = true)]
    Key(key::Command),
    /// All users
    #[command(subcommand, arg_required_else_help = true)]
    Users(audit::Command),
    /// All reviews, and what counts them
    #[command(subcommand, arg_required_else_help = true)]
    Reviews(reviews::Command),
    /// Rewrite what earlier versions stored in the formats of this one
    #[command(after_help = migrate::EXAMPLE)]
    Migrate(migrate::Migrate),
    /// The mails that wait to be sent
    #[command(subcommand, arg_required_else_help = true)]
    Outbox(outbox::Command),
}

/// What a command works with.
pub struct Context {
    /// The tables.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where it writes.
    pub console: Console,
}

/// Connects as options and environment say, and runs one command.
pub async fn start(cli: Cli) -> Exit {
    match Context::connect(&cli.connection).await {
        Ok(mut context) => run(cli, &mut context).await,
        Err(trouble) => {
            Console::standard().note(format_args!("error: {trouble}"));
            Exit::Failed
        }
    }
}

/// Runs one command. Whatever it has to say is on the context's console when this returns.
pub async fn run(cli: Cli, context: &mut Context) -> Exit {
    context.console.json = cli.json;
    let result = match cli.command {
        Command::Tables(command) => tables::run(command, context).await,
        Command::Import(command) => import::run(command, context).await,
        Command::User(command) => user::run(command, context).await,
        Command::Key(command) => key::run(command, context).await,
        Command::Users(command) => audit::run(command, context).await,
        Command::Reviews(command) => reviews::run(command, context).await,
        Command::Migrate(options) => migrate::run(options, context).await,
        Command::Outbox(command) => outbox::run(command, context).await,
    };
    result.unwrap_or_else(|failure| {
        context.console.note(format_args!("error: {failure}"));
        failure.exit()
    })
}
