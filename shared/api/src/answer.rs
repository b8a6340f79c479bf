//! Answers.

use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use lambda_http::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use lambda_http::http::{HeaderMap, HeaderValue, Response, StatusCode};
use lambda_http::{Body, http};
use serde::Serialize;

use presence_domain::error::Error;

/// The header that carries the request's id, also found in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The most bytes of an answer that Lambda lets through: of the JSON that `lambda_http` makes of it, with the body as a
/// string inside.
const MAX_BYTES: usize = 6 * 1024 * 1024;
/// More than status and headers ever take of it.
const ENVELOPE_BYTES: usize = 16 * 1024;
/// The most bytes of an answer that one byte of a body becomes: a quotation mark and a backslash get another backslash.
const BODY_GROWTH: usize = 2;
/// The most bytes of an item of `DynamoDB`.
const ITEM_BYTES: usize = 400 * 1024;
/// The most bytes of an answer that one byte of a text becomes: `\u0001` in the body, its backslash twice.
const TEXT_GROWTH: usize = 7;
// One item alone always fits: no answer but a page is ever too large, and no page of one.
const _: () = assert!(ITEM_BYTES * TEXT_GROWTH + 2 * ENVELOPE_BYTES < MAX_BYTES);

/// Status, JSON body and the headers that only this answer has.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    body: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    is_page: bool,
}

impl Answer {
    /// 200 with a body.
    pub fn ok<T: Serialize>(body: &T) -> Self {
        Self::json(StatusCode::OK, body)
    }

    /// 200 with a page of a search. One that Lambda would not let through becomes a refusal of its size.
    pub fn page<T: Serialize>(body: &T) -> Self {
        Self { is_page: true, ..Self::ok(body) }
    }

    /// Any status with a body.
    pub(super) fn json<T: Serialize>(status: StatusCode, body: &T) -> Self {
        Self::written(status, serde_json::to_string(body).expect("answers have text keys and finite numbers"))
    }

    /// Any status with a body that is JSON already.
    pub(super) fn written(status: StatusCode, body: String) -> Self {
        Self { status, body, headers: Vec::new(), is_page: false }
    }

    /// Adds a header. A value that HTTP cannot carry is left out.
    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.extend(HeaderValue::from_str(value).ok().map(|value| (name, value)));
        self
    }

    /// The answer, unless it is a page that Lambda would not let through ([`Error::Invalid`]).
    pub(super) fn fitting(self, request_id: &str) -> Result<Self, Error> {
        let is_small = self.body.len() * BODY_GROWTH + ENVELOPE_BYTES <= MAX_BYTES;
        if !self.is_page || is_small || self.lambda_bytes(request_id) <= MAX_BYTES {
            return Ok(self);
        }
        Err(Error::invalid_field("per_page", "the page would be larger than 6 MB: ask for fewer"))
    }

    /// Bytes of the JSON that `lambda_http` makes of the answer. The body is counted, not written.
    fn lambda_bytes(&self, request_id: &str) -> usize {
        let mut envelope = ApiGatewayV2httpResponse::default();
        envelope.status_code = self.status.as_u16().into();
        envelope.headers = self.all_headers(request_id);
        envelope.body = Some(Body::Text(String::new()));
        let envelope = serde_json::to_string(&envelope).expect("headers are texts");
        envelope.len() + bytes_in_json(&self.body)
    }

    /// With the headers that every answer has.
    pub(super) fn into_response(self, request_id: &str) -> http::Response<Body> {
        let headers = self.all_headers(request_id);
        let mut response = Response::new(Body::Text(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = headers;
        response
    }

    /// The headers that every answer has, and its own.
    fn all_headers(&self, request_id: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        if let Ok(value) = HeaderValue::from_str(request_id) {
            headers.insert(REQUEST_ID, value);
        }
        headers.extend(self.headers.iter().cloned());
        headers
    }
}

/// Bytes of a text inside a JSON string, by the escapes of `serde_json`.
fn bytes_in_json(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\x08' | b'\t' | b'\n' | b'\x0c' | b'\r' => 2,
        ..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_counted_as_it_is_written() {
        for character in ('\0'..='\u{2100}').chain(['\u{fffd}', '\u{1f511}']) {
            let written = serde_json::to_string(&character).expect("JSON").len() - 2;
            assert_eq!(bytes_in_json(&character.to_string()), written, "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn only_pages_are_refused_and_only_past_the_limit() {
        let marks = |count: usize| "\"".repeat(count);
        // Each mark is four bytes of the answer.
        let (fits, too_many) = (marks(MAX_BYTES / 4 - 200), marks(MAX_BYTES / 4));
        assert!(Answer::page(&fits).fitting("id").is_ok());
        assert!(Answer::page(&too_many).fitting("id").is_err());
        assert!(Answer::ok(&too_many).fitting("id").is_ok(), "nothing else is ever so large: the gateway would say so");
    }
}
