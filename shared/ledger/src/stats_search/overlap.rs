//! Overlap of the postings of a node with the range of dates and the groups.

use std::ops::Range;

use super::{GroupNumber, StatsSearch};
use crate::{PostingKey, ReviewNumber};

/// Overlap of the postings of a node with the range of dates and the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// All are outside the range of dates.
    Outside,
    /// All are inside the range of dates, and in one group.
    Within(GroupNumber),
    /// The range of dates or the border of a group may cut them.
    Cut,
}

impl StatsSearch {
    /// Returns the overlap of the postings of a tree with these keys.
    pub(super) fn overlap(&self, tree: usize, keys: &Range<PostingKey>) -> Overlap {
        let (first, last) = seconds(keys);
        if self.filter.to.is_some_and(|to| to < first) || self.filter.from.is_some_and(|from| last < from) {
            return Overlap::Outside;
        }
        let (group, last_group) = (self.group_at(tree, first), self.group_at(tree, last));
        if group == last_group && self.is_inside(keys) { Overlap::Within(group) } else { Overlap::Cut }
    }

    /// True if all postings with these keys are inside the range of dates.
    pub(super) fn is_inside(&self, keys: &Range<PostingKey>) -> bool {
        let (first, last) = seconds(keys);
        self.filter.admits_second(first) && self.filter.admits_second(last)
    }
}

/// Returns the first and the last second of a range of keys.
pub(super) fn seconds(keys: &Range<PostingKey>) -> (i64, i64) {
    let first = keys.start.effective_at;
    // The key behind the range is the first one of its second, if nothing of that second is in the range.
    let ends_before = keys.end.id == ReviewNumber::MIN;
    let last = if ends_before { keys.end.effective_at.saturating_sub(1) } else { keys.end.effective_at };
    (first, last.max(first))
}

/// Ranges of keys of consecutive nodes: each from its start to that of the next one, the first one also before its start.
pub(super) struct NodeRanges<I> {
    /// Keys of the nodes that are left.
    rest: Range<PostingKey>,
    /// Starts of the nodes after the next one; `None` when all ranges were returned.
    starts: Option<I>,
}

impl<I: Iterator<Item = PostingKey>> NodeRanges<std::iter::Skip<I>> {
    /// Returns the ranges of nodes with these starts, which together have these keys.
    pub(super) fn new(keys: &Range<PostingKey>, starts: I) -> Self {
        Self { rest: keys.clone(), starts: Some(starts.skip(1)) }
    }
}

impl<I: Iterator<Item = PostingKey>> Iterator for NodeRanges<I> {
    type Item = Range<PostingKey>;

    fn next(&mut self) -> Option<Range<PostingKey>> {
        let Range { start, end } = self.rest;
        // Starts that are not in order, in damaged nodes, make empty ranges.
        let next = self.starts.as_mut()?.next().map(|next| next.clamp(start, end));
        if next.is_none() {
            self.starts = None;
        }
        let bound = next.unwrap_or(end);
        self.rest.start = bound;
        Some(start..bound)
    }
}
