//! `ops users list`: users by organisation.

use clap::Args;
use presence_domain::ids::OrgId;
use presence_domain::user::{Role, Status};
use presence_domain::user_directory::UserFilter;

use super::row::{COLUMNS, UserRow};
use crate::error::CommandError;
use crate::table::TableWriter;
use crate::{Context, Exit, args};

pub(super) const EXAMPLES: &str = "\
Examples:
  ops users list --org 42
  ops users list --status invited --role ORG_ADMIN --json

With --json a line {\"id\",\"email\",\"org_id\",\"status\",\"role\",\"first_name\",
\"last_name\"} each.";

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this organisation
    #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
    org: Option<OrgId>,
    /// Only users with this status
    #[arg(long, value_parser = args::status_parser())]
    status: Option<Status>,
    /// Only users with this role
    #[arg(long, value_parser = args::role_parser())]
    role: Option<Role>,
}

pub(super) async fn list(args: &ListArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let Context { stores, console, .. } = context;
    let orgs = match args.org {
        Some(org_id) => vec![Some(org_id)],
        None => stores.users.list_orgs_with_users().await?,
    };
    let filter = UserFilter { status: args.status, ..UserFilter::default() };
    let mut table = TableWriter::new(COLUMNS);
    let mut count = 0_u64;
    // One organisation is in memory at a time.
    for org_id in orgs {
        let members = stores.users.list_members(org_id, &filter).await?;
        for user in members.iter().filter(|user| args.role.is_none_or(|role| user.role == role)) {
            table.add(&UserRow::listed(user, org_id), console)?;
            count += 1;
        }
    }
    table.finish(console)?;
    console.write_message(format_args!("users: {count}"));
    Ok(Exit::Done)
}
