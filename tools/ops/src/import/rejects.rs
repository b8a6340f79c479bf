//! File of rejected rows, next to the imported file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use jiff::Timestamp;
use presence_runtime::lines::Line;
use serde::Deserialize;
use serde_json::json;

use super::error_limit::ErrorLimit;
use crate::Console;

/// Number of reasons that are printed.
const SHOWN_REASONS: usize = 3;
/// Number of different reasons that are counted. A reason may quote a value, and then there may be as many as rows.
const MAX_REASONS: usize = 1_000;

/// Rejected row, as far as it is reported.
#[derive(Deserialize)]
struct RejectedRow {
    line: u64,
    reason: String,
}

/// File of the rejected rows of an import, and the limit on them. It is created for the first rejected row.
pub(super) struct RejectsFile {
    path: PathBuf,
    file: Option<File>,
    pub(super) limit: ErrorLimit,
}

/// True if the name stands for standard input.
pub(super) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

impl RejectsFile {
    /// Returns the file for the rejected rows of `imported`, of which the import stops at the `max_errors`th. The file of an earlier run
    /// is kept under its time.
    pub(super) fn for_import(imported: &Path, max_errors: Option<u64>) -> anyhow::Result<Self> {
        let imported = if is_stdin(imported) { Path::new("stdin") } else { imported };
        let path = with_ending(imported, ".rejected.jsonl");
        keep_earlier(imported, &path).with_context(|| format!("cannot rename {}", path.display()))?;
        Ok(Self { path, file: None, limit: ErrorLimit::new(max_errors) })
    }

    /// Writes a rejected row with its line number and the reason.
    pub(super) fn write(&mut self, line: &Line, reason: &str) -> anyhow::Result<()> {
        self.limit.record(line.number, reason);
        let cannot_write = || format!("cannot write {}", self.path.display());
        let file = match &mut self.file {
            Some(file) => file,
            missing => missing.insert(File::create(&self.path).with_context(cannot_write)?),
        };
        let rejected = json!({ "line": line.number, "reason": reason, "row": line.excerpt() });
        // A whole line at once: the file is right whenever the import is killed.
        file.write_all(format!("{rejected}\n").as_bytes()).with_context(cannot_write)
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file that was written elsewhere.
    pub(super) fn into_path(self) -> PathBuf {
        self.path
    }

    /// Closes the file and returns its path, `None` if no row was rejected.
    pub(super) fn finish(self) -> Option<PathBuf> {
        self.file.map(|_| self.path)
    }
}

/// Writes the first reasons of a file of rejected rows with their lines, how many rows have which reason, and the path.
pub(super) fn report(path: &Path, console: &mut Console) -> anyhow::Result<()> {
    let cannot_read = || format!("cannot read {}", path.display());
    let (mut first, mut counts) = (Vec::new(), BTreeMap::<String, u64>::new());
    for line in BufReader::new(File::open(path).with_context(cannot_read)?).lines() {
        let RejectedRow { line, reason } = serde_json::from_str(&line.with_context(cannot_read)?)?;
        if counts.len() < MAX_REASONS || counts.contains_key(&reason) {
            if !counts.contains_key(&reason) && first.len() < SHOWN_REASONS {
                first.push((line, reason.clone()));
            }
            *counts.entry(reason).or_default() += 1;
        }
    }
    for (line, reason) in &first {
        let rows = counts.get(reason).copied().unwrap_or_default();
        let more = if rows > 1 { format!(" ({rows} rows)") } else { String::new() };
        console.write_message(format_args!("line {line}: {reason}{more}"));
    }
    if counts.len() > first.len() {
        console.write_message(format_args!("other reasons: {}", counts.len() - first.len()));
    }
    report_path(path, console);
    Ok(())
}

/// Writes the path of a file of rejected rows.
pub(super) fn report_path(path: &Path, console: &mut Console) {
    console.write_message(format_args!("the rejected rows and the reasons are in {}", path.display()));
}

/// Renames the file of an earlier run: `orgs.jsonl.rejected.20261120T101500Z.jsonl` has that run's time in UTC.
fn keep_earlier(imported: &Path, path: &Path) -> io::Result<()> {
    let modified = match fs::metadata(path) {
        Ok(metadata) => metadata.modified()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let time = Timestamp::try_from(modified).map_err(io::Error::other)?.strftime("%Y%m%dT%H%M%SZ").to_string();
    // Two runs may end within a second.
    let suffixes = std::iter::once(String::new()).chain((2..).map(|number| format!("-{number}")));
    let names = suffixes.map(|suffix| with_ending(imported, &format!(".rejected.{time}{suffix}.jsonl")));
    let mut free = names.filter(|name| !name.exists());
    free.next().map_or(Ok(()), |name| fs::rename(path, name))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
