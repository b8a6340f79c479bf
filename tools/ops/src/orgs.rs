//! `ops orgs`: organisations.

use clap::{Args, Subcommand};
use presence_domain::ids::OrgId;
use presence_store::Org;

use crate::error::CommandError;
use crate::import::parse_org_name;
use crate::rows::OrgRow;
use crate::table::{TableWriter, column};
use crate::{Context, Exit, args};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all organisations, in no order
    ///
    /// Reads the table of organisations and businesses strongly, page by page. With --json a line {"id","name"} each, as
    /// `ops import orgs` reads it.
    List,
    /// Create an organisation and print its id
    ///
    /// An id that exists is refused: `ops import orgs` renames. Without --id it is the highest id and one, also if several of these commands
    /// run at once. With --json {"id","name"}.
    #[command(after_help = "Examples:\n  ops orgs create 'Fast Retailer'\n  ops orgs create 'Fast Retailer' --id 42")]
    Create(CreateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Name, 1 to 255 characters
    #[arg(value_parser = parse_org_name)]
    name: String,
    /// Id that no organisation has [default: the highest id and one]
    #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
    id: Option<OrgId>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::List => list(context).await,
        Command::Create(args) => create(args, context).await,
    }
}

async fn create(CreateArgs { name, id }: CreateArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let businesses = &context.stores.businesses;
    let org = if let Some(id) = id {
        let org = Org { id, name };
        if !businesses.create_org(&org).await? {
            return Err(CommandError::refused(format!("organisation {id} exists already: ops orgs list")));
        }
        org
    } else {
        businesses.create_next_org(&name).await?
    };
    context.console.write_value(&OrgRow::from(&org), org.id)?;
    context.console.write_next(format_args!("ops users create --role ORG_ADMIN --org {} --email …", org.id));
    Ok(Exit::Done)
}

async fn list(context: &mut Context) -> Result<Exit, CommandError> {
    let Context { stores, console, .. } = context;
    let mut table = TableWriter::new([column("ID", "id"), column("NAME", "name")]);
    let (mut count, mut start) = (0_u64, None);
    loop {
        let page = stores.businesses.list_orgs_page(start).await?;
        for org in page.items {
            table.add(&OrgRow::from(&org), console)?;
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
