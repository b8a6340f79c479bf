//! Query of a log: its changes, the directory, and the position up to which both are complete.

use std::collections::BTreeMap;

use super::items::{LaneState, SealedChunk, changes_of, read_entries};
use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{LogItemKey, log_pk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Directory, LANES, LogChange, LogEntry, LogPosition};

/// Items in one page of a Query. DynamoDB ends a page at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Maximum number of pages that a search reads: 16 MB, some 200,000 changes. Folds begin long before.
const SEARCH_PAGES: usize = 16;

/// Log of an organisation as one Query shows it, with the directory of the organisation's trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrgLog {
    /// Changes up to `end`, by lane, then by sequence number. Those up to `directory.trimmed_to` may be missing.
    pub(crate) entries: Vec<LogEntry>,
    /// Position up to which the log is complete. Includes every change that was acknowledged before the Query began.
    pub(crate) end: LogPosition,
    /// Directory, or the default if there is none.
    pub(crate) directory: Directory,
    /// True if a directory is stored.
    pub(crate) has_directory: bool,
    /// Lanes, by their number.
    pub(crate) lanes: [LaneState; LANES],
    /// Sealed chunks, by lane, then by sequence number.
    pub(crate) chunks: Vec<SealedChunk>,
}

/// Items of a log while they are read.
#[derive(Default)]
struct LogReading {
    changes: BTreeMap<(usize, u64), LogChange>,
    lanes: [LaneState; LANES],
    chunks: Vec<SealedChunk>,
    directory: Option<Directory>,
}

impl ReviewStore {
    /// Returns the log of an organisation by a strong Query. A log of more than 16 MB is [`Error::Unavailable`]: a fold shortens it.
    pub(crate) async fn query_log(&self, org_id: OrgId) -> Result<OrgLog, Error> {
        let log = self.query_log_pages(org_id, SEARCH_PAGES).await?;
        log.ok_or_else(|| Error::Unavailable("the log of an organisation waits to be folded".into()))
    }

    /// Returns the log of an organisation by a strong Query of some pages; `None` if it has more.
    ///
    /// A Query is no snapshot. It may see the lane item of a transaction that sealed changes, and miss its chunk, which
    /// DynamoDB stores a moment later. Such a lane has a gap before its last change. The log is then read again, since the
    /// gap may hide acknowledged changes.
    pub(crate) async fn query_log_pages(&self, org_id: OrgId, max_pages: usize) -> Result<Option<OrgLog>, Error> {
        let mut retries = self.db.retries();
        loop {
            let Some(reading) = self.read_log(org_id, max_pages).await? else { return Ok(None) };
            let log = reading.finish();
            if log.has_all_of_lanes() {
                return Ok(Some(log));
            }
            if !retries.pause().await {
                tracing::error!(org = %org_id, "the log of reviews has a gap");
                return Err(Error::Unavailable("a log of reviews has a gap".into()));
            }
        }
    }

    /// Returns the oldest changes of a log that is too long to be read at once: those in some items of each lane.
    pub(crate) async fn query_log_start(&self, org_id: OrgId, lane_items: i32) -> Result<OrgLog, Error> {
        let mut reading = LogReading::default();
        for lane in 0..LANES {
            let first = LogItemKey::Lane(lane).sort_key();
            let partition = Partition {
                table: &schema::REVIEWS,
                index: None,
                value: text(log_pk(org_id)),
                // `~` sorts after every sequence number.
                between: Some((first.clone(), format!("{first}#~"))),
                page: lane_items,
                max_pages: 1,
            };
            let (items, _) = self.db.query_page(&partition, None).await?;
            items.iter().try_for_each(|item| reading.add(item))?;
        }
        // Last, for the same reason as in one Query. Chunks are read oldest first, so the position ends where the read ended.
        let directory = self.db.get(&schema::REVIEWS, pk_sk(log_pk(org_id), LogItemKey::Directory.sort_key())).await?;
        reading.directory = directory.as_ref().map(read_directory).transpose()?;
        Ok(reading.finish())
    }

    async fn read_log(&self, org_id: OrgId, max_pages: usize) -> Result<Option<LogReading>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: None,
            value: text(log_pk(org_id)),
            between: None,
            page: PAGE,
            max_pages,
        };
        let (mut reading, mut start) = (LogReading::default(), None);
        // The order of the sort keys is essential. A lane is read before its chunks: what the lane item does not hold any more
        // is in a chunk. The directory is read last: what was trimmed before it was read is in the trees that it names.
        for _ in 0..max_pages {
            let (page, next) = self.db.query_page(&partition, start).await?;
            page.iter().try_for_each(|item| reading.add(item))?;
            start = next;
            if start.is_none() {
                return Ok(Some(reading));
            }
        }
        Ok(None)
    }
}

