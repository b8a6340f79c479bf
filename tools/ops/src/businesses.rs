//! `ops businesses`: businesses of an organisation.

use clap::{Args, Subcommand};
use presence_domain::ids::OrgId;

use crate::error::CommandError;
use crate::rows::BusinessRow;
use crate::table::TableWriter;
use crate::{Context, Exit, args};

#[derive(Debug, Subcommand)]
#[expect(clippy::doc_markdown, reason = "clap prints these texts as they are")]
pub(crate) enum Command {
    /// List the businesses of an organisation, by city
    ///
    /// Reads an index: a business that was imported a moment ago may be missing. With --json a line
    /// {"id","org_id","name","city"} each, as `ops import businesses` reads it.
    #[command(after_help = "Example:\n  ops businesses list --org 42 --city 'Saint-Étienne'")]
    List(ListArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The organisation
    #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
    org: OrgId,
    /// Only this city, ignoring case, accents, hyphens and apostrophes
    #[arg(long)]
    city: Option<String>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    let Command::List(args) = command;
    let Context { stores, console, .. } = context;
    let (mut table, mut count, mut start) = (TableWriter::new(["ID", "CITY", "NAME"]), 0_u64, None);
    loop {
        let page = stores.businesses.list_in_org(args.org, args.city.as_deref(), start).await?;
        for business in page.items {
            table.add_or_json(
                &BusinessRow::from(&business),
                [business.id.as_str().to_owned(), business.city.clone(), business.name.clone()],
                console,
            )?;
            count += 1;
        }
        start = page.next;
        if start.is_none() {
            break;
        }
    }
    table.finish(console)?;
    console.write_message(format_args!("businesses: {count}"));
    Ok(Exit::Done)
}
