//! Edited trees: what an edit or a build leaves to write.
//!
//! The writer gives names to the new leaves, then to the new branches, which name leaves, and puts the root last, which names
//! branches:
//!
//! ```text
//! names = write(tree.new_leaves());      tree.name_leaves(&names);
//! names = write(tree.new_branches());    tree.name_branches(&names);
//! root = tree.into_root(edition, unused slots of tree.free())
//! ```

use super::edit::{BranchDraft, LeafDraft};
use super::{MonthSpan, NodeRef, Period, PeriodNodes, TreeRoot, encode_branch, encode_leaf};
use presence_domain::review::FacetCounts;

/// Maximum number of free nodes that a root names. The oldest ones beyond it are left to the sweep.
pub const FREE_MAX: usize = 64;

/// Tree after an edit or a build, with nodes that are not written yet.
#[derive(Debug)]
pub struct EditedTree {
    /// Root without its periods. Edition and free nodes are still those before the edit.
    pub(super) root: TreeRoot,
    pub(super) periods: Vec<EditedPeriod>,
    /// Nodes that the tree does not use any more. They are in use until the root is put: their slots are not free before.
    pub(super) replaced: Vec<NodeRef>,
    /// Number of changes and counts that did not fit: the tree was not what its log says. The caller logs drift.
    pub mismatches: usize,
}

/// Node that is stored, or content to write.
#[derive(Clone, Debug)]
pub(super) enum Draft<T> {
    Stored(NodeRef),
    New(T),
}

/// Period of an edited tree.
#[derive(Debug)]
pub(super) struct EditedPeriod {
    pub(super) span: MonthSpan,
    pub(super) counts: FacetCounts,
    pub(super) nodes: EditedNodes,
}

/// Nodes of an edited period.
#[derive(Debug)]
pub(super) enum EditedNodes {
    Leaves(Vec<LeafDraft>),
    Branches(Vec<BranchDraft>),
}

impl EditedTree {
    /// Returns the slots that new nodes may take: those that the stored root names as free.
    pub fn free(&self) -> &[NodeRef] {
        &self.root.free
    }

    /// Returns the number of postings.
    pub fn total(&self) -> i64 {
        self.root.counts().total() + self.periods.iter().map(|period| period.counts.total()).sum::<i64>()
    }

    /// Returns the binary forms of the leaves to write, in order. Each is made when it is asked for.
    pub fn new_leaves(&self) -> impl Iterator<Item = Vec<u8>> {
        self.periods.iter().flat_map(EditedPeriod::leaves).filter_map(|leaf| match &leaf.node {
            Draft::New(postings) => Some(encode_leaf(postings)),
            Draft::Stored(_) => None,
        })
    }

    /// Takes the names under which the leaves of [`Self::new_leaves`] were written.
    ///
    /// # Panics
    /// If a name is missing.
    pub fn name_leaves(&mut self, names: &[NodeRef]) {
        let mut names = names.iter();
        for leaf in self.periods.iter_mut().flat_map(EditedPeriod::leaves_mut) {
            if let Draft::New(_) = leaf.node {
                leaf.node = Draft::Stored(*names.next().expect("every new leaf has a name"));
            }
        }
    }

    /// Returns the binary forms of the branches to write, in order. The new leaves must have names.
    pub fn new_branches(&self) -> impl Iterator<Item = Vec<u8>> {
        self.periods.iter().flat_map(EditedPeriod::branches).filter_map(|branch| match &branch.node {
            Draft::New(leaves) => Some(encode_branch(&leaves.iter().map(LeafDraft::to_entry).collect::<Vec<_>>())),
            Draft::Stored(_) => None,
        })
    }

    /// Takes the names under which the branches of [`Self::new_branches`] were written.
    ///
    /// # Panics
    /// If a name is missing.
    pub fn name_branches(&mut self, names: &[NodeRef]) {
        let mut names = names.iter();
        for branch in self.periods.iter_mut().flat_map(EditedPeriod::branches_mut) {
            if let Draft::New(_) = branch.node {
                branch.node = Draft::Stored(*names.next().expect("every new branch has a name"));
            }
        }
    }

    /// Returns the root to put. `unused` are those free slots that no new node took and that are still free. Nodes that the edit
    /// replaced are free from this root on.
    pub fn into_root(self, edition: u64, unused: Vec<NodeRef>) -> TreeRoot {
        let mut free = unused;
        free.extend(self.replaced);
        free.drain(..free.len().saturating_sub(FREE_MAX));
        let periods = self.periods.into_iter().map(EditedPeriod::into_period).collect();
        TreeRoot { edition, periods, free, ..self.root }
    }
}

impl<T> Draft<T> {
    /// Returns the name of a node that is stored.
    pub(super) fn name(&self) -> NodeRef {
        match self {
            Self::Stored(node) => *node,
            Self::New(_) => panic!("every new node has a name before its parent is written"),
        }
    }
}

impl EditedPeriod {
    /// Returns a period that stays as it is stored.
    pub(super) fn stored(period: &Period) -> Self {
        let nodes = match &period.nodes {
            PeriodNodes::Leaves(leaves) => {
                EditedNodes::Leaves(leaves.iter().map(|(start, node)| LeafDraft::stored(*start, None, *node)).collect())
            }
            PeriodNodes::Branches(branches) => {
                EditedNodes::Branches(branches.iter().map(BranchDraft::stored).collect())
            }
        };
        Self { span: period.span, counts: period.counts.clone(), nodes }
    }
    /// Returns its leaves, except those of stored branches.
    fn leaves(&self) -> Vec<&LeafDraft> {
        match &self.nodes {
            EditedNodes::Leaves(leaves) => leaves.iter().collect(),
            EditedNodes::Branches(branches) => branches.iter().flat_map(BranchDraft::new_leaves).collect(),
        }
    }

    fn leaves_mut(&mut self) -> Vec<&mut LeafDraft> {
        match &mut self.nodes {
            EditedNodes::Leaves(leaves) => leaves.iter_mut().collect(),
            EditedNodes::Branches(branches) => branches.iter_mut().flat_map(BranchDraft::new_leaves_mut).collect(),
        }
    }

    fn branches(&self) -> &[BranchDraft] {
        match &self.nodes {
            EditedNodes::Leaves(_) => &[],
            EditedNodes::Branches(branches) => branches,
        }
    }

    fn branches_mut(&mut self) -> &mut [BranchDraft] {
        match &mut self.nodes {
            EditedNodes::Leaves(_) => &mut [],
            EditedNodes::Branches(branches) => branches,
        }
    }

    fn into_period(self) -> Period {
        let nodes = match self.nodes {
            EditedNodes::Leaves(leaves) => {
                PeriodNodes::Leaves(leaves.into_iter().map(|leaf| (leaf.start, leaf.node.name())).collect())
            }
            EditedNodes::Branches(branches) => {
                PeriodNodes::Branches(branches.into_iter().map(BranchDraft::into_ref).collect())
            }
        };
        Period { span: self.span, counts: self.counts, nodes }
    }
}
