//! Events that invoke ingest: notifications of S3, and batches of the queue.

use std::time::Duration;

use percent_encoding::percent_decode_str;
use presence_domain::error::Error;
use presence_domain::ingest::delivery::INVOCATION_TIME;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_runtime::telemetry;
use presence_store::with_retries_for;
use serde_json::Value;

use crate::batch;
use crate::ingest::Ingest;
use crate::split::{INBOX, continuation, split};

/// Time that must be left to read another segment of an object, which takes some seconds.
const SEGMENT_TIME: Duration = Duration::from_secs(30);
/// Time before the deadline at which no call is tried again, so that the answer leaves in time.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Serves one event, until shortly before the deadline.
///
/// Two kinds of events are known. A notification of S3 has records with `s3`; after an error Lambda hands it over again. A batch of the
/// queue has records with `"eventSource": "aws:sqs"`; the answer names the messages to be handed over again. Anything else, such as the
/// test event of S3, is ignored.
pub async fn handle(ingest: &Ingest, event: &Value, deadline: Deadline) -> Result<BatchResponse, Error> {
    let records = event.get("Records").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if records.first().is_some_and(|record| record["eventSource"] == "aws:sqs") {
        return Ok(batch::receive(ingest, records, deadline).await);
    }
    for object in records.iter().filter_map(object_of) {
        let splitting = split_until(ingest, &object, deadline);
        let left = deadline.time_left().unwrap_or(INVOCATION_TIME).saturating_sub(ANSWER_TIME);
        let result = with_retries_for(left, splitting).await;
        result.inspect_err(|error| telemetry::log_background_error("split_object", error))?;
    }
    Ok(BatchResponse::default())
}

/// Splits an object as long as there is time, and leaves the rest to a message.
async fn split_until(ingest: &Ingest, object: &str, deadline: Deadline) -> Result<(), Error> {
    let has_time = || deadline.time_left().is_none_or(|left| left > SEGMENT_TIME);
    match split(ingest, object, has_time).await? {
        Some(rest) => ingest.queue.send_batch(&[continuation(&rest)]).await,
        None => Ok(()),
    }
}

/// Returns the name, below the inbox, of the object that a record of S3 is about; `None` for any other record.
fn object_of(record: &Value) -> Option<String> {
    let key = record.get("s3")?.get("object")?.get("key")?.as_str()?.replace('+', " ");
    let key = percent_decode_str(&key).decode_utf8().ok()?;
    let object = key.strip_prefix(INBOX)?;
    (!object.is_empty() && !object.ends_with('/')).then(|| object.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_decoded_and_other_records_are_skipped() {
        let of = |key: &str| object_of(&json!({ "eventSource": "aws:s3", "s3": { "object": { "key": key } } }));
        assert_eq!(of("inbox/a+b/c%C3%A9%2B.jsonl").as_deref(), Some("a b/cé+.jsonl"));
        for other in ["done/a.json", "inbox/", "inbox/folder/", "inbox/%FF"] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(object_of(&json!({ "Event": "s3:TestEvent" })), None);
    }
}
