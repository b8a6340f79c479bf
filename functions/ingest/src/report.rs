//! Reports of an object: rows that are settled, and the two files when all of them are.

use std::borrow::Cow;

use presence_domain::error::Error;
use presence_domain::ingest::{ObjectVersion, ReportCounts, RowResult};
use presence_store::Segment;
use serde::Serialize;
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use crate::ingest::Ingest;
use crate::part::{Source, digest};

/// Maximum number of bytes in a file of rejected rows. It is in memory while it is written.
const MAX_REJECTED_BYTES: usize = 32 << 20;
/// Maximum number of bytes in the name of an object that is read: the keys of its reports have at most 15 more, and S3 takes 1,024.
pub(crate) const MAX_NAME_BYTES: usize = 1_009;
/// Attempts to settle rejected rows that others settle at the same time.
const MAX_ATTEMPTS: usize = 20;
/// Attempts to publish the reports of an object that is replaced again and again.
const MAX_VERSIONS: usize = 100;

/// Row that is to be settled.
#[derive(Clone, Debug)]
pub(crate) struct SettledRow {
    /// Number of its line.
    pub(crate) line: u64,
    /// Result.
    pub(crate) result: RowResult,
    /// Reason to reject it, and the line as it was.
    pub(crate) rejection: Option<(String, String)>,
}

impl SettledRow {
    /// Returns a row that is rejected.
    pub(crate) fn rejected(line: u64, reason: String, row: String) -> Self {
        Self { line, result: RowResult::Rejected, rejection: Some((reason, row)) }
    }
}

/// Summary of an object, as `done/<object>.json` has it.
#[derive(Serialize)]
struct Summary {
    created: u64,
    updated: u64,
    unchanged: u64,
    rejected: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Returns rejected rows in the form of `ops import`, one a line.
pub(crate) fn rejected_lines<'a>(rows: impl IntoIterator<Item = &'a SettledRow>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for SettledRow { line, rejection, .. } in rows {
        if let Some((reason, row)) = rejection {
            bytes.extend(json!({ "line": line, "reason": reason, "row": row }).to_string().into_bytes());
            bytes.push(b'\n');
        }
    }
    bytes
}

/// Settles rows of a segment, each once. `rows` is the number of rows in the segment, if its end is known.
///
/// Rejected rows are first put into an object of their own, which the segment then names. If another worker settles one of them
/// meanwhile, the others are put again.
pub(crate) async fn record_outcomes(
    ingest: &Ingest,
    source: &Source,
    rows: Vec<SettledRow>,
    total: Option<u64>,
) -> Result<Segment, Error> {
    let (version, number) = (&source.version, source.segment);
    let offset = |row: &SettledRow| row.line.saturating_sub(source.first_line);
    for _ in 0..MAX_ATTEMPTS {
        let known = ingest.store.segment(version, number).await?;
        let fresh: Vec<&SettledRow> = rows.iter().filter(|row| !known.report.is_settled(offset(row))).collect();
        let bytes = rejected_lines(fresh.iter().copied());
        let fragment = if bytes.is_empty() { None } else { Some(put_fragment(ingest, source, bytes).await?) };
        let mut is_overtaken = false;
        let change = |segment: &mut Segment| {
            is_overtaken = fresh.iter().any(|row| segment.report.is_settled(offset(row)));
            let is_known = fresh.is_empty() && (total.is_none() || segment.report.rows == total);
            if is_overtaken || is_known {
                return false;
            }
            for row in &fresh {
                segment.report.record_outcome(offset(row), row.result);
            }
            segment.report.rows = total.or(segment.report.rows);
            segment.fragments.extend(fragment.clone());
            true
        };
        let changed = ingest.store.change_segment(version, number, ingest.clock.now(), change).await?;
        if !is_overtaken {
            return Ok(changed);
        }
    }
    Err(Error::Unavailable("other workers kept settling the same rows".into()))
}

async fn put_fragment(ingest: &Ingest, source: &Source, bytes: Vec<u8>) -> Result<String, Error> {
    let ObjectVersion { object, etag, object_at } = &source.version;
    let text = String::from_utf8_lossy(&bytes);
    let name = digest(&[object, etag, &object_at.to_string(), &source.segment.to_string(), &text]);
    let key = format!("work/{name}.jsonl");
    ingest.objects.put(&key, bytes, None).await?;
    Ok(key)
}