impl LogReading {
    fn add(&mut self, item: &Item) -> Result<(), Error> {
        let sort_key = item.get("sk").and_then(|sk| sk.as_s().ok());
        match sort_key.and_then(|sort_key| LogItemKey::parse(sort_key)) {
            Some(LogItemKey::Lane(lane)) => {
                self.lanes[lane] = LaneState::from_item(item)?;
                self.add_changes(lane, item)?;
            }
            Some(LogItemKey::Chunk { lane, first }) => {
                let last = self.add_changes(lane, item)?.unwrap_or(first);
                self.chunks.push(SealedChunk { lane, first, last });
            }
            Some(LogItemKey::Directory) => self.directory = Some(read_directory(item)?),
            None => return Err(Error::internal("an item of a log has an unknown sort key")),
        }
        Ok(())
    }

    /// Adds the changes of an item. Returns the largest sequence number of them.
    fn add_changes(&mut self, lane: usize, item: &Item) -> Result<Option<u64>, Error> {
        let mut last = None;
        for (first, bytes) in changes_of(item) {
            for LogEntry { sequence, change } in read_entries(lane, first, &bytes)? {
                last = last.max(Some(sequence));
                // A change that was sealed while it was read comes twice. Both are the same.
                self.changes.insert((lane, sequence), change);
            }
        }
        Ok(last)
    }

    fn finish(self) -> OrgLog {
        let has_directory = self.directory.is_some();
        let directory = self.directory.unwrap_or_default();
        let mut end = directory.trimmed_to;
        for (lane, last) in end.0.iter_mut().enumerate() {
            while self.changes.contains_key(&(lane, last.saturating_add(1))) {
                *last += 1;
            }
        }
        let included = self.changes.into_iter().filter(|((lane, sequence), _)| end.includes(*lane, *sequence));
        let entries = included.map(|((_, sequence), change)| LogEntry { sequence, change }).collect();
        OrgLog { entries, end, directory, has_directory, lanes: self.lanes, chunks: self.chunks }
    }
}

impl OrgLog {
    /// True if nothing was ever written to it, and there is no directory.
    pub(crate) fn is_blank(&self) -> bool {
        !self.has_directory && self.lanes.iter().all(|lane| lane.last == 0)
    }

    /// Returns the position up to which a current tree has every change, given the position of its root.
    ///
    /// That is at least the position of the directory. A root stays behind it if changes concerned its tree and took each other
    /// back. A trim deletes such changes one by one, so that those that are left must not be applied again.
    pub(crate) fn position_of_tree(&self, root: &LogPosition) -> LogPosition {
        root.max(&self.directory.trimmed_to)
    }

    /// Returns the number of changes that the trees may lack.
    pub(crate) fn unfolded(&self) -> u64 {
        self.end.0.iter().zip(&self.directory.trimmed_to.0).map(|(end, trimmed)| end.saturating_sub(*trimmed)).sum()
    }

    /// True if the log includes the last change that each lane item names.
    fn has_all_of_lanes(&self) -> bool {
        self.lanes.iter().zip(&self.end.0).all(|(state, end)| *end >= state.last)
    }
}

