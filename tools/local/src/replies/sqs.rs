//! Local SQS: serves the operations with which the publisher sends replies and a connector receives them.
//!
//! Protocol: <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html>.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use presence_runtime::aws::QueueMessage;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::queue::{Received, ReplyQueue};
use crate::response::{broken_response, json_response};

/// Path at which the endpoint URL of SQS ends.
pub(crate) const SQS_PATH: &str = "/sqs";
/// Media type of requests and responses.
const JSON: &str = "application/x-amz-json-1.0";
/// Largest number of messages in a call: the limit of SQS.
const MAX_MESSAGES: usize = 10;
/// Longest wait of a call for messages in seconds: the limit of SQS.
const MAX_WAIT: u64 = 20;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendMessageBatch {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    id: String,
    message_body: String,
    message_group_id: String,
    message_deduplication_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReceiveMessage {
    max_number_of_messages: Option<usize>,
    wait_time_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DeleteMessage {
    receipt_handle: String,
}

/// Error response of SQS.
struct SqsError {
    code: &'static str,
    message: String,
}

/// Builds the routes of the local SQS. Clients append a slash to an endpoint with a path, or none.
pub(super) fn router(queue: Arc<ReplyQueue>) -> Router {
    let router = Router::new().route(SQS_PATH, post(call)).route(&format!("{SQS_PATH}/"), post(call));
    router.with_state(queue)
}

async fn call(State(queue): State<Arc<ReplyQueue>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A browser lets a page of another site send neither the media type nor the header without a preflight request.
    let operation = if header("content-type") == JSON { header("x-amz-target") } else { "" };
    let answer = match operation {
        "AmazonSQS.SendMessageBatch" => return send(&queue, &body).unwrap_or_else(SqsError::into_response),
        "AmazonSQS.ReceiveMessage" => receive(&queue, &body).await,
        "AmazonSQS.DeleteMessage" => delete(&queue, &body),
        _ => Err(SqsError { code: "UnsupportedOperation", message: "the local queue does not serve this".to_owned() }),
    };
    answer.map_or_else(SqsError::into_response, |answer| json_response(StatusCode::OK, JSON, &answer))
}

fn send(queue: &ReplyQueue, body: &[u8]) -> Result<Response<Body>, SqsError> {
    let SendMessageBatch { entries } = parse(body)?;
    if entries.is_empty() || entries.len() > MAX_MESSAGES {
        return Err(invalid("a call has 1 to 10 messages"));
    }
    let messages: Vec<_> = entries.iter().map(Entry::message).collect();
    let codes = match queue.send(&messages) {
        Ok(codes) => codes,
        Err(error) if error.0 == "NoConnection" => return Ok(broken_response()),
        Err(_) => return Err(SqsError { code: "ThrottlingException", message: "Rate exceeded".to_owned() }),
    };
    let (mut successful, mut failed) = (Vec::new(), Vec::new());
    for (entry, code) in entries.iter().zip(codes) {
        match code {
            Some(code) => failed.push(json!({ "Id": entry.id, "Code": code, "SenderFault": false })),
            None => successful.push(json!({ "Id": entry.id, "MessageId": entry.message_deduplication_id })),
        }
    }
    Ok(json_response(StatusCode::OK, JSON, &json!({ "Successful": successful, "Failed": failed })))
}

async fn receive(queue: &ReplyQueue, body: &[u8]) -> Result<Value, SqsError> {
    let ReceiveMessage { max_number_of_messages, wait_time_seconds } = parse(body)?;
    let (most, wait) = (max_number_of_messages.unwrap_or(1), wait_time_seconds.unwrap_or(0));
    if !(1..=MAX_MESSAGES).contains(&most) || wait > MAX_WAIT {
        return Err(invalid("a call receives 1 to 10 messages, and waits for 20 seconds at most"));
    }
    let received = queue.receive(most, Duration::from_secs(wait)).await;
    Ok(json!({ "Messages": received.iter().map(message_json).collect::<Vec<_>>() }))
}

fn delete(queue: &ReplyQueue, body: &[u8]) -> Result<Value, SqsError> {
    let DeleteMessage { receipt_handle } = parse(body)?;
    queue.delete(&receipt_handle);
    Ok(json!({}))
}

impl Entry {
    fn message(&self) -> QueueMessage {
        QueueMessage {
            group_id: self.message_group_id.clone(),
            deduplication_id: self.message_deduplication_id.clone(),
            body: self.message_body.clone(),
            attributes: BTreeMap::new(),
        }
    }
}

fn message_json(received: &Received) -> Value {
    let Received { id, receipt, group_id, body, receives } = received;
    let attributes = json!({ "MessageGroupId": group_id, "ApproximateReceiveCount": receives.to_string() });
    json!({ "MessageId": id, "ReceiptHandle": receipt, "Body": body, "Attributes": attributes })
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, SqsError> {
    serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()))
}

fn invalid(message: &str) -> SqsError {
    SqsError { code: "InvalidParameterValue", message: message.to_owned() }
}

impl SqsError {
    fn into_response(self) -> Response<Body> {
        json_response(StatusCode::BAD_REQUEST, JSON, &json!({ "__type": self.code, "message": self.message }))
    }
}
