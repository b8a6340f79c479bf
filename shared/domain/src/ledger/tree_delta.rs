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
    pub fn between(_tree: &TreeKey, _entries: &[LogEntry], _from: &LogPosition, _to: &LogPosition) -> Self {
        unimplemented!()
    }

    /// Returns the difference of the counts.
    #[must_use]
    pub fn counts(&self) -> FacetCounts {
        unimplemented!()
    }

    /// True if nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}
