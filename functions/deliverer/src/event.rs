//! Events that invoke the deliverer: a batch of the stream, messages of the queue, or a call to sweep.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use futures::{StreamExt as _, stream};
use jiff::SignedDuration;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::webhook::{Webhook, WebhookId};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_runtime::telemetry::{self, Metric, log_metric};
use presence_store::keys::{FEED_PK_PREFIX, WEBHOOKS_PK_PREFIX, parse_org_key};
use serde_json::Value;

use crate::message::Sender;
use crate::run::Deliverer;
use crate::tables::{StoredTables, Tables};
use crate::wakes::{Wake, Wakes};

/// Time that must be left to start an attempt, which takes 15 seconds, with the writes that follow it.
const ATTEMPT_TIME: Duration = Duration::from_secs(20);
/// Longest delay of a message. What is due later is found by the sweep.
const MAX_DELAY: Duration = Duration::from_mins(1);
/// Number of organisations whose webhooks are looked at at a time. A batch of the stream has 100 at most: two rounds.
const ORGS_IN_FLIGHT: usize = 50;

/// Serves one event. Any event that has no records is a call to sweep: for what is due, or for all webhooks if its detail says so. After an error, Lambda hands the event over again.
pub async fn handle<S: Sender, W: Wakes>(
    deliverer: &Deliverer<StoredTables, S>,
    wakes: &W,
    event: &Value,
    deadline: Deadline,
) -> Result<BatchResponse, Error> {
    let records = event["Records"].as_array().map(Vec::as_slice);
    let done = match records {
        Some([record, ..]) if record["eventSource"] == "aws:sqs" => {
            return Ok(run_messages(deliverer, wakes, records.unwrap_or_default(), deadline).await);
        }
        Some(records) => wake_for_records(deliverer, wakes, records).await,
        None => sweep(deliverer, wakes, event["detail"]["all"] != true).await,
    };
    done.inspect_err(|error| telemetry::log_background_error("wake_webhooks", error))?;
    Ok(BatchResponse::default())
}

/// Looks at the webhooks of some messages. The answer names the messages whose run failed: they come again.
async fn run_messages<S: Sender, W: Wakes>(
    deliverer: &Deliverer<StoredTables, S>,
    wakes: &W,
    messages: &[Value],
    deadline: Deadline,
) -> BatchResponse {
    let runs = messages.iter().map(|message| async move {
        // Another text is a mistake in the deployment.
        let id = message["body"].as_str().and_then(WebhookId::parse)?;
        let run = run(deliverer, wakes, id, deadline).await;
        let error = run.err()?;
        telemetry::log_background_error("deliver_events", &error);
        message["messageId"].as_str().map(str::to_owned)
    });
    BatchResponse::failed(join_all(runs).await.into_iter().flatten())
}

async fn run<S: Sender, W: Wakes>(
    deliverer: &Deliverer<StoredTables, S>,
    wakes: &W,
    id: WebhookId,
    deadline: Deadline,
) -> Result<(), Error> {
    let has_time = || deadline.time_left().is_none_or(|left| left > ATTEMPT_TIME);
    // On the heap: the SDK's futures are large.
    let Some(due_at) = Box::pin(deliverer.run(id, &has_time)).await? else { return Ok(()) };
    let delay = due_at.duration_since(deliverer.clock.now());
    let delay = Duration::try_from(delay).unwrap_or_default();
    if delay <= MAX_DELAY {
        // Whole seconds, and not too few: nothing would be due yet.
        let delay = Duration::from_secs(delay.as_secs() + u64::from(delay.subsec_nanos() > 0));
        wakes.send(&[Wake { id, delay }]).await?;
    }
    Ok(())
}

