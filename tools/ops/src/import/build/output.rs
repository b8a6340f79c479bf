//! Output of a build: parts with lines of `DynamoDB` JSON, compressed by gzip.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use presence_domain::error::Error;
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::file_lock::LockFile;

/// Size of a part before compression. `DynamoDB` imports parts at the same time, and takes 50,000 of them.
const PART_BYTES: u64 = 256 << 20;
/// Effort of the compression, of 9: the sizes of the higher ones differ by some percent, and their times by factors.
const COMPRESSION: u32 = 3;
/// Start and end of the names of parts.
const PART_NAME: (&str, &str) = ("part-", ".json.gz");

/// Parts of one table, in a folder that takes its name when all are written.
pub(super) struct OutputParts {
    folder: PathBuf,
    unfinished: PathBuf,
    /// Lock of the folder of the unfinished parts.
    _lock: LockFile,
    part_bytes: u64,
    part: Option<GzEncoder<BufWriter<File>>>,
    /// Bytes of the present part before compression.
    written: u64,
    totals: OutputTotals,
}

/// Size of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputTotals {
    /// Number of items.
    pub(super) items: u64,
    /// Number of parts.
    pub(super) parts: u64,
    /// Bytes before compression: those that the import into a table is charged for.
    pub(super) bytes: u64,
}

impl OutputParts {
    /// Begins the parts of a table in a folder, which is created if it is missing. Parts of an earlier build are replaced at the end.
    ///
    /// # Errors
    /// Occurs also if the folder of the table has files that are no parts.
    pub(super) fn create(out: &Path, table: &str) -> Result<Self, CommandError> {
        let (folder, unfinished) = (out.join(table), out.join(format!("{table}.unfinished")));
        for folder in [&folder, &unfinished] {
            if let Some(foreign) = find_foreign(folder).with_context(|| format!("cannot read {}", folder.display()))? {
                let text = format!("{} is no part of an earlier build: choose another folder", foreign.display());
                return Err(CommandError::from_text(text));
            }
        }
        fs::create_dir_all(out).with_context(cannot_write(out))?;
        let busy = format!("another build writes to {}", out.display());
        let lock = LockFile::create(out.join(format!("{table}.lock")), &busy)?;
        remove_folder(&unfinished).and_then(|()| fs::create_dir_all(&unfinished)).with_context(cannot_write(out))?;
        let (part_bytes, totals) = (PART_BYTES, OutputTotals::default());
        Ok(Self { folder, unfinished, _lock: lock, part_bytes, part: None, written: 0, totals })
    }

    /// Returns the folder for temporary files: the one of the unfinished parts.
    pub(super) fn temporary_folder(&self) -> &Path {
        &self.unfinished
    }

    /// Writes an item.
    pub(super) fn write(&mut self, item: &HashMap<String, AttributeValue>) -> Result<(), Error> {
        let mut line = to_line(item)?;
        line.push('\n');
        self.write_line(&line)
            .map_err(|error| Error::internal(format!("cannot write a part in {}: {error}", self.unfinished.display())))
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        let part = match &mut self.part {
            Some(part) => part,
            missing => {
                let (start, end) = PART_NAME;
                let path = self.unfinished.join(format!("{start}{:05}{end}", self.totals.parts));
                let file = BufWriter::new(File::create(path)?);
                self.totals.parts += 1;
                // The header has neither time nor file name: the same items give the same bytes.
                missing.insert(GzEncoder::new(file, Compression::new(COMPRESSION)))
            }
        };
        part.write_all(line.as_bytes())?;
        self.totals.items += 1;
        self.totals.bytes += line.len() as u64;
        self.written += line.len() as u64;
        if self.written >= self.part_bytes { self.finish_part() } else { Ok(()) }
    }

    fn finish_part(&mut self) -> io::Result<()> {
        self.written = 0;
        match self.part.take() {
            Some(part) => part.finish()?.into_inner()?.sync_all(),
            None => Ok(()),
        }
    }

