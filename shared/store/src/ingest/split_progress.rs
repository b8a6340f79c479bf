//! Position up to which a version of an object is split.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ingest::ObjectVersion;
use serde::{Deserialize, Serialize};

use super::{IngestStore, expiry, kept_changing, unchanged_since, version_pk};
use crate::client::read::pk_sk;
use crate::format::{item, parse};
use crate::schema;

/// Sort key of the item.
const SK: &str = "PROGRESS";

/// Position in an object up to which its lines are split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitProgress {
    /// Number of segments.
    pub segments: u64,
    /// Bytes of these segments, uncompressed.
    pub offset: u64,
    /// Lines of these segments.
    pub lines: u64,
    /// True if there are no further segments.
    pub is_split: bool,
    /// Reason why the object could not be read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct ProgressItem {
    pk: String,
    sk: String,
    #[serde(flatten)]
    progress: SplitProgress,
    revision: u64,
    ttl: i64,
}

impl IngestStore {
    /// Returns how far a version is split, by a strong read.
    pub async fn progress(&self, version: &ObjectVersion) -> Result<SplitProgress, Error> {
        let found = self.progress_item(version).await?;
        Ok(found.map(|found| found.progress).unwrap_or_default())
    }

    /// Writes how far a version is split, unless another splitter came further.
    pub async fn save_progress(
        &self,
        version: &ObjectVersion,
        progress: &SplitProgress,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut retries = self.db.retries();
        loop {
            let found = self.progress_item(version).await?;
            let order = |progress: &SplitProgress| (progress.segments, progress.is_split);
            if found.as_ref().is_some_and(|found| order(&found.progress) >= order(progress)) {
                return Ok(());
            }
            let known = found.map(|found| found.revision);
            let item = item(&ProgressItem {
                pk: version_pk(version),
                sk: SK.to_owned(),
                progress: progress.clone(),
                revision: known.unwrap_or_default() + 1,
                ttl: expiry(now),
            })?;
            if self.db.put_if(&schema::REVIEWS, item, unchanged_since(known)).await? {
                return Ok(());
            }
            if !retries.pause_after_progress().await {
                return Err(kept_changing());
            }
        }
    }

    async fn progress_item(&self, version: &ObjectVersion) -> Result<Option<ProgressItem>, Error> {
        let found = self.db.get(&schema::REVIEWS, pk_sk(version_pk(version), SK)).await?;
        found.map(parse).transpose()
    }
}
