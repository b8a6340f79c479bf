//! JSON answers.

use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use lambda_http::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, LINK, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use lambda_http::http::{HeaderMap, HeaderValue, StatusCode};
use lambda_http::{Body, http};
use serde::Serialize;

use super::content::{ALWAYS_HTTPS, AnswerForm, Content};
use super::deprecation::{DEPRECATION, DeprecationNotice, SUNSET};
use super::entity_tag::EntityTag;
use super::{Input, request_ids};
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
    content: Content,
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
        Self::from_content(status, Content::Text(body))
    }

    /// Returns an answer with any content.
    pub(super) fn from_content(status: StatusCode, content: Content) -> Self {
        Self { status, content, headers: Vec::new(), is_page: false }
    }

    /// Adds the links to other pages of a search. A value that is missing is left out.
    #[must_use]
    pub fn linked(self, links: Option<String>) -> Self {
        match links {
            Some(links) => self.with(LINK, &links),
            None => self,
        }
    }

    /// Lets the client keep the answer, and ask by its tag for a newer one. If the client has it already, it becomes a 304.
    #[must_use]
    pub fn tagged(self, tag: &EntityTag, input: &Input) -> Self {
        if input.has_existing(tag) { Self::not_modified(tag) } else { self.with_tag(tag) }.revalidated()
    }

    /// Returns a 304, for a client that has the representation with this tag.
    pub(super) fn not_modified(tag: &EntityTag) -> Self {
        Self::from_content(StatusCode::NOT_MODIFIED, Content::Nothing).with_tag(tag)
    }

    /// Lets the client alone keep the answer, and ask each time if it is still current.
    pub(super) fn revalidated(self) -> Self {
        self.with(CACHE_CONTROL, "private, no-cache")
    }

    /// Adds the tag of the representation.
    pub(super) fn with_tag(self, tag: &EntityTag) -> Self {
        self.with(ETAG, &tag.header())
    }

    /// Returns the body as text, before it is encoded.
    pub(super) fn body(&self) -> &str {
        match &self.content {
            Content::Text(text) => text,
            Content::Nothing | Content::Gzip(_) => "",
        }
    }

    /// Adds a header. A value that is no valid header value is left out.
    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.extend(HeaderValue::from_str(value).ok().map(|value| (name, value)));
        self
    }

    /// Adds headers.
    pub(super) fn with_headers(mut self, headers: Vec<(HeaderName, HeaderValue)>) -> Self {
        self.headers.extend(headers);
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

    /// Returns the answer in the coding that the client wants.
    pub(super) fn encoded(self, form: AnswerForm) -> Self {
        Self { content: self.content.encoded(form.coding), ..self }
    }

    /// Returns the answer, or [`Error::Invalid`] if it is a page that is too large for Lambda. It is counted as it is sent: a page may
    /// fit only if it is compressed.
    pub(super) fn check_size(self, ids: &RequestIds) -> Result<Self, Error> {
        // An upper bound comes first: the exact size of the envelope takes a pass over the body.
        let is_small = self.content.len() * BODY_GROWTH + ENVELOPE_BYTES <= MAX_BYTES;
        if !self.is_page || is_small || self.lambda_bytes(ids) <= MAX_BYTES {
            return Ok(self);
        }
        Err(Error::invalid_field("per_page", "the page would be larger than 6 MB: ask for fewer"))
    }

    /// Returns the size of the JSON envelope, in bytes. The body is counted without being copied.
    fn lambda_bytes(&self, ids: &RequestIds) -> usize {
        let mut envelope = ApiGatewayV2httpResponse::default();
        envelope.status_code = self.status.as_u16().into();
        // With each header that some client gets.
        envelope.headers = self.all_headers(ids, true);
        self.content.add_coding(&mut envelope.headers);
        envelope.body = Some(Body::Text(String::new()));
        envelope.is_base64_encoded = matches!(self.content, Content::Gzip(_));
        let envelope = serde_json::to_string(&envelope).expect("headers are texts");
        envelope.len() + self.content.bytes_in_json()
    }

    /// Returns the HTTP response, with the headers of every answer.
    pub(super) fn into_response(self, ids: &RequestIds, form: AnswerForm) -> http::Response<Body> {
        let headers = self.all_headers(ids, form.is_https);
        self.content.into_response(self.status, headers, form.is_head)
    }

    /// Returns the headers of every answer and the answer's own, which replace them.
    fn all_headers(&self, ids: &RequestIds, is_https: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.extend(is_https.then_some(ALWAYS_HTTPS));
        if self.content != Content::Nothing {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // Each answer can grow above the size from which it is compressed.
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        request_ids::add_headers(ids, &mut headers);
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accept_encoding::ContentCoding;

    /// Quotation marks take four bytes: each is escaped in the body, and both characters again in the envelope.
    fn marks(count: usize) -> String {
        "\"".repeat(count)
    }

    #[test]
    fn only_pages_above_the_limit_are_refused() {
        let (fits, too_many) = (marks(MAX_BYTES / 4 - 200), marks(MAX_BYTES / 4));
        assert!(Answer::page(&fits).check_size(&RequestIds::default()).is_ok());
        assert!(Answer::page(&too_many).check_size(&RequestIds::default()).is_err());
        assert!(Answer::ok(&too_many).check_size(&RequestIds::default()).is_ok(), "only pages are checked");
    }

    #[test]
    fn page_that_is_too_large_may_fit_if_it_is_compressed() {
        let form = AnswerForm { coding: ContentCoding::Gzip, ..AnswerForm::default() };
        let page = Answer::page(&marks(MAX_BYTES / 4)).encoded(form);
        assert!(page.check_size(&RequestIds::default()).is_ok());
    }

    #[test]
    fn a_client_that_came_over_https_is_told_to_stay_there() {
        for (proto, expected) in [("https", Some("max-age=31536000")), ("http", None)] {
            let mut request = lambda_http::Request::default();
            request.headers_mut().insert("x-forwarded-proto", HeaderValue::from_static(proto));
            let response = Answer::ok(&1).into_response(&RequestIds::default(), AnswerForm::of(&request));
            let header = response.headers().get("strict-transport-security");
            assert_eq!(header.and_then(|value| value.to_str().ok()), expected, "{proto}");
        }
    }

    #[test]
    fn size_is_that_of_the_json_that_lambda_gets() {
        let ids = RequestIds { request_id: "an-id".to_owned(), ..RequestIds::default() };
        for coding in [ContentCoding::Identity, ContentCoding::Gzip] {
            let form = AnswerForm { coding, is_head: false, is_https: true };
            let answer = Answer::page(&marks(3000)).linked(Some("<https://a.example/>; rel=\"last\"".to_owned()));
            let answer = answer.encoded(form);
            let counted = answer.lambda_bytes(&ids);
            let response = answer.into_response(&ids, form);
            let mut sent = ApiGatewayV2httpResponse::default();
            sent.status_code = response.status().as_u16().into();
            sent.headers = response.headers().clone();
            sent.is_base64_encoded = matches!(response.body(), Body::Binary(_));
            sent.body = Some(response.into_body());
            assert_eq!(counted, serde_json::to_string(&sent).expect("JSON").len(), "{coding:?}");
        }
    }
}
