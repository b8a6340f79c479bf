//! Exit codes, and the error of a command.

use std::fmt;
use std::process::ExitCode;

use presence_domain::error::{Error, FieldError, ValidationError};
use serde_json::json;

use crate::credentials::OperatorCredentialsError;
use crate::import::ImportError;

/// Exit codes. Scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command did everything.
    Done = 0,
    /// The command failed, or an audit reported findings.
    Failed = 1,
    /// The command line is wrong, or a question needs `--yes`.
    Usage = 2,
    /// The user or key does not exist.
    NotFound = 3,
    /// An import rejected some rows and stored the others.
    SomeRejected = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Errors of AWS that an operator can mend: a part of the error's text, the code, and the hint to append.
const AWS_ERRORS: [(&str, &str, &str); 3] = [
    ("ResourceNotFoundException", "no_tables", " (is TABLE_PREFIX right? `ops tables create` makes the tables)"),
    ("ExpiredTokenException", "credentials", " (these credentials have expired: sign in again)"),
    ("Missing Region", "no_region", " (name a region: --region, AWS_REGION, or the profile's)"),
];

/// Reason why a command failed.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The user, key, mail or review does not exist. The text names it.
    NotFound(String),
    /// The command line is wrong.
    Usage(String),
    /// The operator answered no. Nothing was done.
    Cancelled,
    /// Any other error, with its causes.
    Failed(anyhow::Error),
}

impl CommandError {
    /// Returns an error that has a text and no cause.
    pub(crate) fn from_text(text: impl fmt::Display + fmt::Debug + Send + Sync + 'static) -> Self {
        Self::Failed(anyhow::Error::msg(text))
    }

    /// Returns the error for a user that does not exist.
    pub(crate) fn user_not_found(id: &str) -> Self {
        Self::NotFound(format!("there is no user {id}"))
    }

    /// Returns the exit code of the command.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NotFound(_) => Exit::NotFound,
            Self::Usage(_) => Exit::Usage,
            Self::Cancelled | Self::Failed(_) => Exit::Failed,
        }
    }

    /// Returns the code of the error. Scripts rely on the codes; shared/docs/ops.md lists them.
    pub(crate) fn code(&self) -> &'static str {
        let error = match self {
            Self::NotFound(_) => return "not_found",
            Self::Usage(_) => return "usage",
            Self::Cancelled => return "cancelled",
            Self::Failed(error) => error,
        };
        if find_cause::<OperatorCredentialsError>(error).is_some() {
            return "credentials";
        }
        if let Some(error) = find_cause::<ImportError>(error) {
            return error.code();
        }
        let causes = causes(error);
        if let Some((_, code, _)) = AWS_ERRORS.iter().find(|(part, ..)| causes.iter().any(|text| text.contains(part))) {
            return code;
        }
        match find_cause::<Error>(error) {
            Some(Error::Conflict) => "conflict",
            Some(Error::Unavailable(_)) => "unavailable",
            Some(Error::Invalid(_) | Error::Forbidden(_) | Error::TooSoon { .. } | Error::TooManyRequests(_)) => {
                "refused"
            }
            _ => "failed",
        }
    }

    /// Returns the error as `{"error":{"code","message"}}`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        json!({ "error": { "code": self.code(), "message": self.to_string() } })
    }
}

fn find_cause<E: std::error::Error + Send + Sync + 'static>(error: &anyhow::Error) -> Option<&E> {
    error.chain().find_map(|cause| cause.downcast_ref::<E>())
}

fn causes(error: &anyhow::Error) -> Vec<String> {
    error.chain().map(ToString::to_string).collect()
}

impl fmt::Display for CommandError {
    /// Writes one line that includes the causes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = match self {
            Self::NotFound(text) | Self::Usage(text) => return f.write_str(text),
            Self::Cancelled => return f.write_str("cancelled: nothing was done"),
            Self::Failed(error) => error,
        };
        // The SDK wraps this error in several of its own, which tell an operator nothing more.
        if let Some(cause) = find_cause::<OperatorCredentialsError>(error) {
            return f.write_str(&join_lines(&cause.to_string()));
        }
        if let Some(text) = find_cause::<Error>(error).and_then(refusal) {
            return f.write_str(&text);
        }
        f.write_str(&join_lines(&format!("{error:#}")))?;
        let causes = causes(error);
        let hint = AWS_ERRORS.iter().find(|(part, ..)| causes.iter().any(|cause| cause.contains(part)));
        f.write_str(hint.map_or("", |(.., hint)| hint))
    }
}

impl From<OperatorCredentialsError> for CommandError {
    fn from(error: OperatorCredentialsError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<anyhow::Error> for CommandError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns the text of an error of the rules, as clients of the API read it; `None` for any other error.
fn refusal(error: &Error) -> Option<String> {
    match error {
        Error::Invalid(ValidationError::Request(text)) => Some(text.clone().into_owned()),
        Error::Invalid(ValidationError::Fields(fields)) => {
            let text = |error: &FieldError| match error {
                FieldError::Text(text) => text.clone().into_owned(),
                FieldError::Choice { explanation, choices } => format!("{explanation} ({})", choices.join(", ")),
            };
            let texts: Vec<_> = fields.iter().map(|(field, error)| format!("{field} {}", text(error))).collect();
            Some(texts.join("; "))
        }
        Error::Forbidden(refusal) => Some(refusal.to_string()),
        Error::TooSoon { retry_after_seconds } => Some(format!("too soon: try again in {retry_after_seconds} s")),
        _ => None,
    }
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
