//! Output of an export: standard output, or a file that is written in parts and can be continued.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;

use super::checkpoint::{Checkpoint, Progress};
use super::section::Section;
use crate::Console;
use crate::error::CommandError;
use crate::file_lock::open_locked;

/// Output of an export, with its checkpoint.
pub(super) struct Output {
    writer: Box<dyn Write + Send>,
    checkpoint: Checkpoint,
    files: Option<Files>,
}

/// Files of an export with `--out`.
struct Files {
    out: PathBuf,
    part: File,
}

impl Files {
    fn sibling_path(out: &Path, ending: &str) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    }
}

impl Output {
    /// Opens the output. Goes on with an export of the same options that was interrupted.
    pub(super) fn open(
        out: Option<&Path>,
        force: bool,
        new: Checkpoint,
        console: &mut Console,
    ) -> Result<Self, CommandError> {
        let Some(out) = out else {
            return Ok(Self { writer: Box::new(BufWriter::new(io::stdout())), checkpoint: new, files: None });
        };
        check_is_replaceable(out, force)?;
        let cannot_write = || format!("cannot write {}.part", out.display());
        // Before anything else is read: another export may write it.
        let busy = format!("another export writes {}", out.display());
        let file = open_locked(&Files::sibling_path(out, ".part"), &busy)?;
        let checkpoint = match read_checkpoint(&Files::sibling_path(out, ".state"))? {
            None => new,
            Some(old) if old.is_of_same_export(&new) => {
                console.write_message(format_args!("continues after {} rows", old.rows));
                old
            }
            Some(_) => {
                let state = Files::sibling_path(out, ".state");
                let text = format!("{} is of an export with other options: delete it to begin anew", state.display());
                return Err(CommandError::from_text(text));
            }
        };
        let length = file.metadata().with_context(cannot_write)?.len();
        if length < checkpoint.bytes {
            let text = format!("{0}.part is shorter than {0}.state says: delete both to begin anew", out.display());
            return Err(CommandError::from_text(text));
        }
        // What was written behind the checkpoint is written again.
        file.set_len(checkpoint.bytes).with_context(cannot_write)?;
        let mut part = file.try_clone().with_context(cannot_write)?;
        part.seek(io::SeekFrom::End(0)).with_context(cannot_write)?;
        Ok(Self {
            writer: Box::new(BufWriter::new(file)),
            checkpoint,
            files: Some(Files { out: out.to_owned(), part }),
        })
    }

    /// Returns the progress of the checkpoint.
    pub(super) fn progress(&self) -> &Progress {
        &self.checkpoint.progress
    }

    /// Writes rows.
    pub(super) fn write_rows<T: Serialize>(&mut self, rows: &[T]) -> anyhow::Result<()> {
        rows.iter().try_for_each(|row| self.write_line(&serde_json::to_string(row)?))
    }

    /// Writes a line. Nothing is kept in memory but the line.
    pub(super) fn write_line(&mut self, line: &str) -> anyhow::Result<()> {
        let bytes = format!("{line}\n");
        self.writer.write_all(bytes.as_bytes()).context("cannot write the rows")?;
        self.checkpoint.bytes += bytes.len() as u64;
        self.checkpoint.rows += 1;
        Ok(())
    }

    /// Stores the progress. An export that is interrupted from here on goes on there.
    pub(super) fn save(&mut self, progress: Progress) -> anyhow::Result<()> {
        self.writer.flush().context("cannot write the rows")?;
        self.checkpoint.progress = progress;
        let Some(files) = &self.files else { return Ok(()) };
        files.part.sync_data().context("cannot write the rows")?;
        let (state, new) = (Files::sibling_path(&files.out, ".state"), Files::sibling_path(&files.out, ".state.new"));
        let stored = fs::write(&new, serde_json::to_vec(&self.checkpoint)?).and_then(|()| fs::rename(&new, &state));
        stored.with_context(|| format!("cannot write {}", state.display()))
    }

    /// Opens the section of an organisation: what is there of it up to a number of bytes is kept.
    pub(super) fn open_section(&self, bytes: u64) -> anyhow::Result<Section> {
        match &self.files {
            Some(files) => Section::open(&Files::sibling_path(&files.out, ".section"), bytes),
            None => Section::temporary(),
        }
    }

    /// Ends the export: the file takes its name. Returns the number of rows.
    pub(super) fn finish(mut self) -> anyhow::Result<u64> {
        self.writer.flush().context("cannot write the rows")?;
        let Some(Files { out, part }) = self.files else { return Ok(self.checkpoint.rows) };
        part.sync_all().context("cannot write the rows")?;
        fs::rename(Files::sibling_path(&out, ".part"), &out)
            .with_context(|| format!("cannot write {}", out.display()))?;
        for ending in [".state", ".section"] {
            match fs::remove_file(Files::sibling_path(&out, ending)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(self.checkpoint.rows)
    }
}

fn read_checkpoint(path: &Path) -> Result<Option<Checkpoint>, CommandError> {
    let cannot_read = || format!("cannot read {}", path.display());
    match fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).with_context(cannot_read)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(anyhow::Error::from(error).context(cannot_read()).into()),
    }
}

/// Checks that the file of an export may take its name: a file that has it is replaced only by force, and nothing else is.
fn check_is_replaceable(out: &Path, force: bool) -> Result<(), CommandError> {
    let Ok(found) = fs::metadata(out) else { return Ok(()) };
    if found.is_file() {
        let exists = || CommandError::Usage(format!("{} exists: --force replaces it", out.display()));
        return if force { Ok(()) } else { Err(exists()) };
    }
    let reason = if found.is_dir() { "is a folder" } else { "is no regular file" };
    Err(CommandError::Usage(format!("{} {reason}: leave --out out to write to standard output", out.display())))
}
