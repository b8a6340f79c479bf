//! Report of a restore: all that it did beyond the tables, and all that an operator has to decide.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde::Serialize;

use crate::Console;

/// Result of a restore.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) restored_to: String,
    /// Prefix of the restored tables.
    pub(super) table_prefix: String,
    /// Table of the audit trail, which is that of before.
    pub(super) audit_table: String,
    /// Users that were deleted again.
    pub(super) deleted_users: BTreeSet<String>,
    /// Keys that were revoked or ended again.
    pub(super) ended_keys: BTreeSet<String>,
    /// Users that lost rights or links again.
    pub(super) restricted_users: BTreeSet<String>,
    /// Users without any way in, because nobody can tell or repeat what they lost.
    pub(super) secured_users: BTreeSet<String>,
    /// Mails that wait for a decision.
    pub(super) held_mails: BTreeSet<String>,
    /// Matters that an operator decides.
    pub(super) decisions: BTreeSet<Question>,
    /// True if the stack uses the restored tables.
    pub(super) is_in_use: bool,
}

/// Matter that an operator decides. It names users, keys, mails and webhooks by id.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Question {
    pub(super) subject: String,
    pub(super) problem: String,
}

impl Report {
    /// Adds a matter that an operator decides.
    pub(super) fn decide(&mut self, subject: impl Display, problem: impl Into<String>) {
        self.decisions.insert(Question { subject: subject.to_string(), problem: problem.into() });
    }

    /// Writes the report: one line for each matter, or JSON.
    pub(super) fn print(&self, console: &mut Console) -> anyhow::Result<()> {
        if console.json {
            return console.write_json(self);
        }
        let lists = [
            ("deleted again: user", &self.deleted_users),
            ("ended again: key", &self.ended_keys),
            ("restricted again: user", &self.restricted_users),
            ("secured: user", &self.secured_users),
            ("held: mail", &self.held_mails),
        ];
        for (title, ids) in lists {
            for id in ids {
                console.write_line(format_args!("{title} {id}"))?;
            }
        }
        for Question { subject, problem } in &self.decisions {
            console.write_line(format_args!("to decide: {subject} {problem}"))?;
        }
        Ok(())
    }
}
