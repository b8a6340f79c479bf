//! Answers.

use lambda_http::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use lambda_http::http::{HeaderValue, Response, StatusCode};
use lambda_http::{Body, http};
use serde::Serialize;

/// The header that carries the request's id, also found in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Status, JSON body and the headers that only this answer has.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    body: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Answer {
    /// 200 with a body.
    pub fn ok<T: Serialize>(body: &T) -> Self {
        Self::json(StatusCode::OK, body)
    }

    /// Any status with a body.
    pub(super) fn json<T: Serialize>(status: StatusCode, body: &T) -> Self {
        Self::written(status, serde_json::to_string(body).expect("answers have text keys and finite numbers"))
    }

    /// Any status with a body that is JSON already.
    pub(super) fn written(status: StatusCode, body: String) -> Self {
        Self { status, body, headers: Vec::new() }
    }

    /// Adds a header. A value that HTTP cannot carry is left out.
    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.extend(HeaderValue::from_str(value).ok().map(|value| (name, value)));
        self
    }

    /// With the headers that every answer has.
    pub(super) fn into_response(self, request_id: &str) -> http::Response<Body> {
        let mut response = Response::new(Body::Text(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        if let Ok(value) = HeaderValue::from_str(request_id) {
            headers.insert(REQUEST_ID, value);
        }
        headers.extend(self.headers);
        response
    }
}
