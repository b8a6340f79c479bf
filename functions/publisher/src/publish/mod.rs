//! Batches of the streams: the entries of their records, events or requests of replies, sent in order.
//!
//! 1. Each record becomes entries, or none. A record that cannot be read is logged, counted and skipped, since it would hold up those
//!    behind it for a day.
//! 2. Entries are sent in calls of ten, one call after the other. What the bus does not take is sent again after a pause. A call has one
//!    entry of a group at most, so that none overtakes an earlier one that was not taken.
//! 3. The answer names the first record whose entry was not sent. Lambda hands over that record and all later ones again. So an entry may
//!    be sent twice, and none is lost while the stream has it.

use std::collections::HashSet;
use std::time::Duration;

use presence_domain::error::Error;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_runtime::telemetry::{self, Metric, log_metric};
use serde_json::Value;

use crate::bus::{Bus, Entry, MAX_ENTRIES};

/// Number of attempts to send an entry in one invocation.
const ATTEMPTS: u32 = 4;
/// Pause before the second attempt. It doubles before each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// Time that must be left to start a call, which takes three seconds at most with the retries of the SDK.
const CALL_TIME: Duration = Duration::from_secs(5);

/// Entry that is to be sent, and the record that it comes from.
pub(crate) struct Outgoing<E> {
    pub(crate) entry: E,
    pub(crate) sequence_number: String,
}

/// Entries of a batch up to the first record that must be read again.
pub(crate) struct Batch<E> {
    pub(crate) outgoing: Vec<Outgoing<E>>,
    /// Sequence number of that record.
    pub(crate) stopped_at: Option<String>,
}

/// Sends the entries of a batch of a stream. The answer names the first record that failed. An event of any other kind is a mistake in the
/// deployment, and changes nothing.
pub async fn handle<B: Bus>(bus: &B, event: &Value, deadline: Deadline) -> BatchResponse {
    let Some(records) = event["Records"].as_array() else {
        tracing::error!("an invocation without records of a stream was ignored");
        return BatchResponse::default();
    };
    let batch = read(records);
    let sent = send_all(bus, &batch.outgoing, deadline).await;
    if sent > 0 {
        log_metric(B::Entry::SENT, u32::try_from(sent).map_or(f64::INFINITY, f64::from));
        tracing::info!(records = records.len(), events = sent, "events");
    }
    let unsent = batch.outgoing.get(sent).map(|first| first.sequence_number.clone());
    BatchResponse::failed(unsent.or(batch.stopped_at))
}

/// Returns the entries of the records, in their order.
pub(crate) fn read<E: Entry>(records: &[Value]) -> Batch<E> {
    let mut batch = Batch { outgoing: Vec::new(), stopped_at: None };
    for record in records {
        let sequence_number = record["dynamodb"]["SequenceNumber"].as_str().unwrap_or_default().to_owned();
        match E::of_record(record) {
            Ok(entries) => {
                let outgoing = |entry| Outgoing { entry, sequence_number: sequence_number.clone() };
                batch.outgoing.extend(entries.into_iter().map(outgoing));
            }
            Err(error @ Error::Unavailable(_)) => {
                // A later version of this function reads it.
                telemetry::log_background_error("read_change", &error);
                batch.stopped_at = Some(sequence_number);
                break;
            }
            Err(error) => {
                telemetry::log_background_error("read_change", &error);
                tracing::error!(sequence_number, "a change cannot be read, and nothing is sent for it");
                log_metric(Metric::ChangesUnreadable, 1.0);
            }
        }
    }
    batch
}

/// Sends entries in order. Returns the number of those before the first one that was not taken.
async fn send_all<B: Bus>(bus: &B, outgoing: &[Outgoing<B::Entry>], deadline: Deadline) -> usize {
    let mut sent = 0;
    while sent < outgoing.len() {
        let call = count_fitting(&outgoing[sent..]);
        let entries: Vec<_> = outgoing[sent..sent + call].iter().map(|one| one.entry.clone()).collect();
        let taken = send(bus, &entries, deadline).await;
        sent += taken;
        if taken < call {
            break;
        }
    }
    sent
}

/// Returns how many of the entries, from the first on, may be in one call.
fn count_fitting<E: Entry>(outgoing: &[Outgoing<E>]) -> usize {
    let mut groups = HashSet::new();
    let mut is_first_of_group =
        |one: &&Outgoing<E>| one.entry.group().is_none_or(|group| groups.insert(group.to_owned()));
    outgoing.iter().take(MAX_ENTRIES).take_while(|one| is_first_of_group(one)).count()
}

/// Sends the entries of one call, and again those that were not taken. Returns the number of those before the first one that was not taken.
async fn send<B: Bus>(bus: &B, entries: &[B::Entry], deadline: Deadline) -> usize {
    let mut waiting: Vec<usize> = (0..entries.len()).collect();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            tokio::time::sleep(PAUSE * 2_u32.pow(attempt - 1)).await;
        }
        if deadline.time_left().is_some_and(|left| left < CALL_TIME) {
            break;
        }
        let call: Vec<_> = waiting.iter().map(|index| entries[*index].clone()).collect();
        match bus.put(&call).await {
            Ok(refusals) => waiting = refused(&waiting, &refusals),
            Err(error) => tracing::warn!(code = error.0, attempt, "the bus took no events, or its answer was lost"),
        }
        if waiting.is_empty() {
            break;
        }
    }
    waiting.first().copied().unwrap_or(entries.len())
}

/// Returns those of the events that a call did not take.
fn refused(sent: &[usize], refusals: &[Option<String>]) -> Vec<usize> {
    let refused = sent.iter().zip(refusals).filter_map(|(index, refusal)| Some((*index, refusal.as_ref()?)));
    let refused = refused.inspect(|(_, code)| tracing::warn!(code, "the bus did not take an event"));
    refused.map(|(index, _)| index).collect()
}

#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod tests;