    /// Ends the parts, and puts them in the place of those of an earlier build.
    pub(super) fn finish(mut self) -> anyhow::Result<OutputTotals> {
        self.finish_part().with_context(cannot_write(&self.unfinished))?;
        let moved = remove_folder(&self.folder).and_then(|()| fs::rename(&self.unfinished, &self.folder));
        moved.with_context(cannot_write(&self.folder))?;
        Ok(self.totals)
    }
}

fn cannot_write(path: &Path) -> impl Fn() -> String {
    move || format!("cannot write {}", path.display())
}

/// Returns a file of the folder that is no part; `None` if there is no folder.
fn find_foreign(folder: &Path) -> io::Result<Option<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    let (start, end) = PART_NAME;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_part = name.to_str().is_some_and(|name| name.starts_with(start) && name.ends_with(end));
        if !is_part || entry.file_type()?.is_dir() {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns an item as a line of `DynamoDB` JSON, with its attributes in the order of their names.
fn to_line(item: &HashMap<String, AttributeValue>) -> Result<String, Error> {
    let attributes: BTreeMap<&String, &AttributeValue> = item.iter().collect();
    let mut fields = serde_json::Map::new();
    for (name, value) in attributes {
        fields.insert(name.clone(), to_json(value)?);
    }
    Ok(json!({ "Item": fields }).to_string())
}

fn to_json(value: &AttributeValue) -> Result<Value, Error> {
    Ok(match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::B(bytes) => json!({ "B": BASE64_STANDARD.encode(bytes) }),
        AttributeValue::Bool(is_true) => json!({ "BOOL": is_true }),
        _ => return Err(Error::internal("an item of the reviews table has a value of another type")),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    fn item(number: usize) -> HashMap<String, AttributeValue> {
        [("pk", AttributeValue::S(format!("R#{number}\n\"é"))), ("e", AttributeValue::N("7".to_owned()))]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    #[test]
    fn parts_are_cut_by_size_and_replace_those_of_an_earlier_build() {
        let out = tempfile::tempdir().expect("a temporary folder");
        for (items, part_bytes, parts) in [(7, 60, 4), (3, 60, 2), (2, 1_000, 1)] {
            let mut output = OutputParts::create(out.path(), "presence-reviews").expect("the folder can be written");
            output.part_bytes = part_bytes;
            (0..items).for_each(|number| output.write(&item(number)).expect("the item is written"));
            let totals = output.finish().expect("the folder can be written");
            let folder = out.path().join("presence-reviews");
            let mut names: Vec<_> =
                fs::read_dir(&folder).expect("parts").map(|entry| entry.expect("a part").path()).collect();
            names.sort();
            assert_eq!(
                (totals.items, totals.parts, names.len()),
                (items as u64, parts, usize::try_from(parts).expect("a small number"))
            );
            let mut text = String::new();
            for name in names {
                let part = GzDecoder::new(File::open(name).expect("a part")).read_to_string(&mut text);
                part.expect("gzip");
            }
            assert_eq!(totals.bytes, text.len() as u64);
            let first = text.lines().next().expect("a line");
            assert_eq!(first, r#"{"Item":{"e":{"N":"7"},"pk":{"S":"R#0\n\"é"}}}"#);
        }
    }

    #[test]
    fn second_build_into_one_folder_ends_and_leaves_the_first_alone() {
        let out = tempfile::tempdir().expect("a temporary folder");
        let create = || OutputParts::create(out.path(), "t");
        let mut first = create().expect("the folder can be written");
        first.write(&item(0)).expect("the item is written");
        let refused = create().err().expect("the folder is in use");
        assert!(refused.to_string().starts_with("another build writes to "), "{refused}");
        assert_eq!(first.finish().expect("the folder can be written").items, 1);
        assert!(out.path().join("t/part-00000.json.gz").exists());
        create().map(drop).expect("the folder is free again");
    }

    #[test]
    fn folder_with_other_files_is_refused() {
        let out = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(out.path().join("t")).expect("a folder");
        fs::write(out.path().join("t/notes.txt"), "mine").expect("a file");
        let refused = OutputParts::create(out.path(), "t").err().expect("the folder is refused");
        assert!(refused.to_string().contains("notes.txt is no part of an earlier build"), "{refused}");
    }
}
