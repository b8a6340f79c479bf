//! Batches of the queue: messages of one group one after another, and groups at the same time, but those that split objects one by one.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::{join, join_all};
use presence_domain::error::Error;
use presence_domain::ingest::delivery::{BATCH_TIME, INVOCATION_TIME, MAX_RECEIVES, Unsettled};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_runtime::telemetry;
use presence_store::{with_deadline, with_retries_for};
use serde_json::Value;
use tokio::time::Instant;

use crate::ingest::Ingest;
use crate::outside::GivenBack;
use crate::part::{CONTINUE, Part};
use crate::split::{continuation, split};
use crate::write::write_part;

/// Time before the end at which no call is tried again, so that the answer leaves in time.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Task of a message.
enum Task<'a> {
    /// Goes on with the split of an object.
    Continuation(&'a str),
    /// Writes rows.
    Part(Part),
}

/// Message, and the reason why it is not settled.
type Pending<'a> = (&'a Value, Unsettled);

/// Writes the rows of the messages, until shortly before the deadline. Returns the messages that are not settled: each comes back as
/// [`Unsettled`] says.
pub(crate) async fn receive(ingest: &Ingest, records: &[Value], deadline: Deadline) -> BatchResponse {
    let time = deadline.time_left().unwrap_or(INVOCATION_TIME).saturating_sub(ANSWER_TIME).min(BATCH_TIME);
    let end = Instant::now() + time;
    let mut groups: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for record in records {
        let group = record["attributes"]["MessageGroupId"].as_str().unwrap_or_default();
        groups.entry(group).or_default().push(record);
    }
    let (splits, writes): (Vec<_>, Vec<_>) =
        groups.into_values().partition(|messages| messages.iter().any(|message| continued_object(message).is_some()));
    let writing = join_all(writes.into_iter().map(|messages| receive_group(ingest, messages, end)));
    let (written, continued) = join(writing, receive_splits(ingest, splits, end)).await;
    let pending = [written.concat(), continued].concat();
    give_back(ingest, &pending).await;
    BatchResponse::failed(pending.into_iter().map(|(message, _)| id_of(message).to_owned()))
}

/// Settles groups that split objects, one after another: each split holds a segment and its messages in memory. Each group has an equal
/// share of the time that is left.
async fn receive_splits<'a>(ingest: &Ingest, groups: Vec<Vec<&'a Value>>, end: Instant) -> Vec<Pending<'a>> {
    let mut pending = Vec::new();
    let left = (1..=u32::try_from(groups.len()).unwrap_or(u32::MAX)).rev();
    for (messages, left) in groups.into_iter().zip(left) {
        let now = Instant::now();
        let share = end.saturating_duration_since(now) / left;
        pending.extend(Box::pin(receive_group(ingest, messages, now + share)).await);
    }
    pending
}

/// Settles the messages of a group in their order. Returns those that are not settled.
async fn receive_group<'a>(ingest: &Ingest, messages: Vec<&'a Value>, end: Instant) -> Vec<Pending<'a>> {
    let mut pending = Vec::new();
    let mut rest = messages.into_iter();
    while let Some(message) = rest.next() {
        let Err(reason) = work_on(ingest, message, end).await else { continue };
        pending.push((message, reason));
        if reason.stops_group(receives_of(message)) {
            pending.extend(rest.map(|message| (message, Unsettled::Unfinished)));
            break;
        }
    }
    pending
}

async fn work_on(ingest: &Ingest, message: &Value, end: Instant) -> Result<(), Unsettled> {
    let Some(task) = Task::of(message) else {
        let error = Error::internal("a message of the queue has attributes that make no sense");
        telemetry::log_background_error("ingest_message", &error);
        return Err(Unsettled::Unreadable);
    };
    let time_left = || end.saturating_duration_since(Instant::now());
    match task.run(ingest, id_of(message), time_left()).await {
        Some(Ok(())) => Ok(()),
        // Retries end shortly before the time is over, with the error of the last attempt.
        Some(Err(error)) if time_left() > ANSWER_TIME => {
            telemetry::log_background_error("ingest_message", &error);
            Err(Unsettled::Failed)
        }
        Some(Err(_)) | None => Err(Unsettled::Unfinished),
    }
}

/// Gives messages back to the queue, so that they come again sooner than those of a function that crashed. Tells of those that the queue
/// sets aside instead.
async fn give_back(ingest: &Ingest, pending: &[Pending<'_>]) {
    for (message, reason) in pending.iter().filter(|(message, _)| receives_of(message) >= MAX_RECEIVES) {
        tracing::error!(message_id = id_of(message), ?reason, "a message of reviews was given up");
    }
    let given_back = |(message, reason): &Pending<'_>| GivenBack {
        receipt_handle: message["receiptHandle"].as_str().unwrap_or_default().to_owned(),
        after: reason.comes_back_after(receives_of(message)),
    };
    let messages: Vec<GivenBack> = pending.iter().map(given_back).collect();
    if !messages.is_empty()
        && let Err(error) = ingest.queue.give_back(&messages).await
    {
        telemetry::log_background_error("give_messages_back", &error);
    }
}

/// Returns the number of times that the queue handed a message over, this one included.
fn receives_of(message: &Value) -> u32 {
    let receives = message["attributes"]["ApproximateReceiveCount"].as_str();
    receives.and_then(|receives| receives.parse().ok()).unwrap_or(1)
}

fn id_of(message: &Value) -> &str {
    message["messageId"].as_str().unwrap_or_default()
}

/// Returns the object whose split a message continues.
fn continued_object(message: &Value) -> Option<&str> {
    message["messageAttributes"][CONTINUE]["stringValue"].as_str()
}

impl<'a> Task<'a> {
    /// Returns the task of a message, or nothing if its attributes make no sense.
    fn of(message: &'a Value) -> Option<Self> {
        match continued_object(message) {
            Some(object) => Some(Self::Continuation(object)),
            None => Part::from_record(message).map(Self::Part),
        }
    }

    /// Does the task. Returns nothing if the time is over first.
    async fn run(self, ingest: &Ingest, message_id: &str, left: Duration) -> Option<Result<(), Error>> {
        match self {
            Self::Continuation(object) => Some(continue_split(ingest, object, left).await),
            Self::Part(part) => with_deadline(left, write_part(ingest, &part, message_id)).await,
        }
    }
}

/// Goes on with the split of an object: at least one segment, so that every message makes progress.
async fn continue_split(ingest: &Ingest, object: &str, left: Duration) -> Result<(), Error> {
    let end = Instant::now() + left;
    match with_retries_for(left, split(ingest, object, || Instant::now() < end)).await? {
        Some(rest) => ingest.queue.send_batch(&[continuation(&rest)]).await,
        None => Ok(()),
    }
}
