//! Sweeps: delete nodes that no root names.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::engine::nodes_of;
use super::fault::PlantedFault;
use super::items::{Key, TreeId};
use super::nodes::{check_not_live, named, put_root, strong_root};
use super::table::SimulatedTable;
use crate::ledger::tree::{NodeRef, TreeRoot};

/// Deletes the nodes of a tree that its root does not name.
pub(super) async fn sweep(table: Rc<SimulatedTable>, tree: TreeId) {
    // The list comes first: nodes of a fold that begins behind the new edition are not in it.
    let mut listed = table.nodes_of(tree);
    table.pause().await;
    let Some(root) = strong_root(&table, tree) else { return };
    table.pause().await;
    // The new edition ends every fold that began before it. Its nodes are then nobody's.
    if !table.has(PlantedFault::SweepWithoutEdition) {
        let raised = TreeRoot { edition: root.edition + 1, ..root.clone() };
        if put_root(&table, tree, root.edition, raised).is_err() {
            return;
        }
    }
    if table.has(PlantedFault::SweepListsLate) {
        table.pause().await;
        listed = table.nodes_of(tree);
    }
    let kept: BTreeSet<NodeRef> = nodes_of(&root).into_iter().chain(root.free).collect();
    for (slot, stamp) in listed {
        let node = NodeRef { slot, stamp };
        if kept.contains(&node) {
            continue;
        }
        table.pause().await;
        if named(table.strong(Key::Node(tree, slot)).as_ref(), node).is_some() {
            check_not_live(&table, tree, slot);
            table.delete(Key::Node(tree, slot));
            table.counts.borrow_mut().swept_nodes += 1;
        }
    }
    table.counts.borrow_mut().sweeps += 1;
}
