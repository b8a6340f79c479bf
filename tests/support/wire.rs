//! Protocol of `DynamoDB` as seen from a connector: one operation name in a header, one JSON document each way.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::Headers;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::{Value, json};

use crate::connectors::{Answer, Next, WrittenKey};
use crate::in_process_client;

/// Item of a table: its attributes by name.
pub type Item = HashMap<String, AttributeValue>;

/// Largest number of items that one call writes.
const BATCH: usize = 25;

/// Returns an SDK configuration for a `DynamoDB` on loopback. It reads nothing from the environment.
pub fn sdk_config(endpoint_url: &str) -> Config {
    Config::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::from_static("eu-west-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "tests"))
        .endpoint_url(endpoint_url)
        .http_client(in_process_client())
        .build()
}

/// Puts items into a table past the service.
///
/// # Panics
/// Panics if the database does not take a batch as a whole.
pub async fn put_all(client: &Client, table: &str, items: Vec<Item>) {
    for batch in items.chunks(BATCH) {
        let put = |item: &Item| PutRequest::builder().set_item(Some(item.clone())).build().expect("an item");
        let writes = batch.iter().map(|item| WriteRequest::builder().put_request(put(item)).build()).collect();
        let written = client.batch_write_item().request_items(table, writes).send().await.expect("DynamoDB answers");
        assert!(written.unprocessed_items.is_none_or(|left| left.is_empty()), "a batch is written in part");
    }
}

/// Returns the operation of a request: `PutItem`, `Query`, …; empty if it has no `x-amz-target`.
pub fn operation_of(request: &HttpRequest) -> &str {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit('.').next().unwrap_or_default()
}

/// Call of `DynamoDB`, as one request has it.
pub(crate) struct Call {
    /// Operation, as [`operation_of`] returns it.
    pub(crate) operation: String,
    /// Document of the request; null if it is not JSON.
    pub(crate) body: Value,
}

impl Call {
    pub(crate) fn read(request: &HttpRequest) -> Self {
        let operation = operation_of(request).to_owned();
        let body = request.body().bytes().and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
        Self { operation, body }
    }

    /// True if the call writes one item of the table that the request names.
    pub(crate) fn is_single_write(&self) -> bool {
        matches!(self.operation.as_str(), "PutItem" | "UpdateItem" | "DeleteItem")
    }

    pub(crate) fn is_transaction(&self) -> bool {
        matches!(self.operation.as_str(), "TransactWriteItems" | "TransactGetItems")
    }

    pub(crate) fn is_write(&self) -> bool {
        self.is_single_write() || matches!(self.operation.as_str(), "TransactWriteItems" | "BatchWriteItem")
    }

    pub(crate) fn reads_an_index(&self) -> bool {
        matches!(self.operation.as_str(), "Query" | "Scan") && self.body["IndexName"].is_string()
    }

    /// True for a read of a table that may return an older state.
    pub(crate) fn reads_eventually(&self) -> bool {
        let is_eventual = |read: &Value| read["ConsistentRead"] != true;
        match self.operation.as_str() {
            "GetItem" | "Query" | "Scan" => is_eventual(&self.body),
            "BatchGetItem" => {
                self.body["RequestItems"].as_object().is_some_and(|tables| tables.values().any(is_eventual))
            }
            _ => false,
        }
    }

    /// Returns the actions of a transaction in their order: the objects inside `Put`, `Update`, `Get`, …
    pub(crate) fn actions(&self) -> Vec<&Value> {
        let items = self.body["TransactItems"].as_array().map(Vec::as_slice).unwrap_or_default();
        items
            .iter()
            .map(|item| item.as_object().and_then(|kinds| kinds.values().next()).unwrap_or(&Value::Null))
            .collect()
    }

    /// Returns the keys that a write names.
    pub(crate) fn written_keys(&self) -> Vec<WrittenKey> {
        let batch = self.body["RequestItems"].as_object().into_iter().flatten();
        let of_batch = batch.flat_map(|(table, writes)| {
            let writes = writes.as_array().map(Vec::as_slice).unwrap_or_default();
            writes.iter().map(move |write| {
                let action = write.as_object().and_then(|kinds| kinds.values().next()).unwrap_or(&Value::Null);
                written_key(table, action)
            })
        });
        let single = self.is_single_write().then_some(&self.body);
        let of_actions = self.actions().into_iter().chain(single);
        of_actions
            .filter(|action| action["TableName"].is_string())
            .map(|action| written_key(action["TableName"].as_str().unwrap_or_default(), action))
            .chain(of_batch)
            .collect()
    }

    /// Returns the tables that the request names, each once, in the order of their first mention.
    pub(crate) fn tables(&self) -> Vec<String> {
        let single = self.body["TableName"].as_str();
        let batch =
            self.body["RequestItems"].as_object().into_iter().flat_map(|tables| tables.keys().map(String::as_str));
        let actions = self.actions().into_iter().filter_map(|action| action["TableName"].as_str());
        let mut names: Vec<String> = Vec::new();
        for name in single.into_iter().chain(batch).chain(actions) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }
}

/// Returns the key that an action names: of its item, or by itself.
fn written_key(table: &str, action: &Value) -> WrittenKey {
    let key = if action["Item"].is_object() { &action["Item"] } else { &action["Key"] };
    let text = |name: &str| key[name]["S"].as_str().unwrap_or_default().to_owned();
    // The table of keys has another name for it.
    WrittenKey { table: table.to_owned(), pk: text("pk") + &text("key_hash"), sk: text("sk") }
}

/// Whole answer of `DynamoDB`, kept so that it can be given again or cut.
#[derive(Clone)]
pub(crate) struct RecordedReply {
    status: u16,
    headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl RecordedReply {
    /// Forwards the request and waits for the last byte of its answer.
    pub(crate) async fn of(next: &Next, request: HttpRequest) -> Result<Self, ConnectorError> {
        let mut response = next.call(request).await?;
        let bytes = ByteStream::new(response.take_body()).collect().await;
        let body = bytes.map_err(|source| ConnectorError::io(source.into()))?.into_bytes().into();
        Ok(Self { status: response.status().as_u16(), headers: response.headers().clone(), body })
    }

    /// Returns an error of `DynamoDB`: `code` has no namespace, `rest` has the fields besides `__type`.
    pub(crate) fn error(status: u16, code: &str, mut rest: Value) -> Self {
        rest["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{code}"));
        Self::json(status, &rest)
    }

    /// Returns an answer with status 200.
    pub(crate) fn success(body: &Value) -> Self {
        Self::json(200, body)
    }

    fn json(status: u16, body: &Value) -> Self {
        let mut headers = Headers::new();
        headers.insert("content-type", "application/x-amz-json-1.0");
        Self { status, headers, body: body.to_string().into_bytes() }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn into_response(self) -> Answer {
        let status = self.status.try_into().map_err(|source| ConnectorError::other(Box::new(source), None))?;
        let mut response = HttpResponse::new(status, SdkBody::from(self.body));
        *response.headers_mut() = self.headers;
        Ok(response)
    }
}
