//! Directory, buckets, and the trim of the log.

use std::collections::BTreeMap;

use super::fault::PlantedFault;
use super::items::{Item, Key, LogKey, TreeId};
use super::log_query::Log;
use super::table::SimulatedTable;
use crate::ledger::{Directory, DirectoryBucket, LogPosition};

/// Reads the newest directory.
pub(super) fn strong_directory(table: &SimulatedTable, org: u8) -> Option<Directory> {
    match table.strong(Key::directory(org)).as_deref() {
        Some(Item::Directory(directory)) => Some(directory.clone()),
        _ => None,
    }
}

/// Reads the newest bucket.
pub(super) fn strong_bucket(table: &SimulatedTable, org: u8, bucket: usize) -> DirectoryBucket {
    match table.strong(Key::Bucket(org, bucket)).as_deref() {
        Some(Item::Bucket(bucket)) => bucket.clone(),
        _ => DirectoryBucket::default(),
    }
}

/// Names roots of cities and businesses in their buckets. Returns the editions of the buckets.
pub(super) async fn put_buckets(
    table: &SimulatedTable,
    org: u8,
    editions: &BTreeMap<TreeId, u64>,
) -> BTreeMap<usize, u64> {
    let mut buckets: BTreeMap<usize, Vec<(u64, u64)>> = BTreeMap::new();
    for (tree, edition) in editions.iter().filter(|(tree, _)| tree.set > 0) {
        buckets.entry(tree.bucket()).or_default().push((tree.directory_hash(), *edition));
    }
    let mut written = BTreeMap::new();
    for (bucket, roots) in buckets {
        loop {
            table.maybe_pause().await;
            let read = strong_bucket(table, org, bucket);
            let mut new =
                if table.has(PlantedFault::BucketNotMerged) { DirectoryBucket::default() } else { read.clone() };
            for (hash, edition) in &roots {
                let named = new.editions.entry(*hash).or_default();
                *named = (*named).max(*edition);
            }
            new.edition = read.edition + 1;
            table.pause().await;
            if strong_bucket(table, org, bucket).edition == read.edition {
                written.insert(bucket, new.edition);
                table.put(Key::Bucket(org, bucket), Item::Bucket(new));
                break;
            }
        }
    }
    written
}

/// Names the organisation's root and the buckets in the directory, and the end of the log. Returns what is trimmed now.
pub(super) async fn put_directory(
    table: &SimulatedTable,
    org: u8,
    log: &Log,
    editions: &BTreeMap<TreeId, u64>,
    buckets: &BTreeMap<usize, u64>,
) -> LogPosition {
    loop {
        table.maybe_pause().await;
        let read = strong_directory(table, org).unwrap_or_default();
        let base = if table.has(PlantedFault::DirectoryNotMerged) { log.directory() } else { read.clone() };
        let mut new = Directory { edition: read.edition + 1, ..base };
        new.trimmed_to = new.trimmed_to.max(&log.end);
        let org_edition = editions.get(&TreeId::of_set(org, 0)).copied().unwrap_or(0);
        new.org_edition = new.org_edition.max(org_edition);
        for (bucket, edition) in buckets {
            let named = &mut new.bucket_editions[*bucket];
            *named = (*named).max(*edition);
        }
        table.pause().await;
        let current = strong_directory(table, org).unwrap_or_default();
        if current.edition == read.edition || table.has(PlantedFault::DirectoryWithoutCondition) {
            let trimmed_to = new.trimmed_to;
            table.put(Key::directory(org), Item::Directory(new));
            return trimmed_to;
        }
    }
}

/// Deletes what a log holds up to a position.
pub(super) async fn trim(table: &SimulatedTable, org: u8, log: &Log, trimmed_to: &LogPosition) {
    let is_trimmed = |lane: usize, last: u64| trimmed_to.includes(lane, last);
    for (lane, first, last) in &log.chunks {
        if is_trimmed(*lane, *last) {
            table.maybe_pause().await;
            table.delete(Key::Log(org, LogKey { lane: *lane, first: *first }));
        }
    }
    for (lane, found) in log.lanes.iter().enumerate() {
        let Some(found) = found else { continue };
        let last_of = |first: u64| first + found.unsealed[&first].len() as u64 - 1;
        let mut trimmed: Vec<u64> = found.unsealed.keys().copied().collect();
        trimmed.retain(|first| is_trimmed(lane, last_of(*first)));
        table.maybe_pause().await;
        while table.is_held(Key::lane(org, lane)) {
            table.pause().await;
        }
        let Some(Item::Lane(mut new)) = table.strong(Key::lane(org, lane)).as_deref().cloned() else { continue };
        if table.has(PlantedFault::TrimTooFar) {
            trimmed.extend(new.unsealed.keys());
        }
        if trimmed.iter().any(|first| new.unsealed.contains_key(first)) {
            new.unsealed.retain(|first, _| !trimmed.contains(first));
            table.put(Key::lane(org, lane), Item::Lane(new));
        }
    }
}
