//! The Query of an organisation's log: item by item, in the order of the keys, no snapshot.

use std::collections::BTreeMap;

use super::fault::PlantedFault;
use super::items::{Item, Key, Lane, LogKey, USED_LANES};
use super::table::SimulatedTable;
use crate::ledger::{Directory, LogChange, LogEntry, LogPosition};

/// Number of times that a log with a gap is read: far more than a transaction takes.
const GAP_QUERIES: usize = 500;

/// Result of a Query of a log.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Changes up to the end, in the order of their lanes.
    pub entries: Vec<LogEntry>,
    /// Position up to which every change is known or in the trees.
    pub end: LogPosition,
    /// Directory; `None` if the organisation has none.
    pub directory: Option<Directory>,
    /// Lane items.
    pub lanes: [Option<Lane>; USED_LANES],
    /// Sealed chunks: lane, first and last sequence.
    pub chunks: Vec<(usize, u64, u64)>,
}

impl Log {
    /// Returns the directory, or an empty one.
    pub(super) fn directory(&self) -> Directory {
        self.directory.clone().unwrap_or_default()
    }

    /// Returns the changes behind a position.
    pub(super) fn behind<'a>(&'a self, position: &'a LogPosition) -> impl Iterator<Item = &'a LogEntry> {
        self.entries.iter().filter(|entry| !position.includes(entry.lane(), entry.sequence))
    }
}

/// Reads a log, again if a lane has a gap: the lane item of a transaction was visible before its sealed chunk.
pub(super) async fn query_log(table: &SimulatedTable, org: u8) -> Log {
    for _ in 0..GAP_QUERIES {
        let log = query_once(table, org).await;
        let has_all = log.lanes.iter().enumerate().all(|(lane, item)| {
            let last = item.as_ref().map_or(0, |item| item.last);
            log.end.includes(lane, last)
        });
        if has_all || table.has(PlantedFault::GapNotNoticed) {
            return log;
        }
        table.pause().await;
    }
    table.violated("a log keeps a gap");
    Log::default()
}

/// Reads a log once.
async fn query_once(table: &SimulatedTable, org: u8) -> Log {
    let mut log = Log::default();
    let mut found = BTreeMap::new();
    for lane in 0..USED_LANES {
        table.maybe_pause().await;
        if let Some(Item::Lane(item)) = table.strong(Key::lane(org, lane)).as_deref() {
            item.unsealed.iter().for_each(|(first, changes)| collect(&mut found, lane, *first, changes));
            log.lanes[lane] = Some(item.clone());
        }
        query_chunks(table, org, lane, &mut log, &mut found).await;
    }
    log.directory = read_directory(table, org).await;
    finish(table, log, &found)
}

/// Reads the sealed chunks of a lane.
async fn query_chunks(
    table: &SimulatedTable,
    org: u8,
    lane: usize,
    log: &mut Log,
    found: &mut BTreeMap<(usize, u64), LogChange>,
) {
    let mut after = LogKey { lane, first: 0 };
    loop {
        table.maybe_pause().await;
        match table.next_in_log(org, after) {
            Some((key, item)) if key.lane == lane => {
                if let Item::Chunk(changes) = &*item {
                    collect(found, lane, key.first, changes);
                    log.chunks.push((lane, key.first, key.first + changes.len() as u64 - 1));
                }
                after = key;
            }
            _ => return,
        }
    }
}

/// Reads the directory.
async fn read_directory(table: &SimulatedTable, org: u8) -> Option<Directory> {
    table.maybe_pause().await;
    match table.strong(Key::directory(org)).as_deref() {
        Some(Item::Directory(directory)) => Some(directory.clone()),
        _ => None,
    }
}

/// Notes consecutive changes of a lane.
fn collect(found: &mut BTreeMap<(usize, u64), LogChange>, lane: usize, first: u64, changes: &[LogChange]) {
    for (sequence, change) in (first..).zip(changes) {
        found.insert((lane, sequence), change.clone());
    }
}

/// Determines the end of the log, and leaves out what is behind it.
fn finish(table: &SimulatedTable, mut log: Log, found: &BTreeMap<(usize, u64), LogChange>) -> Log {
    log.end = log.directory().trimmed_to;
    for lane in 0..USED_LANES {
        let end = &mut log.end.0[lane];
        if table.has(PlantedFault::PositionPastGap) {
            let last = found.range((lane, 0)..(lane + 1, 0)).next_back().map_or(0, |((_, sequence), _)| *sequence);
            *end = last.max(*end);
        }
        while found.contains_key(&(lane, *end + 1)) {
            *end += 1;
        }
    }
    let known = found.iter().filter(|((lane, sequence), _)| log.end.includes(*lane, *sequence));
    log.entries =
        known.map(|((_, sequence), change)| LogEntry { sequence: *sequence, change: change.clone() }).collect();
    log
}
