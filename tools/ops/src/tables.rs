//! `ops tables`: creates the tables.

use std::collections::HashSet;

use clap::Subcommand;
use serde::Serialize;

use crate::error::CommandError;
use crate::{Context, Exit};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create the tables that are missing
    ///
    /// Meant for local endpoints. On AWS the template creates the tables, with backups and protection against deletion,
    /// which this command does not set; there a new table also needs some seconds before it can be used.
    #[command(after_help = "Example:\n  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 ops tables create")]
    Create,
}

#[derive(Serialize)]
struct TableNames<'a> {
    created: Vec<&'a String>,
    existing: Vec<&'a String>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    let Command::Create = command;
    let created: HashSet<String> = context.stores.database.create_tables().await?.into_iter().collect();
    let names = context.stores.database.table_names();
    if context.console.json {
        let (created, existing) = names.iter().partition(|name| created.contains(*name));
        context.console.write_json(&TableNames { created, existing })?;
    } else {
        for name in &names {
            let state = if created.contains(name) { "created" } else { "already there" };
            context.console.write_line(format_args!("{name} {state}"))?;
        }
    }
    if !created.is_empty() {
        context.console.write_next("ops import orgs FILE");
    }
    Ok(Exit::Done)
}