/// Sends a message for each webhook of the organisations whose feed has new events, and for each webhook that was changed.
pub(crate) async fn wake_for_records<T: Tables, S: Sender, W: Wakes>(
    deliverer: &Deliverer<T, S>,
    wakes: &W,
    records: &[Value],
) -> Result<(), Error> {
    let orgs: BTreeSet<_> = records.iter().filter_map(org_of_record).collect();
    let woken = wake_orgs(deliverer, wakes, orgs.into_iter().collect(), false).await;
    woken.into_iter().try_for_each(|of_org| of_org.map(drop))
}

/// Returns the organisation of a new chunk of a feed, or of a webhook that was changed; `None` for any other record.
fn org_of_record(record: &Value) -> Option<OrgId> {
    let keys = &record["dynamodb"]["Keys"];
    let (pk, sk) = (keys["pk"]["S"].as_str()?, keys["sk"]["S"].as_str()?);
    let is_changed = || record["dynamodb"]["NewImage"].get("resume").is_some();
    let org = match (pk.strip_prefix(FEED_PK_PREFIX), pk.strip_prefix(WEBHOOKS_PK_PREFIX)) {
        (Some(org), _) if record["eventName"] == "INSERT" && sk.bytes().all(|byte| byte.is_ascii_digit()) => org,
        (_, Some(org)) if is_changed() => org,
        _ => return None,
    };
    parse_org_key(org).flatten()
}

/// Sends a message for each webhook, or only for each that is due. Measures how late the latest one is.
async fn sweep<S: Sender, W: Wakes>(
    deliverer: &Deliverer<StoredTables, S>,
    wakes: &W,
    only_due: bool,
) -> Result<(), Error> {
    let orgs = deliverer.tables.webhooks.orgs().await?;
    let overdue = wake_orgs(deliverer, wakes, orgs, only_due).await.into_iter().filter_map(|of_org| {
        // One that cannot be read holds up no other.
        of_org.inspect_err(|error| telemetry::log_background_error("sweep_webhooks", error)).ok().flatten()
    });
    if let Some(overdue) = overdue.max() {
        log_metric(Metric::WebhookOverdueSeconds, overdue.as_secs_f64());
    }
    Ok(())
}

/// Sends the messages of these organisations. Returns the outcome of each, as [`wake_org`] does, in any order.
async fn wake_orgs<T: Tables, S: Sender, W: Wakes>(
    deliverer: &Deliverer<T, S>,
    wakes: &W,
    orgs: Vec<OrgId>,
    only_due: bool,
) -> Vec<Result<Option<SignedDuration>, Error>> {
    let wakings = orgs.into_iter().map(|org_id| wake_org(deliverer, wakes, org_id, only_due));
    stream::iter(wakings).buffer_unordered(ORGS_IN_FLIGHT).collect().await
}

/// Sends a message for each webhook of an organisation, or only for each that is due. Returns the longest time for which one has been due.
async fn wake_org<T: Tables, S: Sender, W: Wakes>(
    deliverer: &Deliverer<T, S>,
    wakes: &W,
    org_id: OrgId,
    only_due: bool,
) -> Result<Option<SignedDuration>, Error> {
    let now = deliverer.clock.now();
    let (mut webhooks, mut failure) = (Vec::new(), None);
    for webhook in deliverer.tables.webhooks_of(org_id).await? {
        match webhook {
            Ok(webhook) => webhooks.push(webhook),
            // One that cannot be read holds up no other.
            Err(error) => failure = Some(error),
        }
    }
    let overdue = |webhook: &Webhook| {
        let due_at = webhook.progress.due_at().filter(|due_at| *due_at <= now)?;
        Some(now.duration_since(due_at))
    };
    let concerned = webhooks
        .iter()
        .filter(|webhook| if only_due { overdue(webhook).is_some() } else { webhook.progress.is_free(now) });
    let messages: Vec<_> = concerned.map(|webhook| Wake { id: webhook.id, delay: Duration::ZERO }).collect();
    wakes.send(&messages).await?;
    failure.map_or_else(|| Ok(webhooks.iter().filter_map(overdue).max()), Err)
}
