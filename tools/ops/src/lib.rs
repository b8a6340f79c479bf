//! The operator command line: tables, imports, first users, API keys and audits.
//!
//! `main` parses the command line and calls [`start`]. Tests call [`run`] with a [`Context`] of their own.

mod args;
mod audit;
mod aws_program;
mod businesses;
mod cli;
mod connect;
mod console;
mod context;
mod credentials;
mod doctor;
mod error;
mod events;
mod export;
mod file_lock;
mod import;
mod import_error;
mod key;
mod local_stack;
mod offline;
mod orgs;
mod outbox;
mod replies;
mod restore;
mod reviews;
mod rows;
mod status;
mod table;
mod tables;
mod target;
mod user;
mod users;
mod webhooks;

use std::ffi::OsString;

use clap::Parser as _;

use self::cli::Command;
use self::error::CommandError;

pub use aws_program::AwsProgram;
pub use cli::Cli;
pub use console::Console;
pub use context::Context;
pub use error::Exit;

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
    let reads_only = !cli.command.writes() && !matches!(cli.command, Command::Restore(_));
    match Context::connect(&cli.connection, reads_only).await {
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
    context.console.is_wide = cli.wide;
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
    dispatch(command, context).await
}

/// Runs one command, after it was said where it writes.
async fn dispatch(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Status => status::run(context).await,
        Command::Doctor(args) => doctor::run(&args, context).await,
        Command::Tables(command) => tables::run(command, context).await,
        Command::Import(command) => import::run(command, context).await,
        Command::Export(args) => export::run(&args, context).await,
        Command::User(command) => user::run(command, context).await,
        Command::Key(command) => key::run(command, context).await,
        Command::Users(command) => users::run(command, context).await,
        Command::Orgs(command) => orgs::run(command, context).await,
        Command::Businesses(command) => businesses::run(command, context).await,
        Command::Reviews(command) => reviews::run(command, context).await,
        Command::Outbox(command) => outbox::run(command, context).await,
        Command::Replies(command) => replies::run(command, context).await,
        Command::Webhooks(command) => webhooks::run(command, context).await,
        Command::Events(command) => events::run(command, context).await,
        Command::Restore(command) => restore::run(command, context).await,
        Command::Audit(args) => audit::run(args, context).await,
        Command::Offline(command) => offline::run(&command, &mut context.console),
    }
}
