//! `ops outbox`: lists the mails that wait to be sent, retries or cancels them, and clears marks of addresses.

use std::collections::{BTreeSet, HashMap};

use clap::Subcommand;
use presence_domain::email::EmailAddress;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::invitation::OutboxMessage;
use presence_domain::user::User;
use presence_store::UnreadableMessage;
use serde::Serialize;
use serde_json::json;

use crate::console::format_instant;
use crate::error::CommandError;
use crate::table::{Column, column};
use crate::{Context, Exit, args};

const LIST_JSON: &str = "\
REFUSED is what SES said last: the code of its error, or AddressBounced or
AddressComplained for a mail to a marked address.

With --json a list of {\"id\",\"user_id\",\"email\",\"org_id\",\"state\",\"due_at\",
\"created_at\",\"attempts\",\"last_refusal\"}; instants are RFC 3339 in UTC. The
state is pending, failed, held or unreadable; of an unreadable mail only id,
user_id and, if the user exists, email and org_id are known.";

const RETRY_JSON: &str = "\
With --json {\"id\"} of the mail; with --all {\"retried\",\"ids\"}: their number and ids.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the mails that wait to be sent, the one due first on top
    ///
    /// The list includes mails that the mailer gave up, as failed, mails that a restore of the tables held back, as
    /// held, and rows that cannot be read, as unreadable. It is read from an index: a mail accepted a moment ago may be
    /// missing.
    #[command(after_help = LIST_JSON)]
    List,
    /// Send a mail that failed, is held or waits after a refusal now, or all of them, as if they were new
    ///
    /// Nobody gets two mails in five minutes: a mail within that time is sent at its end.
    #[command(after_help = RETRY_JSON)]
    Retry {
        /// Id of the mail, from the list
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Every mail that failed, is held or waits after a refusal
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
    /// Delete a mail unsent, in any state; the user may be invited again
    #[command(after_help = "With --json {\"id\"} of the mail.")]
    Cancel {
        /// Id of the mail, from the list
        id: String,
    },
    /// Clear the mark of an address to which mail bounced or was reported as spam
    ///
    /// Users with the address can be invited again. If it is on the suppression list of SES, mail to it bounces again:
    /// `aws sesv2 delete-suppressed-destination --email-address ADDRESS` takes it off.
    #[command(after_help = "With --json {\"cleared\":true}.")]
    Unmark {
        /// Address, in any spelling
        #[arg(value_parser = args::parse_email)]
        address: EmailAddress,
    },
}

/// Users that mails are for, by id.
type Recipients = HashMap<UserId, User>;

const COLUMNS: [Column; 9] = [
    column("ID", "id"),
    column("USER", "user_id"),
    column("EMAIL", "email"),
    column("ORG", "org_id"),
    column("STATE", "state"),
    column("DUE", "due_at"),
    column("CREATED", "created_at"),
    column("ATTEMPTS", "attempts"),
    column("REFUSED", "last_refusal"),
];

#[derive(Default, Serialize)]
struct ListedMail<'a> {
    id: &'a str,
    user_id: String,
    email: Option<&'a str>,
    org_id: Option<u64>,
    state: &'static str,
    due_at: Option<String>,
    created_at: Option<String>,
    attempts: Option<u32>,
    last_refusal: Option<&'a str>,
}

impl<'a> ListedMail<'a> {
    fn new(message: &'a OutboxMessage, recipients: &'a Recipients) -> Self {
        let user = recipients.get(&message.user_id);
        Self {
            id: &message.id,
            user_id: message.user_id.to_string(),
            email: user.map(|user| user.email.as_str()),
            org_id: user.and_then(|user| user.org_id).map(OrgId::get),
            state: message.state.as_str(),
            due_at: Some(format_instant(message.due_at)),
            created_at: Some(format_instant(message.created_at)),
            attempts: Some(message.attempts),
            last_refusal: message.last_refusal.as_deref(),
        }
    }

