//! Build of a tree from all its postings.

use super::{EditedTree, TreeLimits};
use crate::ledger::{LogPosition, Posting};

/// Returns the tree of these postings, which are ascending, at a position of the log. Every node is to be written. The caller sets
/// the edition of the root, the editions of facet trees, and the free nodes.
#[must_use]
pub fn build_tree(_postings: Vec<Posting>, _position: LogPosition, _limits: TreeLimits) -> EditedTree {
    unimplemented!()
}
