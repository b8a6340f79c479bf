//! `ops webhooks`: lists webhooks, shows one with its deliveries, sends events again, and disables a webhook.

use clap::Subcommand;
use presence_domain::audit::{Actor, AuditRecord, WebhookAction};
use presence_domain::error::Error;
use presence_domain::feed::{FeedCursor, FeedStart, format_at};
use presence_domain::ids::OrgId;
use presence_domain::webhook::{Delivery, Progress, Webhook, WebhookId};
use presence_store::WebhookDecision;
use serde::Serialize;
use serde_json::json;

use crate::console::format_instant;
use crate::error::CommandError;
use crate::table::{Column, column};
use crate::{Context, Exit, args};

const LIST_JSON: &str = "\
With --json a list of {\"id\",\"org_id\",\"host\",\"types\",\"label\",\"state\",
\"failing_since\",\"cursor\",\"created_at\"}. No types are all of them.";

const SHOW_JSON: &str = "\
With --json {\"webhook\",\"deliveries\"}: the webhook as the list has it, and its
newest deliveries, each {\"event_id\",\"type\",\"state\",\"attempts\",\"at\",\"status\",
\"error\"} with the instant, status and error of the latest attempt.";

/// Largest number of deliveries that are shown.
const SHOWN_DELIVERIES: usize = 20;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the webhooks of all organisations, or of one
    ///
    /// Of an address only the host is shown: the rest may be a secret of the receiver.
    #[command(after_help = LIST_JSON)]
    List {
        /// Organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: Option<OrgId>,
    },
    /// Show a webhook, and its newest deliveries
    #[command(after_help = SHOW_JSON)]
    Show {
        /// Id of the webhook
        id: String,
    },
    /// Send all events after a cursor again
    Replay {
        /// Id of the webhook
        id: String,
        /// Cursor of the feed, at most that of the webhook
        #[arg(long, value_name = "CURSOR")]
        after: String,
    },
    /// Disable a webhook: nothing is sent until its organisation enables it again
    Disable {
        /// Id of the webhook
        id: String,
    },
}

const COLUMNS: [Column; 7] = [
    column("WEBHOOK", "id"),
    column("STATE", "state"),
    column("FAILING SINCE", "failing_since"),
    column("CURSOR", "cursor"),
    column("HOST", "host"),
    column("TYPES", "types").or("all"),
    column("LABEL", "label"),
];

const COLUMNS_OF_DELIVERIES: [Column; 7] = [
    column("EVENT", "event_id"),
    column("TYPE", "type"),
    column("STATE", "state"),
    column("ATTEMPTS", "attempts"),
    column("LATEST", "at"),
    column("STATUS", "status"),
    column("ERROR", "error"),
];

#[derive(Serialize)]
struct ListedWebhook {
    id: String,
    org_id: u64,
    host: String,
    types: Vec<&'static str>,
    label: Option<String>,
    state: &'static str,
    failing_since: Option<String>,
    cursor: String,
    created_at: String,
}

#[derive(Serialize)]
struct ListedDelivery {
    event_id: String,
    r#type: String,
    state: &'static str,
    attempts: usize,
    at: String,
    status: Option<u16>,
    error: Option<String>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::List { org } => list(org, context).await,
        Command::Show { id } => show(&id, context).await,
        Command::Replay { id, after } => replay(&id, &after, context).await,
        Command::Disable { id } => disable(&id, context).await,
    }
}

async fn list(org: Option<OrgId>, context: &mut Context) -> Result<Exit, CommandError> {
    let orgs = match org {
        Some(org) => vec![org],
        None => context.stores.webhooks.orgs().await?,
    };
    let mut webhooks = Vec::new();
    for org in orgs {
        webhooks.extend(context.stores.webhooks.list(org).await?.iter().map(ListedWebhook::from));
    }
    context.console.write_list(COLUMNS, &webhooks, "webhooks")?;
    Ok(Exit::Done)
}