    fn unreadable(message: &'a UnreadableMessage, recipients: &'a Recipients) -> Self {
        let user = user_of(message).and_then(|id| recipients.get(&id));
        Self {
            id: message.id(),
            user_id: message.partition().trim_start_matches("USER#").to_owned(),
            email: user.map(|user| user.email.as_str()),
            org_id: user.and_then(|user| user.org_id).map(OrgId::get),
            state: "unreadable",
            ..Self::default()
        }
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::List => list(context).await,
        Command::Retry { id: Some(id), .. } => retry(&id, context).await,
        Command::Retry { id: None, .. } => retry_all(context).await,
        Command::Cancel { id } => cancel(&id, context).await,
        Command::Unmark { address } => unmark(&address, context).await,
    }
}

async fn list(context: &mut Context) -> Result<Exit, CommandError> {
    let readable = context.stores.outbox.list().await?;
    let unreadable = context.stores.outbox.list_unreadable().await?;
    let recipients = get_recipients(&readable, &unreadable, context).await?;
    let readable_mails = readable.iter().map(|message| ListedMail::new(message, &recipients));
    let unreadable_mails = unreadable.iter().map(|message| ListedMail::unreadable(message, &recipients));
    let mails: Vec<_> = readable_mails.chain(unreadable_mails).collect();
    context.console.write_list(COLUMNS, &mails, "mails")?;
    if mails.iter().any(|mail| ["failed", "held"].contains(&mail.state) || mail.last_refusal.is_some()) {
        context.console.write_next("ops outbox retry --all");
    }
    Ok(Exit::Done)
}

/// Reads the users that the mails are for. A user that was just deleted is missing.
#[expect(clippy::disallowed_methods, reason = "an operator acts for no caller")]
async fn get_recipients(
    readable: &[OutboxMessage],
    unreadable: &[UnreadableMessage],
    context: &Context,
) -> Result<Recipients, CommandError> {
    let ids = readable.iter().map(|message| message.user_id).chain(unreadable.iter().filter_map(user_of));
    let ids: Vec<UserId> = ids.collect::<BTreeSet<_>>().into_iter().collect();
    let users = context.stores.users.get_recipients(&ids).await?;
    Ok(users.into_iter().map(|user| (user.id, user)).collect())
}

fn user_of(message: &UnreadableMessage) -> Option<UserId> {
    message.partition().strip_prefix("USER#").and_then(UserId::parse)
}

async fn unmark(address: &EmailAddress, context: &mut Context) -> Result<Exit, CommandError> {
    if !context.stores.users.clear_address_mark(address.key(), context.clock.now()).await? {
        return Err(CommandError::NotFound("this address has no mark".to_owned()));
    }
    context
        .console
        .write_done(&json!({ "cleared": true }), "the mark is cleared: users with this address can be invited again")?;
    context.console.write_next(format_args!("ops users show {}", address.as_str()));
    Ok(Exit::Done)
}

async fn retry(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    if !context.stores.users.retry_mail(id, context.clock.now()).await? {
        return Err(CommandError::NotFound(format!(
            "there is no mail {id} that failed, is held or waits after a refusal: ops outbox list"
        )));
    }
    context.console.write_done(&json!({ "id": id }), "the mail is due now")?;
    context.console.write_next("ops outbox list");
    Ok(Exit::Done)
}

async fn cancel(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    if !context.stores.users.cancel_mail(id, context.clock.now()).await? {
        return Err(CommandError::NotFound(format!("there is no mail {id}: ops outbox list")));
    }
    context.console.write_done(&json!({ "id": id }), "the mail is deleted")?;
    context.console.write_next("ops outbox list");
    Ok(Exit::Done)
}

async fn retry_all(context: &mut Context) -> Result<Exit, CommandError> {
    let ids = context.stores.users.retry_mails(context.clock.now()).await?;
    context
        .console
        .write_done(&json!({ "retried": ids.len(), "ids": ids }), format_args!("mails due now: {}", ids.len()))?;
    context.console.write_next("ops outbox list");
    Ok(Exit::Done)
}
