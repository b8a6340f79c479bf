//! Counts of trees: roots are completed from the log, and nodes are read that the counts need.

use super::Searcher;
use super::log_view::LogView;
use super::read_error::ReadError;
use super::snapshot::{OrgSnapshot, decode_at};
use super::target::OrgTarget;
use crate::{CalendarUnit, GroupNumber, NodeKind, PostingFilter, ReviewSet, StatsSearch, TreeKey};
use presence_domain::review::FacetCounts;
use presence_domain::review_stats::{MAX_GROUPS, TooManyGroupsError};

/// Number of branches that are read at a time. They have some 25 KB each, so that 4 MB are in flight.
const BRANCHES_AT_A_TIME: usize = 160;
/// Number of leaves that are read at a time. They have up to 4 KB each, so that 4 MB are in flight. The borders of the most days that
/// are answered cut one leaf more than there are days, so that these are read at once.
const LEAVES_AT_A_TIME: usize = 1_024;

/// Number of nodes that may wait to be read before further trees are added: 1 MB of names and ranges.
const MAX_WAITING_NODES: usize = 10_000;

/// Occurs when trees are not counted.
#[derive(Debug)]
pub enum CountError {
    /// The ledger was not read.
    Read(ReadError),
    /// There are too many groups.
    TooManyGroups(TooManyGroupsError),
}

/// Counts of trees that are added one after the other.
#[derive(Debug)]
pub struct TreeCounts {
    search: StatsSearch,
    /// Trees in the order in which they were added.
    trees: Vec<TreeKey>,
}

impl TreeCounts {
    /// Returns the counts of no tree.
    pub fn new(filter: PostingFilter, unit: Option<CalendarUnit>) -> Self {
        Self { search: StatsSearch::new(filter, unit, MAX_GROUPS), trees: Vec::new() }
    }

    /// Adds the trees of an organisation, each in its group. A tree without a root and without changes is left out.
    pub fn add_org(
        &mut self,
        org: &OrgTarget,
        snapshot: &OrgSnapshot,
        mut group_of: impl FnMut(&ReviewSet) -> GroupNumber,
    ) -> Result<(), ReadError> {
        let view = LogView::new(&snapshot.log, org.trees.len());
        for (tree, stored) in org.trees.iter().zip(&snapshot.roots) {
            let root = decode_at(stored.as_ref(), &snapshot.log)?;
            let delta = view.delta(tree, &root.position);
            if stored.is_some() || !delta.is_empty() {
                self.search.add_tree(group_of(&tree.set), &root, &delta);
                self.trees.push(tree.clone());
            }
        }
        Ok(())
    }

    /// True if so many nodes must be read that they are to be read before further trees are added.
    pub fn is_full(&self) -> bool {
        self.search.needed_count() > MAX_WAITING_NODES
    }

    /// Checks that there may still be few enough groups.
    pub fn check_groups(&mut self) -> Result<(), CountError> {
        if self.search.has_too_many_groups() { Err(TooManyGroupsError.into()) } else { Ok(()) }
    }

    /// Returns the counts of each group that has a review. To be called when all nodes are read.
    pub fn finish(self) -> Result<Vec<(GroupNumber, FacetCounts)>, CountError> {
        let counts = self.search.finish().map_err(ReadError::from)?.ok_or(TooManyGroupsError)?;
        Ok(counts.into_iter().collect())
    }
}

impl Searcher {
    /// Reads nodes that the counts need: first branches, then leaves, up to 4 MB of them. False if none were needed any more.
    ///
    /// Nodes that are all cached are counted without a wait, so a caller with a deadline waits between two calls.
    pub async fn read_counts(&self, counts: &mut TreeCounts) -> Result<bool, CountError> {
        counts.check_groups()?;
        let mut needed: Vec<_> = counts.search.needed_nodes().take(LEAVES_AT_A_TIME).collect();
        let Some(first) = needed.first() else { return Ok(false) };
        if first.kind == NodeKind::Branch {
            needed.truncate(BRANCHES_AT_A_TIME);
        }
        let mut missing = Vec::new();
        for node in needed {
            match self.cache.node(&counts.trees[node.tree], node.node) {
                Some(bytes) => counts.search.insert_node(node, &bytes).map_err(ReadError::from)?,
                None => missing.push(node),
            }
        }
        let names: Vec<_> = missing.iter().map(|node| (&counts.trees[node.tree], node.node)).collect();
        let read = self.read_nodes_of_roots(&names).await?;
        for (node, bytes) in missing.into_iter().zip(read) {
            counts.search.insert_node(node, &bytes).map_err(ReadError::from)?;
        }
        Ok(true)
    }
}

impl From<ReadError> for CountError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<TooManyGroupsError> for CountError {
    fn from(error: TooManyGroupsError) -> Self {
        Self::TooManyGroups(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{facet_key, posting_at};
    use crate::tree::{MonthSpan, NodeRef, Period, PeriodNodes, TreeRoot};
    use crate::{PostingKey, TreeDelta};
    use presence_domain::calendar::{Month, SECONDS_OF_DAY};
    use presence_domain::review::FacetMask;

    fn counts_by_day(root: &TreeRoot, trees: usize) -> TreeCounts {
        let everything = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
        let mut counts = TreeCounts::new(everything, Some(CalendarUnit::Day));
        for _ in 0..trees {
            counts.search.add_tree(0, root, &TreeDelta::default());
        }
        counts
    }

    /// Returns the root of a year whose leaves begin at noon, so that the border of a day cuts each.
    fn root_with_leaves(number: u32) -> TreeRoot {
        let span = MonthSpan { first: Month::from_number(2_024 * 12), months: 12 };
        let first = span.start().effective_at + SECONDS_OF_DAY / 2;
        let leaf =
            |day: u32| (PostingKey::at(first + i64::from(day) * SECONDS_OF_DAY), NodeRef { slot: day, stamp: 0 });
        let mut counts = FacetCounts::default();
        counts.add(facet_key(), 1_000);
        let nodes = PeriodNodes::Leaves((0..number).map(leaf).collect());
        TreeRoot { periods: vec![Period { span, counts, nodes }], recent_start: PostingKey::END, ..TreeRoot::empty() }
    }

    #[test]
    fn trees_wait_once_more_nodes_than_the_maximum_are_to_be_read() {
        let root = root_with_leaves(250);
        for (trees, is_full) in [(40, false), (41, true)] {
            let counts = counts_by_day(&root, trees);
            assert_eq!((counts.search.needed_count(), counts.is_full()), (trees * 250, is_full));
        }
    }

    #[test]
    fn more_groups_than_an_answer_may_have_are_an_error() {
        for (days, is_error) in [(MAX_GROUPS, false), (MAX_GROUPS + 1, true)] {
            let recent = (0..).take(days).map(|day| posting_at(day * SECONDS_OF_DAY)).collect();
            let root = TreeRoot { recent, ..TreeRoot::empty() };
            assert_eq!(counts_by_day(&root, 1).check_groups().is_err(), is_error, "{days} days");
        }
    }
}
