//! Batches of the queue: messages of one group one after another, and groups at the same time.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use futures::future::join_all;
use presence_domain::error::Error;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Stopwatch, time_left};
use presence_runtime::telemetry;
use presence_store::{with_deadline, with_retries_for};
use serde_json::Value;

use crate::ingest::Ingest;
use crate::part::{CONTINUE, Part};
use crate::split::{continuation, split};
use crate::write::write_part;

/// Maximum time for a batch. Messages that are not written by then come again.
const BATCH_TIME: Duration = Duration::from_secs(10);
/// Time before the deadline at which no call is tried again, so that the answer leaves in time.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Writes the rows of the messages. Returns the messages that failed, and those behind them in their groups: they come again, in their
/// order.
pub(crate) async fn receive(ingest: &Ingest, records: &[Value], deadline: SystemTime) -> BatchResponse {
    let left = time_left(deadline).unwrap_or(BATCH_TIME).saturating_sub(ANSWER_TIME).min(BATCH_TIME);
    let mut groups: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for record in records {
        let group = record["attributes"]["MessageGroupId"].as_str().unwrap_or_default();
        groups.entry(group).or_default().push(record);
    }
    let watch = Stopwatch::start();
    let failed = join_all(groups.into_values().map(|messages| receive_group(ingest, messages, left, watch))).await;
    BatchResponse::failed(failed.into_iter().flatten().map(str::to_owned))
}

/// Writes the messages of a group until one fails. Returns the ids of that one and of all behind it.
async fn receive_group<'a>(
    ingest: &Ingest,
    messages: Vec<&'a Value>,
    time: Duration,
    watch: Stopwatch,
) -> Vec<&'a str> {
    let mut rest = messages.iter();
    while let Some(message) = rest.next() {
        let left = time.saturating_sub(watch.elapsed());
        let result = receive_message(ingest, message, left).await;
        if let Err(error) = result {
            telemetry::log_background_error("ingest_message", &error);
            let ids = std::iter::once(message).chain(rest).map(|message| message["messageId"].as_str());
            return ids.map(Option::unwrap_or_default).collect();
        }
    }
    Vec::new()
}

async fn receive_message(ingest: &Ingest, message: &Value, left: Duration) -> Result<(), Error> {
    if let Some(object) = message["messageAttributes"][CONTINUE]["stringValue"].as_str() {
        let watch = Stopwatch::start();
        // At least one segment, so that every message makes progress.
        let rest = with_retries_for(left, split(ingest, object, || watch.elapsed() < left)).await?;
        return match rest {
            Some(rest) => ingest.queue.send_batch(&[continuation(&rest)]).await,
            None => Ok(()),
        };
    }
    let Some(part) = Part::from_record(message) else {
        return Err(Error::internal("a message of the queue has attributes that make no sense"));
    };
    let id = message["messageId"].as_str().unwrap_or_default();
    let written = with_deadline(left, write_part(ingest, &part, id)).await;
    written.unwrap_or_else(|| Err(Error::Unavailable("there was no time to write a message".into())))
}
