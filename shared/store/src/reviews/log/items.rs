//! Lane items and sealed chunks: the attributes that hold changes.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::Item;
use presence_domain::error::Error;
use presence_ledger::{LogEntry, LogPosition, decode_changes};

/// Attribute of a lane item with the sequence number of the lane's last change.
pub(crate) const LAST: &str = "last";
/// Attribute of a lane item with the number of its fence; 0 without it.
pub(crate) const FENCE: &str = "fence";
/// Prefix of the attributes with changes. The sequence number of the first change follows.
const CHANGES_PREFIX: char = 'c';

/// Lane of a log as its lane item states it: everything that a writer must know to add a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaneState {
    /// Sequence number of the last change; 0 if the lane has none.
    pub(crate) last: u64,
    /// Number that each move of a business raises before it looks for reviews here. A writer adds a change only under the fence that
    /// it read before the place of the business: so no review arrives in a place that its business has left.
    pub(crate) fence: u64,
    /// Changes that are not sealed, in binary form, by the sequence number of the first of them.
    pub(crate) unsealed: BTreeMap<u64, Blob>,
}

/// Sealed chunk of a log, without its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SealedChunk {
    /// Lane of its changes.
    pub(crate) lane: usize,
    /// Sequence number of its first change.
    pub(crate) first: u64,
    /// Sequence number of its last change.
    pub(crate) last: u64,
}

impl LaneState {
    /// Reads a lane item.
    pub(super) fn from_item(item: &Item) -> Result<Self, Error> {
        let number = |name: &str| -> Result<Option<u64>, Error> {
            let number = item.get(name).map(|value| value.as_n().ok().and_then(|number| number.parse().ok()));
            number.map(|number| number.ok_or_else(|| Error::internal("a lane item of a log is damaged"))).transpose()
        };
        let (last, fence) = (number(LAST)?, number(FENCE)?);
        if last.is_none() && fence.is_none() {
            return Err(Error::internal("a lane item of a log has no last sequence number"));
        }
        Ok(Self { last: last.unwrap_or_default(), fence: fence.unwrap_or_default(), unsealed: changes_of(item) })
    }

    /// Returns the names of the attributes whose changes are all included in a position of the lane.
    pub(crate) fn trimmed_attributes(&self, trimmed_to: u64) -> Vec<String> {
        let firsts: Vec<u64> = self.unsealed.keys().copied().collect();
        // Unsealed changes have consecutive numbers up to the last one: each attribute ends before the next one.
        let lasts = firsts.iter().skip(1).map(|next| next.saturating_sub(1)).chain([self.last]);
        let trimmed = firsts.iter().zip(lasts).filter(|(_, last)| *last <= trimmed_to);
        trimmed.map(|(first, _)| changes_attribute(*first)).collect()
    }
}

impl SealedChunk {
    /// True if all its changes are included in the position.
    pub(crate) fn is_trimmed(&self, trimmed_to: &LogPosition) -> bool {
        trimmed_to.includes(self.lane, self.last)
    }
}

/// Returns the name of the attribute with changes from this sequence number on.
pub(super) fn changes_attribute(first: u64) -> String {
    format!("{CHANGES_PREFIX}{first}")
}

/// Returns the attributes of an item that hold changes, by the sequence number of the first of them.
pub(crate) fn changes_of(item: &Item) -> BTreeMap<u64, Blob> {
    let changes = |(name, value): (&String, &AttributeValue)| {
        let first: u64 = name.strip_prefix(CHANGES_PREFIX)?.parse().ok().filter(|first| *first > 0)?;
        Some((first, value.as_b().ok()?.clone()))
    };
    item.iter().filter_map(changes).collect()
}

/// Decodes consecutive changes of a lane, the first of which has this sequence number.
pub(crate) fn read_entries(lane: usize, first: u64, bytes: &Blob) -> Result<Vec<LogEntry>, Error> {
    let changes = decode_changes(bytes.as_ref()).map_err(Error::internal)?;
    let entry = |(offset, change): (u64, _)| {
        let sequence = first.checked_add(offset)?;
        let entry = LogEntry { sequence, change };
        (entry.lane() == lane).then_some(entry)
    };
    let entries: Option<Vec<LogEntry>> = (0..).zip(changes).map(entry).collect();
    entries.ok_or_else(|| Error::internal("a stored change is in a lane that is not that of its review"))
}
