//! Output of a command: data to one stream, messages to the other.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Context as _;
use comfy_table::{Table, presets};
use dialoguer::Confirm;
use jiff::Timestamp;
use presence_store::Finding;
use serde::Serialize;

use crate::Exit;
use crate::error::CommandError;

/// Output streams of a command.
pub struct Console {
    data: Box<dyn Write + Send>,
    messages: Box<dyn Write + Send>,
    shows_progress: bool,
    can_ask: bool,
    /// True if data is written as JSON.
    pub(crate) json: bool,
}

impl Console {
    /// Returns a console on standard output and standard error. Shows progress bars if the latter is a terminal.
    #[must_use]
    pub fn standard() -> Self {
        let shows_progress = io::stderr().is_terminal();
        let can_ask = shows_progress && io::stdin().is_terminal();
        Self { data: Box::new(io::stdout()), messages: Box::new(io::stderr()), shows_progress, can_ask, json: false }
    }

    /// Returns a console that writes to these streams, shows no progress bars and asks no questions.
    #[must_use]
    pub fn new(data: Box<dyn Write + Send>, messages: Box<dyn Write + Send>) -> Self {
        Self { data, messages, shows_progress: false, can_ask: false, json: false }
    }

    /// True if progress bars may be drawn on standard error.
    pub(crate) fn shows_progress(&self) -> bool {
        self.shows_progress
    }

    /// Asks on the terminal if the command shall go on. The default is no.
    ///
    /// - [`CommandError::Usage`] if there is no terminal: then the option `--yes` is the answer.
    /// - [`CommandError::Cancelled`] if the answer is no.
    pub(crate) fn confirm(&mut self, question: &str) -> Result<(), CommandError> {
        if !self.can_ask {
            return Err(CommandError::Usage(format!("{question} There is no terminal to ask on: add --yes.")));
        }
        let answer = Confirm::new().with_prompt(question).default(false).wait_for_newline(true).interact();
        if answer.context("cannot ask on the terminal")? { Ok(()) } else { Err(CommandError::Cancelled) }
    }

    /// Writes one line of data.
    pub(crate) fn write_line(&mut self, text: impl Display) -> anyhow::Result<()> {
        let written = writeln!(self.data, "{text}").and_then(|()| self.data.flush());
        written.context("cannot write to stdout")
    }

    /// Writes one line of JSON.
    pub(crate) fn write_json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        self.write_line(serde_json::to_string(value).context("cannot write JSON")?)
    }

    /// Writes a table with its header. Writes nothing if there are no rows.
    pub(crate) fn write_table<const N: usize>(
        &mut self,
        header: [&str; N],
        rows: Vec<[String; N]>,
    ) -> anyhow::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_header(header).add_rows(rows);
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        self.write_line(table.trim_fmt())
    }

    /// Writes the findings of an audit, then the counts. Returns [`Exit::Failed`] if there are findings.
    pub(crate) fn write_audit(
        &mut self,
        audit: &impl Serialize,
        findings: &[Finding],
        counts: &str,
    ) -> anyhow::Result<Exit> {
        if self.json {
            self.write_json(audit)?;
        } else {
            for finding in findings {
                self.write_line(format_args!("{}: {}", finding.subject, finding.problem))?;
            }
        }
        self.write_message(format_args!("{counts}, findings: {}", findings.len()));
        Ok(if findings.is_empty() { Exit::Done } else { Exit::Failed })
    }

    /// Writes the error that ends a command: one line, or `{"error":{"code","message"}}`.
    pub(crate) fn write_error(&mut self, error: &CommandError) {
        if self.json {
            self.write_message(error.to_json());
        } else {
            self.write_message(format_args!("error: {error}"));
        }
    }

    /// Writes a message. An error is ignored: a closed stderr must not stop the command.
    pub(crate) fn write_message(&mut self, text: impl Display) {
        let _ = writeln!(self.messages, "{text}").and_then(|()| self.messages.flush());
    }
}

/// Formats an instant as RFC 3339 in UTC, with whole seconds.
pub(crate) fn format_instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns the text of a table cell, a dash if there is none.
pub(crate) fn cell_or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}
