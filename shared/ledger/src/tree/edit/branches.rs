//! Edit of periods with branches.

use super::changes::Changes;
use super::leaves::{LeafDraft, LeafMerges};
use super::nodes::{Attempt, all_found};
use super::sizes::{NodeSize, cut_evenly, cut_full, has_neighbour, plan_merges};
use crate::PostingKey;
use crate::tree::edited::{Draft, EditedNodes, EditedPeriod};
use crate::tree::layout::{BRANCH_MAX, BRANCH_MIN, PLAIN_LEAVES_MAX};
use crate::tree::{BranchEntry, BranchRef, Period};
use presence_domain::review::FacetCounts;

/// Branch of an edited tree.
#[derive(Clone, Debug)]
pub(in crate::tree) struct BranchDraft {
    /// Key of its first leaf.
    pub(in crate::tree) start: PostingKey,
    /// Counts of its postings.
    pub(in crate::tree) counts: FacetCounts,
    /// Its name or its leaves.
    pub(in crate::tree) node: Draft<Vec<LeafDraft>>,
}

impl BranchDraft {
    /// Returns a branch that is not stored. There is at least one leaf, and the counts of all are known.
    pub(in crate::tree) fn new(leaves: Vec<LeafDraft>) -> Self {
        let start = leaves.first().map_or(PostingKey::FIRST, |leaf| leaf.start);
        let mut counts = FacetCounts::default();
        leaves.iter().filter_map(|leaf| leaf.counts.as_ref()).for_each(|leaf| counts.add_all(leaf));
        Self { start, counts, node: Draft::New(leaves) }
    }

    /// Returns a branch that is stored.
    pub(in crate::tree) fn stored(branch: &BranchRef) -> Self {
        Self { start: branch.start, counts: branch.counts.clone(), node: Draft::Stored(branch.node) }
    }

    /// Returns the leaves of a branch that is not stored.
    pub(in crate::tree) fn new_leaves(&self) -> &[LeafDraft] {
        if let Draft::New(leaves) = &self.node { leaves } else { &[] }
    }

    /// Returns the leaves of a branch that is not stored.
    pub(in crate::tree) fn new_leaves_mut(&mut self) -> &mut [LeafDraft] {
        if let Draft::New(leaves) = &mut self.node { leaves } else { &mut [] }
    }

    /// Returns what the root names. The branch is stored.
    pub(in crate::tree) fn into_ref(self) -> BranchRef {
        BranchRef { start: self.start, node: self.node.name(), counts: self.counts }
    }
}

/// Branch during the edit.
#[derive(Debug)]
struct OpenBranch<'a> {
    stored: &'a BranchRef,
    /// Its leaves after the changes; `None` if the branch was not read.
    leaves: Option<LeafMerges>,
    /// Number of its leaves before the changes, if it was read.
    old_size: usize,
    is_changed: bool,
}

impl OpenBranch<'_> {
    fn size(&self) -> NodeSize {
        let size = self.leaves.as_ref().map(LeafMerges::len);
        NodeSize { size, shrank: size.is_some_and(|size| size < self.old_size) }
    }

    fn is_small(&self) -> bool {
        let NodeSize { size, shrank } = self.size();
        shrank && size.is_some_and(|size| size < BRANCH_MIN)
    }
}