/// Reads the item of a directory.
fn read_directory(item: &Item) -> Result<Directory, Error> {
    let bytes = item.get("v").and_then(|value| value.as_b().ok());
    let bytes = bytes.ok_or_else(|| Error::internal("a directory of trees has no value"))?;
    Directory::decode(bytes.as_ref()).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;
    use aws_sdk_dynamodb::types::AttributeValue;
    use presence_domain::ids::BusinessId;
    use presence_domain::ledger::{FacetKey, Place, ReviewNumber, encode_changes};

    use super::*;
    use crate::client::read::{number, pk_sk};

    /// Returns the change with a sequence number of a lane.
    fn change(lane: usize, sequence: u64) -> LogChange {
        let new = Place {
            effective_at: 1_700_000_000,
            facet_key: FacetKey::from_number(7).expect("a facet key"),
            city_key: "evora".to_owned(),
            business_id: BusinessId::parse("b1").expect("an id"),
        };
        let id = ReviewNumber::new(sequence * LANES as u64 + lane as u64);
        LogChange { id, version: 1, old_version: 0, old: None, new: Some(new) }
    }

    /// Returns an item with changes in attributes, each with the numbers of its first and last change.
    fn item(key: LogItemKey, attributes: &[(u64, u64)]) -> Item {
        let (LogItemKey::Lane(lane) | LogItemKey::Chunk { lane, .. }) = key else { unreachable!("it has no changes") };
        let mut item = pk_sk("LOG#42", key.sort_key());
        for (first, last) in attributes {
            let changes: Vec<LogChange> = (*first..=*last).map(|sequence| change(lane, sequence)).collect();
            item.insert(format!("c{first}"), AttributeValue::B(Blob::new(encode_changes(&changes))));
        }
        item
    }

    fn lane_item(lane: usize, last: u64, attributes: &[(u64, u64)]) -> Item {
        let mut item = item(LogItemKey::Lane(lane), attributes);
        item.insert("last".to_owned(), number(last));
        item
    }

    fn chunk(lane: usize, attributes: &[(u64, u64)]) -> Item {
        item(LogItemKey::Chunk { lane, first: attributes[0].0 }, attributes)
    }

    fn directory_item(trimmed_to: LogPosition) -> Item {
        let directory = Directory { trimmed_to, edition: 1, ..Directory::default() };
        let mut item = pk_sk("LOG#42", LogItemKey::Directory.sort_key());
        item.insert("v".to_owned(), AttributeValue::B(Blob::new(directory.encode())));
        item
    }

    fn read(items: &[Item]) -> OrgLog {
        let mut reading = LogReading::default();
        items.iter().try_for_each(|item| reading.add(item)).expect("items of a log");
        reading.finish()
    }

    fn sequences(log: &OrgLog, lane: usize) -> Vec<u64> {
        let of_lane = log.entries.iter().filter(|entry| entry.lane() == lane);
        of_lane
            .map(|entry| {
                assert_eq!(entry.change, change(lane, entry.sequence));
                entry.sequence
            })
            .collect()
    }

    #[test]
    fn log_without_items_is_empty_and_complete() {
        let log = read(&[]);
        assert_eq!((log.entries.len(), log.end, log.has_directory), (0, LogPosition::default(), false));
        assert!(log.has_all_of_lanes());
    }

    #[test]
    fn changes_of_lane_items_and_chunks_come_by_lane_and_sequence() {
        let log = read(&[
            lane_item(0, 7, &[(6, 6), (7, 7)]),
            chunk(0, &[(1, 3), (4, 5)]),
            lane_item(5, 2, &[(1, 2)]),
            directory_item(LogPosition::default()),
        ]);
        assert_eq!((sequences(&log, 0), sequences(&log, 5)), ((1..=7).collect(), vec![1, 2]));
        assert_eq!((log.end, log.unfolded()), (LogPosition([7, 0, 0, 0, 0, 2, 0, 0]), 9));
        assert_eq!(log.chunks, [SealedChunk { lane: 0, first: 1, last: 5 }]);
        assert_eq!(log.lanes[0].trimmed_attributes(6), ["c6"]);
        assert_eq!(log.lanes[5].trimmed_attributes(1), [""; 0], "its change 2 is not in the trees");
        assert!(log.has_directory && log.has_all_of_lanes());
    }

    #[test]
    fn change_that_is_sealed_while_the_log_is_read_counts_once() {
        let log = read(&[lane_item(0, 2, &[(1, 1), (2, 2)]), chunk(0, &[(1, 1), (2, 2), (3, 100)])]);
        assert_eq!(sequences(&log, 0), (1..=100).collect::<Vec<_>>());
        assert!(log.has_all_of_lanes());
    }

    #[test]
    fn log_ends_before_a_gap() {
        // The lane item was read before change 2 was added to it, and the chunk after change 3 was sealed alone.
        let log = read(&[lane_item(0, 1, &[(1, 1)]), chunk(0, &[(3, 9)])]);
        assert_eq!((sequences(&log, 0), log.end.0[0]), (vec![1], 1));
        assert!(log.has_all_of_lanes(), "change 2 was written after the Query began");
    }

    #[test]
    fn lane_item_whose_sealed_changes_are_not_seen_yet_makes_the_log_incomplete() {
        assert!(!read(&[lane_item(0, 5, &[])]).has_all_of_lanes());
        assert!(!read(&[lane_item(0, 7, &[(7, 7)]), chunk(0, &[(1, 5)])]).has_all_of_lanes());
        assert!(read(&[lane_item(0, 5, &[]), directory_item(LogPosition([5; LANES]))]).has_all_of_lanes(), "trimmed");
    }

    #[test]
    fn trimmed_changes_may_be_missing_and_the_log_goes_on_behind_them() {
        let directory = directory_item(LogPosition([4, 9, 0, 0, 0, 0, 0, 0]));
        // Lane 1 was read before the changes that the directory includes.
        let log = read(&[lane_item(0, 6, &[(5, 6)]), chunk(0, &[(3, 4)]), lane_item(1, 2, &[(1, 2)]), directory]);
        assert_eq!((log.end.0[0], log.end.0[1]), (6, 9));
        assert_eq!((sequences(&log, 0), sequences(&log, 1)), (vec![3, 4, 5, 6], vec![1, 2]));
        assert_eq!(log.unfolded(), 2);
        assert!(log.has_all_of_lanes() && log.chunks[0].is_trimmed(&log.directory.trimmed_to));
    }

    #[test]
    fn damaged_items_are_errors() {
        let wrong_lane = chunk(0, &[(1, 1)]);
        let mut moved = wrong_lane.clone();
        moved.insert("sk".to_owned(), AttributeValue::S("1#000000000001".to_owned()));
        let mut cut = wrong_lane;
        cut.insert("c2".to_owned(), AttributeValue::B(Blob::new([1, 255])));
        let mut without_last = lane_item(0, 1, &[(1, 1)]);
        without_last.remove("last");
        let unknown = pk_sk("LOG#42", "x");
        for damaged in [moved, cut, without_last, unknown] {
            assert!(matches!(LogReading::default().add(&damaged), Err(Error::Internal(_))), "{damaged:?}");
        }
    }
}
