//! Changes of a log, grouped by the review sets that they touch.

use std::collections::{BTreeMap, BTreeSet};

use crate::{LogEntry, LogPosition, ReviewSet, TreeKey};
use presence_domain::ids::OrgId;
use presence_domain::review::FacetKey;

/// Changes of one review set, in the order of their lanes.
#[derive(Debug)]
pub(super) struct SetChanges<'a> {
    pub(super) set: ReviewSet,
    pub(super) entries: Vec<&'a LogEntry>,
}

impl SetChanges<'_> {
    /// Returns the facet keys whose reviews in the set change.
    pub(super) fn facet_keys(&self) -> BTreeSet<FacetKey> {
        let tree = TreeKey { set: self.set.clone(), facet_key: None };
        let places = self.entries.iter().flat_map(|entry| [&entry.change.old, &entry.change.new]).flatten();
        places.filter(|place| place.is_in(self.set.org_id(), &tree)).map(|place| place.facet_key).collect()
    }
}

/// Changes between two positions of a log, by review set.
#[derive(Debug)]
pub(super) struct TouchedSets<'a> {
    entries: &'a [LogEntry],
    positions: BTreeMap<ReviewSet, Vec<usize>>,
}

impl<'a> TouchedSets<'a> {
    /// Groups the entries of an organisation's log behind one position and up to another one.
    pub(super) fn between(org_id: OrgId, entries: &'a [LogEntry], from: &LogPosition, to: &LogPosition) -> Self {
        let mut positions: BTreeMap<ReviewSet, Vec<usize>> = BTreeMap::new();
        for (position, entry) in entries.iter().enumerate() {
            if from.includes(entry.lane(), entry.sequence) || !to.includes(entry.lane(), entry.sequence) {
                continue;
            }
            let places = [&entry.change.old, &entry.change.new].into_iter().flatten();
            for set in places.flat_map(|place| place.sets(org_id)) {
                let of_set = positions.entry(set).or_default();
                // Old and new place are most often in the same set.
                if of_set.last() != Some(&position) {
                    of_set.push(position);
                }
            }
        }
        Self { entries, positions }
    }

    /// Returns the sets, ascending.
    pub(super) fn sets(&self) -> Vec<ReviewSet> {
        self.positions.keys().cloned().collect()
    }

    /// Returns the changes of a set.
    pub(super) fn changes_of(&self, set: &ReviewSet) -> SetChanges<'a> {
        let positions = self.positions.get(set).map_or(&[][..], Vec::as_slice);
        let entries = positions.iter().map(|position| &self.entries[*position]).collect();
        SetChanges { set: set.clone(), entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::place;
    use crate::{LANES, LogChange, ReviewNumber};

    #[test]
    fn only_changes_between_the_positions_touch_the_sets_of_their_places() {
        let org_id = OrgId::new(1).expect("an id");
        let entry = |sequence: u64| {
            let id = ReviewNumber::new(sequence * LANES as u64);
            LogEntry { sequence, change: LogChange { id, version: 1, old_version: 0, old: None, new: Some(place()) } }
        };
        let entries: Vec<LogEntry> = (1..=3).map(entry).collect();
        let touched = TouchedSets::between(org_id, &entries, &LogPosition([1; LANES]), &LogPosition([2; LANES]));
        assert_eq!(touched.sets().len(), 3);
        for set in place().sets(org_id) {
            let changes = touched.changes_of(&set);
            assert_eq!(changes.entries.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [2], "{set}");
        }
    }
}
