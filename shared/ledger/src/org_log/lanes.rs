//! Lanes and sealed chunks of a log, which hold its changes.

use crate::table::Changes;
use crate::{LogEntry, LogPosition, decode_changes};
use presence_domain::error::Error;

/// Lane of a log as its item states it: everything that a writer must know to add a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneState {
    /// Sequence number of the last change; 0 if the lane has none.
    pub last: u64,
    /// Number that each move of a business raises before it looks for reviews here. A writer adds a change only under the fence that it
    /// read before the place of the business. So no review arrives in a place that its business has left.
    pub fence: u64,
    /// Changes that are not sealed.
    pub unsealed: Changes,
}

/// Sealed chunk of a log, without its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedChunk {
    /// Lane of its changes.
    pub lane: usize,
    /// Sequence number of its first change.
    pub first: u64,
    /// Sequence number of its last change.
    pub last: u64,
}

impl LaneState {
    /// Returns the first sequence numbers of those unsealed changes that are all included in a position of the lane.
    pub(crate) fn trimmed_firsts(&self, trimmed_to: u64) -> Vec<u64> {
        let firsts: Vec<u64> = self.unsealed.keys().copied().collect();
        // Unsealed changes have consecutive numbers up to the last one: each attribute ends before the next one.
        let lasts = firsts.iter().skip(1).map(|next| next.saturating_sub(1)).chain([self.last]);
        let trimmed = firsts.iter().zip(lasts).filter(|(_, last)| *last <= trimmed_to);
        trimmed.map(|(first, _)| *first).collect()
    }
}

impl SealedChunk {
    /// True if all its changes are included in the position.
    pub(crate) fn is_trimmed(&self, trimmed_to: &LogPosition) -> bool {
        trimmed_to.includes(self.lane, self.last)
    }
}

/// Decodes consecutive changes of a lane, the first of which has this sequence number.
pub fn read_entries(lane: usize, first: u64, bytes: &[u8]) -> Result<Vec<LogEntry>, Error> {
    let changes = decode_changes(bytes).map_err(Error::internal)?;
    let entry = |(offset, change): (u64, _)| {
        let sequence = first.checked_add(offset)?;
        let entry = LogEntry { sequence, change };
        (entry.lane() == lane).then_some(entry)
    };
    let entries: Option<Vec<LogEntry>> = (0..).zip(changes).map(entry).collect();
    entries.ok_or_else(|| Error::internal("a stored change is in a lane that is not that of its review"))
}
