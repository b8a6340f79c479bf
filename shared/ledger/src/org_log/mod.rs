//! Query of a log: its changes, the directory, and the position up to which both are complete.

mod lanes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::lanes::{LaneState, SealedChunk, read_entries};
use crate::parallel::parallel;
use crate::table::{Changes, Consistency, LedgerTable, LogItem, ValueName};
use crate::{Directory, LANES, LogChange, LogEntry, LogPosition};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of logs that are read at one instant at a time: as many as one transaction reads.
const LOGS_IN_FLIGHT: u16 = 11;
/// Maximum number of pages that a search reads: 16 MB, some 200,000 changes. Folds begin long before.
const SEARCH_PAGES: usize = 16;

/// Log of an organisation as one Query shows it, with the directory of the organisation's trees.
#[derive(Clone, Debug, Default)]
pub struct OrgLog {
    /// Changes up to `end`, by lane, then by sequence number. Those up to `directory.trimmed_to` may be missing.
    pub entries: Vec<LogEntry>,
    /// Position up to which the log is complete. Includes every change that was acknowledged before the Query began.
    pub end: LogPosition,
    /// Directory, or the default if there is none.
    pub directory: Directory,
    /// Lanes, by their number.
    pub lanes: [LaneState; LANES],
    /// Sealed chunks, by lane, then by sequence number.
    pub chunks: Vec<SealedChunk>,
}

/// Reader of logs.
#[derive(Clone, Debug)]
pub struct LogReader {
    table: Arc<dyn LedgerTable>,
}

/// Items of a log while they are read.
#[derive(Default)]
struct LogReading {
    changes: BTreeMap<(usize, u64), LogChange>,
    lanes: [LaneState; LANES],
    chunks: Vec<SealedChunk>,
    directory: Option<Directory>,
}

impl LogReader {
    /// Returns the reader of the logs of a table.
    pub fn new(table: Arc<dyn LedgerTable>) -> Self {
        Self { table }
    }

    /// Returns the log of an organisation by a strong Query. A log of more than 16 MB is [`Error::Unavailable`]: a fold shortens it.
    pub async fn query_log(&self, org_id: OrgId) -> Result<OrgLog, Error> {
        let log = self.query_log_pages(org_id, SEARCH_PAGES).await?;
        log.ok_or_else(|| Error::Unavailable("the log of an organisation waits to be folded".into()))
    }

    /// Returns the log of an organisation by a strong Query of some pages; `None` if it has more.
    ///
    /// A Query is no snapshot. It may see the lane item of a transaction that sealed changes, and miss its chunk, which
    /// DynamoDB stores a moment later. Such a lane has a gap before its last change. The log is then read again, since the
    /// gap may hide acknowledged changes.
    pub async fn query_log_pages(&self, org_id: OrgId, max_pages: usize) -> Result<Option<OrgLog>, Error> {
        let mut retries = self.table.pauses();
        loop {
            let Some(reading) = self.read_log(org_id, max_pages).await? else { return Ok(None) };
            let log = reading.finish();
            if log.has_all_of_lanes() {
                return Ok(Some(log));
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("a log of reviews has a gap".into()));
            }
        }
    }

    /// Returns the oldest changes of a log that is too long to be read at once: those in some items of each lane.
    pub async fn query_log_start(&self, org_id: OrgId, lane_items: i32) -> Result<OrgLog, Error> {
        let mut reading = LogReading::default();
        for lane in 0..LANES {
            let items = self.table.lane_start(org_id, lane, lane_items).await?;
            items.into_iter().try_for_each(|item| reading.add(item))?;
        }
        // Last, for the same reason as in one Query. Chunks are read oldest first, so the position ends where the read ended.
        let directory = self.table.get(vec![ValueName::Directory(org_id)], Consistency::Strong).await?;
        let directory = directory.into_iter().flatten().next();
        reading.directory = directory.map(|value| read_directory(&value.bytes)).transpose()?;
        Ok(reading.finish())
    }

    /// Returns the logs of organisations as they were at one instant. A transaction reads their lanes and directories. Then their sealed
    /// chunks are read up to there.
    pub async fn read_logs_together(&self, org_ids: &[OrgId]) -> Result<Vec<OrgLog>, Error> {
        let mut retries = self.table.pauses();
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
        let items = self.table.logs_together(org_ids).await?;
        let chunks = org_ids.iter().map(|org_id| self.read_log(*org_id, SEARCH_PAGES));
        let chunks = parallel(LOGS_IN_FLIGHT, chunks).await?;
        let mut logs = Vec::with_capacity(org_ids.len());
        for (items, later) in items.into_iter().zip(chunks) {
            let mut reading = LogReading::default();
            items.into_iter().try_for_each(|item| reading.add(item))?;
            let later =
                later.ok_or_else(|| Error::Unavailable("the log of an organisation waits to be folded".into()))?;
            reading.add_until_lanes_end(later);
            logs.push(reading.finish());
        }
        Ok(logs)
    }

    async fn read_log(&self, org_id: OrgId, max_pages: usize) -> Result<Option<LogReading>, Error> {
        let (mut reading, mut start) = (LogReading::default(), None);
        // The order of the sort keys is essential. A lane is read before its chunks: what the lane item does not hold any more
        // is in a chunk. The directory is read last: what was trimmed before it was read is in the trees that it names.
        for _ in 0..max_pages {
            let (page, next) = self.table.log_page(org_id, start).await?;
            page.into_iter().try_for_each(|item| reading.add(item))?;
            start = next;
            if start.is_none() {
                return Ok(Some(reading));
            }
        }
        Ok(None)
    }
}

impl LogReading {
    fn add(&mut self, item: LogItem) -> Result<(), Error> {
        match item {
            LogItem::Lane { lane, state } => {
                self.add_changes(lane, &state.unsealed)?;
                self.lanes[lane] = state;
            }
            LogItem::Chunk { lane, first, changes } => {
                let last = self.add_changes(lane, &changes)?.unwrap_or(first);
                self.chunks.push(SealedChunk { lane, first, last });
            }
            LogItem::Directory(bytes) => self.directory = Some(read_directory(&bytes)?),
        }
        Ok(())
    }

    /// Adds changes of a lane. Returns the largest sequence number of them.
    fn add_changes(&mut self, lane: usize, changes: &Changes) -> Result<Option<u64>, Error> {
        let mut last = None;
        for (first, bytes) in changes {
            for LogEntry { sequence, change } in read_entries(lane, *first, bytes)? {
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
    /// Returns the number of changes that the trees may lack.
    pub fn unfolded(&self) -> u64 {
        self.end.0.iter().zip(&self.directory.trimmed_to.0).map(|(end, trimmed)| end.saturating_sub(*trimmed)).sum()
    }

    /// True if the log includes the last change that each lane item names.
    fn has_all_of_lanes(&self) -> bool {
        self.lanes.iter().zip(&self.end.0).all(|(state, end)| *end >= state.last)
    }
}

fn read_directory(bytes: &[u8]) -> Result<Directory, Error> {
    Directory::decode(bytes).map_err(Error::internal)
}
