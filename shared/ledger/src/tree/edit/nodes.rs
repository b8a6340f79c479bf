//! Nodes that an edit has read, and an attempt to edit with them.

use std::collections::{BTreeMap, HashMap};

use crate::tree::{BranchEntry, DecodeError, NodeRef, decode_branch, decode_leaf};
use crate::{NodeKind, Posting};

/// Nodes that were read, and the names of those that are missing.
#[derive(Debug, Default)]
pub(in crate::tree) struct Nodes {
    branches: HashMap<NodeRef, Vec<BranchEntry>>,
    leaves: HashMap<NodeRef, Vec<Posting>>,
    pub(super) missing: BTreeMap<NodeRef, NodeKind>,
}

impl Nodes {
    /// Returns the entries of a branch; `None`, and notes that it is missing, if it was not read.
    pub(super) fn branch(&mut self, node: NodeRef) -> Option<Vec<BranchEntry>> {
        let entries = self.branches.get(&node).cloned();
        if entries.is_none() {
            self.missing.insert(node, NodeKind::Branch);
        }
        entries
    }

    /// Returns the postings of a leaf; `None`, and notes that it is missing, if it was not read.
    pub(super) fn leaf(&mut self, node: NodeRef) -> Option<Vec<Posting>> {
        let postings = self.leaves.get(&node).cloned();
        if postings.is_none() {
            self.missing.insert(node, NodeKind::Leaf);
        }
        postings
    }

    /// Takes the bytes of a missing node. Others are ignored.
    pub(super) fn insert(&mut self, node: NodeRef, bytes: &[u8]) -> Result<(), DecodeError> {
        match self.missing.get(&node) {
            None => return Ok(()),
            Some(NodeKind::Branch) => drop(self.branches.insert(node, decode_branch(bytes)?)),
            Some(NodeKind::Leaf) => drop(self.leaves.insert(node, decode_leaf(bytes)?)),
        }
        self.missing.remove(&node);
        Ok(())
    }
}

/// Attempt to edit a part with the nodes that were read. Its methods return `None` if a node is missing. They first look for all
/// nodes of a round, so that these are read together.
#[derive(Debug)]
pub(super) struct Attempt<'a> {
    pub(super) nodes: &'a mut Nodes,
    /// Nodes that the edited tree does not use any more.
    pub(super) replaced: Vec<NodeRef>,
    /// Number of changes and counts that did not fit.
    pub(super) mismatches: usize,
}

impl<'a> Attempt<'a> {
    /// Starts an attempt.
    pub(super) fn new(nodes: &'a mut Nodes) -> Self {
        Self { nodes, replaced: Vec::new(), mismatches: 0 }
    }
}

/// Returns the results if none is missing.
pub(super) fn all_found<T>(results: Vec<Option<T>>) -> Option<Vec<T>> {
    results.into_iter().collect()
}