/// Writes both reports of the version that was opened last, if all of its rows are settled.
///
/// An object may be replaced while its reports are written. So the registration is read again after them.
pub(crate) async fn publish(ingest: &Ingest, object: &str) -> Result<(), Error> {
    for _ in 0..MAX_VERSIONS {
        let Some(registered) = ingest.store.registration(object).await? else { return Ok(()) };
        if !publish_version(ingest, &registered.version).await? {
            return Ok(());
        }
        let now = ingest.store.registration(object).await?;
        if now.is_some_and(|now| now.version == registered.version) {
            return Ok(());
        }
    }
    Err(Error::Unavailable("an object kept being replaced while its reports were written".into()))
}

/// Writes both reports of a version. False if some of its rows are not settled.
async fn publish_version(ingest: &Ingest, version: &ObjectVersion) -> Result<bool, Error> {
    let progress = ingest.store.progress(version).await?;
    if !progress.is_split {
        return Ok(false);
    }
    let mut segments = ingest.store.segments(version).await?;
    // A splitter may have died in the next segment of an object that was then deleted.
    segments.retain(|(number, _)| *number < progress.segments);
    let is_complete = segments.len() as u64 == progress.segments
        && (0..).zip(&segments).all(|(number, (found, segment))| number == *found && segment.report.is_complete());
    if !is_complete {
        return Ok(false);
    }
    let mut counts = ReportCounts::default();
    for (_, segment) in &segments {
        counts += segment.report.counts;
    }
    put_rejected(ingest, version, &segments, counts.rejected).await?;
    let ReportCounts { created, updated, unchanged, rejected } = counts;
    let summary = Summary { created, updated, unchanged, rejected, error: progress.error };
    let bytes = serde_json::to_vec(&summary).map_err(Error::internal)?;
    ingest.objects.put(&format!("done/{}.json", name_of_reports(&version.object)), bytes, Some(&version.etag)).await?;
    Ok(true)
}

/// Returns the name of the reports of an object: that of the object. A name that is too long is cut, and gets a digest of all of it.
fn name_of_reports(object: &str) -> Cow<'_, str> {
    if object.len() <= MAX_NAME_BYTES {
        return object.into();
    }
    let start = &object[..object.floor_char_boundary(MAX_NAME_BYTES - 17)];
    format!("{start}-{}", &digest(&[object])[..16]).into()
}

/// Writes the file of rejected rows, in the order of the object, or deletes the one of an earlier version.
async fn put_rejected(
    ingest: &Ingest,
    version: &ObjectVersion,
    segments: &[(u64, Segment)],
    rejected: u64,
) -> Result<(), Error> {
    let key = format!("rejected/{}.jsonl", name_of_reports(&version.object));
    if rejected == 0 {
        return ingest.objects.delete(&key).await;
    }
    let mut bytes = Vec::new();
    for (_, segment) in segments {
        let mut lines = Vec::new();
        for fragment in &segment.fragments {
            lines.extend(read_fragment(ingest, fragment).await?);
        }
        lines.sort_by_key(|(number, _)| *number);
        for (_, line) in lines {
            if bytes.len() + line.len() > MAX_REJECTED_BYTES {
                bytes.extend(left_out(rejected).into_bytes());
                return ingest.objects.put(&key, bytes, None).await;
            }
            bytes.extend(line.into_bytes());
        }
    }
    ingest.objects.put(&key, bytes, None).await
}

fn left_out(rejected: u64) -> String {
    let reason = format!("the file is full: it has the first of {rejected} rejected rows");
    format!("{}\n", json!({ "line": 0, "reason": reason, "row": "" }))
}

/// Returns the lines of a fragment with the numbers of their rows. One that has expired is empty.
async fn read_fragment(ingest: &Ingest, key: &str) -> Result<Vec<(u64, String)>, Error> {
    let Some(mut opened) = ingest.objects.open(key, 0).await? else { return Ok(Vec::new()) };
    let mut text = String::new();
    let read = opened.body.read_to_string(&mut text).await;
    read.map_err(|error| Error::Unavailable(error.into()))?;
    let number = |line: &str| {
        let row: Option<serde_json::Value> = serde_json::from_str(line).ok();
        row.and_then(|row| row["line"].as_u64()).unwrap_or_default()
    };
    Ok(text.lines().map(|line| (number(line), format!("{line}\n"))).collect())
}
