//! From a function's answer, or from the gateway's own, to HTTP.

use aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use axum::body::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::{self, HeaderName};
use http::{HeaderValue, Response, StatusCode};

use super::InvokeError;

/// Every answer of a gateway names the request by this header.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("apigw-requestid");

/// Headers that the gateway's own server sets for its connection; from a function they could contradict the body.
const NOT_FROM_A_FUNCTION: [HeaderName; 5] =
    [header::CONNECTION, header::CONTENT_LENGTH, header::TRAILER, header::TRANSFER_ENCODING, header::UPGRADE];

/// What a body without a type is, as AWS says it.
const DEFAULT_TYPE: HeaderValue = HeaderValue::from_static("text/plain;charset=UTF-8");

/// A request that the gateway answers itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    BadRequest,
    NotFound,
    RequestTimeout,
    BodyTooLarge,
    HeadersTooLarge,
    Internal,
    Unavailable,
}

impl Refusal {
    fn parts(self) -> (StatusCode, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "Bad Request"),
            Self::NotFound => (StatusCode::NOT_FOUND, "Not Found"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "Request Timeout"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
            Self::HeadersTooLarge => (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "Request Header Fields Too Large"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
        }
    }

    /// `{"message":"…"}` with its status.
    pub(super) fn into_http(self) -> Response<Body> {
        let (status, message) = self.parts();
        let mut response = Response::new(Body::from(format!(r#"{{"message":"{message}"}}"#)));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

impl From<InvokeError> for Refusal {
    fn from(error: InvokeError) -> Self {
        match error {
            InvokeError::EventTooLarge => Self::BodyTooLarge,
            InvokeError::Failed => Self::Internal,
            InvokeError::TimedOut => Self::Unavailable,
        }
    }
}

/// The HTTP answer that a function's answer stands for; one that AWS would not take is an error of the function.
pub(super) fn into_http(answer: ApiGatewayV2httpResponse) -> Result<Response<Body>, Refusal> {
    let status = u16::try_from(answer.status_code).ok().and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.filter(|status| !status.is_informational()).ok_or(Refusal::Internal)?;
    let body = answer.body.map(|body| body.to_vec()).unwrap_or_default();
    let body =
        if answer.is_base64_encoded { BASE64_STANDARD.decode(body).map_err(|_| Refusal::Internal)? } else { body };
    let mut headers = answer.headers;
    for name in &NOT_FROM_A_FUNCTION {
        headers.remove(name);
    }
    if !body.is_empty() {
        headers.entry(header::CONTENT_TYPE).or_insert(DEFAULT_TYPE);
    }
    for cookie in answer.cookies {
        let value = HeaderValue::try_from(cookie).map_err(|_| Refusal::Internal)?;
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

    fn http(answer: Value) -> Result<Response<Body>, Refusal> {
        into_http(serde_json::from_value(answer).expect("an answer"))
    }

    #[tokio::test]
    async fn an_answer_keeps_its_status_headers_cookies_and_bytes() {
        let response = http(json!({
            "statusCode": 201,
            "headers": {"x-a": "b", "content-length": "99", "transfer-encoding": "chunked"},
            "cookies": ["a=b", "c=d"],
            "body": "/w==",
            "isBase64Encoded": true,
        }))
        .expect("a valid answer");
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
    fn an_answer_that_aws_would_not_take_is_an_error_of_the_function() {
        for (what, answer) in [
            ("a status of four digits", json!({"statusCode": 2000, "cookies": []})),
            ("a negative status", json!({"statusCode": -1, "cookies": []})),
            ("an interim status", json!({"statusCode": 101, "cookies": []})),
            ("broken base64", json!({"statusCode": 200, "cookies": [], "body": "#", "isBase64Encoded": true})),
            ("a cookie of two lines", json!({"statusCode": 200, "cookies": ["a\nb"]})),
        ] {
            assert_eq!(http(answer).err(), Some(Refusal::Internal), "{what}");
        }
    }
}
