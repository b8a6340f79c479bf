//! Exit codes, and the error of a command.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::process::ExitCode;

use aws_sdk_dynamodb::error::ErrorMetadata;
use presence_domain::error::{Error, FieldError, ValidationError};

use crate::credentials::OperatorCredentialsError;
use crate::import_error::ImportError;

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
    /// The user, key, mail or review does not exist.
    NotFound = 3,
    /// An import rejected some rows and stored the others.
    SomeRejected = 4,
    /// The operator interrupted the command, as shells count it: 128 and the number of the signal.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Part of the text of an error for tables that do not exist.
const NO_TABLES: &str = "ResourceNotFoundException";
/// Text for tables that do not exist. That of the SDK tells an operator nothing more.
const NO_TABLES_TEXT: &str = "the tables do not exist: is the prefix right (--prefix, TABLE_PREFIX)? `ops tables create` makes them at \
                              a local endpoint, the template on AWS";

/// Errors of AWS that an operator can mend: a part of the error's text, the code, and the hint to append.
const AWS_ERRORS: [(&str, &str, &str); 4] = [
    (NO_TABLES, "no_tables", ""),
    ("ExpiredTokenException", "credentials", " (these credentials have expired: sign in again)"),
    (
        "Missing Region",
        "no_region",
        " (name a region: --region, AWS_REGION, or the profile's; or the stack of `cargo run`: --local)",
    ),
    (
        "Connection refused",
        "unavailable",
        " (nothing listens there: `cargo run` starts a local stack, and --local finds it; AWS_ENDPOINT_URL_DYNAMODB names another)",
    ),
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

    /// Returns the error of a command that a rule of the service forbids.
    pub(crate) fn refused(text: impl Into<Cow<'static, str>>) -> Self {
        Error::invalid(text).into()
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
            Self::Failed(error) if matches!(find_cause(error), Some(ImportError::Interrupted)) => Exit::Interrupted,
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

    /// True if the reader of the output has enough, as `head` does. No call of AWS failed.
    pub(crate) fn is_closed_output(&self) -> bool {
        let Self::Failed(error) = self else { return false };
        let is_closed = find_cause::<io::Error>(error).is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe);
        is_closed && find_cause::<Error>(error).is_none()
    }
}

fn find_cause<E: std::error::Error + Send + Sync + 'static>(error: &anyhow::Error) -> Option<&E> {
    error.chain().find_map(|cause| cause.downcast_ref::<E>())
}

fn causes(error: &anyhow::Error) -> Vec<String> {
    error.chain().map(cause_text).collect()
}

/// Returns the text of one cause. An answer of AWS that the SDK has no type for shows itself as its debug text.
fn cause_text(cause: &(dyn std::error::Error + 'static)) -> String {
    let message = cause.downcast_ref::<ErrorMetadata>().and_then(ErrorMetadata::message);
    message.map_or_else(|| cause.to_string(), str::to_owned)
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
        let mut causes = causes(error);
        if causes.iter().any(|text| text.contains(NO_TABLES)) {
            let contexts = error.chain().position(|cause| cause.downcast_ref::<Error>().is_some()).unwrap_or_default();
            causes.truncate(contexts);
            causes.push(NO_TABLES_TEXT.to_owned());
        }
        f.write_str(&join_lines(&causes.join(": ")))?;
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
            let texts: Vec<_> =
                fields.iter().map(|(field, error)| format!("{field} {}", field_error_text(error))).collect();
            Some(texts.join("; "))
        }
        Error::Forbidden(refusal) => Some(refusal.clone()),
        Error::Gone { oldest } => {
            Some(format!("the feed does not have this cursor any more: the oldest event is after {oldest}"))
        }
        Error::TooSoon { retry_after_seconds } => Some(format!("too soon: try again in {retry_after_seconds} s")),
        _ => None,
    }
}

/// Returns the error of a field, with its choices.
pub(crate) fn field_error_text(error: &FieldError) -> String {
    match error {
        FieldError::Text(text) => text.clone().into_owned(),
        FieldError::Choice { explanation, choices } => format!("{explanation} ({})", choices.join(", ")),
    }
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
