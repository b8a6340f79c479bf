//! Sweeps: the nodes that they count and delete, and the root that they put before.

use super::memory_table::{MemoryTable, at_once};
use super::{facet_tree, org_tree};
use crate::table::{LedgerTable as _, NewValue, ValueName};
use crate::tree::{NodeRef, TreeRoot};
use crate::{TreeKey, root_value};

fn node(slot: u32) -> NodeRef {
    NodeRef { slot, stamp: 1 }
}

/// Returns a root that names the node of slot 1.
fn root(edition: u64) -> NewValue {
    root_value(&TreeRoot { edition, free: vec![node(1)], ..TreeRoot::empty() })
}

/// Stores a root, and nodes in these slots.
fn store(table: &MemoryTable, tree: &TreeKey, slots: &[u32]) {
    table.store(ValueName::Root(tree), root(7));
    for slot in slots {
        table.store_node(tree, node(*slot), Vec::new());
    }
}

#[test]
fn nodes_that_no_root_names_are_counted_in_all_trees_of_a_set() {
    let table = MemoryTable::default();
    store(&table, &org_tree(), &[1, 2, 3]);
    store(&table, &facet_tree(), &[1, 2]);
    assert_eq!(at_once(table.trees().count_orphans(&org_tree().set)).expect("a number"), 3);
}

#[test]
fn a_sweep_puts_the_root_before_it_deletes_nodes_and_deletes_none_if_another_writer_is_first() {
    for (slots, is_first, deleted, edition) in
        [(vec![1, 2, 3], true, 2, 8), (vec![1], true, 0, 7), (vec![1, 2, 3], false, 0, 9)]
    {
        let (table, tree) = (MemoryTable::default(), org_tree());
        store(&table, &tree, &slots);
        if !is_first {
            table.store_later(ValueName::Root(&tree), root(9));
        }
        assert_eq!(at_once(table.trees().sweep_set(&tree.set)).expect("a number"), deleted, "{slots:?}");
        let left = at_once(table.list_nodes(&tree.set)).expect("nodes");
        assert_eq!(left.values().map(Vec::len).sum::<usize>(), slots.len() - deleted, "{slots:?}");
        let root = at_once(table.trees().read_root(&tree)).expect("a root");
        assert_eq!(root.edition, edition, "{slots:?}, first: {is_first}");
    }
}
