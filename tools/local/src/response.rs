//! Responses of the local services of AWS.

use std::io;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use futures::stream;
use serde_json::Value;

/// Returns a response with a JSON body of this media type.
pub(crate) fn json_response(status: StatusCode, media_type: &'static str, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Returns a response whose connection breaks before the body is complete.
pub(crate) fn broken_response() -> Response<Body> {
    let error = Err::<Bytes, _>(io::Error::new(io::ErrorKind::ConnectionReset, "the reply is lost on purpose"));
    let mut response = Response::new(Body::from_stream(stream::iter([error])));
    // The announced length makes the client wait for bytes that never come.
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from_static("64"));
    response
}
