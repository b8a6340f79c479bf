//! Counts of an import, and their report to the operator.

use std::ops::AddAssign;
use std::path::PathBuf;

use presence_store::PutOutcome;
use serde::Serialize;

use super::kind::ImportKind;
use super::rejects;
use crate::console::shell_word;
use crate::error::CommandError;
use crate::import_error::ImportError;
use crate::{Console, Exit};

/// Number of rows by outcome. `--json` prints it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct ImportSummary {
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
    pub(super) rejected: u64,
    /// Number of users whose lists lost a business that moved to another organisation, `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) users_updated: Option<u64>,
    /// True if the import stopped before its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stopped: bool,
}

impl ImportSummary {
    /// Counts a row that is stored, or would be without the dry run.
    pub(super) fn count(&mut self, outcome: PutOutcome) {
        match outcome {
            PutOutcome::Created => self.created += 1,
            PutOutcome::Updated => self.updated += 1,
            PutOutcome::Unchanged => self.unchanged += 1,
        }
    }

    /// Returns the number of all rows.
    pub(super) fn rows(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.rejected
    }

    /// Prints the counts, the error if the import stopped, the path of the rejected rows, and the command that follows.
    pub(super) fn print(
        self,
        dry_run: bool,
        kind: ImportKind,
        result: anyhow::Result<()>,
        rejects_path: Option<PathBuf>,
        console: &mut Console,
    ) -> Result<Exit, CommandError> {
        let Self { created, updated, unchanged, rejected, .. } = self;
        let plural = kind.plural();
        let counts = format!("{created} created, {updated} updated, {unchanged} unchanged, {rejected} rejected");
        if let Err(error) = result {
            if console.json {
                console.write_json(&Self { stopped: true, ..self })?;
            }
            if let Some(path) = rejects_path {
                // The error quotes the first reasons itself.
                rejects::report_path(&path, console);
            }
            let remedy = if error.is::<ImportError>() { "" } else { "; simply run it again" };
            let stopped = format!("stopped after {} rows ({counts}){remedy}", self.rows());
            return Err(error.context(stopped).into());
        }
        let prefix = if dry_run { "dry run, nothing written: " } else { "" };
        if let Some(users) = self.users_updated {
            let moved = "businesses that moved to another organisation";
            console.write_message(format_args!("{prefix}{moved} were taken out of the lists of {users} users"));
        }
        console.write_message(format_args!("{prefix}{plural}: {counts}"));
        if console.json {
            console.write_json(&self)?;
        }
        if let Some(path) = &rejects_path {
            rejects::report(path, console)?;
        }
        console.write_next(match &rejects_path {
            Some(path) => format!("jq -r .row {} >again.jsonl, correct it, and import it", shell_word(path)),
            None if dry_run => format!("ops import {plural} FILE"),
            None => kind.next().to_owned(),
        });
        Ok(if rejects_path.is_some() { Exit::SomeRejected } else { Exit::Done })
    }
}

impl AddAssign for ImportSummary {
    fn add_assign(&mut self, other: Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.rejected += other.rejected;
        self.users_updated = self.users_updated.or(other.users_updated);
        self.stopped |= other.stopped;
    }
}
