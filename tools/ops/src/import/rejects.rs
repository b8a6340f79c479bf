//! File of rejected rows, next to the imported file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::json;

/// File of the rejected rows of an import. It is created for the first rejected row.
pub(super) struct RejectsFile {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

/// True if the name stands for standard input.
pub(super) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

impl RejectsFile {
    /// Returns the file for the rejected rows of `imported`. Removes the one of an earlier run.
    pub(super) fn for_import(imported: &Path) -> anyhow::Result<Self> {
        let imported = if is_stdin(imported) { Path::new("stdin") } else { imported };
        let mut name = imported.as_os_str().to_owned();
        name.push(".rejected.jsonl");
        let path = PathBuf::from(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", path.display()))
            }
            _ => Ok(Self { path, file: None }),
        }
    }

    /// Writes a rejected row with its line number and the reason.
    pub(super) fn write(&mut self, line_number: u64, reason: &str, row: &str) -> anyhow::Result<()> {
        let cannot_write = || format!("cannot write {}", self.path.display());
        let file = match &mut self.file {
            Some(file) => file,
            missing => missing.insert(BufWriter::new(File::create(&self.path).with_context(cannot_write)?)),
        };
        let rejected = json!({ "line": line_number, "reason": reason, "row": row });
        writeln!(file, "{rejected}").with_context(cannot_write)
    }

    /// Closes the file and returns its path, `None` if no row was rejected.
    pub(super) fn finish(self) -> anyhow::Result<Option<PathBuf>> {
        let Some(mut file) = self.file else { return Ok(None) };
        file.flush().with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(Some(self.path))
    }
}
