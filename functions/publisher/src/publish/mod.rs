//! Batches of the streams: the events of their records, sent in order.
//!
//! 1. Each record becomes an event, two, or none. A record that cannot be read is logged, counted and skipped, since it would hold up those
//!    behind it for a day.
//! 2. Events are sent in calls of ten, one call after the other. What the bus does not take is sent again after a pause.
//! 3. The answer names the first record whose event was not sent. Lambda hands over that record and all later ones again. So an event may
//!    be sent twice, and none is lost while the stream has it.

use std::time::{Duration, SystemTime};

use presence_domain::error::Error;
use presence_domain::event::Event;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::time_left;
use presence_runtime::telemetry::{self, Metric, log_metric};
use presence_store::streamed_change::events_of;
use serde_json::Value;

use crate::bus::{Bus, MAX_ENTRIES};
use crate::wire::BusEntry;

/// Number of attempts to send an event in one invocation.
const ATTEMPTS: u32 = 4;
/// Pause before the second attempt. It doubles before each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// Time that must be left to start a call, which takes three seconds at most with the retries of the SDK.
const CALL_TIME: Duration = Duration::from_secs(5);

/// Event that is to be sent, and the record that it comes from.
struct Outgoing {
    entry: BusEntry,
    sequence_number: String,
}

/// Events of a batch up to the first record that must be read again.
#[derive(Default)]
struct Batch {
    outgoing: Vec<Outgoing>,
    /// Sequence number of that record.
    stopped_at: Option<String>,
}

/// Sends the events of a batch of a stream. The answer names the first record that failed. An event of any other kind is a mistake in the deployment, and changes nothing.
pub async fn handle(bus: &dyn Bus, event: &Value, deadline: SystemTime) -> BatchResponse {
    let Some(records) = event["Records"].as_array() else {
        tracing::error!("an invocation without records of a stream was ignored");
        return BatchResponse::default();
    };
    let batch = read(records);
    let sent = send_all(bus, &batch.outgoing, deadline).await;
    if sent > 0 {
        log_metric(Metric::EventsSent, u32::try_from(sent).map_or(f64::INFINITY, f64::from));
        tracing::info!(records = records.len(), events = sent, "events");
    }
    let unsent = batch.outgoing.get(sent).map(|first| first.sequence_number.clone());
    BatchResponse::failed(unsent.or(batch.stopped_at))
}

fn read(records: &[Value]) -> Batch {
    let mut batch = Batch::default();
    for record in records {
        let sequence_number = record["dynamodb"]["SequenceNumber"].as_str().unwrap_or_default().to_owned();
        match events_of(record) {
            Ok(events) => batch.outgoing.extend(events.iter().map(|event| outgoing(event, sequence_number.clone()))),
            Err(error @ Error::Unavailable(_)) => {
                // A later version of this function reads it.
                telemetry::log_background_error("read_change", &error);
                batch.stopped_at = Some(sequence_number);
                break;
            }
            Err(error) => {
                telemetry::log_background_error("read_change", &error);
                tracing::error!(sequence_number, "a change cannot be read, and no event tells of it");
                log_metric(Metric::ChangesUnreadable, 1.0);
            }
        }
    }
    batch
}

fn outgoing(event: &Event, sequence_number: String) -> Outgoing {
    Outgoing { entry: BusEntry::from(event), sequence_number }
}

/// Sends events in order. Returns the number of those before the first one that was not taken.
async fn send_all(bus: &dyn Bus, events: &[Outgoing], deadline: SystemTime) -> usize {
    let mut sent = 0;
    for chunk in events.chunks(MAX_ENTRIES) {
        let entries: Vec<_> = chunk.iter().map(|event| event.entry.clone()).collect();
        let taken = send(bus, &entries, deadline).await;
        sent += taken;
        if taken < entries.len() {
            break;
        }
    }
    sent
}

/// Sends the events of one call, and again those that were not taken. Returns the number of those before the first one that was not taken.
async fn send(bus: &dyn Bus, entries: &[BusEntry], deadline: SystemTime) -> usize {
    let mut waiting: Vec<usize> = (0..entries.len()).collect();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            tokio::time::sleep(PAUSE * 2_u32.pow(attempt - 1)).await;
        }
        if time_left(deadline).is_some_and(|left| left < CALL_TIME) {
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
mod tests;
