//! Progress of objects of reviews: the version of each object that was opened last, how far it is split, and which rows are settled.
//!
//! Items of the reviews table, which expire. `shared/docs/ingest.md` has the protocol.

use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ingest::{ObjectVersion, ReportCounts, SegmentReport};
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, Partition, pk_sk, text};
use crate::client::write::Condition;
use crate::format::{item, parse};
use crate::{Database, schema};

/// Time for which progress is kept: longer than a message lives in the queue and in the dead-letter queue, 14 days each.
const LIFE: Duration = Duration::from_hours(30 * 24);
/// Attempts to change an item that others change too. The workers of one segment are those of an object's lanes.
const MAX_ATTEMPTS: usize = 100;
/// Segments in one page of a Query: 2.5 KB each.
const SEGMENTS_PAGE: i32 = 400;
/// Maximum number of pages: 160,000 segments are a terabyte.
const MAX_PAGES: usize = 400;
/// Largest number of a segment that a sort key has.
const MAX_SEGMENT: u64 = 999_999_999;
/// Attribute that counts the changes of an item.
const REVISION: &str = "revision";

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

/// Segment of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Settled rows and their counts.
    pub report: SegmentReport,
    /// Keys of the objects with its rejected rows.
    pub fragments: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct VersionItem {
    pk: String,
    sk: String,
    #[serde(flatten)]
    version: ObjectVersion,
    revision: u64,
    ttl: i64,
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

#[derive(Serialize, Deserialize)]
struct SegmentItem {
    pk: String,
    sk: String,
    rows: Option<u64>,
    created: u64,
    updated: u64,
    unchanged: u64,
    rejected: u64,
    fragments: Vec<String>,
    revision: u64,
    ttl: i64,
}

/// Attribute with the bitmap of settled rows.
const SETTLED: &str = "settled";
const VERSION_SK: &str = "OBJECT";
const PROGRESS_SK: &str = "PROGRESS";

/// Progress of objects of reviews. Cheap to clone.
#[derive(Clone, Debug)]
pub struct IngestStore {
    db: Database,
}

/// Registered version of an object, with the revision of the registration.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Version that was opened last.
    pub version: ObjectVersion,
    revision: u64,
}

/// Start of the partition keys of all items of this module.
const PK_START: &str = "INGEST#";

fn version_pk(ObjectVersion { object, etag, object_at }: &ObjectVersion) -> String {
    format!("{PK_START}{object_at}#{etag}#{object}")
}

fn registration_pk(object: &str) -> String {
    format!("{PK_START}{object}")
}

fn segment_sk(segment: u64) -> String {
    format!("SEGMENT#{segment:09}")
}

fn expiry(now: Timestamp) -> i64 {
    now.as_second().saturating_add(i64::try_from(LIFE.as_secs()).unwrap_or(i64::MAX))
}

fn condition(revision: Option<u64>) -> Condition {
    revision.map_or(Condition::NotThere, |revision| Condition::NumberIs(REVISION, revision))
}

