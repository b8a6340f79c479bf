//! The file of rejected rows, beside the imported one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::json;

use super::lines::Line;

/// Collects the rejected rows of an import. The file is made when the first one comes; that of an earlier run is removed.
pub(super) struct Rejects {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

/// Whether the name stands for standard input.
pub(super) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

impl Rejects {
    /// For the rows of this file.
    pub(super) fn beside(file: &Path) -> anyhow::Result<Self> {
        let mut path = if is_stdin(file) { PathBuf::from("stdin") } else { file.to_path_buf() }.into_os_string();
        path.push(".rejected.jsonl");
        let path = PathBuf::from(path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", path.display()))
            }
            _ => Ok(Self { path, file: None }),
        }
    }

    /// Adds one.
    pub(super) fn add(&mut self, line: &Line, reason: &str) -> anyhow::Result<()> {
        self.add_row(line.number, reason, &line.shown())
    }

    /// Adds one by its number and its text.
    pub(super) fn add_row(&mut self, number: u64, reason: &str, row: &str) -> anyhow::Result<()> {
        let cannot_write = || format!("cannot write {}", self.path.display());
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(File::create(&self.path).with_context(cannot_write)?)),
        };
        let rejected = json!({ "line": number, "reason": reason, "row": row });
        writeln!(file, "{rejected}").with_context(cannot_write)
    }

    /// Where they are; none when no row was rejected.
    pub(super) fn finish(self) -> anyhow::Result<Option<PathBuf>> {
        let Some(mut file) = self.file else { return Ok(None) };
        file.flush().with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(Some(self.path))
    }
}
