//! Counts of reviews in one or several trees, split into groups, without reads: tells which nodes they need next.
//!
//! A node whose postings are all in one group, and inside the range of dates, counts as a whole. A node that the range of dates
//! or the border of a group cuts is read: a branch tells the counts of its leaves, a leaf the postings.

mod calendar_unit;
mod group_bound;
mod overlap;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use self::calendar_unit::CalendarUnit;
use self::group_bound::GroupSpan;
use self::overlap::{NodeRanges, Overlap};
use super::tree::{DecodeError, NodeRef, Period, PeriodNodes, TreeRoot, decode_branch, decode_leaf_matches};
use super::{NeededNode, NodeKind, Posting, PostingFilter, PostingKey, TreeDelta};
use presence_domain::review::FacetCounts;

/// Occurs when nodes do not have the number of matches that their parent counts.
const COUNTS_DIFFER: DecodeError = DecodeError("nodes that do not have what their parent counts");

/// Number of a group: that of a day, month or year, or one that the caller chose.
pub type GroupNumber = i64;

/// Search for counts in progress.
#[derive(Debug)]
pub struct StatsSearch {
    filter: PostingFilter,
    /// Unit of time that splits the counts; `None` if each tree belongs to one group.
    unit: Option<CalendarUnit>,
    /// Number of groups from which on no counts are added any more.
    max_groups: usize,
    /// Group of each tree, where no unit of time splits it.
    tree_groups: Vec<GroupNumber>,
    /// Counts of matches. A group may be below 0 as long as nodes are needed.
    counts: BTreeMap<GroupNumber, FacetCounts>,
    /// Groups that certainly have a match, before matches are removed.
    nonempty: BTreeSet<GroupNumber>,
    /// Ranges of groups that together certainly have a match, before matches are removed.
    spans: Vec<GroupSpan>,
    /// Number of matches that trees have and that are removed.
    removed: usize,
    /// True from when the groups that are known by themselves are more than the maximum. No counts are added any more.
    is_exceeded: bool,
    /// Branches that are needed, by tree and name.
    branches: BTreeMap<(usize, NodeRef), UnreadNode>,
    /// Leaves that are needed, by tree and name.
    leaves: BTreeMap<(usize, NodeRef), UnreadNode>,
}

/// Node that is needed.
#[derive(Clone, Debug)]
struct UnreadNode {
    keys: Range<PostingKey>,
    /// Number of its matches, whatever their dates are; `None` if only a sum of several leaves is known.
    matches: Option<i64>,
    /// Group that counts its matches until it is read.
    counted_in: Option<GroupNumber>,
}

impl StatsSearch {
    /// Starts a search without trees, for this number of groups at most.
    pub fn new(filter: PostingFilter, unit: Option<CalendarUnit>, max_groups: usize) -> Self {
        Self {
            filter,
            unit,
            max_groups,
            tree_groups: Vec::new(),
            counts: BTreeMap::new(),
            nonempty: BTreeSet::new(),
            spans: Vec::new(),
            removed: 0,
            is_exceeded: false,
            branches: BTreeMap::new(),
            leaves: BTreeMap::new(),
        }
    }

    /// Adds a tree, and the difference from its position to the position at which the search answers. No review may be in two of
    /// the trees. The group is that of all its reviews, if no unit of time splits them.
    pub fn add_tree(&mut self, group: GroupNumber, root: &TreeRoot, delta: &TreeDelta) {
        let tree = self.tree_groups.len();
        self.tree_groups.push(group);
        let filter = self.filter;
        for posting in delta.removed.values().filter(|posting| filter.admits(posting)) {
            self.removed += 1;
            let group = self.group_at(tree, posting.key.effective_at);
            self.counts.entry(group).or_default().add(posting.facet_key, -1);
        }
        self.add_postings(tree, &root.recent);
        self.add_postings(tree, &delta.added);
        for period in &root.periods {
            let start = period.span.start();
            let keys = start..period.span.end().min(root.recent_start).max(start);
            match &period.nodes {
                PeriodNodes::Leaves(leaves) => self.add_leaves(tree, keys, period, leaves),
                PeriodNodes::Branches(branches) => {
                    let ranges = NodeRanges::new(&keys, branches.iter().map(|branch| branch.start));
                    for (keys, branch) in ranges.zip(branches) {
                        self.add_node(tree, NodeKind::Branch, branch.node, keys, &branch.counts);
                    }
                }
            }
        }
    }

    /// Returns the nodes that are needed next: branches first. None if all counts are known.
    pub fn needed_nodes(&self) -> impl Iterator<Item = NeededNode> {
        let of_kind = |kind| move |(tree, node): &(usize, NodeRef)| NeededNode { tree: *tree, node: *node, kind };
        let leaves = if self.branches.is_empty() { Some(&self.leaves) } else { None };
        let leaves = leaves.into_iter().flat_map(BTreeMap::keys).map(of_kind(NodeKind::Leaf));
        self.branches.keys().map(of_kind(NodeKind::Branch)).chain(leaves)
    }

    /// Returns the number of nodes that are needed, as far as it is known.
    pub fn needed_count(&self) -> usize {
        self.branches.len() + self.leaves.len()
    }

    /// Takes the bytes of a node that was needed.
    pub fn insert_node(&mut self, node: NeededNode, bytes: &[u8]) -> Result<(), DecodeError> {
        let unread = match node.kind {
            NodeKind::Branch => self.branches.remove(&(node.tree, node.node)),
            NodeKind::Leaf => self.leaves.remove(&(node.tree, node.node)),
        };
        match (unread, node.kind) {
            (None, _) => Ok(()),
            (Some(unread), NodeKind::Branch) => self.insert_branch(node.tree, &unread, bytes),
            (Some(unread), NodeKind::Leaf) => self.insert_leaf(node.tree, &unread, bytes),
        }
    }

