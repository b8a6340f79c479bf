//! `ops businesses`: businesses of an organisation, and their moves.

use clap::{Args, Subcommand};
use presence_domain::ids::{BusinessId, OrgId};
use serde::Serialize;

use crate::error::CommandError;
use crate::rows::BusinessRow;
use crate::table::{TableWriter, column};
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
    /// Finish moves of businesses that were interrupted
    ///
    /// An import of businesses moves their reviews to their new city or organisation. If it is killed, searches find each
    /// review once, some of them in the old place. The scheduled auditor finishes such moves, and so does the next import
    /// of the business. With --json a line {"id","reviews"} for each move.
    #[command(after_help = "Example:\n  ops businesses move --finish")]
    Move(MoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// Finish the move of this business, or all moves
    #[arg(long, value_name = "ID", num_args = 0..=1, required = true, value_parser = args::parse_business_id)]
    #[expect(clippy::option_option, reason = "the option with a value, and without one")]
    finish: Option<Option<BusinessId>>,
}

#[derive(Serialize)]
struct FinishedMove<'a> {
    id: &'a str,
    reviews: u64,
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
    match command {
        Command::List(args) => list(args, context).await,
        Command::Move(args) => finish_moves(args, context).await,
    }
}

async fn finish_moves(MoveArgs { finish }: MoveArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let Context { stores, console, .. } = context;
    let unfinished = stores.reviews.unfinished_moves().await?.moves;
    let ids = match finish.flatten() {
        Some(id) if unfinished.contains_key(&id) => vec![id],
        Some(_) => Vec::new(),
        None => unfinished.into_keys().collect(),
    };
    let mut table = TableWriter::new([column("ID", "id"), column("REVIEWS", "reviews")]);
    for id in &ids {
        let reviews = stores.reviews.finish_move(id).await?;
        table.add(&FinishedMove { id: id.as_str(), reviews }, console)?;
    }
    table.finish(console)?;
    console.write_message(format_args!("moves finished: {}", ids.len()));
    if !ids.is_empty() {
        console.write_next("ops reviews audit");
    }
    Ok(Exit::Done)
}

async fn list(args: ListArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let Context { stores, console, .. } = context;
    let columns = [column("ID", "id"), column("CITY", "city"), column("NAME", "name")];
    let (mut table, mut count, mut start) = (TableWriter::new(columns), 0_u64, None);
    loop {
        let page = stores.businesses.list_in_org(args.org, args.city.as_deref(), start).await?;
        for business in page.items {
            table.add(&BusinessRow::from(&business), console)?;
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
