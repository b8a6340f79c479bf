//! What a command writes: data to one side, messages to the other.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Context as _;
use comfy_table::{Table, presets};
use jiff::Timestamp;
use serde::Serialize;

/// Where a command writes.
pub struct Console {
    data: Box<dyn Write + Send>,
    notes: Box<dyn Write + Send>,
    bars: bool,
    /// Whether data is written as JSON.
    pub(crate) json: bool,
}

impl Console {
    /// Standard output and standard error; progress bars when the latter is a terminal.
    #[must_use]
    pub fn standard() -> Self {
        let bars = io::stderr().is_terminal();
        Self { data: Box::new(io::stdout()), notes: Box::new(io::stderr()), bars, json: false }
    }

    /// Data and messages to these; no progress bars.
    #[must_use]
    pub fn new(data: Box<dyn Write + Send>, notes: Box<dyn Write + Send>) -> Self {
        Self { data, notes, bars: false, json: false }
    }

    /// Whether progress bars may be drawn on standard error.
    pub(crate) fn has_bars(&self) -> bool {
        self.bars
    }

    /// Writes one line of data.
    pub(crate) fn line(&mut self, text: impl Display) -> anyhow::Result<()> {
        let written = writeln!(self.data, "{text}").and_then(|()| self.data.flush());
        written.context("cannot write to stdout")
    }

    /// Writes one line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        self.line(serde_json::to_string(value).context("cannot write JSON")?)
    }

    /// Writes a table, its head first; nothing where there are no rows.
    pub(crate) fn table<const N: usize>(&mut self, head: [&str; N], rows: Vec<[String; N]>) -> anyhow::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_header(head).add_rows(rows);
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        self.line(table.trim_fmt())
    }

    /// Writes a message. One that nobody can read stops nothing.
    pub(crate) fn note(&mut self, text: impl Display) {
        let _ = writeln!(self.notes, "{text}").and_then(|()| self.notes.flush());
    }
}

/// An instant for people and scripts: RFC 3339 in UTC, whole seconds.
pub(crate) fn instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
