//! `ops users`: commands over all users.

mod change;
mod details;
mod find;
mod list;
mod row;
mod show;

use clap::Subcommand;

use crate::args::UserPattern;
use crate::error::CommandError;
use crate::user::{CREATE_EXAMPLES, CreateArgs, create_user};
use crate::{Context, Exit, args};
pub(crate) use change::{DeleteArgs, SetStatusArgs};
pub(crate) use details::UserBody;
pub(crate) use list::ListArgs;

const FIND_EXAMPLES: &str = "\
Examples:
  ops users find ada@example.org
  ops users find 'ada@*'
  ops users find '*@example.org' --json
  ops users find 'zoe martin'

With --json a line {\"id\",\"email\",\"org_id\",\"status\",\"role\",\"first_name\",
\"last_name\"} each.";

#[derive(Debug, Subcommand)]
#[expect(clippy::doc_markdown, reason = "clap prints these texts as they are")]
pub(crate) enum Command {
    /// Compare users, e-mail reservations, directories, keys, outbox, email-index and organisations with each other
    ///
    /// Reads every user and every key, and writes nothing. Prints one finding a line on stdout; with --json one object
    /// with the counts and the list of findings. The exit code is 1 if there are findings. A user that is written
    /// during the audit may show up as a finding: run the audit again, and trust those that both runs report.
    Audit,
    /// Create a user and print its id
    ///
    /// Meant for the first users: the API lets only users create users. The user has no password; an invited user gets a
    /// mail to choose one. Prints the id on stdout; with --json {"id":"…"}.
    #[command(after_help = CREATE_EXAMPLES)]
    Create(CreateArgs),
    /// Find users by their address or by words of their names, over all organisations
    ///
    /// Ignores case and width; *@DOMAIN takes a domain in its own script or in ASCII. Prints one user a line, and nothing
    /// if there is none. Words match parts of names and addresses, also with a typing error in 5 letters or more, as in the
    /// API; they cost a read unit for each 32 users of all organisations, and nothing lags. A whole address is read strongly
    /// and costs 2 read units. *@DOMAIN reads the entries of that domain in email-index, half a unit for some 25 users.
    /// LOCAL-PART@* reads the whole index, 2,000 units with 100,000 users. Each user found costs one unit more. The index
    /// lags: a user written a moment ago may be missing.
    #[command(after_help = FIND_EXAMPLES)]
    Find {
        /// An address, LOCAL-PART@*, *@DOMAIN, or words
        #[arg(value_parser = args::parse_user_pattern)]
        pattern: UserPattern,
    },
    /// List users by organisation and name
    ///
    /// The users of each organisation are those of one instant during the run; nothing lags. Without --org the users of no
    /// organisation come first, then the organisations by number. Costs a read unit for each 32 users.
    #[command(after_help = list::EXAMPLES)]
    List(ListArgs),
    /// Show a user with its keys, its waiting mail, its invitations and the mark of its address
    #[command(after_help = show::JSON)]
    Show {
        /// Id or e-mail address of the user
        id: String,
    },
    /// Delete a user for good, with its keys, links and waiting mail; asks first
    ///
    /// The rules are those of the API for a PROVIDER: also the last ORG_ADMIN of an organisation may go. The address is free
    /// at once. With --json {"id":"…"}.
    #[command(after_help = "Example:\n  ops users delete 4711 --yes")]
    Delete(DeleteArgs),
    /// Set the status of a user as the API does for a PROVIDER; asks first
    ///
    /// To invited: the password is forgotten, the keys are revoked for good, and the user is sent an invitation. To active:
    /// the open invitation ends. The user then has no password, but may have keys; the API invites it again once it is set
    /// to invited. With --json {"id":"…","status":"…","changed":true}.
    #[command(after_help = "Example:\n  ops users set-status 4711 invited --yes")]
    SetStatus(SetStatusArgs),
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Audit => audit(context).await,
        Command::Create(args) => create_user(args, context).await,
        Command::Find { pattern } => find::find(pattern, context).await,
        Command::List(args) => list::list(&args, context).await,
        Command::Show { id } => show::show(&id, context).await,
        Command::Delete(args) => change::delete(&args, context).await,
        Command::SetStatus(args) => change::set_status(&args, context).await,
    }
}

async fn audit(context: &mut Context) -> Result<Exit, CommandError> {
    let mut audit = context.stores.users.audit().await?;
    audit.findings.extend(context.stores.users.audit_orgs().await?);
    let counts = format!("users: {}, keys: {}, mails: {}", audit.users, audit.keys, audit.mails);
    let exit = context.console.write_audit(&audit, &audit.findings, &counts)?;
    if exit == Exit::Failed {
        context.console.write_next("ops users audit, again: trust what both report; then ops doctor");
    }
    Ok(exit)
}
