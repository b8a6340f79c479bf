//! Exit codes, and the error of a command.

use std::fmt;
use std::process::ExitCode;

use presence_domain::error::Error;

use crate::credentials::OperatorCredentialsError;

/// Exit codes. Scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command did everything.
    Done = 0,
    /// The command failed, or an audit reported findings.
    Failed = 1,
    /// The command line is wrong.
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

/// Advice for the operator about an AWS error: a part of the error's text, and the hint to append.
const HINTS: [(&str, &str); 3] = [
    ("ResourceNotFoundException", " (is TABLE_PREFIX right? `ops tables create` makes the tables)"),
    ("ExpiredTokenException", " (these credentials have expired: sign in again)"),
    ("Missing Region", " (name a region: --region, AWS_REGION, or the profile's)"),
];

/// Reason why a command failed.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The user, key or mail does not exist. The text names it.
    NotFound(String),
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
            Self::Failed(_) => Exit::Failed,
        }
    }
}

impl fmt::Display for CommandError {
    /// Writes one line that includes the causes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = match self {
            Self::NotFound(text) => return f.write_str(text),
            Self::Failed(error) => error,
        };
        // The SDK wraps this error in several of its own, which tell an operator nothing more.
        if let Some(cause) = error.chain().find_map(|cause| cause.downcast_ref::<OperatorCredentialsError>()) {
            return f.write_str(&join_lines(&cause.to_string()));
        }
        f.write_str(&join_lines(&format!("{error:#}")))?;
        let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
        let hint = HINTS.iter().find(|(part, _)| causes.iter().any(|cause| cause.contains(part)));
        f.write_str(hint.map_or("", |(_, hint)| hint))
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

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
