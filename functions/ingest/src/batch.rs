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

/// Task of a message.
enum Task<'a> {
    /// Goes on with the split of an object.
    Continuation(&'a str),
    /// Writes rows.
    Part(Part),
}

/// Writes the rows of the messages. Returns the messages that failed, and the later ones of their groups: they come again, in their
/// order. A message that cannot be read fails alone.
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

/// Writes the messages of a group until one fails. Returns the ids of that one and of all later ones.
///
/// A message that cannot be read does not stop its group. Otherwise the messages after it would be received as often, and go to the
/// dead letters with it. It has no rows whose order could matter.
async fn receive_group<'a>(
    ingest: &Ingest,
    messages: Vec<&'a Value>,
    time: Duration,
    watch: Stopwatch,
) -> Vec<&'a str> {
    let mut failed = Vec::new();
    let mut rest = messages.into_iter();
    while let Some(message) = rest.next() {
        let Some(task) = Task::of(message) else {
            let error = Error::internal("a message of the queue has attributes that make no sense");
            telemetry::log_background_error("ingest_message", &error);
            failed.push(id_of(message));
            continue;
        };
        let left = time.saturating_sub(watch.elapsed());
        if let Err(error) = task.run(ingest, id_of(message), left).await {
            telemetry::log_background_error("ingest_message", &error);
            failed.extend(std::iter::once(message).chain(rest).map(id_of));
            break;
        }
    }
    failed
}

fn id_of(message: &Value) -> &str {
    message["messageId"].as_str().unwrap_or_default()
}

impl<'a> Task<'a> {
    /// Returns the task of a message, or nothing if its attributes make no sense.
    fn of(message: &'a Value) -> Option<Self> {
        match message["messageAttributes"][CONTINUE]["stringValue"].as_str() {
            Some(object) => Some(Self::Continuation(object)),
            None => Part::from_record(message).map(Self::Part),
        }
    }

    async fn run(self, ingest: &Ingest, message_id: &str, left: Duration) -> Result<(), Error> {
        match self {
            Self::Continuation(object) => {
                let watch = Stopwatch::start();
                // At least one segment, so that every message makes progress.
                let rest = with_retries_for(left, split(ingest, object, || watch.elapsed() < left)).await?;
                match rest {
                    Some(rest) => ingest.queue.send_batch(&[continuation(&rest)]).await,
                    None => Ok(()),
                }
            }
            Self::Part(part) => {
                let written = with_deadline(left, write_part(ingest, &part, message_id)).await;
                written.unwrap_or_else(|| Err(Error::Unavailable("there was no time to write a message".into())))
            }
        }
    }
}
