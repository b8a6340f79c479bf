//! Edit of leaves: those of a period without branches, or of one branch.

use super::changes::Changes;
use super::nodes::{Attempt, all_found};
use super::periods::lay_out_nodes;
use super::sizes::{NodeSize, cut_evenly, cut_full, has_neighbour, plan_merges};
use crate::tree::edited::{Draft, EditedPeriod};
use crate::tree::layout::{LEAF_MAX, LEAF_MIN, PLAIN_LEAVES_MAX};
use crate::tree::oldest::key_behind;
use crate::tree::{BranchEntry, NodeRef, Period};
use crate::{Posting, PostingKey};
use presence_domain::review::FacetCounts;

/// Leaf of an edited tree.
#[derive(Clone, Debug)]
pub(in crate::tree) struct LeafDraft {
    /// Key behind the postings of the leaf before, up to its first posting: see [`leaf_start`].
    pub(in crate::tree) start: PostingKey,
    /// Counts of its postings; `None` for a stored leaf of a period without branches, unless it was read.
    pub(in crate::tree) counts: Option<FacetCounts>,
    /// Its name or its postings.
    pub(in crate::tree) node: Draft<Vec<Posting>>,
    /// True if the edit made it smaller, so that it may have to be merged.
    shrank: bool,
}

impl LeafDraft {
    /// Returns leaves that are not stored, one for each part of ascending postings. No part is empty. All postings of the tree before
    /// the first part are before `bound`.
    pub(in crate::tree) fn chain(bound: PostingKey, parts: Vec<Vec<Posting>>) -> Vec<Self> {
        let mut bound = bound;
        let leaves = parts.into_iter().map(|postings| {
            let leaf = Self::new(bound, postings);
            bound = leaf.last_key().map_or(bound, key_behind);
            leaf
        });
        leaves.collect()
    }

    /// Returns a leaf that is not stored. There is at least one posting.
    fn new(bound: PostingKey, postings: Vec<Posting>) -> Self {
        let start = postings.first().map_or(bound, |first| leaf_start(bound, first.key));
        Self { start, counts: Some(Posting::counts(&postings)), node: Draft::New(postings), shrank: false }
    }

    /// Returns a leaf that is stored.
    pub(in crate::tree) fn stored(start: PostingKey, counts: Option<FacetCounts>, node: NodeRef) -> Self {
        Self { start, counts, node: Draft::Stored(node), shrank: false }
    }

    /// Returns the key of the last posting, if the leaf is not stored.
    fn last_key(&self) -> Option<PostingKey> {
        match &self.node {
            Draft::New(postings) => postings.last().map(|last| last.key),
            Draft::Stored(_) => None,
        }
    }

    /// Returns the entry of its branch. The leaf has a name, and its counts are known.
    pub(in crate::tree) fn to_entry(&self) -> BranchEntry {
        let counts = self.counts.clone().unwrap_or_default();
        BranchEntry { start: self.start, counts, node: self.node.name() }
    }

    /// Returns the number of postings, if it is known.
    fn size(&self) -> Option<usize> {
        self.counts.as_ref().and_then(|counts| usize::try_from(counts.total()).ok())
    }

    fn is_small(&self) -> bool {
        self.shrank && self.size().is_some_and(|size| size < LEAF_MIN)
    }
}

/// Returns the start of a leaf with this first posting. All postings of the leaves before are before `bound`.
///
/// It is the first key of the second, which takes 8 bytes fewer than a key with an id. If the leaf before ends in the same second, it
/// is the key of the posting. A bound behind the posting is that of the first leaf of a period, which nothing is before.
pub(in crate::tree) fn leaf_start(bound: PostingKey, first: PostingKey) -> PostingKey {
    let second = PostingKey::at(first.effective_at);
    if bound <= second || first < bound { second } else { first }
}

/// Leaves to merge.
#[derive(Debug)]
pub(super) struct LeafMerges {
    leaves: Vec<LeafDraft>,
    /// For each leaf after the merges: the number of leaves that become this one.
    sizes: Vec<usize>,
}

impl LeafMerges {
    /// Plans merges by sizes. No leaf is read for it.
    pub(super) fn plan(leaves: Vec<LeafDraft>) -> Self {
        let nodes = leaves.iter().map(|leaf| NodeSize { size: leaf.size(), shrank: leaf.shrank });
        let sizes = plan_merges(nodes, LEAF_MIN, LEAF_MAX);
        Self { leaves, sizes }
    }

    /// Returns the number of leaves after the merges.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }
}

