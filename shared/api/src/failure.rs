//! The one mapping from errors to answers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lambda_http::http::StatusCode;
use lambda_http::http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use serde::Serialize;

use super::Answer;
use presence_domain::error::{Error, FieldError, FieldErrors, Invalid};

/// What a client reads of an unknown path, and of an unknown, malformed or foreign id: the same, to the byte.
const NOT_FOUND: &str = "not found";
/// Seconds after which a client may try again when a dependency did not answer.
const RETRY_AFTER_SECONDS: i64 = 1;

/// Why a request was not done: for a reason of HTTP, or of the domain.
#[derive(Debug)]
pub(super) enum Failure {
    Rejected(Rejection),
    Refused(Error),
}

/// Reasons of HTTP.
#[derive(Debug)]
pub(super) enum Rejection {
    /// The path exists with other methods: these.
    MethodNotAllowed(String),
    TooLarge,
    UnsupportedMediaType,
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// What the client gets.
pub(super) fn answer(failure: &Failure) -> Answer {
    match failure {
        Failure::Rejected(rejection) => rejected(rejection),
        Failure::Refused(error) => refused(error),
    }
}

fn rejected(rejection: &Rejection) -> Answer {
    match rejection {
        Rejection::MethodNotAllowed(allowed) => {
            json_error(StatusCode::METHOD_NOT_ALLOWED, "method not allowed").with(ALLOW, allowed)
        }
        Rejection::TooLarge => json_error(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 128 KiB"),
        Rejection::UnsupportedMediaType => {
            json_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must have the media type application/json")
        }
    }
}

fn refused(error: &Error) -> Answer {
    match error {
        Error::Invalid(Invalid::Whole(text)) => json_error(StatusCode::BAD_REQUEST, text),
        Error::Invalid(Invalid::Fields(fields)) => {
            errors(StatusCode::BAD_REQUEST, &Body::Json(Reason::Fields(by_name(fields))))
        }
        Error::Unauthenticated => {
            errors(StatusCode::UNAUTHORIZED, &Body::Authentication("a valid API key is required"))
                .with(WWW_AUTHENTICATE, "Bearer realm=\"presence\"")
        }
        Error::Forbidden(text) => errors(StatusCode::FORBIDDEN, &Body::Authorization(text)),
        Error::NotFound => json_error(StatusCode::NOT_FOUND, NOT_FOUND),
        Error::Conflict => json_error(StatusCode::CONFLICT, "the user is being changed by others: try again"),
        Error::TooSoon { retry_after_seconds } => {
            json_error(StatusCode::TOO_MANY_REQUESTS, "an invitation can be sent once every 5 minutes")
                .with(RETRY_AFTER, &retry_after_seconds.to_string())
        }
        Error::Unavailable(_) => json_error(StatusCode::SERVICE_UNAVAILABLE, "temporarily unavailable: try again")
            .with(RETRY_AFTER, &RETRY_AFTER_SECONDS.to_string()),
        Error::Internal(_) => json_error(StatusCode::INTERNAL_SERVER_ERROR, "internal error"),
    }
}

/// What stands under `errors`: exactly one of three members.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Body<'a> {
    Json(Reason<'a>),
    Authentication(&'a str),
    Authorization(&'a str),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Reason<'a> {
    Whole(&'a str),
    Fields(BTreeMap<&'a str, Field<'a>>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Text(&'a str),
    Choice { explanation: &'a str, choices: &'a [Cow<'static, str>] },
}

fn by_name(errors: &FieldErrors) -> BTreeMap<&str, Field<'_>> {
    errors.iter().map(|(name, error)| (name, field(error))).collect()
}

fn field(error: &FieldError) -> Field<'_> {
    match error {
        FieldError::Text(text) => Field::Text(text),
        FieldError::Choice { explanation, choices } => Field::Choice { explanation, choices },
    }
}

fn json_error(status: StatusCode, text: &str) -> Answer {
    errors(status, &Body::Json(Reason::Whole(text)))
}

fn errors(status: StatusCode, body: &Body<'_>) -> Answer {
    Answer::json(status, &BTreeMap::from([("errors", body)]))
}
