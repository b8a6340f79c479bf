//! Positions in the streams up to which their records were handed over, as Lambda keeps them. A stack that keeps its data keeps them in a
//! file, so that no change is missed if it is killed. What comes again is skipped by the feeds. Each stream has one shard, since only the
//! embedded database keeps data in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use aws_types::SdkConfig;
use serde_json::Value;

use crate::streams::TableStream;

/// Name of the file in the folder of data.
const FILE: &str = "feed-positions.json";

/// Positions by table.
#[derive(Debug)]
pub(super) struct StreamMarks {
    file: PathBuf,
    /// Sequence number of the last record that was handed over; `None` before the first one of the stream.
    marks: BTreeMap<String, Option<String>>,
}

impl StreamMarks {
    /// Reads the positions of the last run. A folder without them begins at the ends of the streams.
    pub(super) async fn open(config: &SdkConfig, tables: &[String], data: &Path) -> anyhow::Result<Self> {
        let file = data.join(FILE);
        if file.exists() {
            let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let marks = serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))?;
            return Ok(Self { file, marks });
        }
        let mut marks = BTreeMap::new();
        for table in tables {
            marks.insert(table.clone(), TableStream::last_sequence(config, table).await?);
        }
        let marks = Self { file, marks };
        marks.save()?;
        Ok(marks)
    }

    /// Returns the position in the stream of a table.
    pub(super) fn of(&self, table: &str) -> Option<&str> {
        self.marks.get(table)?.as_deref()
    }

    /// Keeps that a batch of the table's stream was handed over.
    pub(super) fn set(&mut self, table: &str, batch: &Value) {
        let last = batch["Records"].as_array().and_then(|records| records.last());
        let sequence = last.and_then(|record| record["dynamodb"]["SequenceNumber"].as_str());
        self.marks.insert(table.to_owned(), sequence.map(str::to_owned));
        if let Err(error) = self.save() {
            tracing::warn!(%error, "the positions of the feed cannot be kept");
        }
    }

    /// Writes the file as a whole, or not at all.
    fn save(&self) -> anyhow::Result<()> {
        let new = self.file.with_extension("new");
        fs::write(&new, serde_json::to_string(&self.marks)?)?;
        Ok(fs::rename(&new, &self.file)?)
    }
}