impl Attempt<'_> {
    /// Edits a period with branches; none if nothing stays. Only changed branches are read, and small ones with their
    /// neighbours.
    pub(super) fn edit_branched_period(
        &mut self,
        period: &Period,
        branches: &[BranchRef],
        changes: Changes<'_>,
    ) -> Option<Vec<EditedPeriod>> {
        let (mut open, mut expected) = self.open_branches(branches, changes)?;
        // Neighbours of small branches and of small leaves are read in the same round: merges follow from sizes alone.
        let sized = self.read_neighbours(&mut open);
        let groups = plan_merges(open.iter().map(OpenBranch::size), BRANCH_MIN, BRANCH_MAX);
        let closed = self.close_branches(open, &groups);
        sized?;
        let branches = closed?;
        let mut counts = FacetCounts::default();
        for branch in &branches {
            counts.add_all(&branch.counts);
        }
        expected.add_all(&period.counts);
        self.mismatches += usize::from(counts != expected);
        let nodes = lay_out_branches(branches);
        Some(nodes.map(|nodes| EditedPeriod { span: period.span, counts, nodes }).into_iter().collect())
    }

    /// Applies changes to branches. Returns them with the difference of their counts.
    fn open_branches<'a>(
        &mut self,
        branches: &'a [BranchRef],
        mut changes: Changes<'_>,
    ) -> Option<(Vec<OpenBranch<'a>>, FacetCounts)> {
        let mut found = Vec::with_capacity(branches.len());
        for (index, branch) in branches.iter().enumerate() {
            let end = branches.get(index + 1).map(|next| next.start);
            let own = end.map_or(changes, |end| changes.split_off_before(end));
            let entries = if own.is_empty() { Some(None) } else { self.nodes.branch(branch.node).map(Some) };
            found.push(entries.map(|entries| (branch, own, entries)));
        }
        let mut difference = FacetCounts::default();
        let mut opened = Vec::with_capacity(branches.len());
        for (branch, own, entries) in all_found(found)? {
            let at_end = opened.len() + 1 == branches.len();
            opened.push(self.open_branch(branch, own, entries, at_end));
        }
        let mut open = Vec::with_capacity(branches.len());
        for (branch, branch_difference) in all_found(opened)? {
            difference.add_all(&branch_difference);
            open.push(branch);
        }
        Some((open, difference))
    }

    fn open_branch<'a>(
        &mut self,
        stored: &'a BranchRef,
        changes: Changes<'_>,
        entries: Option<Vec<BranchEntry>>,
        at_end: bool,
    ) -> Option<(OpenBranch<'a>, FacetCounts)> {
        let Some(entries) = entries else {
            return Some((OpenBranch { stored, leaves: None, old_size: 0, is_changed: false }, FacetCounts::default()));
        };
        let old_size = entries.len();
        let (leaves, difference) = self.edit_leaves(stored_leaves(entries), changes, at_end)?;
        let is_changed = leaves.len() != old_size || leaves.iter().any(|leaf| matches!(leaf.node, Draft::New(_)));
        let leaves = Some(LeafMerges::plan(leaves));
        Some((OpenBranch { stored, leaves, old_size, is_changed }, difference))
    }

    /// Reads the neighbours of small branches, since one of them may take in the small one.
    fn read_neighbours(&mut self, branches: &mut [OpenBranch<'_>]) -> Option<()> {
        let is_small: Vec<bool> = branches.iter().map(OpenBranch::is_small).collect();
        let mut found = Vec::new();
        for (index, branch) in branches.iter_mut().enumerate() {
            if branch.leaves.is_none() && has_neighbour(&is_small, index) {
                let entries = self.nodes.branch(branch.stored.node);
                branch.old_size = entries.as_ref().map_or(0, Vec::len);
                branch.leaves = entries.map(|entries| LeafMerges::plan(stored_leaves(entries)));
                found.push(branch.leaves.as_ref().map(drop));
            }
        }
        all_found(found).map(drop)
    }

    /// Returns the branches after the edit. Each group of branches is merged, and cut if it is too large.
    fn close_branches(&mut self, branches: Vec<OpenBranch<'_>>, groups: &[usize]) -> Option<Vec<BranchDraft>> {
        let mut branches = branches.into_iter();
        let mut found = Vec::with_capacity(groups.len());
        for (number, size) in groups.iter().enumerate() {
            let group: Vec<OpenBranch<'_>> = branches.by_ref().take(*size).collect();
            found.push(self.close_group(group, number + 1 == groups.len()));
        }
        Some(all_found(found)?.concat())
    }

    fn close_group(&mut self, group: Vec<OpenBranch<'_>>, at_end: bool) -> Option<Vec<BranchDraft>> {
        if let [branch] = &group[..]
            && !branch.is_changed
        {
            return Some(vec![BranchDraft::stored(branch.stored)]);
        }
        self.replaced.extend(group.iter().map(|branch| branch.stored.node));
        let merges = group.into_iter().filter_map(|branch| branch.leaves);
        let found = merges.map(|merges| self.merge_leaves(merges)).collect();
        let leaves = all_found(found)?.concat();
        // As with leaves: new ones mostly come at the end, and full branches there are not written again.
        let cut = if at_end { cut_full(leaves, BRANCH_MAX) } else { cut_evenly(leaves, BRANCH_MAX) };
        Some(cut.into_iter().map(BranchDraft::new).collect())
    }
}