async fn show(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let (id, now) = (parse_id(id)?, context.clock.now());
    let webhook = context.stores.webhooks.get(id).await?.ok_or_else(|| not_found(id))?;
    let (deliveries, _) = context.stores.webhooks.deliveries(id, None, SHOWN_DELIVERIES, now).await?;
    let deliveries: Vec<_> = deliveries.iter().filter_map(ListedDelivery::new).collect();
    let webhook = ListedWebhook::from(&webhook);
    if context.console.json {
        context.console.write_json(&json!({ "webhook": webhook, "deliveries": deliveries }))?;
    } else {
        context.console.write_object(&webhook)?;
        context.console.write_table(COLUMNS_OF_DELIVERIES, &deliveries)?;
    }
    Ok(Exit::Done)
}

async fn replay(id: &str, after: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let id = parse_id(id)?;
    let cursor = FeedCursor::parse(after).filter(|cursor| cursor.org_id == Some(id.org_id()));
    let FeedCursor { org_id, number } =
        cursor.ok_or_else(|| CommandError::Usage(format!("{after} is not a cursor of the feed of the webhook")))?;
    let now = context.clock.now();
    // An error if events after it are not kept.
    context.stores.feed.read(org_id, FeedStart::After(number), 1, now).await?;
    change(id, WebhookAction::Replay, |progress| progress.replayed_from(number, now), context).await?;
    let done = json!({ "id": id.to_string(), "after": after });
    context.console.write_done(&done, format_args!("events after {after} are sent again to {id}"))?;
    context.console.write_next(format_args!("ops webhooks show {id}"));
    Ok(Exit::Done)
}

async fn disable(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let (id, now) = (parse_id(id)?, context.clock.now());
    change(id, WebhookAction::Disable, |progress| Ok(progress.clone().disabled(now)), context).await?;
    let text = format_args!("{id} is disabled: POST /webhooks/{id}/enable lets it go on where it stopped");
    context.console.write_done(&json!({ "id": id.to_string() }), text)?;
    context.console.write_next(format_args!("ops webhooks show {id}"));
    Ok(Exit::Done)
}

/// Changes the progress of a webhook, with a record in the audit trail. The same again changes nothing.
async fn change(
    id: WebhookId,
    action: WebhookAction,
    apply: impl Fn(&Progress) -> Result<Progress, Error>,
    context: &Context,
) -> Result<(), CommandError> {
    let (actor, now): (Actor, _) = (context.actor().await?, context.clock.now());
    let decide = |before: &Webhook| {
        let change = before.with_progress(apply(&before.progress)?).map(|after| {
            let record = AuditRecord::of_webhook(id, after.version, Vec::new(), actor.clone(), action, now);
            (Some(after), record)
        });
        Ok(WebhookDecision { change, answer: () })
    };
    match context.stores.webhooks.update(id, decide, |()| None).await {
        Err(Error::NotFound) => Err(not_found(id)),
        changed => Ok(changed?),
    }
}

fn parse_id(text: &str) -> Result<WebhookId, CommandError> {
    WebhookId::parse(text)
        .ok_or_else(|| CommandError::NotFound(format!("there is no webhook {text}: ops webhooks list")))
}

fn not_found(id: WebhookId) -> CommandError {
    CommandError::NotFound(format!("there is no webhook {id}: ops webhooks list"))
}

impl From<&Webhook> for ListedWebhook {
    fn from(webhook: &Webhook) -> Self {
        let (org_id, progress) = (webhook.id.org_id(), &webhook.progress);
        Self {
            id: webhook.id.to_string(),
            org_id: org_id.get(),
            host: webhook.url.url().host_str().unwrap_or_default().to_owned(),
            types: webhook.types.0.iter().map(|pattern| pattern.as_str()).collect(),
            label: webhook.label.clone(),
            state: progress.state().as_str(),
            failing_since: progress.failing_since.map(format_instant),
            cursor: FeedCursor { org_id: Some(org_id), number: progress.cursor }.to_string(),
            created_at: format_instant(webhook.created_at),
        }
    }
}

impl ListedDelivery {
    fn new(delivery: &Delivery) -> Option<Self> {
        let latest = delivery.latest()?.clone();
        Some(Self {
            event_id: latest.event_id,
            r#type: latest.kind,
            state: latest.state.as_str(),
            attempts: delivery.0.len(),
            at: format_at(latest.at),
            status: latest.status,
            error: latest.error,
        })
    }
}
