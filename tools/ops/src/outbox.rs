//! `ops outbox`

use clap::Subcommand;
use jiff::Timestamp;
use presence::store::{MailState, OutboxRow};
use serde::Serialize;

use crate::exit::Failure;
use crate::output::instant;
use crate::{Context, Exit};

const LIST_JSON: &str = "\
With --json a list of {\"id\",\"user_id\",\"state\",\"due_at\",\"created_at\",
\"attempts\"}; instants are RFC 3339 in UTC.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the mails that wait to be sent, the one due first on top
    ///
    /// Mails that were given up are in the list too, as failed. Read from an index: one accepted a moment ago may be
    /// missing.
    #[command(after_help = LIST_JSON)]
    List,
    /// Send a mail that was given up, from now on as if it were new
    Retry {
        /// The mail's id, from the list
        id: String,
    },
}

#[derive(Serialize)]
struct Mail<'a> {
    id: &'a str,
    user_id: &'a str,
    state: MailState,
    due_at: String,
    created_at: String,
    attempts: u32,
}

impl<'a> Mail<'a> {
    fn new(row: &'a OutboxRow) -> Self {
        let time = |milliseconds| Timestamp::from_millisecond(milliseconds).map(instant).unwrap_or_default();
        Self {
            id: row.id(),
            user_id: &row.user_id,
            state: row.state,
            due_at: time(row.due_at),
            created_at: time(row.created_at),
            attempts: row.attempts,
        }
    }

    fn cells(self) -> [String; 6] {
        let state = match self.state {
            MailState::Pending => "pending",
            MailState::Failed => "failed",
        };
        let Self { id, user_id, due_at, created_at, attempts, .. } = self;
        [id.to_owned(), user_id.to_owned(), state.to_owned(), due_at, created_at, attempts.to_string()]
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::List => list(context).await,
        Command::Retry { id } => retry(&id, context).await,
    }
}

async fn list(context: &mut Context) -> Result<Exit, Failure> {
    let rows = context.store.outbox().await?;
    let mails = rows.iter().map(Mail::new);
    if context.console.json {
        context.console.json_line(&mails.collect::<Vec<_>>())?;
    } else {
        let head = ["ID", "USER", "STATE", "DUE", "CREATED", "ATTEMPTS"];
        context.console.table(head, mails.map(Mail::cells).collect())?;
        context.console.note(format_args!("mails: {}", rows.len()));
    }
    Ok(Exit::Done)
}

async fn retry(id: &str, context: &mut Context) -> Result<Exit, Failure> {
    if !context.store.retry_mail(id, context.clock.now()).await? {
        return Err(Failure::NotFound(format!("there is no mail {id} that was given up")));
    }
    if context.console.json {
        context.console.json_line(&serde_json::json!({ "id": id }))?;
    } else {
        context.console.note(format_args!("the mail is due now"));
    }
    Ok(Exit::Done)
}
