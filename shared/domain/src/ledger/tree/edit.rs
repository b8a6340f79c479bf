//! Edit of a tree: applies changes of the log, and tells which nodes must be read and written for it.
//!
//! The edit makes no call. Its caller reads the nodes that [`TreeEdit::missing_nodes`] names until there are none, then writes
//! what [`TreeEdit::finish`] returns.

use super::{DecodeError, NodeRef, TreeLimits, TreeRoot};
use crate::ledger::{FacetCounts, LogPosition, Posting, PostingKey, TreeDelta};

/// Edit in progress.
#[derive(Debug)]
pub struct TreeEdit {}

/// Tree after an edit, with nodes that are not written yet.
#[derive(Debug)]
pub struct EditedTree {
    /// Root, whose `periods` are replaced by those below, and whose edition and position are the new ones. `free` has the nodes
    /// that were free before and those that the edit replaces; the writer takes slots from it.
    pub root: TreeRoot,
    /// Periods of the root, with nodes that are stored and nodes to write.
    pub periods: Vec<EditedPeriod>,
}

/// Period of an edited tree.
#[derive(Debug)]
pub struct EditedPeriod {
    /// Months of the period.
    pub span: super::MonthSpan,
    /// Counts of its postings.
    pub counts: FacetCounts,
    /// Leaves or branches, ascending: all of one kind.
    pub nodes: Vec<(PostingKey, FacetCounts, EditedNode)>,
}

/// Node of an edited tree.
#[derive(Debug)]
pub enum EditedNode {
    /// Leaf that is stored and stays as it is.
    StoredLeaf(NodeRef),
    /// Branch that is stored and stays as it is.
    StoredBranch(NodeRef),
    /// Leaf to write.
    Leaf(Vec<Posting>),
    /// Branch to write: its leaves with start and counts.
    Branch(Vec<(PostingKey, FacetCounts, EditedNode)>),
}

impl TreeEdit {
    /// Starts the edit that brings a tree to a position of the log.
    #[must_use]
    pub fn new(_root: TreeRoot, _delta: &TreeDelta, _position: LogPosition, _limits: TreeLimits) -> Self {
        unimplemented!()
    }

    /// Returns the nodes that must be read next. Empty if the edit can be finished.
    #[must_use]
    pub fn missing_nodes(&self) -> Vec<NodeRef> {
        unimplemented!()
    }

    /// Takes the bytes of a node that was missing.
    pub fn insert_node(&mut self, _node: NodeRef, _bytes: &[u8]) -> Result<(), DecodeError> {
        unimplemented!()
    }

    /// Returns the edited tree. Every node that was missing must have been inserted.
    pub fn finish(self) -> Result<EditedTree, DecodeError> {
        unimplemented!()
    }
}
