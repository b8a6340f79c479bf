//! Parts of a stack that run beside the gateway: mailer, publisher and ingest.

use std::sync::Arc;

use aws_types::SdkConfig;
use presence_mailer::{OutboxProcessor, SesMailer};
use presence_publisher::EventBridge;
use presence_runtime::clock::SystemTimer;
use presence_runtime::config::MailConfig;
use presence_store::{Database, OutboxStore, RetryPolicy, UserStore, WriteRate, schema};

use super::clients::{database, own_config, sdk_config};
use crate::events::{self, EventPoller};
use crate::gateway::Gateway;
use crate::inbox::Inbox;
use crate::mail::{self, Mailbox, StreamPoller};
use crate::options::Options;

/// Sender of the mails.
const SENDER: &str = "Presence <no-reply@presence.example>";
/// Name of the local bus.
const EVENT_BUS: &str = "presence";

/// Builds the parts of the mailer: the functions' tables, and the local SES.
pub(super) fn outbox_processor(
    functions_config: &SdkConfig,
    options: &Options,
    origin: &str,
) -> anyhow::Result<OutboxProcessor> {
    let config = MailConfig::parse(SENDER, options.public_base_url.as_deref().unwrap_or(origin), "")?;
    let ses = sdk_config(&format!("{origin}{}", mail::SES_PATH));
    let database = database(functions_config, options);
    Ok(OutboxProcessor {
        users: UserStore::new(&database),
        outbox: OutboxStore::new(&database),
        clock: Arc::clone(&options.clock),
        mailer: Arc::new(SesMailer::new(&ses, config.sender.clone())),
        config,
    })
}

/// Builds the client of the local bus.
pub(super) fn event_bus(gateway: &Gateway) -> EventBridge {
    let config = own_config(&format!("http://{}{}", gateway.addr(), events::EVENT_BRIDGE_PATH));
    EventBridge::new(&config, EVENT_BUS.to_owned())
}

/// Starts to watch the stream of the mailer; `None` if the options have no mailer.
pub(super) async fn start_mailer(
    outbox: &OutboxProcessor,
    mailbox: &Arc<Mailbox>,
    functions_config: &SdkConfig,
    database: &Database,
    options: &Options,
) -> anyhow::Result<Option<StreamPoller>> {
    if !options.mailer {
        return Ok(None);
    }
    let table = database.name(&schema::USERS);
    let poller = StreamPoller::start(outbox.clone(), functions_config, &table, Arc::clone(mailbox)).await?;
    Ok(Some(poller))
}

/// Starts to watch the streams of the publisher; `None` if the options have no publisher.
pub(super) async fn start_publisher(
    event_bus: &EventBridge,
    functions_config: &SdkConfig,
    database: &Database,
    options: &Options,
) -> anyhow::Result<Option<EventPoller>> {
    if !options.publisher {
        return Ok(None);
    }
    // The audit trail comes first: the mail of an invitation follows from a change in it.
    let tables = [&schema::AUDIT, &schema::USERS, &schema::REVIEWS].map(|table| database.name(table));
    Ok(Some(EventPoller::start(event_bus.clone(), functions_config, &tables).await?))
}

/// Starts to watch the inbox; `None` if the options name none. Ingest retries as the function on AWS does: for as long as DynamoDB makes
/// progress.
pub(super) fn start_inbox(functions_config: &SdkConfig, options: &Options) -> anyhow::Result<Option<Inbox>> {
    let Some(folder) = options.inbox.as_deref() else { return Ok(None) };
    let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let database = database(functions_config, options).with_retry_policy(RetryPolicy::WhileImporting(rate));
    Inbox::start(folder, &database).map(Some)
}
