//! Changes of the log, as one tree sees them.

use std::collections::HashMap;

use super::{FacetCounts, LogEntry, LogPosition, Posting, ReviewNumber, TreeKey};

/// Difference of a tree between two positions of the log.
#[derive(Clone, Debug, Default)]
pub struct TreeDelta {
    /// Postings that the tree has at the first position and not, or not like this, at the second one.
    pub removed: HashMap<ReviewNumber, Posting>,
    /// Postings that the tree has at the second position and not, or not like this, at the first one; ascending.
    pub added: Vec<Posting>,
}

impl TreeDelta {
    /// Returns the difference of a tree between two positions. The entries are those of the organisation's log, in the order of
    /// their lanes, and include every one between the positions; others are skipped.
    #[must_use]
    pub fn between<'a>(
        tree: &TreeKey,
        entries: impl IntoIterator<Item = &'a LogEntry>,
        from: &LogPosition,
        to: &LogPosition,
    ) -> Self {
        let mut passed = *from;
        let mut changes: HashMap<ReviewNumber, Moves> = HashMap::new();
        for LogEntry { sequence, change } in entries {
            let lane = change.id.lane();
            if passed.includes(lane, *sequence) || !to.includes(lane, *sequence) {
                continue;
            }
            passed.0[lane] = *sequence;
            let old = change.old.as_ref().and_then(|place| place.posting_in(tree, change.id, change.old_version));
            let new = change.new.as_ref().and_then(|place| place.posting_in(tree, change.id, change.version));
            if old.is_some() || new.is_some() {
                changes.entry(change.id).or_insert(Moves { old, new }).new = new;
            }
        }
        Self::of(changes)
    }

    fn of(changes: HashMap<ReviewNumber, Moves>) -> Self {
        let mut delta = Self::default();
        for (id, Moves { old, new }) in changes.into_iter().filter(|(_, moves)| moves.old != moves.new) {
            delta.removed.extend(old.map(|old| (id, old)));
            delta.added.extend(new);
        }
        delta.added.sort_unstable();
        delta
    }

    /// Returns the difference of the counts.
    #[must_use]
    pub fn counts(&self) -> FacetCounts {
        let mut counts = FacetCounts::of(&self.added);
        counts.subtract_all(&FacetCounts::of(self.removed.values()));
        counts
    }

    /// True if nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

/// Posting of one review in a tree, before the first of its changes and after the last one.
#[derive(Clone, Copy, Debug)]
struct Moves {
    old: Option<Posting>,
    new: Option<Posting>,
}
