//! Section of an export: the rows of one organisation, until all of them are of one instant.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Serialize;

use super::output::Output;

/// Rows of one organisation in a file, each with its id. Rows that change meanwhile are replaced when the section is copied.
pub(super) struct Section {
    file: BufWriter<File>,
    bytes: u64,
}

/// Rows that take the place of those in the file, by id; `None` for one that is gone.
pub(super) type Replacements = HashMap<String, Option<String>>;

impl Section {
    /// Opens a section, and drops what is behind a number of bytes.
    pub(super) fn open(path: &Path, bytes: u64) -> anyhow::Result<Self> {
        let cannot_write = || format!("cannot write {}", path.display());
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = file.with_context(cannot_write)?;
        let length = file.metadata().with_context(cannot_write)?.len();
        ensure!(length >= bytes, "{} is shorter than it was: delete the export's .state to begin anew", path.display());
        file.set_len(bytes).and_then(|()| file.seek(SeekFrom::End(0))).with_context(cannot_write)?;
        Ok(Self { file: BufWriter::new(file), bytes })
    }

    /// Opens an empty section without a name.
    pub(super) fn temporary() -> anyhow::Result<Self> {
        let file = tempfile::tempfile().context("cannot write a temporary file")?;
        Ok(Self { file: BufWriter::new(file), bytes: 0 })
    }

    /// Adds a row.
    pub(super) fn add(&mut self, id: &str, row: &impl Serialize) -> anyhow::Result<()> {
        let line = format!("{id}\t{}\n", serde_json::to_string(row)?);
        self.file.write_all(line.as_bytes()).context("cannot write a section")?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Writes what was added to the disk. Returns the number of bytes.
    pub(super) fn sync(&mut self) -> anyhow::Result<u64> {
        self.file.flush().and_then(|()| self.file.get_ref().sync_data()).context("cannot write a section")?;
        Ok(self.bytes)
    }

    /// Copies the rows to the output, with the replacements in the place of what they replace. New rows come last.
    pub(super) fn copy_to(mut self, output: &mut Output, mut replacements: Replacements) -> anyhow::Result<()> {
        self.sync()?;
        let mut file = self.file.into_inner().context("cannot write a section")?;
        file.rewind().context("cannot read a section")?;
        for line in BufReader::new(file).lines() {
            let line = line.context("cannot read a section")?;
            let (id, row) = line.split_once('\t').context("a section has a line without an id")?;
            match replacements.insert(id.to_owned(), None) {
                None => {
                    replacements.remove(id);
                    output.write_line(row)?;
                }
                Some(Some(newer)) => output.write_line(&newer)?,
                Some(None) => {}
            }
        }
        let mut new: Vec<_> = replacements.into_iter().filter_map(|(id, row)| Some((id, row?))).collect();
        new.sort_unstable();
        new.iter().try_for_each(|(_, row)| output.write_line(row))
    }
}
