//! `ops users`: commands over all users.

use std::sync::Arc;

use clap::Subcommand;
use presence_domain::email_pattern::EmailPattern;
use presence_domain::ids::OrgId;
use presence_store::FoundUser;
use presence_store::meter::Meter;
use serde::Serialize;

use crate::error::CommandError;
use crate::{Context, Exit, args};

const FIND_EXAMPLES: &str = "\
Examples:
  ops users find ada@example.org
  ops users find 'ada@*'
  ops users find '*@example.org' --json

With --json a line {\"id\",\"email\",\"org_id\",\"status\",\"role\",\"first_name\",
\"last_name\"} each.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare users, e-mail reservations, directories, keys, outbox and email-index with each other
    ///
    /// Reads every user and every key, and writes nothing. Prints one finding a line on stdout; with --json one object
    /// with the counts and the list of findings. The exit code is 1 if there are findings. A user that is written
    /// during the audit may show up as a finding: run the audit again, and trust those that both runs report.
    Audit,
    /// Find users by their address, over all organisations
    ///
    /// Ignores case and width; *@DOMAIN takes a domain in its own script or in ASCII. Prints one user a line, and nothing
    /// if there is none. A whole address is read strongly and costs 2 read units. *@DOMAIN reads the entries of that
    /// domain in email-index, half a unit for some 25 users. LOCAL-PART@* reads the whole index, 2,000 units with 100,000
    /// users. Each user found costs one unit more. The index lags: a user written a moment ago may be missing.
    #[command(after_help = FIND_EXAMPLES)]
    Find {
        /// An address, LOCAL-PART@* or *@DOMAIN
        #[arg(value_parser = args::parse_email_pattern)]
        pattern: EmailPattern,
    },
}

#[derive(Serialize)]
struct ListedUser<'a> {
    id: String,
    email: &'a str,
    org_id: Option<u64>,
    status: &'static str,
    role: &'static str,
    first_name: &'a str,
    last_name: &'a str,
}

impl<'a> ListedUser<'a> {
    fn new(found: &'a FoundUser) -> Self {
        Self {
            id: found.id.to_string(),
            email: &found.email,
            org_id: found.org_id.map(OrgId::get),
            status: found.status.as_str(),
            role: found.role.as_str(),
            first_name: &found.first_name,
            last_name: &found.last_name,
        }
    }

    /// Formats one line of text: the columns that scripts cut, then the name.
    fn to_line(&self) -> String {
        let org = self.org_id.map_or_else(|| "-".to_owned(), |org| org.to_string());
        let Self { id, email, status, role, first_name, last_name, .. } = self;
        format!("{id}\t{org}\t{status}\t{role}\t{email}\t{first_name} {last_name}")
    }
}

impl Command {
    /// True if the command writes to the tables.
    pub(crate) fn writes(&self) -> bool {
        match self {
            Self::Audit | Self::Find { .. } => false,
        }
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Audit => audit(context).await,
        Command::Find { pattern } => find(pattern, context).await,
    }
}

async fn audit(context: &mut Context) -> Result<Exit, CommandError> {
    let audit = context.stores.users.audit().await?;
    let counts = format!("users: {}, keys: {}, mails: {}", audit.users, audit.keys, audit.mails);
    if audit.outdated > 0 {
        let advice = format!("users of an earlier format: {}; `ops migrate` rewrites them", audit.outdated);
        context.console.write_message(advice);
    }
    Ok(context.console.write_audit(&audit, &audit.findings, &counts)?)
}

async fn find(pattern: EmailPattern, context: &mut Context) -> Result<Exit, CommandError> {
    let meter = Arc::new(Meter::default());
    let Context { stores, console, .. } = context;
    let mut search = stores.users.search_emails(pattern);
    let mut count = 0_u64;
    // Each page is printed as it comes: a domain may have any number of users.
    while let Some(users) = Arc::clone(&meter).watch(search.next_page()).await? {
        for found in &users {
            let user = ListedUser::new(found);
            if console.json {
                console.write_json(&user)?;
            } else {
                console.write_line(user.to_line())?;
            }
            count += 1;
        }
    }
    console.write_message(format_args!("users: {count}, read units: {}", meter.cost().read_units));
    Ok(Exit::Done)
}
