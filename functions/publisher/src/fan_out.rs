//! Fan-out of the batches of the streams to the bus and to the feeds. One function does both, because a shard of a stream has two readers at most.

use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Clock, Deadline};
use presence_store::FeedStore;
use serde_json::Value;

use crate::bus::Bus;
use crate::feed::{WindowResponse, append};
use crate::publish::handle;

/// Sends the events of a batch to a bus, and appends them to the feeds, at the same time. The answer names the first record that either of
/// them lacks. Lambda hands over that record and all later ones again: the bus may have an event twice by that, and a feed never.
pub async fn fan_out(
    bus: &impl Bus,
    feed: &FeedStore,
    clock: &dyn Clock,
    event: &Value,
    deadline: Deadline,
) -> WindowResponse {
    let Some(records) = event["Records"].as_array().filter(|records| !records.is_empty()) else {
        // The end of a window has no records.
        return WindowResponse::default();
    };
    // On the heap: the SDK's futures are large.
    let append = Box::pin(append(feed, clock, event, deadline));
    let (sent, appended) = futures::join!(handle(bus, event, deadline), append);
    WindowResponse { batch: earlier(records, sent, appended.batch), ..appended }
}

/// Returns the answer that names the earlier record.
fn earlier(records: &[Value], sent: BatchResponse, appended: BatchResponse) -> BatchResponse {
    let position = |answer: &BatchResponse| {
        let is_named = |record: &Value| answer.names(record["dynamodb"]["SequenceNumber"].as_str().unwrap_or_default());
        // A name that no record has comes first: nothing is skipped for it.
        (!answer.failures.is_empty()).then(|| records.iter().position(is_named))
    };
    match (position(&sent), position(&appended)) {
        (Some(of_bus), Some(of_feed)) if of_feed < of_bus => appended,
        (None, _) => appended,
        _ => sent,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_answer_names_the_earlier_of_the_records_that_bus_and_feed_lack() {
        let records = ["7", "10", "9"].map(|number| json!({ "dynamodb": { "SequenceNumber": number } }));
        for (of_bus, of_feed, expected) in [
            (None, None, None),
            (Some("10"), None, Some("10")),
            (None, Some("10"), Some("10")),
            // In the order of the batch, not of the texts.
            (Some("10"), Some("9"), Some("10")),
            (Some("9"), Some("10"), Some("10")),
            (Some("7"), Some("9"), Some("7")),
            (Some("9"), Some("7"), Some("7")),
            (Some("9"), Some("9"), Some("9")),
            // A record that is not in the batch: Lambda hands all of it over again.
            (Some("7"), Some("8"), Some("8")),
        ] {
            let answer = |number: Option<&str>| BatchResponse::failed(number.map(str::to_owned));
            let earlier = earlier(&records, answer(of_bus), answer(of_feed));
            assert_eq!(earlier, answer(expected), "{of_bus:?} {of_feed:?}");
        }
    }
}
