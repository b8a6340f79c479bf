//! Mapping of errors to HTTP answers. Every status code of an error is decided here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lambda_http::http::StatusCode;
use lambda_http::http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use serde::Serialize;

use super::Answer;
use presence_domain::error::{Error, FieldError, ValidationError};
use presence_domain::rate_limit::RateLimitError;

/// Text for an unknown path and for an id that is unknown, malformed or outside the caller's scope. The same bytes for all, so
/// that a client cannot tell them apart.
const NOT_FOUND: &str = "not found";
/// Text for a request without a key and for a key that gives no access. The same bytes for all reasons, so that a client cannot tell
/// a key that was revoked from one that never was.
const KEY_REQUIRED: &str =
    "a valid API key is required: in the header x-api-key or Authorization: Bearer, or in the parameter api_key";
/// Seconds until a client may try again when a dependency did not answer, or its first request is under way.
const RETRY_AFTER_SECONDS: i64 = 1;

/// Error of a request. Occurs when the request is refused before an operation runs, or when the operation fails.
#[derive(Debug)]
pub(super) enum RequestError {
    /// The path has routes, but none for the method. Holds the methods that it has, separated by commas.
    MethodNotAllowed(String),
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The body has another media type than the operation reads.
    UnsupportedMediaType,
    /// The domain refused the request.
    Domain(Error),
}

impl From<Error> for RequestError {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl RequestError {
    /// Returns the kind of the error, as the log has it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::MethodNotAllowed(_) => "method_not_allowed",
            Self::BodyTooLarge => "body_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::Domain(error) => error.kind(),
        }
    }

    /// Returns the names of the bad fields that the log may have.
    pub(super) fn loggable_fields(&self) -> Vec<&'static str> {
        match self {
            Self::Domain(error) => error.loggable_fields(),
            _ => Vec::new(),
        }
    }
}

/// Returns the answer to a request that failed.
pub(super) fn error_answer(error: &RequestError) -> Answer {
    match error {
        RequestError::MethodNotAllowed(allowed) => {
            json_error(StatusCode::METHOD_NOT_ALLOWED, "method not allowed").with(ALLOW, allowed)
        }
        RequestError::BodyTooLarge => json_error(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 128 KiB"),
        RequestError::UnsupportedMediaType => {
            json_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must have the media type application/json")
        }
        RequestError::Domain(error) => domain_error_answer(error),
    }
}

/// Returns the answer to an error of the domain. The match is exhaustive: a new error does not compile without a status.
fn domain_error_answer(error: &Error) -> Answer {
    match error {
        Error::Invalid(ValidationError::Request(text)) => json_error(StatusCode::BAD_REQUEST, text),
        Error::Invalid(ValidationError::Fields(fields)) => {
            let fields = fields.iter().map(|(name, error)| (name, FieldBody::from(error))).collect();
            errors(StatusCode::BAD_REQUEST, &ErrorsBody::Json(JsonErrors::Fields(fields)))
        }
        Error::Unauthenticated => errors(StatusCode::UNAUTHORIZED, &ErrorsBody::Authentication(KEY_REQUIRED))
            .with(WWW_AUTHENTICATE, "Bearer realm=\"presence\""),
        Error::Forbidden(refusal) => errors(StatusCode::FORBIDDEN, &ErrorsBody::Authorization(refusal)),
        Error::NotFound => json_error(StatusCode::NOT_FOUND, NOT_FOUND),
        Error::Gone { oldest } => {
            let text = format!("this cursor is no longer kept: the oldest event is after the cursor {oldest}");
            json_error(StatusCode::GONE, &text)
        }
        Error::Conflict => json_error(StatusCode::CONFLICT, "the user is being changed by others: try again")
            .with(RETRY_AFTER, &RETRY_AFTER_SECONDS.to_string()),
        Error::InProgress => {
            json_error(StatusCode::CONFLICT, "a request with this Idempotency-Key is under way: try again")
                .with(RETRY_AFTER, &RETRY_AFTER_SECONDS.to_string())
        }
        Error::KeyReused => json_error(
            StatusCode::UNPROCESSABLE_ENTITY,
            "this Idempotency-Key was used with another body: use a new one for another request",
        ),
        Error::TooSoon { retry_after_seconds } => {
            json_error(StatusCode::TOO_MANY_REQUESTS, "an invitation can be sent once every 5 minutes")
                .with(RETRY_AFTER, &retry_after_seconds.to_string())
        }
        Error::TooManyRequests(RateLimitError { retry_after_seconds, .. }) => {
            let text = format!("too many requests with this key: try again in {retry_after_seconds} s");
            json_error(StatusCode::TOO_MANY_REQUESTS, &text).with(RETRY_AFTER, &retry_after_seconds.to_string())
        }
        Error::Unavailable(_) => json_error(StatusCode::SERVICE_UNAVAILABLE, "temporarily unavailable: try again")
            .with(RETRY_AFTER, &RETRY_AFTER_SECONDS.to_string()),
        Error::Internal(_) => json_error(StatusCode::INTERNAL_SERVER_ERROR, "internal error"),
    }
}

/// Value of the member `errors`. It has exactly one of three members.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ErrorsBody<'a> {
    Json(JsonErrors<'a>),
    Authentication(&'a str),
    Authorization(&'a str),
}

/// Value of the member `json`: one text about the request, or one error for each field.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonErrors<'a> {
    Request(&'a str),
    Fields(BTreeMap<&'a str, FieldBody<'a>>),
}

/// Error of one field.
#[derive(Serialize)]
#[serde(untagged)]
enum FieldBody<'a> {
    Text(&'a str),
    Choice { explanation: &'a str, choices: &'a [Cow<'static, str>] },
}

impl<'a> From<&'a FieldError> for FieldBody<'a> {
    fn from(error: &'a FieldError) -> Self {
        match error {
            FieldError::Text(text) => Self::Text(text),
            FieldError::Choice { explanation, choices } => Self::Choice { explanation, choices },
        }
    }
}

fn json_error(status: StatusCode, text: &str) -> Answer {
    errors(status, &ErrorsBody::Json(JsonErrors::Request(text)))
}

fn errors(status: StatusCode, body: &ErrorsBody<'_>) -> Answer {
    Answer::json(status, &BTreeMap::from([("errors", body)]))
}
