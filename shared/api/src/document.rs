//! Documents that anyone may read: no key, no parameters, the same bytes for all.

use lambda_http::http::{Method, Response, StatusCode};
use lambda_http::{Body, Request};

use super::Answer;
use super::error_answer::{RequestError, error_answer};
use super::invocation::Invocation;

/// Serves one request for a JSON document, which GET fetches; other methods are 405. `name` is what it is called in the log.
pub fn serve_document(request: &Request, name: &'static str, json: &'static str) -> Response<Body> {
    let invocation = Invocation::of(request);
    let (name, answer) = if request.method() == Method::GET {
        (name, Answer::written(StatusCode::OK, json.to_owned()))
    } else {
        ("none", error_answer(&RequestError::MethodNotAllowed("GET".to_owned())))
    };
    invocation.log_request(name, answer.status);
    answer.into_response(invocation.request_id())
}
