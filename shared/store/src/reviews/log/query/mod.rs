//! Query of a log: its changes, the directory, and the position up to which both are complete.

use std::collections::BTreeMap;

use super::items::{LaneState, SealedChunk, changes_of, read_entries};
use crate::client::parallel::parallel;
use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{LogItemKey, log_pk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::{Directory, LANES, LogChange, LogEntry, LogPosition};

/// Items in one page of a Query. DynamoDB ends a page at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Maximum number of logs that are read at one instant at a time: as many as one transaction reads.
const LOGS_IN_FLIGHT: u16 = 11;
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

    /// Returns the logs of organisations as they were at one instant: by a transaction that reads their lanes and directories, and then
    /// their sealed chunks up to there.
    pub(crate) async fn read_logs_together(&self, org_ids: &[OrgId]) -> Result<Vec<OrgLog>, Error> {
        let mut retries = self.db.retries();
        loop {
            let logs = match Box::pin(self.try_read_logs_together(org_ids)).await {
                Err(Error::InProgress) => return Err(Error::Unavailable("writers held the logs of reviews".into())),
                read => read?,
            };
            if logs.iter().all(OrgLog::has_all_of_lanes) {
                return Ok(logs);
            }
            // A fold has trimmed chunks meanwhile.
            if !retries.pause().await {
                return Err(Error::Unavailable("logs of reviews kept being folded while they were read".into()));
            }
        }
    }

    async fn try_read_logs_together(&self, org_ids: &[OrgId]) -> Result<Vec<OrgLog>, Error> {
        let items_of = |org_id: &OrgId| {
            let names = (0..LANES).map(LogItemKey::Lane).chain([LogItemKey::Directory]);
            let org_id = *org_id;
            names.map(move |name| pk_sk(log_pk(org_id), name.sort_key())).collect::<Vec<_>>()
        };
        let keys: Vec<Item> = org_ids.iter().flat_map(items_of).collect();
        let items = self.db.get_in_transaction(&schema::REVIEWS, keys).await?;
        let chunks = org_ids.iter().map(|org_id| self.read_log(*org_id, SEARCH_PAGES));
        let chunks = parallel(LOGS_IN_FLIGHT, chunks).await?;
        let mut logs = Vec::with_capacity(org_ids.len());
        for (items, later) in items.chunks(LANES + 1).zip(chunks) {
            let mut reading = LogReading::default();
            items.iter().flatten().try_for_each(|item| reading.add(item))?;
            let later =
                later.ok_or_else(|| Error::Unavailable("the log of an organisation waits to be folded".into()))?;
            reading.add_until_lanes_end(later);
            logs.push(reading.finish());
        }
        Ok(logs)
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

    /// Adds the changes of a later reading up to the last ones that the lanes name.
    fn add_until_lanes_end(&mut self, later: Self) {
        let lasts = self.lanes.each_ref().map(|lane| lane.last);
        let known = later.changes.into_iter().filter(|((lane, sequence), _)| *sequence <= lasts[*lane]);
        self.changes.extend(known);
    }

    fn finish(self) -> OrgLog {
        let directory = self.directory.unwrap_or_default();
        let mut end = directory.trimmed_to;
        for (lane, last) in end.0.iter_mut().enumerate() {
            while self.changes.contains_key(&(lane, last.saturating_add(1))) {
                *last += 1;
            }
        }
        let included = self.changes.into_iter().filter(|((lane, sequence), _)| end.includes(*lane, *sequence));
        let entries = included.map(|((_, sequence), change)| LogEntry { sequence, change }).collect();
        OrgLog { entries, end, directory, lanes: self.lanes, chunks: self.chunks }
    }
}

impl OrgLog {
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
mod tests;
