//! Invocations of the publisher as AWS makes them: batches of the streams of users, of the audit trail and of reviews.

use std::sync::Arc;
use std::time::Duration;

use aws_types::SdkConfig;
use presence_publisher::{Bus, handle};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::deadline_in;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::streams::{POLL_INTERVAL, TableStream};

/// Time limit of an invocation: the publisher's timeout in the template.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(1);
/// Pause before records that failed are handed over again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Background task that invokes the publisher. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct EventPoller {
    _task: JoinSet<()>,
}

impl EventPoller {
    /// Starts to poll the streams of these tables, for writes from now on. A table without a stream has no events, which is logged.
    ///
    /// Events that one poll finds are sent in the order of the tables. Those of a later table never overtake their causes in an earlier one.
    pub(crate) async fn start<B: Bus + 'static>(
        bus: Arc<B>,
        config: &SdkConfig,
        tables: &[String],
    ) -> anyhow::Result<Self> {
        let mut streams = Vec::with_capacity(tables.len());
        for table in tables {
            if let Some(stream) = TableStream::open(config, table).await? {
                streams.push(stream);
            } else {
                tracing::warn!(table, "the table has no stream: there are no events of its changes");
            }
        }
        let mut task = JoinSet::new();
        task.spawn(poll(bus, streams));
        Ok(Self { _task: task })
    }
}

async fn poll(bus: Arc<impl Bus>, mut streams: Vec<TableStream>) {
    loop {
        // The last table is read first: what led to its changes is in the others by then.
        let mut batches = Vec::with_capacity(streams.len());
        for stream in streams.iter_mut().rev() {
            batches.extend(stream.next_batch_if_any().await);
        }
        if batches.is_empty() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        for batch in batches.into_iter().rev() {
            publish(bus.as_ref(), batch).await;
        }
    }
}

/// Hands a batch over, and again what failed.
async fn publish(bus: &impl Bus, batch: Value) {
    let mut batch = Some(batch);
    while let Some(event) = batch {
        let answer = handle(bus, &event, deadline_in(INVOCATION_TIMEOUT)).await;
        batch = remaining(&event, &answer);
        if batch.is_some() {
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
}

/// Returns the event with the first record that failed and all later ones, as Lambda hands them over again; `None` if none failed.
fn remaining(event: &Value, answer: &BatchResponse) -> Option<Value> {
    let failed = answer.failures.first()?;
    let records = event["Records"].as_array()?;
    let first = records.iter().position(|record| record["dynamodb"]["SequenceNumber"] == failed.id.as_str())?;
    Some(json!({ "Records": records[first..] }))
}
