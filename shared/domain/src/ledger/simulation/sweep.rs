//! Sweeps: delete nodes that no root names.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::engine::nodes_of;
use super::fault::PlantedFault;
use super::items::{Key, TreeId};
use super::nodes::{check_not_live, named, put_root, strong_root};
use super::world::World;
use crate::ledger::tree::{NodeRef, TreeRoot};

/// Deletes the nodes of a tree that its root does not name.
pub(super) async fn sweep(world: Rc<World>, tree: TreeId) {
    // The list comes first: nodes of a fold that begins behind the new edition are not in it.
    let mut listed = world.nodes_of(tree);
    world.pause().await;
    let Some(root) = strong_root(&world, tree) else { return };
    world.pause().await;
    // The new edition ends every fold that began before it. Its nodes are then nobody's.
    if !world.has(PlantedFault::SweepWithoutEdition) {
        let raised = TreeRoot { edition: root.edition + 1, ..root.clone() };
        if put_root(&world, tree, root.edition, raised).is_err() {
            return;
        }
    }
    if world.has(PlantedFault::SweepListsLate) {
        world.pause().await;
        listed = world.nodes_of(tree);
    }
    let kept: BTreeSet<NodeRef> = nodes_of(&root).into_iter().chain(root.free).collect();
    for (slot, stamp) in listed {
        let node = NodeRef { slot, stamp };
        if kept.contains(&node) {
            continue;
        }
        world.pause().await;
        if named(world.strong(Key::Node(tree, slot)).as_ref(), node).is_some() {
            check_not_live(&world, tree, slot);
            world.delete(Key::Node(tree, slot));
            world.counts.borrow_mut().swept_nodes += 1;
        }
    }
    world.counts.borrow_mut().sweeps += 1;
}