/// Returns the leaves of a stored branch.
pub(super) fn stored_leaves(entries: Vec<BranchEntry>) -> Vec<LeafDraft> {
    let stored = |entry: BranchEntry| LeafDraft::stored(entry.start, Some(entry.counts), entry.node);
    entries.into_iter().map(stored).collect()
}

/// Returns the nodes of a period: its branches, or the leaves if there are few; `None` if there are none.
fn lay_out_branches(mut branches: Vec<BranchDraft>) -> Option<EditedNodes> {
    if let [branch] = &mut branches[..]
        && let Draft::New(leaves) = &mut branch.node
        && leaves.len() <= PLAIN_LEAVES_MAX
    {
        return Some(EditedNodes::Leaves(std::mem::take(leaves)));
    }
    (!branches.is_empty()).then_some(EditedNodes::Branches(branches))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::NodeRef;
    use crate::tree::edit::Nodes;

    fn stored() -> BranchRef {
        let node = NodeRef { slot: 1, stamp: 0 };
        BranchRef { start: PostingKey::FIRST, counts: FacetCounts::default(), node }
    }

    /// Returns a branch that changed, with this number of leaves if it was read.
    fn open(stored: &BranchRef, size: Option<usize>, old_size: usize) -> OpenBranch<'_> {
        let leaf = LeafDraft::stored(stored.start, None, stored.node);
        let leaves = size.map(|size| LeafMerges::plan(vec![leaf; size]));
        OpenBranch { stored, leaves, old_size, is_changed: true }
    }

    #[test]
    fn a_branch_is_small_if_the_edit_left_it_too_few_leaves() {
        let stored = stored();
        for (size, old_size, shrank, is_small) in [
            (Some(BRANCH_MIN), BRANCH_MIN, false, false),
            (Some(BRANCH_MIN), BRANCH_MIN + 1, true, false),
            (Some(BRANCH_MIN - 1), BRANCH_MIN - 1, false, false),
            (Some(BRANCH_MIN - 1), BRANCH_MIN, true, true),
            (None, 0, false, false),
        ] {
            let branch = open(&stored, size, old_size);
            assert_eq!((branch.size().shrank, branch.is_small()), (shrank, is_small), "{size:?} of {old_size}");
        }
    }

    #[test]
    fn a_branch_that_is_too_large_is_cut_evenly_unless_it_is_the_last_one() {
        let (stored, mut nodes) = (stored(), Nodes::default());
        let large = || open(&stored, Some(BRANCH_MAX + 2), BRANCH_MAX);
        let closed = Attempt::new(&mut nodes).close_branches(vec![large(), large()], &[1, 1]);
        let closed = closed.expect("no node is missing");
        let sizes: Vec<usize> = closed.iter().map(|branch| branch.new_leaves().len()).collect();
        assert_eq!(sizes, [BRANCH_MAX / 2 + 1, BRANCH_MAX / 2 + 1, BRANCH_MAX, 2]);
    }
}
