//! JSON answers.

use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use lambda_http::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use lambda_http::http::{HeaderMap, HeaderValue, Response, StatusCode};
use lambda_http::{Body, http};
use serde::Serialize;

use super::deprecation::{DEPRECATION, DeprecationNotice, SUNSET};
use super::request_ids;
use presence_domain::error::Error;
use presence_domain::rate_limit::Quota;
use presence_runtime::telemetry::RequestIds;

/// Header with the limit of the caller's key: requests, and the seconds that they are for.
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// Header with the remaining requests of the caller's key, and the seconds until there is another one.
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Maximum size of an answer of a Lambda function, in bytes. It counts the JSON envelope of `lambda_http`, which holds the body as a
/// string.
const MAX_BYTES: usize = 6 * 1024 * 1024;
/// Upper bound on the bytes of status and headers in the envelope.
const ENVELOPE_BYTES: usize = 16 * 1024;
/// Maximum number of bytes that one byte of a body takes in the envelope: a quotation mark and a backslash are escaped.
const BODY_GROWTH: usize = 2;
/// Maximum size of an item of `DynamoDB`, in bytes.
const ITEM_BYTES: usize = 400 * 1024;
/// Maximum number of bytes that one byte of a text takes in the envelope: `\u0001` in the body, with its backslash escaped again.
const TEXT_GROWTH: usize = 7;
// An answer with one item always fits. So only a page of several items can be too large.
const _: () = assert!(ITEM_BYTES * TEXT_GROWTH + 2 * ENVELOPE_BYTES < MAX_BYTES);

/// JSON answer: status, body, and the headers that only this answer has.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status code.
    pub status: StatusCode,
    body: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// True if the answer is a page of a search, which may be too large.
    is_page: bool,
}

impl Answer {
    /// Returns a 200 with a body.
    pub fn ok<T: Serialize>(body: &T) -> Self {
        Self::json(StatusCode::OK, body)
    }

    /// Returns a 200 with a page of a search. If the page is too large for Lambda, the answer becomes a 400.
    pub fn page<T: Serialize>(body: &T) -> Self {
        Self { is_page: true, ..Self::ok(body) }
    }

    /// Returns an answer with any status.
    pub(super) fn json<T: Serialize>(status: StatusCode, body: &T) -> Self {
        Self::from_json_text(status, serde_json::to_string(body).expect("answers have text keys and finite numbers"))
    }

    /// Returns an answer whose body is JSON text already.
    pub(super) fn from_json_text(status: StatusCode, body: String) -> Self {
        Self { status, body, headers: Vec::new(), is_page: false }
    }

    /// Returns the body.
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    /// Adds a header. A value that is no valid header value is left out.
    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.extend(HeaderValue::from_str(value).ok().map(|value| (name, value)));
        self
    }

    /// Adds the remaining requests of the caller's key, in the headers of draft-ietf-httpapi-ratelimit-headers.
    pub(super) fn with_quota(self, quota: Option<Quota>) -> Self {
        let Some(Quota { limit, remaining, refill_seconds }) = quota else { return self };
        self.with(RATE_LIMIT_POLICY, &format!("\"key\";q={};w=60", limit.requests_per_minute()))
            .with(RATE_LIMIT, &format!("\"key\";r={remaining};t={refill_seconds}"))
    }

    /// Adds the notice about deprecated parts that the request uses.
    pub(super) fn with_deprecation(self, notice: Option<&DeprecationNotice>) -> Self {
        let Some(DeprecationNotice { since, sunset }) = notice else { return self };
        self.with(DEPRECATION, since).with(SUNSET, sunset)
    }

    /// Returns the answer, or [`Error::Invalid`] if it is a page that is too large for Lambda.
    pub(super) fn check_size(self, ids: &RequestIds) -> Result<Self, Error> {
        // An upper bound comes first: the exact size of the envelope takes a pass over the body.
        let is_small = self.body.len() * BODY_GROWTH + ENVELOPE_BYTES <= MAX_BYTES;
        if !self.is_page || is_small || self.lambda_bytes(ids) <= MAX_BYTES {
            return Ok(self);
        }
        Err(Error::invalid_field("per_page", "the page would be larger than 6 MB: ask for fewer"))
    }

    /// Returns the size of the JSON envelope, in bytes. The body is counted without being copied.
    fn lambda_bytes(&self, ids: &RequestIds) -> usize {
        let mut envelope = ApiGatewayV2httpResponse::default();
        envelope.status_code = self.status.as_u16().into();
        envelope.headers = self.all_headers(ids);
        envelope.body = Some(Body::Text(String::new()));
        let envelope = serde_json::to_string(&envelope).expect("headers are texts");
        envelope.len() + bytes_in_json(&self.body)
    }

    /// Returns the HTTP response, with the headers of every answer.
    pub(super) fn into_response(self, ids: &RequestIds) -> http::Response<Body> {
        let headers = self.all_headers(ids);
        let mut response = Response::new(Body::Text(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = headers;
        response
    }

    /// Returns the headers of every answer and the answer's own.
    fn all_headers(&self, ids: &RequestIds) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        request_ids::add_headers(ids, &mut headers);
        headers.extend(self.headers.iter().cloned());
        headers
    }
}

/// Returns the size of a text inside a JSON string, in bytes, with the escapes that `serde_json` writes.
fn bytes_in_json(text: &str) -> usize {
    text.bytes().map(escaped_bytes).sum()
}

fn escaped_bytes(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\x08' | b'\t' | b'\n' | b'\x0c' | b'\r' => 2,
        ..0x20 => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_counts_the_bytes_that_it_takes() {
        for character in ('\0'..='\u{2100}').chain(['\u{fffd}', '\u{1f511}']) {
            let written = serde_json::to_string(&character).expect("JSON").len() - 2;
            assert_eq!(bytes_in_json(&character.to_string()), written, "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn only_pages_above_the_limit_are_refused() {
        let marks = |count: usize| "\"".repeat(count);
        // A quotation mark takes four bytes: it is escaped in the body, and both characters again in the envelope.
        let (fits, too_many) = (marks(MAX_BYTES / 4 - 200), marks(MAX_BYTES / 4));
        assert!(Answer::page(&fits).check_size(&RequestIds::default()).is_ok());
        assert!(Answer::page(&too_many).check_size(&RequestIds::default()).is_err());
        assert!(Answer::ok(&too_many).check_size(&RequestIds::default()).is_ok(), "only pages are checked");
    }
}
