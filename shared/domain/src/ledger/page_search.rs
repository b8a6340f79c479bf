//! Search of one page in one or several trees, without reads: tells which nodes it needs next.
//!
//! Each tree is a list of **buckets**: ranges of keys with a number of matches. A bucket whose matches may lie on the page, or
//! that the range of dates cuts, is expanded: a period to its branches or postings, a branch to its leaves. What is left are
//! counts that are exact and the postings of the page.

use super::tree::{DecodeError, NodeRef, RootSummary};
use super::{Posting, PostingFilter, TreeDelta};
use crate::page::PageRequest;

/// Search in progress.
#[derive(Debug)]
pub struct PageSearch {}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Names leaves.
    Branch,
    /// Holds postings.
    Leaf,
}

/// Node that a search needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeededNode {
    /// Number of the tree, in the order in which the trees were added.
    pub tree: usize,
    /// Name of the node.
    pub node: NodeRef,
    /// Kind of the node.
    pub kind: NodeKind,
}

/// Page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// Number of all matches.
    pub count: u64,
    /// Postings of the page, in the order of the answer, each with the number of its tree.
    pub postings: Vec<(usize, Posting)>,
}

impl PageSearch {
    /// Starts a search without trees.
    #[must_use]
    pub fn new(_filter: PostingFilter, _newest_first: bool, _page: PageRequest) -> Self {
        unimplemented!()
    }

    /// Adds a tree, and the difference from its position to the position at which the search answers. No review may be in
    /// two of the trees.
    pub fn add_tree(&mut self, _root: RootSummary, _delta: TreeDelta) {
        unimplemented!()
    }

    /// Returns the nodes that are needed next. Empty if the page is found.
    #[must_use]
    pub fn needed_nodes(&mut self) -> Vec<NeededNode> {
        unimplemented!()
    }

    /// Takes the bytes of a node that was needed.
    pub fn insert_node(&mut self, _node: NeededNode, _bytes: &[u8]) -> Result<(), DecodeError> {
        unimplemented!()
    }

    /// Returns the page. No node may be needed any more.
    #[must_use]
    pub fn finish(self) -> FoundPage {
        unimplemented!()
    }
}
