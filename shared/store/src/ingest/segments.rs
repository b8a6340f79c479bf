//! Segments of a version of an object: which rows are settled.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ingest::{ObjectVersion, ReportCounts, SegmentReport};
use serde::{Deserialize, Serialize};

use super::{IngestStore, expiry, kept_changing, unchanged_since, version_pk};
use crate::client::read::{Item, Partition, binary, pk_sk, text};
use crate::format::{item, parse};
use crate::schema;

/// Segments in one page of a Query: 2.5 KB each.
const SEGMENTS_PAGE: i32 = 400;
/// Maximum number of pages: 160,000 segments are a terabyte.
const MAX_PAGES: usize = 400;
/// Largest number of a segment that a sort key has.
const MAX_SEGMENT: u64 = 999_999_999;
/// Prefix of the sort keys of segments; the number follows.
const SK_PREFIX: &str = "SEGMENT#";
/// Attribute with the bitmap of settled rows.
const SETTLED: &str = "settled";

/// Segment of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Settled rows and their counts.
    pub report: SegmentReport,
    /// Keys of the objects with its rejected rows.
    pub fragments: Vec<String>,
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

fn segment_sk(segment: u64) -> String {
    format!("{SK_PREFIX}{segment:09}")
}

impl IngestStore {
    /// Returns a segment of a version, by a strong read; an empty one if nothing of it is known.
    pub async fn segment(&self, version: &ObjectVersion, segment: u64) -> Result<Segment, Error> {
        let found = self.segment_with_revision(version, segment).await?;
        Ok(found.map(|(segment, _)| segment).unwrap_or_default())
    }

    /// Changes a segment, and returns it as it is then. `change` may run again on a newer one; it returns false to change nothing.
    pub async fn change_segment(
        &self,
        version: &ObjectVersion,
        segment: u64,
        now: Timestamp,
        mut change: impl FnMut(&mut Segment) -> bool + Send,
    ) -> Result<Segment, Error> {
        let mut retries = self.db.retries();
        loop {
            let found = self.segment_with_revision(version, segment).await?;
            let known = found.as_ref().map(|(_, revision)| *revision);
            let mut new = found.map(|(segment, _)| segment).unwrap_or_default();
            if !change(&mut new) {
                return Ok(new);
            }
            let revision = known.unwrap_or_default() + 1;
            let item = to_item(version, segment, &new, revision, expiry(now))?;
            if self.db.put_if(&schema::REVIEWS, item, unchanged_since(known)).await? {
                return Ok(new);
            }
            if !retries.pause_after_progress().await {
                return Err(kept_changing());
            }
        }
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
            sk.strip_prefix(SK_PREFIX)?.parse::<u64>().ok()
        };
        let segments = items.into_iter().map(|item| {
            let number = number(&item).ok_or_else(|| Error::internal("a segment of an object has no number"))?;
            Ok((number, from_item(item)?.0))
        });
        segments.collect()
    }

    async fn segment_with_revision(
        &self,
        version: &ObjectVersion,
        segment: u64,
    ) -> Result<Option<(Segment, u64)>, Error> {
        let found = self.db.get(&schema::REVIEWS, pk_sk(version_pk(version), segment_sk(segment))).await?;
        found.map(from_item).transpose()
    }
}

fn to_item(
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
    stored.insert(SETTLED.to_owned(), binary(report.settled.clone()));
    Ok(stored)
}

/// Reads a segment and its revision.
fn from_item(mut stored: Item) -> Result<(Segment, u64), Error> {
    let settled = stored.remove(SETTLED).and_then(|value| value.as_b().ok().cloned());
    let settled = settled.ok_or_else(|| Error::internal("a segment of an object has no settled rows"))?.into_inner();
    let SegmentItem { rows, created, updated, unchanged, rejected, fragments, revision, .. } = parse(stored)?;
    let counts = ReportCounts { created, updated, unchanged, rejected };
    Ok((Segment { report: SegmentReport { rows, counts, settled }, fragments }, revision))
}
