//! HTTP responses: from the response of a function, and the gateway's own errors.

use aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use axum::body::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Response, StatusCode};

use super::InvokeError;

/// Header with the request id. API Gateway adds it to each response.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("apigw-requestid");

/// Headers that are removed from a function's response. The gateway's server sets them to match the body and connection. The answer to
/// HEAD keeps the length: it has no body to count.
const REMOVED_HEADERS: [HeaderName; 5] =
    [header::CONNECTION, header::CONTENT_LENGTH, header::TRAILER, header::TRANSFER_ENCODING, header::UPGRADE];

/// Content type that API Gateway gives to a body without one.
const DEFAULT_CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/plain;charset=UTF-8");

/// Error that the gateway answers itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GatewayError {
    BadRequest,
    Forbidden,
    NotFound,
    RequestTimeout,
    BodyTooLarge,
    HeadersTooLarge,
    Internal,
    Unavailable,
}

impl GatewayError {
    fn status_and_message(self) -> (StatusCode, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "Bad Request"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "Forbidden"),
            Self::NotFound => (StatusCode::NOT_FOUND, "Not Found"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "Request Timeout"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
            Self::HeadersTooLarge => (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "Request Header Fields Too Large"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
        }
    }

    /// Returns the status of the response.
    pub(super) fn status(self) -> StatusCode {
        self.status_and_message().0
    }

    /// Converts the error to a response with the body `{"message":"…"}`.
    pub(super) fn into_response(self) -> Response<Body> {
        let (status, message) = self.status_and_message();
        let mut response = Response::new(Body::from(format!(r#"{{"message":"{message}"}}"#)));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

impl From<InvokeError> for GatewayError {
    fn from(error: InvokeError) -> Self {
        match error {
            InvokeError::EventTooLarge => Self::BodyTooLarge,
            InvokeError::Failed => Self::Internal,
            InvokeError::TimedOut => Self::Unavailable,
        }
    }
}

/// Converts the response of a function. One that AWS would not accept is a [`GatewayError::Internal`].
pub(super) fn from_function(
    method: &Method,
    function_response: ApiGatewayV2httpResponse,
) -> Result<Response<Body>, GatewayError> {
    let status = u16::try_from(function_response.status_code).ok().and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.filter(|status| !status.is_informational()).ok_or(GatewayError::Internal)?;
    let body = function_response.body.map(|body| body.to_vec()).unwrap_or_default();
    let body = if function_response.is_base64_encoded {
        BASE64_STANDARD.decode(body).map_err(|_| GatewayError::Internal)?
    } else {
        body
    };
    let mut headers = function_response.headers;
    for name in REMOVED_HEADERS.iter().filter(|name| method != Method::HEAD || **name != header::CONTENT_LENGTH) {
        headers.remove(name);
    }
    if !body.is_empty() {
        headers.entry(header::CONTENT_TYPE).or_insert(DEFAULT_CONTENT_TYPE);
    }
    for cookie in function_response.cookies {
        let value = HeaderValue::try_from(cookie).map_err(|_| GatewayError::Internal)?;
        headers.append(header::SET_COOKIE, value);
    }
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn convert(response: Value) -> Result<Response<Body>, GatewayError> {
        from_function(&Method::GET, serde_json::from_value(response).expect("a response"))
    }

    #[tokio::test]
    async fn response_keeps_its_status_headers_cookies_and_bytes() {
        let response = convert(json!({
            "statusCode": 201,
            "headers": {"x-a": "b", "content-length": "99", "transfer-encoding": "chunked"},
            "cookies": ["a=b", "c=d"],
            "body": "/w==",
            "isBase64Encoded": true,
        }))
        .expect("a valid response");
        assert_eq!(response.status(), StatusCode::CREATED);
        assert_eq!(response.headers()["x-a"], "b");
        assert_eq!(response.headers()["content-type"], "text/plain;charset=UTF-8");
        assert_eq!(response.headers().get_all("set-cookie").iter().count(), 2);
        assert!(!response.headers().contains_key("content-length"));
        assert!(!response.headers().contains_key("transfer-encoding"));
        let body = axum::body::to_bytes(response.into_body(), 9).await.expect("a body");
        assert_eq!(&body[..], b"\xff");
    }

    #[test]
    fn response_to_head_keeps_the_length_of_the_body_that_get_has() {
        let response =
            json!({"statusCode": 200, "headers": {"content-length": "99", "connection": "close"}, "cookies": []});
        let response = serde_json::from_value(response).expect("a response");
        let response = from_function(&Method::HEAD, response).expect("a valid response");
        assert_eq!(response.headers()["content-length"], "99");
        assert!(!response.headers().contains_key("connection"));
    }

    #[test]
    fn response_that_aws_would_not_accept_is_an_internal_error() {
        for (case, response) in [
            ("a status of four digits", json!({"statusCode": 2000, "cookies": []})),
            ("a negative status", json!({"statusCode": -1, "cookies": []})),
            ("an interim status", json!({"statusCode": 101, "cookies": []})),
            ("broken base64", json!({"statusCode": 200, "cookies": [], "body": "#", "isBase64Encoded": true})),
            ("a cookie of two lines", json!({"statusCode": 200, "cookies": ["a\nb"]})),
        ] {
            assert_eq!(convert(response).err(), Some(GatewayError::Internal), "{case}");
        }
    }
}
