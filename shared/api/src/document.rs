//! Documents that anyone may read: without a key, without parameters, the same bytes for all.

use lambda_http::http::{Method, Response, StatusCode};
use lambda_http::{Body, Request};

use super::Answer;
use super::error_answer::{RequestError, error_answer};
use super::invocation::Invocation;

/// Serves one request for a JSON document. Other methods than GET are answered with 405. `name` is the operation's name in the log.
pub fn serve_document(request: &Request, name: &'static str, json: &'static str) -> Response<Body> {
    let invocation = Invocation::start(request);
    let (name, answer) = if request.method() == Method::GET {
        (name, Answer::from_json_text(StatusCode::OK, json.to_owned()))
    } else {
        ("none", error_answer(&RequestError::MethodNotAllowed("GET".to_owned())))
    };
    invocation.log_request(name, answer.status);
    answer.into_response(invocation.request_id())
}
