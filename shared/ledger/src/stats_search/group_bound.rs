//! Least number of groups, as far as it is known before all nodes are read.

use std::ops::Range;

use super::overlap::seconds;
use super::{GroupNumber, StatsSearch};
use crate::PostingKey;

/// Range of groups that together have a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupSpan {
    last: GroupNumber,
    first: GroupNumber,
}

impl StatsSearch {
    /// True if there are certainly more groups than the maximum.
    pub fn has_too_many_groups(&mut self) -> bool {
        self.is_exceeded || self.least_groups() > self.max_groups
    }

    /// Notes a group that certainly has a match. Each match that is removed can empty one of them. Trees that are added later remove
    /// none of these matches.
    pub(super) fn note_match(&mut self, group: GroupNumber) {
        self.nonempty.insert(group);
        self.is_exceeded |= self.nonempty.len() > self.max_groups.saturating_add(self.removed);
    }

    /// Returns a number of groups that there certainly are. Each range that shares no group with another one has a match of its own, unless
    /// that is removed.
    ///
    /// Forgets the other ranges. The nodes that are read next tell shorter ones.
    fn least_groups(&mut self) -> usize {
        let known = self.nonempty.iter().map(|group| GroupSpan { first: *group, last: *group });
        self.spans.extend(known);
        self.spans.sort_unstable_by_key(|span| span.last);
        let mut taken_to = None;
        self.spans.retain(|span| {
            let is_apart = taken_to.is_none_or(|last| last < span.first);
            taken_to = if is_apart { Some(span.last) } else { taken_to };
            is_apart
        });
        self.spans.len().saturating_sub(self.removed)
    }

    /// Notes that postings of a tree with these keys have a match, if all of them are inside the range of dates.
    pub(super) fn add_span(&mut self, tree: usize, keys: &Range<PostingKey>) {
        if self.is_inside(keys) {
            let (first, last) = seconds(keys);
            self.spans.push(GroupSpan { first: self.group_at(tree, first), last: self.group_at(tree, last) });
        }
    }
}
