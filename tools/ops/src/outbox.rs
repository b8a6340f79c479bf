//! `ops outbox`: lists the mails that wait to be sent, and retries or cancels those that failed or are held.

use clap::Subcommand;
use presence_domain::invitation::OutboxMessage;
use presence_store::UnreadableMessage;
use serde::Serialize;

use crate::console::{cell_or_dash, format_instant};
use crate::error::CommandError;
use crate::{Context, Exit};

const LIST_JSON: &str = "\
With --json a list of {\"id\",\"user_id\",\"state\",\"due_at\",\"created_at\",
\"attempts\"}; instants are RFC 3339 in UTC. The state is pending, failed,
held or unreadable; of an unreadable mail only id and user_id are known.";

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
    /// Retry a mail that failed or is held, or all of them, as if they were new
    #[command(after_help = RETRY_JSON)]
    Retry {
        /// Id of the mail, from the list
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Every mail that failed or is held
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
    /// Delete a mail unsent, in any state; the user may be invited again
    #[command(after_help = "With --json {\"id\"} of the mail.")]
    Cancel {
        /// Id of the mail, from the list
        id: String,
    },
}

#[derive(Serialize)]
struct ListedMail<'a> {
    id: &'a str,
    user_id: String,
    state: &'static str,
    due_at: Option<String>,
    created_at: Option<String>,
    attempts: Option<u32>,
}

impl<'a> ListedMail<'a> {
    fn new(message: &'a OutboxMessage) -> Self {
        Self {
            id: &message.id,
            user_id: message.user_id.to_string(),
            state: message.state.as_str(),
            due_at: Some(format_instant(message.due_at)),
            created_at: Some(format_instant(message.created_at)),
            attempts: Some(message.attempts),
        }
    }

    fn unreadable(message: &'a UnreadableMessage) -> Self {
        let user_id = message.partition().trim_start_matches("USER#").to_owned();
        Self { id: message.id(), user_id, state: "unreadable", due_at: None, created_at: None, attempts: None }
    }

    fn into_cells(self) -> [String; 6] {
        [
            self.id.to_owned(),
            self.user_id,
            self.state.to_owned(),
            cell_or_dash(self.due_at),
            cell_or_dash(self.created_at),
            cell_or_dash(self.attempts.map(|attempts| attempts.to_string())),
        ]
    }
}

impl Command {
    /// True if the command writes to the tables.
    pub(crate) fn writes(&self) -> bool {
        matches!(self, Self::Retry { .. } | Self::Cancel { .. })
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::List => list(context).await,
        Command::Retry { id: Some(id), .. } => retry(&id, context).await,
        Command::Retry { id: None, .. } => retry_all(context).await,
        Command::Cancel { id } => cancel(&id, context).await,
    }
}

async fn list(context: &mut Context) -> Result<Exit, CommandError> {
    let readable = context.stores.outbox.list().await?;
    let unreadable = context.stores.outbox.list_unreadable().await?;
    let readable_mails = readable.iter().map(ListedMail::new);
    let mails: Vec<_> = readable_mails.chain(unreadable.iter().map(ListedMail::unreadable)).collect();
    if context.console.json {
        context.console.write_json(&mails)?;
    } else {
        let count = mails.len();
        let header = ["ID", "USER", "STATE", "DUE", "CREATED", "ATTEMPTS"];
        context.console.write_table(header, mails.into_iter().map(ListedMail::into_cells).collect())?;
        context.console.write_message(format_args!("mails: {count}"));
    }
    Ok(Exit::Done)
}

async fn retry(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    if !context.stores.users.retry_mail(id, context.clock.now()).await? {
        return Err(CommandError::NotFound(format!("there is no mail {id} that failed or is held")));
    }
    if context.console.json {
        context.console.write_json(&serde_json::json!({ "id": id }))?;
    } else {
        context.console.write_message("the mail is due now");
    }
    Ok(Exit::Done)
}

async fn cancel(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    if !context.stores.users.cancel_mail(id, context.clock.now()).await? {
        return Err(CommandError::NotFound(format!("there is no mail {id}")));
    }
    if context.console.json {
        context.console.write_json(&serde_json::json!({ "id": id }))?;
    } else {
        context.console.write_message("the mail is deleted");
    }
    Ok(Exit::Done)
}

async fn retry_all(context: &mut Context) -> Result<Exit, CommandError> {
    let ids = context.stores.users.retry_mails(context.clock.now()).await?;
    if context.console.json {
        context.console.write_json(&serde_json::json!({ "retried": ids.len(), "ids": ids }))?;
    } else {
        context.console.write_message(format_args!("mails due now: {}", ids.len()));
    }
    Ok(Exit::Done)
}
