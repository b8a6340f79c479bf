//! Error that stops an import by itself.

use std::fmt;

/// Reason why an import stops although the tables answer.
#[derive(Debug)]
pub(crate) enum ImportError {
    /// The file has no rows of the wanted kind. Nothing was written.
    WrongFile(String),
    /// Too many rows are rejected.
    TooManyRejected(String),
    /// Ingest could not read the uploaded object to its end.
    CutShort(String),
    /// The operator pressed Ctrl-C.
    Interrupted,
}

impl ImportError {
    /// Returns the code of the error for scripts.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::WrongFile(_) => "wrong_file",
            Self::TooManyRejected(_) => "too_many_rejected",
            Self::CutShort(_) => "cut_short",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WrongFile(text) | Self::TooManyRejected(text) | Self::CutShort(text) => text,
            Self::Interrupted => "interrupted: run the same command to go on",
        })
    }
}

impl std::error::Error for ImportError {}
