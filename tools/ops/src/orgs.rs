//! `ops orgs`: organisations.

use clap::Subcommand;

use crate::error::CommandError;
use crate::rows::OrgRow;
use crate::table::TableWriter;
use crate::{Context, Exit};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all organisations, in no order
    ///
    /// Reads the table of organisations and businesses strongly, page by page. With --json a line {"id","name"} each, as
    /// `ops import orgs` reads it.
    List,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    let Command::List = command;
    let Context { stores, console, .. } = context;
    let (mut table, mut count, mut start) = (TableWriter::new(["ID", "NAME"]), 0_u64, None);
    loop {
        let page = stores.businesses.list_orgs_page(start).await?;
        for org in page.items {
            table.add_or_json(&OrgRow::from(&org), [org.id.to_string(), org.name.clone()], console)?;
            count += 1;
        }
        start = page.next;
        if start.is_none() {
            break;
        }
    }
    table.finish(console)?;
    console.write_message(format_args!("orgs: {count}"));
    Ok(Exit::Done)
}