    /// Returns the counts of each group that has a match; `None` if there are more groups than the maximum. To be called when no
    /// node is needed any more.
    pub fn finish(mut self) -> Result<Option<BTreeMap<GroupNumber, FacetCounts>>, DecodeError> {
        if self.is_exceeded {
            return Ok(None);
        }
        self.counts.retain(|_, counts| counts.nonzero().next().is_some());
        let is_negative = |counts: &FacetCounts| counts.nonzero().any(|(_, count)| count < 0);
        if self.counts.values().any(is_negative) {
            Err(COUNTS_DIFFER)
        } else {
            Ok(Some(self.counts).filter(|counts| counts.len() <= self.max_groups))
        }
    }
}

impl StatsSearch {
    /// Returns the group of the reviews of a tree at a second.
    fn group_at(&self, tree: usize, second: i64) -> GroupNumber {
        self.unit.map_or(self.tree_groups[tree], |unit| unit.number_of(second))
    }

    /// Adds those postings that the filter admits.
    fn add_postings(&mut self, tree: usize, postings: &[Posting]) {
        let filter = self.filter;
        for posting in postings.iter().filter(|posting| filter.admits(posting)) {
            if self.is_exceeded {
                return;
            }
            let group = self.group_at(tree, posting.key.effective_at);
            self.counts.entry(group).or_default().add(posting.facet_key, 1);
            self.note_match(group);
        }
    }

    /// Adds a node with its own counts: to its group, or to the nodes that are needed.
    fn add_node(&mut self, tree: usize, kind: NodeKind, node: NodeRef, keys: Range<PostingKey>, counts: &FacetCounts) {
        let counts = counts.masked(self.filter.mask);
        let matches = counts.total();
        if matches == 0 || self.is_exceeded {
            return;
        }
        match self.overlap(tree, &keys) {
            Overlap::Outside => {}
            Overlap::Within(group) => {
                self.counts.entry(group).or_default().add_all(&counts);
                self.note_match(group);
            }
            Overlap::Cut => {
                self.add_span(tree, &keys);
                let unread = UnreadNode { keys, matches: Some(matches), counted_in: None };
                let nodes = if kind == NodeKind::Branch { &mut self.branches } else { &mut self.leaves };
                nodes.insert((tree, node), unread);
            }
        }
    }

    /// Adds a period without branches, of which only the sum of all leaves is known.
    ///
    /// The leaves of one group, or of no group, need not be read: their counts are the sum without those of the other leaves.
    fn add_leaves(&mut self, tree: usize, keys: Range<PostingKey>, period: &Period, leaves: &[(PostingKey, NodeRef)]) {
        let counts = period.counts.masked(self.filter.mask);
        if counts.total() == 0 || self.is_exceeded {
            return;
        }
        if let Overlap::Within(group) = self.overlap(tree, &keys) {
            self.note_match(group);
        } else {
            self.add_span(tree, &keys);
        }
        let ranges = NodeRanges::new(&keys, leaves.iter().map(|(start, _)| *start));
        let parts: Vec<_> =
            ranges.zip(leaves).map(|(keys, (_, leaf))| (self.overlap(tree, &keys), keys, *leaf)).collect();
        let number = |overlap: Overlap| parts.iter().filter(|(other, ..)| *other == overlap).count();
        let uncut = parts.iter().map(|(overlap, ..)| *overlap).filter(|overlap| *overlap != Overlap::Cut);
        let rest = uncut.max_by_key(|overlap| number(*overlap));
        let counted_in = if let Some(Overlap::Within(group)) = rest { Some(group) } else { None };
        if let Some(group) = counted_in {
            self.counts.entry(group).or_default().add_all(&counts);
        }
        for (_, keys, leaf) in parts.into_iter().filter(|(overlap, ..)| Some(*overlap) != rest) {
            self.leaves.insert((tree, leaf), UnreadNode { keys, matches: None, counted_in });
        }
    }

    fn insert_branch(&mut self, tree: usize, unread: &UnreadNode, bytes: &[u8]) -> Result<(), DecodeError> {
        let leaves = decode_branch(bytes)?;
        let matches = leaves.iter().map(|leaf| leaf.counts.count(self.filter.mask)).sum::<i64>();
        if unread.matches.is_some_and(|expected| expected != matches) {
            return Err(COUNTS_DIFFER);
        }
        let ranges = NodeRanges::new(&unread.keys, leaves.iter().map(|leaf| leaf.start));
        for (keys, leaf) in ranges.zip(&leaves) {
            self.add_node(tree, NodeKind::Leaf, leaf.node, keys, &leaf.counts);
        }
        Ok(())
    }

    fn insert_leaf(&mut self, tree: usize, unread: &UnreadNode, bytes: &[u8]) -> Result<(), DecodeError> {
        // Dates do not filter here, so that the number of matches can be checked against the counts.
        let every_date = PostingFilter { from: None, to: None, ..self.filter };
        let postings = decode_leaf_matches(bytes, &every_date)?;
        let counts = Posting::counts(&postings);
        if unread.matches.is_some_and(|expected| expected != counts.total()) {
            return Err(COUNTS_DIFFER);
        }
        if !postings.iter().all(|posting| unread.keys.contains(&posting.key)) {
            return Err(DecodeError("a leaf with postings outside its range"));
        }
        if let Some(group) = unread.counted_in {
            self.counts.entry(group).or_default().subtract_all(&counts);
        }
        self.add_postings(tree, &postings);
        Ok(())
    }
}
