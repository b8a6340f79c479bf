//! Reading and writing of roots and nodes.

use std::rc::Rc;

use super::engine::{Edited, nodes_of, root_of};
use super::fault::PlantedFault;
use super::items::{Item, Key, Node, TreeId};
use super::table::{LostError, SimulatedTable};
use crate::ledger::tree::{NodeRef, TreeRoot};

/// Maximum number of free nodes that a root notes. What does not fit is left to the sweep.
const FREE_MAX: usize = 3;
/// Number of slots from which new ones are chosen: few, so that slots come again.
const SLOTS: u64 = 24;

/// Reads the newest root.
pub(super) fn strong_root(table: &SimulatedTable, tree: TreeId) -> Option<TreeRoot> {
    root_of(table.strong(Key::Root(tree)).as_deref())
}

/// Returns the node of an item, if it has this name.
pub(super) fn named(item: Option<&Rc<Item>>, name: NodeRef) -> Option<Node> {
    match item.map(|item| &**item) {
        Some(Item::Node(node)) if node.stamp == name.stamp => Some(node.clone()),
        _ => None,
    }
}

/// Writes the new nodes of a tree, and returns the root to put. `free` are the slots that the stored root names as free.
pub(super) async fn write_nodes(
    table: &SimulatedTable,
    tree: TreeId,
    edition: u64,
    free: Vec<NodeRef>,
    edited: Edited,
) -> TreeRoot {
    let mut writer = NodeWriter { table, tree, free };
    if table.has(PlantedFault::FreeTooEarly) {
        writer.free.splice(0..0, edited.replaced());
    }
    let mut names = Vec::new();
    for leaf in edited.new_leaves() {
        names.push(writer.write(leaf).await);
    }
    let mut root = edited.into_root(edition, &names, writer.free);
    root.free.drain(..root.free.len().saturating_sub(FREE_MAX));
    root
}

/// Writer of the nodes of one tree.
struct NodeWriter<'a> {
    table: &'a SimulatedTable,
    tree: TreeId,
    /// Free nodes of the root that was read.
    free: Vec<NodeRef>,
}

impl NodeWriter<'_> {
    /// Writes a node to a free slot, or to a new one.
    async fn write(&mut self, bytes: Vec<u8>) -> NodeRef {
        while !self.free.is_empty() {
            let free = self.free.remove(0);
            self.table.maybe_pause().await;
            let is_as_noted = named(self.table.strong(Key::Node(self.tree, free.slot)).as_ref(), free).is_some();
            if is_as_noted || self.table.has(PlantedFault::SlotWithoutCondition) {
                return self.put(NodeRef { stamp: free.stamp + 1, ..free }, bytes);
            }
        }
        for slots in (SLOTS..).step_by(4) {
            self.table.maybe_pause().await;
            let slot = u32::try_from(self.table.below(slots)).expect("a small number");
            if self.table.strong(Key::Node(self.tree, slot)).is_none() {
                // Random: a slot that was swept must not begin with a name that was already used.
                let stamp = if self.table.has(PlantedFault::FirstStampFixed) { 0 } else { self.table.below(1 << 30) };
                return self.put(NodeRef { slot, stamp: u32::try_from(stamp).expect("31 bits") }, bytes);
            }
        }
        unreachable!("there are always more slots")
    }

    /// Puts a node.
    fn put(&self, name: NodeRef, bytes: Vec<u8>) -> NodeRef {
        check_not_live(self.table, self.tree, name.slot);
        self.table.put(Key::Node(self.tree, name.slot), Item::Node(Node { stamp: name.stamp, bytes }));
        name
    }
}

/// Records a violation if the newest root names a node of this slot, which is about to be overwritten or deleted.
pub(super) fn check_not_live(table: &SimulatedTable, tree: TreeId, slot: u32) {
    let root = strong_root(table, tree).unwrap_or_else(TreeRoot::empty);
    let Some(node) = nodes_of(&root).into_iter().find(|node| node.slot == slot) else { return };
    if named(table.strong(Key::Node(tree, slot)).as_ref(), node).is_some() {
        table.violated("a live node is overwritten or deleted");
    }
}

/// Puts a root on condition that its edition is still the one that was read.
pub(super) fn put_root(table: &SimulatedTable, tree: TreeId, read: u64, root: TreeRoot) -> Result<u64, LostError> {
    let current = strong_root(table, tree).unwrap_or_else(TreeRoot::empty);
    if current.edition != read && !table.has(PlantedFault::RootWithoutCondition) {
        return Err(LostError);
    }
    for node in nodes_of(&root) {
        if named(table.strong(Key::Node(tree, node.slot)).as_ref(), node).is_none() {
            table.violated("a root names a node that is not there");
        }
    }
    let edition = root.edition;
    table.put(Key::Root(tree), Item::Root(root));
    Ok(edition)
}
