//! How a command ends.

use std::fmt;
use std::process::ExitCode;

use presence_domain::error::Error;

use crate::credentials::CredentialsTrouble;

/// The exit codes. Scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Failed, or an audit found something.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// No such user or key.
    NotFound = 3,
    /// Some rows of an import were rejected; the others are done.
    SomeRejected = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Advice for an operator about an error of AWS, by a part of its text.
const HINTS: [(&str, &str); 3] = [
    ("ResourceNotFoundException", " (is TABLE_PREFIX right? `ops tables create` makes the tables)"),
    ("ExpiredTokenException", " (these credentials have expired: sign in again)"),
    ("Missing Region", " (name a region: --region, AWS_REGION, or the profile's)"),
];

/// Why a command was not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such user or key. The text says which.
    NotFound(String),
    /// Anything else, with its causes.
    Failed(anyhow::Error),
}

impl Failure {
    /// A failure without causes.
    pub(crate) fn because(text: impl fmt::Display + fmt::Debug + Send + Sync + 'static) -> Self {
        Self::Failed(anyhow::Error::msg(text))
    }

    /// There is no such user.
    pub(crate) fn no_user(id: &str) -> Self {
        Self::NotFound(format!("there is no user {id}"))
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NotFound(_) => Exit::NotFound,
            Self::Failed(_) => Exit::Failed,
        }
    }
}

impl fmt::Display for Failure {
    /// One line, causes included.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(text) => f.write_str(text),
            Self::Failed(error) => {
                if let Some(trouble) = error.chain().find_map(|cause| cause.downcast_ref::<CredentialsTrouble>()) {
                    return f.write_str(&one_line(&trouble.to_string()));
                }
                write!(f, "{}", one_line(&format!("{error:#}")))?;
                let about = |text: &str| error.chain().any(|cause| cause.to_string().contains(text));
                f.write_str(HINTS.iter().find(|(code, _)| about(code)).map_or("", |(_, hint)| hint))
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
