//! Finding of the doctor, and the check that found it.

use serde::Serialize;

/// Part of the service that the doctor looked at.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// Name of the part.
    pub(super) name: &'static str,
    /// Faults that were found.
    #[serde(skip)]
    pub(super) findings: Vec<Finding>,
    /// True if no fault was found.
    is_healthy: bool,
}

impl Check {
    pub(super) fn new(name: &'static str, findings: impl IntoIterator<Item = Finding>) -> Self {
        let findings: Vec<_> = findings.into_iter().collect();
        Self { name, is_healthy: findings.is_empty(), findings }
    }

    /// Returns the check as text: its mark and name, then its findings.
    pub(super) fn to_text(&self) -> String {
        let mark = if self.is_healthy { "✓" } else { "✗" };
        let findings = self
            .findings
            .iter()
            .map(|Finding { subject, problem, mend, .. }| format!("\n{subject}: {problem}\n    {mend}"));
        format!("{mark} {}{}", self.name, findings.collect::<String>())
    }
}

/// Fault, and the command that mends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// Name of the thing that is wrong.
    pub(super) subject: String,
    /// Phrase that says what is wrong.
    pub(super) problem: String,
    /// Command line that mends it.
    pub(super) mend: String,
    /// True if the command is one of `ops` that may run as it stands: nobody has to decide anything.
    #[serde(skip)]
    pub(super) is_repair: bool,
}

impl Finding {
    pub(super) fn new(subject: impl Into<String>, problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into(), mend: mend.into(), is_repair: false }
    }

    /// Returns the finding with a command that may run as it stands.
    pub(super) fn repairable(self) -> Self {
        Self { is_repair: true, ..self }
    }
}
