//! Output of a command: data to one stream, messages to the other.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use anyhow::Context as _;
use dialoguer::Confirm;
use dialoguer::console::{Style, Term};
use indexmap::IndexMap;
use jiff::Timestamp;
use presence_store::Finding;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Exit;
use crate::error::CommandError;
use crate::table::{Column, TableWriter};

/// Output streams of a command.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Console {
    data: Box<dyn Write + Send>,
    messages: Box<dyn Write + Send>,
    /// True if progress bars may be drawn on standard error.
    pub(crate) shows_progress: bool,
    /// True if there is a terminal to ask on.
    pub(crate) can_ask: bool,
    /// Columns of the terminal to which data is written; none for a pipe.
    terminal_width: Option<usize>,
    /// True if tables show all of their columns, however wide.
    pub(crate) is_wide: bool,
    /// True if data is written as JSON.
    pub(crate) json: bool,
}

impl Console {
    /// Returns a console on standard output and standard error. Shows progress bars if the latter is a terminal.
    pub fn standard() -> Self {
        let shows_progress = io::stderr().is_terminal();
        let can_ask = shows_progress && io::stdin().is_terminal();
        let terminal_width = io::stdout().is_terminal().then(|| usize::from(Term::stdout().size().1));
        Self { shows_progress, can_ask, terminal_width, ..Self::new(Box::new(io::stdout()), Box::new(io::stderr())) }
    }

    /// Returns a console that writes to these streams, shows no progress bars and asks no questions.
    pub fn new(data: Box<dyn Write + Send>, messages: Box<dyn Write + Send>) -> Self {
        Self {
            data,
            messages,
            shows_progress: false,
            can_ask: false,
            terminal_width: None,
            is_wide: false,
            json: false,
        }
    }

    /// Returns the columns that a table may use; `None` if it goes to a pipe, where programs read it.
    pub(crate) fn terminal_width(&self) -> Option<usize> {
        self.terminal_width.map(|width| if self.is_wide { usize::MAX } else { width })
    }

    /// Asks on the terminal if the command shall go on. The default is no.
    ///
    /// - [`CommandError::Usage`] if there is no terminal: then the option `--yes` is the answer.
    /// - [`CommandError::Cancelled`] if the answer is no.
    pub(crate) fn confirm(&mut self, question: &str) -> Result<(), CommandError> {
        if !self.can_ask {
            return Err(CommandError::Usage(format!("{question} There is no terminal to ask on: add --yes.")));
        }
        // A prompt that is longer than a line is drawn again and again: the question stands above it.
        self.write_message(question);
        let answer = Confirm::new().with_prompt("Go on?").default(false).wait_for_newline(true).interact();
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

    /// Writes what a command made, such as an id: one line of JSON, or of text.
    pub(crate) fn write_value(&mut self, value: &impl Serialize, text: impl Display) -> anyhow::Result<()> {
        if self.json { self.write_json(value) } else { self.write_line(text) }
    }

    /// Writes the result of a command: one line of JSON, if that is asked for, and a message in any case.
    pub(crate) fn write_result(&mut self, value: &impl Serialize, message: impl Display) -> anyhow::Result<()> {
        if self.json {
            self.write_json(value)?;
        }
        self.write_message(message);
        Ok(())
    }

    /// Writes that a command did its work: one line of JSON, or a message.
    pub(crate) fn write_done(&mut self, value: &impl Serialize, message: impl Display) -> anyhow::Result<()> {
        if self.json {
            return self.write_json(value);
        }
        self.write_message(message);
        Ok(())
    }

    /// Writes the command that usually follows a change. Scripts, which read JSON, know their own.
    pub(crate) fn write_next(&mut self, command: impl Display) {
        if !self.json {
            self.write_message(format_args!("next: {command}"));
        }
    }

    /// Writes an object: one line of JSON, or one field a line.
    pub(crate) fn write_object(&mut self, object: &impl Serialize) -> anyhow::Result<()> {
        if self.json {
            return self.write_json(object);
        }
        let text = serde_json::to_string(object).context("cannot write JSON")?;
        // In the order of its type: a JSON value would have that of the alphabet.
        let fields: IndexMap<String, Value> = serde_json::from_str(&text).context("cannot write a record")?;
        for (name, value) in &fields {
            let name = self.terminal_width.map_or_else(Style::new, |_| Style::new().bold()).apply_to(name);
            let text = value_text(value);
            self.write_line(format_args!("{name}:{}{text}", if text.starts_with('\n') { "" } else { " " }))?;
        }
        Ok(())
    }

    /// Writes a list as JSON, or as a table and a message with the number of its rows. `what` names the rows.
    pub(crate) fn write_list<const N: usize>(
        &mut self,
        columns: [Column; N],
        rows: &[impl Serialize],
        what: &str,
    ) -> anyhow::Result<()> {
        if self.json {
            return self.write_json(&rows);
        }
        self.write_table(columns, rows)?;
        self.write_message(format_args!("{what}: {}", rows.len()));
        Ok(())
    }

    /// Writes a table with its header. Writes nothing if there are no rows.
    pub(crate) fn write_table<const N: usize>(
        &mut self,
        columns: [Column; N],
        rows: &[impl Serialize],
    ) -> anyhow::Result<()> {
        let mut table = TableWriter::new(columns);
        rows.iter().try_for_each(|row| table.add(row, self))?;
        table.finish(self)
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
            self.write_message(json!({ "error": { "code": error.code(), "message": error.to_string() } }));
        } else {
            self.write_message(format_args!("error: {error}"));
        }
    }

    /// Writes a message. An error is ignored: a closed stderr must not stop the command.
    pub(crate) fn write_message(&mut self, text: impl Display) {
        let _ = writeln!(self.messages, "{text}").and_then(|()| self.messages.flush());
    }
}

/// Returns a path as a word of a shell: in quotes if it has other than plain characters.
pub(crate) fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+,:@%".contains(character);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Formats an instant as RFC 3339 in UTC, with whole seconds.
pub(crate) fn format_instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns the text of a table cell, a dash if there is none.
pub(crate) fn cell_or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// Returns a JSON value as text: a text as it is, a missing value as a dash, and a list with commas. Each object of a list has a line of
/// its own, which begins with its id.
fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.is_empty() => "-".to_owned(),
        Value::Array(list) if list.iter().all(Value::is_object) => {
            list.iter().flat_map(|object| ["\n  ".to_owned(), value_text(object)]).collect()
        }
        Value::Array(list) => list.iter().map(value_text).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(_, value)| !value.is_null()).collect();
            fields.sort_by_key(|(name, _)| *name != "id");
            fields.iter().map(|(name, value)| format!("{name} {}", value_text(value))).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}
