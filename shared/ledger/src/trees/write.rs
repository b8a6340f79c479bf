//! Writes of trees: new nodes first, leaves before branches, and the root last.
//!
//! Nobody reads a new node before the root names it. So a write that ends anywhere leaves the tree as it was, with some nodes
//! that no root names. A sweep deletes them.
//!
//! All items of a tree have one partition key. So the puts keep to the pace of a partition.

use std::sync::{Mutex, PoisonError};

use super::nodes::StoredRoot;
use crate::parallel::parallel;
use crate::table::{NewValue, ValueName};
use crate::tree::{EditedTree, NodeRef, TreeRoot, encode_oldest, encode_root};
use crate::{TreeKey, Trees};
use presence_domain::error::Error;

/// Number of nodes of a tree that are written at a time.
const NODES_IN_FLIGHT: u16 = 16;
/// Number of nodes that are encoded at a time: some 500 KB.
const NODES_ENCODED: usize = 128;
/// Maximum number of random slots that are tried for a node. Even with a million nodes one of 4,000 is taken.
const RANDOM_SLOTS: usize = 16;

/// Slots for the new nodes of one tree.
struct Slots {
    /// Slots that the stored root names as free, each with the stamp that it must have.
    free: Mutex<Vec<NodeRef>>,
    /// Stamp of the first node in a slot: the edition of the new root. All names of earlier editions have lower stamps, so a
    /// slot that a sweep has emptied never gets a name again that it had before.
    first_stamp: u32,
}

impl Slots {
    fn new(free: &[NodeRef], edition: u64) -> Self {
        // The low bits are enough: a name would come again after four billion writes of one root.
        let first_stamp = u32::try_from(edition & u64::from(u32::MAX)).unwrap_or_default();
        Self { free: Mutex::new(free.to_vec()), first_stamp }
    }

    /// Takes a free slot.
    fn take(&self) -> Option<NodeRef> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl Trees {
    /// Writes the new nodes of a tree. Returns the root to put, in the edition after that of the stored root.
    pub(super) async fn write_nodes(
        &self,
        tree: &TreeKey,
        mut edited: EditedTree,
        edition: u64,
    ) -> Result<TreeRoot, Error> {
        let slots = Slots::new(edited.free(), edition);
        let leaves = self.put_nodes(tree, &slots, edited.new_leaves()).await?;
        edited.name_leaves(&leaves);
        let branches = self.put_nodes(tree, &slots, edited.new_branches()).await?;
        edited.name_branches(&branches);
        Ok(edited.into_root(edition, slots.free.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Puts a root on the condition that the stored root still has the edition that was read. Returns false if somebody else
    /// was first. What is stored then is newer.
    pub(super) async fn put_root(
        &self,
        tree: &TreeKey,
        root: &TreeRoot,
        read: Option<&StoredRoot>,
    ) -> Result<bool, Error> {
        let known = read.map(|read| read.edition);
        self.table.put(ValueName::Root(tree), root_value(root), known).await
    }

    /// Puts nodes. Returns their names, in order.
    async fn put_nodes(
        &self,
        tree: &TreeKey,
        slots: &Slots,
        mut nodes: impl Iterator<Item = Vec<u8>> + Send,
    ) -> Result<Vec<NodeRef>, Error> {
        let mut names = Vec::new();
        loop {
            let encoded: Vec<Vec<u8>> = nodes.by_ref().take(NODES_ENCODED).collect();
            if encoded.is_empty() {
                return Ok(names);
            }
            let puts = encoded.into_iter().map(|bytes| self.put_node(tree, slots, bytes));
            names.extend(parallel(NODES_IN_FLIGHT, puts).await?);
        }
    }

    /// Puts a node into a free slot, or else into a new one. Returns its name.
    ///
    /// The condition on the stamp keeps two folds of one root from writing the same name. A slot that fails it is left to the
    /// other fold.
    async fn put_node(&self, tree: &TreeKey, slots: &Slots, bytes: Vec<u8>) -> Result<NodeRef, Error> {
        while let Some(free) = slots.take() {
            let node = NodeRef { slot: free.slot, stamp: free.stamp.wrapping_add(1) };
            if self.put_node_if(tree, node, bytes.clone(), Some(free.stamp)).await? {
                return Ok(node);
            }
        }
        for _ in 0..RANDOM_SLOTS {
            let node = NodeRef { slot: fastrand::u32(..), stamp: slots.first_stamp };
            if self.put_node_if(tree, node, bytes.clone(), None).await? {
                return Ok(node);
            }
        }
        Err(Error::internal("every random slot of a tree is taken"))
    }

    async fn put_node_if(
        &self,
        tree: &TreeKey,
        node: NodeRef,
        bytes: Vec<u8>,
        known: Option<u32>,
    ) -> Result<bool, Error> {
        let value = NewValue { number: node.stamp.into(), bytes, oldest: None };
        self.table.put(ValueName::Slot(tree, node.slot), value, known.map(u64::from)).await
    }
}

/// Returns the value of a root.
pub fn root_value(root: &TreeRoot) -> NewValue {
    NewValue { number: root.edition, bytes: encode_root(root), oldest: encode_oldest(&root.oldest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_free_slot_is_taken_once() {
        let free = [1, 2].map(|slot| NodeRef { slot, stamp: 3 });
        let slots = Slots::new(&free, 7);
        assert_eq!([slots.take(), slots.take(), slots.take()], [Some(free[1]), Some(free[0]), None]);
    }
}
