//! Finding of the doctor.

use serde::Serialize;

/// Fault, and the command that mends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// Name of the thing that is wrong.
    pub(super) subject: String,
    /// Phrase that says what is wrong.
    pub(super) problem: String,
    /// Command line that mends it.
    pub(super) mend: String,
}

impl Finding {
    pub(super) fn new(subject: impl Into<String>, problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into(), mend: mend.into() }
    }
}
