//! Local `EventBridge`: serves `PutEvents`, and keeps each event that it takes.
//!
//! Protocol: <https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html>.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use presence_publisher::{Bus, BusEntry, PutError, SOURCE};
use presence_runtime::clock::{Clock as _, SystemClock};
use serde::Deserialize;
use serde_json::{Value, json};

use super::event_log::{BusMode, EventLog};
use crate::response::{broken_response, json_response};

/// Path at which the endpoint URL of `EventBridge` ends.
pub(crate) const EVENT_BRIDGE_PATH: &str = "/eventbridge";
/// Operation that is served, in the header `x-amz-target`.
const PUT_EVENTS: &str = "AWSEvents.PutEvents";
/// Media type of requests and responses.
const JSON: &str = "application/x-amz-json-1.1";
/// Code of a refusal that may pass.
const THROTTLED: &str = "ThrottlingException";
/// Largest number of events in a call: the limit of `EventBridge`.
const MAX_ENTRIES: usize = 10;
/// Largest number of bytes of a call: the limit of `EventBridge`.
const MAX_BYTES: usize = 256 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PutEvents {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    source: String,
    detail_type: String,
    detail: String,
    event_bus_name: String,
    /// Seconds since 1970.
    time: f64,
}

/// Error response of `EventBridge`.
struct BusError {
    code: &'static str,
    message: String,
}

pub(super) fn router(log: Arc<EventLog>) -> Router {
    // The SDK appends a slash to an endpoint with a path, or none.
    let (path, with_slash) = (EVENT_BRIDGE_PATH, format!("{EVENT_BRIDGE_PATH}/"));
    Router::new().route(path, post(put_events)).route(&with_slash, post(put_events)).with_state(log)
}

async fn put_events(State(log): State<Arc<EventLog>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let mode = log.mode();
    let request = match parse_request(&headers, &body).and_then(|request| check_mode(mode).map(|()| request)) {
        Ok(request) => request,
        Err(error) => return error.into_response(),
    };
    let numbered = request.entries.iter().enumerate();
    let answers: Vec<_> =
        numbered.map(|(index, entry)| if is_taken(mode, index) { take(&log, entry) } else { refusal() }).collect();
    if mode == BusMode::LoseReply {
        return broken_response();
    }
    let failed = answers.iter().filter(|answer| answer.get("ErrorCode").is_some()).count();
    json_response(StatusCode::OK, JSON, &json!({ "FailedEntryCount": failed, "Entries": answers }))
}

/// Bus of the stack's own publisher: the local `EventBridge` without HTTP. So the stack needs no SDK of `EventBridge`.
#[derive(Clone, Debug)]
pub struct LocalBus(pub(crate) Arc<EventLog>);

impl Bus for LocalBus {
    type Entry = BusEntry;

    fn put<'a>(&'a self, entries: &'a [BusEntry]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        ready(self.put_now(entries)).boxed()
    }
}

impl LocalBus {
    fn put_now(&self, entries: &[BusEntry]) -> Result<Vec<Option<String>>, PutError> {
        let mode = self.0.mode();
        check_mode(mode).map_err(|error| PutError(error.code.to_owned()))?;
        let put = |(index, entry): (usize, &BusEntry)| {
            if !is_taken(mode, index) {
                return Some(THROTTLED.to_owned());
            }
            add(&self.0, SOURCE, entry.detail_type, &entry.detail, entry.time);
            None
        };
        let codes = entries.iter().enumerate().map(put).collect();
        if mode == BusMode::LoseReply { Err(PutError("NoConnection".to_owned())) } else { Ok(codes) }
    }
}

/// True if the mode lets an event of a call pass.
fn is_taken(mode: BusMode, index: usize) -> bool {
    mode != BusMode::RefuseHalf || index.is_multiple_of(2)
}

fn parse_request(headers: &HeaderMap, body: &[u8]) -> Result<PutEvents, BusError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A browser lets a page of another site send neither the media type nor the header without a preflight request.
    if header("x-amz-target") != PUT_EVENTS || header("content-type") != JSON {
        return Err(BusError { code: "UnknownOperationException", message: "only PutEvents is served".to_owned() });
    }
    let request: PutEvents = serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()))?;
    if request.entries.is_empty() || request.entries.len() > MAX_ENTRIES || body.len() > MAX_BYTES {
        return Err(invalid("a call has 1 to 10 events, and 256 KB at most"));
    }
    let is_valid = |entry: &Entry| {
        let is_object = serde_json::from_str::<Value>(&entry.detail).is_ok_and(|detail| detail.is_object());
        is_object && ![&entry.source, &entry.detail_type, &entry.event_bus_name].into_iter().any(String::is_empty)
    };
    if !request.entries.iter().all(is_valid) {
        return Err(invalid("an event has a source, a type, a bus and a detail, which is a JSON object"));
    }
    Ok(request)
}

fn check_mode(mode: BusMode) -> Result<(), BusError> {
    match mode {
        BusMode::Throttle => Err(BusError { code: THROTTLED, message: "Rate exceeded".to_owned() }),
        BusMode::Accept | BusMode::RefuseHalf | BusMode::LoseReply => Ok(()),
    }
}

/// Keeps an event, and returns the answer about it.
fn take(log: &EventLog, entry: &Entry) -> Value {
    let id = add(log, &entry.source, &entry.detail_type, &entry.detail, time_of(entry));
    json!({ "EventId": id })
}

/// Keeps an event, and returns its id.
fn add(log: &EventLog, source: &str, detail_type: &str, detail: &str, time: Timestamp) -> String {
    let id = random_id();
    let detail: Value = serde_json::from_str(detail).unwrap_or_default();
    let time = format!("{time:.0}");
    log.add(json!({ "id": id, "time": time, "source": source, "detail-type": detail_type, "detail": detail }));
    id
}

fn time_of(entry: &Entry) -> Timestamp {
    #[expect(clippy::cast_possible_truncation, reason = "the bus keeps whole seconds")]
    let seconds = entry.time as i64;
    Timestamp::from_second(seconds).unwrap_or_else(|_| SystemClock.now())
}

fn refusal() -> Value {
    json!({ "ErrorCode": THROTTLED, "ErrorMessage": "Rate exceeded" })
}

/// Returns an id in the form of a UUID of version 4.
fn random_id() -> String {
    let digits = format!("{:032x}", fastrand::u128(..));
    let variant = ["8", "9", "a", "b"][fastrand::usize(..4)];
    format!("{}-{}-4{}-{variant}{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..])
}

fn invalid(message: &str) -> BusError {
    BusError { code: "ValidationException", message: message.to_owned() }
}

impl BusError {
    fn into_response(self) -> Response<Body> {
        json_response(StatusCode::BAD_REQUEST, JSON, &json!({ "__type": self.code, "message": self.message }))
    }
}
