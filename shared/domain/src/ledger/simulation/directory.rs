//! Directory, buckets, and the trim of the log.

use std::collections::BTreeMap;

use super::fault::PlantedFault;
use super::items::{Item, Key, LogKey, TreeId};
use super::log_query::Log;
use super::world::World;
use crate::ledger::{Directory, DirectoryBucket, LogPosition};

/// Reads the newest directory.
pub(super) fn strong_directory(world: &World, org: u8) -> Option<Directory> {
    match world.strong(Key::directory(org)).as_deref() {
        Some(Item::Directory(directory)) => Some(directory.clone()),
        _ => None,
    }
}

/// Reads the newest bucket.
pub(super) fn strong_bucket(world: &World, org: u8, bucket: usize) -> DirectoryBucket {
    match world.strong(Key::Bucket(org, bucket)).as_deref() {
        Some(Item::Bucket(bucket)) => bucket.clone(),
        _ => DirectoryBucket::default(),
    }
}

/// Names roots of cities and businesses in their buckets. Returns the editions of the buckets.
pub(super) async fn put_buckets(world: &World, org: u8, editions: &BTreeMap<TreeId, u64>) -> BTreeMap<usize, u64> {
    let mut buckets: BTreeMap<usize, Vec<(u32, u64)>> = BTreeMap::new();
    for (tree, edition) in editions.iter().filter(|(tree, _)| tree.set > 0) {
        buckets.entry(tree.bucket()).or_default().push((tree.directory_hash(), *edition));
    }
    let mut written = BTreeMap::new();
    for (bucket, roots) in buckets {
        loop {
            world.maybe_pause().await;
            let read = strong_bucket(world, org, bucket);
            let mut new =
                if world.has(PlantedFault::BucketNotMerged) { DirectoryBucket::default() } else { read.clone() };
            for (hash, edition) in &roots {
                let named = new.editions.entry(*hash).or_default();
                *named = (*named).max(*edition);
            }
            new.edition = read.edition + 1;
            world.pause().await;
            if strong_bucket(world, org, bucket).edition == read.edition {
                written.insert(bucket, new.edition);
                world.put(Key::Bucket(org, bucket), Item::Bucket(new));
                break;
            }
        }
    }
    written
}

/// Names the organisation's root and the buckets in the directory, and the end of the log. Returns what is trimmed now.
pub(super) async fn put_directory(
    world: &World,
    org: u8,
    log: &Log,
    editions: &BTreeMap<TreeId, u64>,
    buckets: &BTreeMap<usize, u64>,
) -> LogPosition {
    loop {
        world.maybe_pause().await;
        let read = strong_directory(world, org).unwrap_or_default();
        let base = if world.has(PlantedFault::DirectoryNotMerged) { log.directory() } else { read.clone() };
        let mut new = Directory { edition: read.edition + 1, ..base };
        new.trimmed_to = new.trimmed_to.max(&log.end);
        let org_edition = editions.get(&TreeId::of_set(org, 0)).copied().unwrap_or(0);
        new.org_edition = new.org_edition.max(org_edition);
        for (bucket, edition) in buckets {
            let named = &mut new.bucket_editions[*bucket];
            *named = (*named).max(*edition);
        }
        world.pause().await;
        let current = strong_directory(world, org).unwrap_or_default();
        if current.edition == read.edition || world.has(PlantedFault::DirectoryWithoutCondition) {
            let trimmed_to = new.trimmed_to;
            world.put(Key::directory(org), Item::Directory(new));
            return trimmed_to;
        }
    }
}

/// Deletes what a log holds up to a position.
pub(super) async fn trim(world: &World, org: u8, log: &Log, trimmed_to: &LogPosition) {
    let is_trimmed = |lane: usize, last: u64| trimmed_to.includes(lane, last);
    for (lane, first, last) in &log.chunks {
        if is_trimmed(*lane, *last) {
            world.maybe_pause().await;
            world.delete(Key::Log(org, LogKey { lane: *lane, first: *first }));
        }
    }
    for (lane, found) in log.lanes.iter().enumerate() {
        let Some(found) = found else { continue };
        let last_of = |first: u64| first + found.unsealed[&first].len() as u64 - 1;
        let mut trimmed: Vec<u64> = found.unsealed.keys().copied().collect();
        trimmed.retain(|first| is_trimmed(lane, last_of(*first)));
        world.maybe_pause().await;
        while world.is_held(Key::lane(org, lane)) {
            world.pause().await;
        }
        let Some(Item::Lane(mut new)) = world.strong(Key::lane(org, lane)).as_deref().cloned() else { continue };
        if world.has(PlantedFault::TrimTooFar) {
            trimmed.extend(new.unsealed.keys());
        }
        if trimmed.iter().any(|first| new.unsealed.contains_key(first)) {
            new.unsealed.retain(|first, _| !trimmed.contains(first));
            world.put(Key::lane(org, lane), Item::Lane(new));
        }
    }
}
