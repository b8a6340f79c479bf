//! Documents that anyone may read: without a key, without parameters, the same bytes for all.

use lambda_http::http::{Method, Response, StatusCode};
use lambda_http::{Body, Request};

use super::Answer;
use super::error_answer::RequestError;
use super::invocation::Invocation;
use super::serve::end;

/// Serves one request for a JSON document. Other methods than GET are answered with 405. `name` is the operation's name in the log.
pub fn serve_document(request: &Request, name: &'static str, json: &'static str) -> Response<Body> {
    let invocation = Invocation::start(request);
    if request.method() == Method::GET {
        end(&invocation, name, Ok(Answer::from_json_text(StatusCode::OK, json.to_owned())))
    } else {
        end(&invocation, "none", Err(RequestError::MethodNotAllowed("GET".to_owned())))
    }
}
