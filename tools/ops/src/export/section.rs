//! Section of an export: the rows of one organisation, until all of them are of one instant.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Serialize;

use super::output::Output;

/// Rows of one organisation in a file, each with its id and version. A row that changes meanwhile gets another line, and the last line
/// of an id counts. So a section of any size needs memory for the changed rows' ids only.
pub(super) struct Section {
    file: BufWriter<File>,
    bytes: u64,
    /// Offset of the line that counts, for each id with several lines.
    last: HashMap<String, u64>,
}

/// Kind of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// First row of an id.
    Row,
    /// Row that replaces the lines before it.
    Replacement,
    /// End of a row.
    Removal,
}

/// Line of a section: kind, id, version and row.
struct Line<'a> {
    kind: LineKind,
    id: &'a str,
    version: u64,
    row: &'a str,
}

impl Section {
    /// Opens a section, and drops what is behind a number of bytes.
    pub(super) fn open(path: &Path, bytes: u64) -> anyhow::Result<Self> {
        let cannot_write = || format!("cannot write {}", path.display());
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path);
        let file = file.with_context(cannot_write)?;
        let length = file.metadata().with_context(cannot_write)?.len();
        ensure!(length >= bytes, "{} is shorter than it was: delete the export's .state to begin anew", path.display());
        file.set_len(bytes).with_context(cannot_write)?;
        let mut section = Self { file: BufWriter::new(file), bytes, last: HashMap::new() };
        let mut last = HashMap::new();
        section.read_lines(|offset, line| {
            if line.kind != LineKind::Row {
                last.insert(line.id.to_owned(), offset);
            }
            Ok(())
        })?;
        Ok(Self { last, ..section })
    }

    /// Opens an empty section without a name.
    pub(super) fn temporary() -> anyhow::Result<Self> {
        let file = tempfile::tempfile().context("cannot write a temporary file")?;
        Ok(Self { file: BufWriter::new(file), bytes: 0, last: HashMap::new() })
    }

    /// Adds a row. The id has none yet, unless it was replaced or removed.
    pub(super) fn add(&mut self, id: &str, version: u64, row: &impl Serialize) -> anyhow::Result<()> {
        if self.last.contains_key(id) {
            return self.replace(id, version, row);
        }
        self.write_line(&Line { kind: LineKind::Row, id, version, row: &serde_json::to_string(row)? })
    }

    /// Replaces the row of an id, or adds one.
    pub(super) fn replace(&mut self, id: &str, version: u64, row: &impl Serialize) -> anyhow::Result<()> {
        self.last.insert(id.to_owned(), self.bytes);
        self.write_line(&Line { kind: LineKind::Replacement, id, version, row: &serde_json::to_string(row)? })
    }

    /// Removes the row of an id, if it has one.
    pub(super) fn remove(&mut self, id: &str) -> anyhow::Result<()> {
        self.last.insert(id.to_owned(), self.bytes);
        self.write_line(&Line { kind: LineKind::Removal, id, version: 0, row: "" })
    }

    /// Writes what was added to the disk. Returns the number of bytes.
    pub(super) fn sync(&mut self) -> anyhow::Result<u64> {
        self.file.flush().and_then(|()| self.file.get_ref().sync_data()).context("cannot write a section")?;
        Ok(self.bytes)
    }

    /// Returns the version of the row of each id. It is 0, which no review has, if the id has two first rows: it moved behind what was
    /// read, and was read again there.
    pub(super) fn versions(&mut self) -> anyhow::Result<HashMap<String, u64>> {
        let mut versions = HashMap::new();
        self.read_lines(|_, line| {
            match line.kind {
                LineKind::Removal => versions.remove(line.id),
                LineKind::Row if versions.contains_key(line.id) => versions.insert(line.id.to_owned(), 0),
                LineKind::Row | LineKind::Replacement => versions.insert(line.id.to_owned(), line.version),
            };
            Ok(())
        })?;
        Ok(versions)
    }

    /// Copies the rows that count to the output. Rows that changed meanwhile come last.
    pub(super) fn copy_to(mut self, output: &mut Output) -> anyhow::Result<()> {
        let last = std::mem::take(&mut self.last);
        self.read_lines(|offset, line| match (line.kind, last.get(line.id)) {
            (LineKind::Row, None) => output.write_line(line.row),
            (LineKind::Replacement, Some(counting)) if *counting == offset => output.write_line(line.row),
            _ => Ok(()),
        })
    }

    fn write_line(&mut self, line: &Line<'_>) -> anyhow::Result<()> {
        let line = line.to_text();
        self.file.write_all(line.as_bytes()).context("cannot write a section")?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Hands each line to a function, with its offset.
    fn read_lines(&mut self, mut take: impl FnMut(u64, &Line<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        self.file.flush().context("cannot write a section")?;
        let mut file = self.file.get_ref();
        file.rewind().context("cannot read a section")?;
        let (mut reader, mut offset, mut text) = (BufReader::new(file), 0, String::new());
        loop {
            text.clear();
            let read = reader.read_line(&mut text).context("cannot read a section")?;
            if read == 0 {
                break;
            }
            take(offset, &Line::parse(&text)?)?;
            offset += read as u64;
        }
        file.seek(SeekFrom::End(0)).context("cannot read a section")?;
        Ok(())
    }
}

impl<'a> Line<'a> {
    fn to_text(&self) -> String {
        let mark = match self.kind {
            LineKind::Row => '=',
            LineKind::Replacement => '+',
            LineKind::Removal => '-',
        };
        format!("{mark}{}\t{}\t{}\n", self.id, self.version, self.row)
    }

    fn parse(text: &'a str) -> anyhow::Result<Self> {
        let parse = || {
            let kind = match text.as_bytes().first()? {
                b'=' => LineKind::Row,
                b'+' => LineKind::Replacement,
                b'-' => LineKind::Removal,
                _ => return None,
            };
            let mut parts = text[1..].trim_end_matches('\n').splitn(3, '\t');
            Some(Self { kind, id: parts.next()?, version: parts.next()?.parse().ok()?, row: parts.next()? })
        };
        parse().context("a section has a line of another form: delete the export's .state to begin anew")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_an_id_counts_also_after_a_continuation() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("section");
        let mut section = Section::open(&path, 0).expect("a section");
        for (number, id) in ["a", "b", "c"].into_iter().enumerate() {
            section.add(id, number as u64, &id).expect("a line");
        }
        section.replace("b", 7, &"b7").expect("a line");
        section.remove("c").expect("a line");
        section.replace("d", 1, &"d1").expect("a line");
        let bytes = section.sync().expect("the disk");
        section.replace("d", 2, &"lost").expect("a line");
        drop(section);
        let mut section = Section::open(&path, bytes).expect("a section");
        let mut versions: Vec<_> = section.versions().expect("versions").into_iter().collect();
        versions.sort();
        assert_eq!(versions, [("a".to_owned(), 0), ("b".to_owned(), 7), ("d".to_owned(), 1)]);
        section.replace("a", 9, &"a9").expect("a line");
        let mut rows = Vec::new();
        let last = section.last.clone();
        let is_counting =
            |offset, line: &Line<'_>| last.get(line.id).map_or(line.kind == LineKind::Row, |last| *last == offset);
        section
            .read_lines(|offset, line| {
                if is_counting(offset, line) {
                    rows.push(line.row.to_owned());
                }
                Ok(())
            })
            .expect("lines");
        assert_eq!(rows, ["\"b7\"", "", "\"d1\"", "\"a9\""]);
    }
}