impl IngestStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Copies the progress of all objects from the reviews table of `other`, by a strong scan. Items that are here already stay as they
    /// are. Returns the number of items that were copied. Interrupted, it is run again.
    pub async fn copy_progress_from(&self, other: &Database) -> Result<u64, Error> {
        let scan = other.client.scan().table_name(other.name(&schema::REVIEWS)).consistent_read(true);
        let scan = scan.filter_expression("begins_with(pk, :start)");
        let scan = scan.expression_attribute_values(":start", text(PK_START.to_owned()));
        let (mut copied, mut next) = (0, None);
        // The scan ends with the table.
        loop {
            let page = scan.clone().set_exclusive_start_key(next);
            let page = other.retry_throttled(|| page.clone().send()).await?;
            for item in page.items.unwrap_or_default() {
                copied += u64::from(self.db.put_if(&schema::REVIEWS, item, Condition::NotThere).await?);
            }
            next = page.last_evaluated_key;
            if next.is_none() {
                return Ok(copied);
            }
        }
    }

    /// Returns the version of an object that was opened last, by a strong read.
    pub async fn registration(&self, object: &str) -> Result<Option<Registration>, Error> {
        let found = self.db.get(&schema::REVIEWS, pk_sk(registration_pk(object), VERSION_SK)).await?;
        let found: Option<VersionItem> = found.map(parse).transpose()?;
        Ok(found.map(|VersionItem { version, revision, .. }| Registration { version, revision }))
    }

    /// Registers a version that was opened after `known` was read. False if another version was registered meanwhile.
    pub async fn register(
        &self,
        version: &ObjectVersion,
        known: Option<&Registration>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        if known.is_some_and(|known| known.version == *version) {
            return Ok(true);
        }
        let known = known.map(|known| known.revision);
        let item = item(&VersionItem {
            pk: registration_pk(&version.object),
            sk: VERSION_SK.to_owned(),
            version: version.clone(),
            revision: known.unwrap_or_default() + 1,
            ttl: expiry(now),
        })?;
        self.db.put_if(&schema::REVIEWS, item, condition(known)).await
    }

    /// Returns how far a version is split, by a strong read.
    pub async fn progress(&self, version: &ObjectVersion) -> Result<SplitProgress, Error> {
        let found = self.db.get(&schema::REVIEWS, pk_sk(version_pk(version), PROGRESS_SK)).await?;
        let found: Option<ProgressItem> = found.map(parse).transpose()?;
        Ok(found.map(|found| found.progress).unwrap_or_default())
    }

    /// Writes how far a version is split, unless another splitter came further.
    pub async fn save_progress(
        &self,
        version: &ObjectVersion,
        progress: &SplitProgress,
        now: Timestamp,
    ) -> Result<(), Error> {
        for _ in 0..MAX_ATTEMPTS {
            let found = self.db.get(&schema::REVIEWS, pk_sk(version_pk(version), PROGRESS_SK)).await?;
            let found: Option<ProgressItem> = found.map(parse).transpose()?;
            let order = |progress: &SplitProgress| (progress.segments, progress.is_split);
            if found.as_ref().is_some_and(|found| order(&found.progress) >= order(progress)) {
                return Ok(());
            }
            let known = found.map(|found| found.revision);
            let item = item(&ProgressItem {
                pk: version_pk(version),
                sk: PROGRESS_SK.to_owned(),
                progress: progress.clone(),
                revision: known.unwrap_or_default() + 1,
                ttl: expiry(now),
            })?;
            if self.db.put_if(&schema::REVIEWS, item, condition(known)).await? {
                return Ok(());
            }
        }
        Err(kept_changing())
    }

    /// Returns a segment of a version, by a strong read; an empty one if nothing of it is known.
    pub async fn segment(&self, version: &ObjectVersion, segment: u64) -> Result<Segment, Error> {
        let found = self.db.get(&schema::REVIEWS, pk_sk(version_pk(version), segment_sk(segment))).await?;
        Ok(found.map(segment_from_item).transpose()?.map(|(segment, _)| segment).unwrap_or_default())
    }

    /// Changes a segment, and returns it as it is then. `change` may run again on a newer one; it returns false to change nothing.
    pub async fn change_segment(
        &self,
        version: &ObjectVersion,
        segment: u64,
        now: Timestamp,
        mut change: impl FnMut(&mut Segment) -> bool + Send,
    ) -> Result<Segment, Error> {
        for _ in 0..MAX_ATTEMPTS {
            let found = self.db.get(&schema::REVIEWS, pk_sk(version_pk(version), segment_sk(segment))).await?;
            let found = found.map(segment_from_item).transpose()?;
            let known = found.as_ref().map(|(_, revision)| *revision);
            let mut new = found.map(|(segment, _)| segment).unwrap_or_default();
            if !change(&mut new) {
                return Ok(new);
            }
            let revision = known.unwrap_or_default() + 1;
            let item = segment_to_item(version, segment, &new, revision, expiry(now))?;
            if self.db.put_if(&schema::REVIEWS, item, condition(known)).await? {
                return Ok(new);
            }
        }
        Err(kept_changing())
    }

    /// Returns all segments of a version that are known, in their order, by a strong Query.
    pub async fn segments(&self, version: &ObjectVersion) -> Result<Vec<(u64, Segment)>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: None,
            value: text(version_pk(version)),
            between: Some((segment_sk(0), segment_sk(MAX_SEGMENT))),
            page: SEGMENTS_PAGE,
            max_pages: MAX_PAGES,
        };
        let items = self.db.query(partition).await?;
        let number = |item: &Item| {
            let sk = item.get("sk").and_then(|value| value.as_s().ok())?;
            sk.strip_prefix("SEGMENT#")?.parse::<u64>().ok()
        };
        let segments = items.into_iter().map(|item| {
            let number = number(&item).ok_or_else(|| Error::internal("a segment of an object has no number"))?;
            Ok((number, segment_from_item(item)?.0))
        });
        segments.collect()
    }
}

fn kept_changing() -> Error {
    Error::Unavailable("the report of an object kept changing".into())
}

fn segment_to_item(
    version: &ObjectVersion,
    segment: u64,
    Segment { report, fragments }: &Segment,
    revision: u64,
    ttl: i64,
) -> Result<Item, Error> {
    let ReportCounts { created, updated, unchanged, rejected } = report.counts;
    let mut stored = item(&SegmentItem {
        pk: version_pk(version),
        sk: segment_sk(segment),
        rows: report.rows,
        created,
        updated,
        unchanged,
        rejected,
        fragments: fragments.clone(),
        revision,
        ttl,
    })?;
    let settled = aws_sdk_dynamodb::types::AttributeValue::B(Blob::new(report.settled.clone()));
    stored.insert(SETTLED.to_owned(), settled);
    Ok(stored)
}

fn segment_from_item(mut stored: Item) -> Result<(Segment, u64), Error> {
    let settled = stored.remove(SETTLED).and_then(|value| value.as_b().ok().cloned());
    let settled = settled.ok_or_else(|| Error::internal("a segment of an object has no settled rows"))?.into_inner();
    let SegmentItem { rows, created, updated, unchanged, rejected, fragments, revision, .. } = parse(stored)?;
    let counts = ReportCounts { created, updated, unchanged, rejected };
    Ok((Segment { report: SegmentReport { rows, counts, settled }, fragments }, revision))
}