impl Attempt<'_> {
    /// Edits a period without branches; none if nothing stays.
    pub(super) fn edit_plain_period(
        &mut self,
        period: &Period,
        leaves: &[(PostingKey, NodeRef)],
        changes: Changes<'_>,
    ) -> Option<Vec<EditedPeriod>> {
        let stored = leaves.iter().map(|(start, node)| LeafDraft::stored(*start, None, *node)).collect();
        let (mut leaves, difference) = self.edit_leaves(stored, changes, true)?;
        self.count_neighbours(&mut leaves)?;
        let mut leaves = self.merge_leaves(LeafMerges::plan(leaves))?;
        if leaves.len() > PLAIN_LEAVES_MAX {
            // Branches name the counts of each leaf.
            let found = leaves.iter_mut().map(|leaf| self.count_leaf(leaf)).collect();
            all_found(found)?;
        }
        if leaves.is_empty() {
            return Some(Vec::new());
        }
        let counts = self.counts_after(period, &difference, &leaves);
        Some(vec![EditedPeriod { span: period.span, counts, nodes: lay_out_nodes(leaves) }])
    }

    /// Applies changes to leaves: those that change are read, and cut if they become too large. Returns them with the difference of
    /// their counts. `at_end` is true if the last leaf is the last one of its period.
    pub(super) fn edit_leaves(
        &mut self,
        leaves: Vec<LeafDraft>,
        mut changes: Changes<'_>,
        at_end: bool,
    ) -> Option<(Vec<LeafDraft>, FacetCounts)> {
        let ends: Vec<PostingKey> = leaves.iter().skip(1).map(|leaf| leaf.start).collect();
        let mut found = Vec::with_capacity(leaves.len());
        for (index, leaf) in leaves.into_iter().enumerate() {
            let end = ends.get(index);
            let own = end.map_or(changes, |end| changes.split_off_before(*end));
            found.push(self.edit_leaf(leaf, own, at_end && end.is_none()));
        }
        let mut difference = FacetCounts::default();
        let mut edited = Vec::new();
        for (leaves, leaf_difference) in all_found(found)? {
            edited.extend(leaves);
            difference.add_all(&leaf_difference);
        }
        Some((edited, difference))
    }

    fn edit_leaf(
        &mut self,
        leaf: LeafDraft,
        changes: Changes<'_>,
        at_end: bool,
    ) -> Option<(Vec<LeafDraft>, FacetCounts)> {
        let Draft::Stored(node) = leaf.node else { return Some((vec![leaf], FacetCounts::default())) };
        if changes.is_empty() {
            return Some((vec![leaf], FacetCounts::default()));
        }
        let before = self.nodes.leaf(node)?;
        let counts = Posting::counts(&before);
        self.mismatches += usize::from(leaf.counts.as_ref().is_some_and(|named| *named != counts));
        let (after, mismatches) = changes.apply(&before);
        self.mismatches += mismatches;
        let mut difference = Posting::counts(&after);
        difference.subtract_all(&counts);
        if after == before {
            return Some((vec![LeafDraft { counts: Some(counts), ..leaf }], difference));
        }
        self.replaced.push(node);
        let shrank = after.len() < before.len();
        // New postings mostly come at the end of a period. Leaves that are full there are not written again.
        let cut = if at_end { cut_full(after, LEAF_MAX) } else { cut_evenly(after, LEAF_MAX) };
        let leaves = LeafDraft::chain(leaf.start, cut);
        Some((leaves.into_iter().map(|leaf| LeafDraft { shrank, ..leaf }).collect(), difference))
    }

    /// Counts the neighbours of small leaves, since one of them may take in the small one.
    fn count_neighbours(&mut self, leaves: &mut [LeafDraft]) -> Option<()> {
        let is_small: Vec<bool> = leaves.iter().map(LeafDraft::is_small).collect();
        let neighbours = leaves.iter_mut().enumerate().filter(|(index, _)| has_neighbour(&is_small, *index));
        let found = neighbours.map(|(_, leaf)| self.count_leaf(leaf)).collect();
        all_found(found).map(drop)
    }

    fn count_leaf(&mut self, leaf: &mut LeafDraft) -> Option<()> {
        if let (None, Draft::Stored(node)) = (&leaf.counts, &leaf.node) {
            leaf.counts = Some(Posting::counts(&self.nodes.leaf(*node)?));
        }
        Some(())
    }

    /// Merges leaves as planned. Stored ones are read.
    pub(super) fn merge_leaves(&mut self, merges: LeafMerges) -> Option<Vec<LeafDraft>> {
        let mut leaves = merges.leaves.into_iter();
        let groups: Vec<Vec<LeafDraft>> =
            merges.sizes.iter().map(|size| leaves.by_ref().take(*size).collect()).collect();
        let found = groups.into_iter().map(|group| self.merge_group(group)).collect();
        all_found(found)
    }

    fn merge_group(&mut self, group: Vec<LeafDraft>) -> Option<LeafDraft> {
        let group = match <[LeafDraft; 1]>::try_from(group) {
            Ok([leaf]) => return Some(leaf),
            Err(group) => group,
        };
        let bound = group.first().map_or(PostingKey::FIRST, |first| first.start);
        let mut found = Vec::with_capacity(group.len());
        for leaf in group {
            found.push(match leaf.node {
                Draft::New(postings) => Some(postings),
                Draft::Stored(node) => {
                    self.replaced.push(node);
                    self.nodes.leaf(node)
                }
            });
        }
        Some(LeafDraft::new(bound, all_found(found)?.concat()))
    }

    /// Returns the counts of an edited period: those of its leaves if all are known, else those before and the difference.
    fn counts_after(&mut self, period: &Period, difference: &FacetCounts, leaves: &[LeafDraft]) -> FacetCounts {
        let mut expected = period.counts.clone();
        expected.add_all(difference);
        let known: Option<Vec<&FacetCounts>> = leaves.iter().map(|leaf| leaf.counts.as_ref()).collect();
        let Some(known) = known else {
            self.mismatches += expected.raise_to_zero();
            return expected;
        };
        let mut counts = FacetCounts::default();
        for leaf in known {
            counts.add_all(leaf);
        }
        self.mismatches += usize::from(counts != expected);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::posting_at;

    #[test]
    fn a_leaf_is_small_if_it_shrank_and_has_few_postings() {
        for (size, shrank, is_small) in [
            (LEAF_MIN - 1, true, true),
            (LEAF_MIN, true, false),
            (LEAF_MIN - 1, false, false),
            (LEAF_MIN, false, false),
        ] {
            let postings = (0..).map(posting_at).take(size).collect();
            let leaf = LeafDraft { shrank, ..LeafDraft::new(PostingKey::FIRST, postings) };
            assert_eq!(leaf.is_small(), is_small, "{size}, {shrank}");
        }
    }
}
