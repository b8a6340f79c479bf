//! Exchange: a request and its answer, without secrets.

use std::io::Read as _;

use aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use jiff::Timestamp;
use presence_runtime::clock::Stopwatch;
use serde::Serialize;
use serde_json::Value;

use super::facts::RequestFacts;
use super::redaction::Secrets;

/// Largest body that is kept, in bytes: a page of 100 reviews has 44,000.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// Request and answer, as far as they are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exchange {
    /// Time at which the gateway received the request: RFC 3339 in UTC.
    pub at: String,
    /// Method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Status of the answer.
    pub status: u16,
    /// Time from the request to the answer in milliseconds, rounded to a tenth.
    pub milliseconds: f64,
    /// Facts of the function's log; `None` if no function logged the request.
    pub facts: Option<RequestFacts>,
    /// Name of the function that got the request; `None` if none was invoked.
    pub function: Option<String>,
    /// Event that the function got; `None` if no function was invoked.
    pub event: Option<Value>,
    /// Body of the request: JSON or a form, or a note about one that is not kept.
    pub request_body: Option<Value>,
    /// Headers of the answer.
    pub headers: Value,
    /// Body of the answer: JSON, or a note about one that is not kept.
    pub answer_body: Option<Value>,
}

/// Request that waits for its answer.
#[derive(Debug)]
pub struct ReceivedRequest {
    at: Timestamp,
    stopwatch: Stopwatch,
    method: String,
    target: String,
}

impl ReceivedRequest {
    /// Starts the time of a request.
    pub fn new(method: String, target: String, at: Timestamp) -> Self {
        Self { at, stopwatch: Stopwatch::start(), method, target }
    }

    /// Returns the request with the answer of its function, without secrets. `event` is the JSON of the event.
    pub fn answered(
        self,
        event: &[u8],
        facts: Option<RequestFacts>,
        status: u16,
        answer: Option<&ApiGatewayV2httpResponse>,
    ) -> Exchange {
        let mut secrets = Secrets::default();
        let mut event: Value = serde_json::from_slice(event).unwrap_or_default();
        let request_body = cut_event(&mut event, &mut secrets);
        let (headers, body) = answer.map_or_else(Default::default, |answer| cut_answer(answer, &mut secrets));
        let mut exchange = self.without_function(status);
        exchange.target = secrets.cut_text(&exchange.target);
        let mut texts = [event, request_body.unwrap_or_default(), headers, body.unwrap_or_default()];
        for value in &mut texts {
            secrets.cut_texts(value);
        }
        let [event, request_body, headers, answer_body] = texts;
        let some = |value: Value| (!value.is_null()).then_some(value);
        let (event, request_body, answer_body) = (some(event), some(request_body), some(answer_body));
        Exchange { facts, event, request_body, headers, answer_body, ..exchange }
    }

    /// Returns the request with an answer that the gateway gave itself, without secrets.
    pub fn without_function(self, status: u16) -> Exchange {
        let milliseconds = (self.stopwatch.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
        let mut secrets = Secrets::default();
        let target = match self.target.split_once('?') {
            Some((path, query)) => format!("{path}?{}", secrets.cut_query(query)),
            None => self.target,
        };
        let (target, method) = (secrets.cut_text(&target), secrets.cut_text(&self.method));
        Exchange { at: self.at.to_string(), method, target, status, milliseconds, ..Exchange::default() }
    }
}

/// Cuts the secrets out of an event, and returns its body in a readable form. A body that is neither JSON nor a form is not kept,
/// because nothing says where its secrets are.
fn cut_event(event: &mut Value, secrets: &mut Secrets) -> Option<Value> {
    let body = event["body"].as_str().map(|body| decoded_body(body, event["isBase64Encoded"] == true));
    let content_type = event["headers"]["content-type"].as_str().unwrap_or_default().to_owned();
    if let Some(query) = event["rawQueryString"].as_str() {
        event["rawQueryString"] = secrets.cut_query(query).into();
    }
    secrets.cut_fields(event);
    let readable = readable_body(&body?, &content_type, secrets);
    event["body"] = match &readable {
        Value::String(text) => text.clone().into(),
        json => json.to_string().into(),
    };
    Some(readable)
}

/// Returns the headers and the readable body of an answer without secrets.
fn cut_answer(answer: &ApiGatewayV2httpResponse, secrets: &mut Secrets) -> (Value, Option<Value>) {
    let pairs =
        answer.headers.iter().map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes())));
    let mut headers: Value =
        pairs.map(|(name, value)| (name, Value::from(value))).collect::<serde_json::Map<_, _>>().into();
    secrets.cut_fields(&mut headers);
    let body = answer.body.as_ref().map(|body| body.to_vec()).filter(|body| !body.is_empty());
    let text = |name| answer.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let body = body.map(|body| {
        let body = if answer.is_base64_encoded { BASE64_STANDARD.decode(&body).unwrap_or_default() } else { body };
        let body = if text(CONTENT_ENCODING) == "gzip" { unzipped(&body) } else { body };
        readable_body(&body, text(CONTENT_TYPE), secrets)
    });
    (headers, body)
}

fn decoded_body(body: &str, is_base64: bool) -> Vec<u8> {
    if is_base64 { BASE64_STANDARD.decode(body).unwrap_or_default() } else { body.as_bytes().to_vec() }
}

/// Unpacks a body, up to a little more than the largest that is kept.
fn unzipped(body: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let most = u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX) + 1;
    let _ = GzDecoder::new(body).take(most).read_to_end(&mut unpacked);
    unpacked
}

/// Returns JSON as it is and a form as text, both without secrets; of other bodies, a note.
fn readable_body(body: &[u8], content_type: &str, secrets: &mut Secrets) -> Value {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if body.len() > MAX_BODY_BYTES {
        return format!("[{} bytes: too many to keep]", body.len()).into();
    }
    if let Ok(mut json) = serde_json::from_slice::<Value>(body)
        && (json.is_object() || json.is_array())
    {
        secrets.cut_fields(&mut json);
        return json;
    }
    match std::str::from_utf8(body) {
        Ok(form) if essence == "application/x-www-form-urlencoded" => secrets.cut_query(form).into(),
        _ => format!("[{} bytes of {}: not kept]", body.len(), if essence.is_empty() { "no type" } else { &essence })
            .into(),
    }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
