//! Parts of a stack that run beside the gateway: mailer, publisher, deliverer, stand-in for the partners, folds, and ingest.

use std::sync::Arc;

use aws_types::SdkConfig;
use futures::FutureExt as _;
use presence_deliverer::{Deliverer, HttpSender, StoredTables};
use presence_domain::error::Error;
use presence_domain::user::Role;
use presence_domain::webhook::WebhookReach;
use presence_mailer::OutboxProcessor;
use presence_publisher::{fan_out, handle};
use presence_runtime::clock::SystemTimer;
use presence_runtime::config::MailConfig;
use presence_store::{
    Database, FeedStore, OutboxStore, RetryPolicy, ReviewStore, Stores, UserStore, WebhookStore, WriteRate, schema,
};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::clients::database;
use crate::deliveries::DeliveryPoller;
use crate::events::{EventPoller, LocalBus};
use crate::inbox::Inbox;
use crate::mail::{LocalMailer, Mailbox, StreamPoller};
use crate::options::{DynamoDb, Options};
use crate::replies::{Partners, ReplyQueue};
use crate::sample::DemoKeys;

/// Sender of the mails.
const SENDER: &str = "Presence <no-reply@presence.example>";

/// Builds the parts of the mailer: the functions' tables, and the local SES.
pub(super) fn outbox_processor(
    functions_config: &SdkConfig,
    mailbox: &Arc<Mailbox>,
    options: &Options,
    origin: &str,
) -> anyhow::Result<OutboxProcessor> {
    let config = MailConfig::parse(SENDER, options.public_base_url.as_deref().unwrap_or(origin), "")?;
    let database = database(functions_config, options);
    Ok(OutboxProcessor {
        users: UserStore::new(&database),
        outbox: OutboxStore::new(&database),
        clock: Arc::clone(&options.clock),
        mailer: Arc::new(LocalMailer { mailbox: Arc::clone(mailbox), sender: config.sender.clone() }),
        config,
    })
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

/// Starts to send events to the bus, and to append them to the feeds, as the one publisher on AWS does; `None` if the options have no
/// publisher.
pub(super) async fn start_publisher(
    event_bus: &LocalBus,
    functions_config: &SdkConfig,
    tables: &Database,
    options: &Options,
) -> anyhow::Result<Option<EventPoller>> {
    if !options.publisher {
        return Ok(None);
    }
    let data = match &options.dynamodb {
        DynamoDb::Embedded { data, .. } => data.as_deref(),
        DynamoDb::Endpoint(_) => None,
    };
    // The audit trail comes first: the mail of an invitation follows from a change in it.
    let names = [&schema::AUDIT, &schema::USERS, &schema::REVIEWS].map(|table| tables.name(table));
    let feed = FeedStore::new(&database(functions_config, options));
    let (bus, clock) = (event_bus.clone(), Arc::clone(&options.clock));
    let invoke = move |event: Value, deadline| {
        let (bus, feed, clock) = (bus.clone(), feed.clone(), Arc::clone(&clock));
        async move { fan_out(&bus, &feed, clock.as_ref(), &event, deadline).await.batch }.boxed()
    };
    Ok(Some(EventPoller::start(invoke, functions_config, &names, data).await?))
}

/// Starts to deliver events to webhooks; `None` if the options have no publisher.
pub(super) async fn start_deliveries(
    functions_config: &SdkConfig,
    tables: &Database,
    options: &Options,
) -> anyhow::Result<Option<DeliveryPoller>> {
    if !options.publisher {
        return Ok(None);
    }
    let database = database(functions_config, options);
    let deliverer = Deliverer {
        tables: StoredTables { webhooks: WebhookStore::new(&database), feed: FeedStore::new(&database) },
        sender: Arc::new(HttpSender::new(WebhookReach::ThisMachine, Arc::clone(&options.clock))),
        clock: Arc::clone(&options.clock),
    };
    let table = tables.name(&schema::EVENTS);
    Ok(Some(DeliveryPoller::start(deliverer, functions_config, &table).await?))
}

/// Starts to watch the stream of reviews for replies; `None` if the options have no publisher. Replies that were on their way at the last
/// stop are sent again.
pub(super) async fn start_replies(
    queue: &Arc<ReplyQueue>,
    functions_config: &SdkConfig,
    stores: &Stores,
    options: &Options,
) -> anyhow::Result<Option<EventPoller>> {
    if !options.publisher {
        return Ok(None);
    }
    let table = stores.database.name(&schema::REVIEWS);
    let queue = Arc::clone(queue);
    let invoke = move |event: Value, deadline| {
        let queue = Arc::clone(&queue);
        async move { handle(queue.as_ref(), &event, deadline).await }.boxed()
    };
    let poller = EventPoller::start(invoke, functions_config, &[table], None).await?;
    if let Err(error) = resend_pending(stores, options).await {
        tracing::warn!(%error, "replies that were on their way at the last stop are not sent again");
    }
    Ok(Some(poller))
}

async fn resend_pending(stores: &Stores, options: &Options) -> Result<(), Error> {
    for review in stores.reviews.list_pending_replies().await? {
        stores.reviews.resend_reply(&review, options.clock.now()).await?;
    }
    Ok(())
}

/// Starts the stand-in for the partners; `None` if the options have none, or if there is no key with which it could report.
pub(super) fn start_partners(
    queue: &Arc<ReplyQueue>,
    base_url: String,
    keys: &DemoKeys,
    options: &Options,
) -> Option<Partners> {
    let key = keys.get(Role::Provider.as_str()).filter(|_| options.partners)?;
    Some(Partners::start(Arc::clone(queue), base_url, key.clone()))
}

/// Starts to do what the auditor does on AWS, at an interval: folds what is left in the logs of reviews, and finishes moves. Dropping the result
/// ends it.
pub(super) fn start_folds(functions_config: &SdkConfig, options: &Options) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    if let Some(interval) = options.fold_interval {
        let reviews = ReviewStore::new(&database(functions_config, options));
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tasks.spawn(async move {
            loop {
                ticks.tick().await;
                // On the heap: the SDK's futures are large.
                let folds = Box::pin(reviews.fold_leftovers(|| true)).await;
                let moves = Box::pin(reviews.finish_moves(|| true)).await;
                if let Err(error) = folds.map(drop).and(moves.map(drop)) {
                    tracing::warn!(%error, "logs of reviews or moves of businesses are left for the next time");
                }
            }
        });
    }
    tasks
}

/// Starts to watch the inbox; `None` if the options name none. Ingest retries as the function on AWS does: for as long as DynamoDB makes
/// progress.
pub(super) fn start_inbox(functions_config: &SdkConfig, options: &Options) -> anyhow::Result<Option<Inbox>> {
    let Some(folder) = options.inbox.as_deref() else { return Ok(None) };
    let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let database = database(functions_config, options).with_retry_policy(RetryPolicy::WhileImporting(rate));
    Inbox::start(folder, &database).map(Some)
}
