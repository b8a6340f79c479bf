//! Edits of trees that are not what their log says: they end, and tell of it.

use std::collections::HashMap;

use proptest::prelude::*;

use super::history::{History, Step};
use super::stored_tree::{StoredTree, month_start};
use super::{catch_up, tree_key};
use crate::tree::{TreeEdit, TreeLimits, TreeRoot, encode_branch, encode_leaf};
use crate::{LogPosition, TreeDelta, arbitrary};

/// Returns a tree with leaves and branches, and its history.
fn tree_with_branches() -> (StoredTree, History) {
    let mut history = History::new(3);
    history.play(&Step::Spread { month: 1, months: 1, reviews: 3_000 });
    history.play(&Step::Spread { month: 2, months: 12, reviews: 1_000 });
    let mut tree = StoredTree::empty(64);
    catch_up(&mut tree, &history, history.position);
    (tree, history)
}

/// Returns the change of a tree from the empty log to the end of a history.
fn whole(history: &History) -> TreeDelta {
    TreeDelta::between(&tree_key(), &history.entries, &LogPosition::default(), &history.position)
}

#[test]
fn postings_that_are_already_there_are_mismatches_and_are_not_there_twice() {
    let (mut tree, history) = tree_with_branches();
    let (edited, _) = tree.edit(&whole(&history), history.position);
    assert_eq!(edited.mismatches, 4_000);
    tree.root = tree.nodes.write(edited, tree.root.edition + 1).0;
    tree.check(&history.model());
}

#[test]
fn postings_that_are_not_there_are_mismatches_and_others_stay() {
    let (mut tree, history) = tree_with_branches();
    let mut other = History::new(4);
    other.play(&Step::Spread { month: 1, months: 24, reviews: 500 });
    let removed = whole(&other).added.into_iter().map(|posting| (posting.key.id, posting)).collect();
    let (edited, _) = tree.edit(&TreeDelta { removed, added: Vec::new() }, history.position);
    assert_eq!(edited.mismatches, 500);
    tree.root = tree.nodes.write(edited, tree.root.edition + 1).0;
    tree.check(&history.model());
}

#[test]
fn posting_of_another_version_is_a_mismatch_and_is_replaced() {
    let (mut tree, mut history) = tree_with_branches();
    history.play(&Step::Change { every: 10 });
    let mut delta = TreeDelta::between(&tree_key(), &history.entries, &tree.root.position, &history.position);
    delta.removed.values_mut().for_each(|posting| posting.version += 7);
    let (edited, _) = tree.edit(&delta, history.position);
    assert_eq!(edited.mismatches, delta.removed.len());
    tree.root = tree.nodes.write(edited, tree.root.edition + 1).0;
    tree.check(&history.model());
}

#[test]
fn counts_that_are_not_those_of_the_leaves_are_mismatches() {
    let (mut tree, mut history) = tree_with_branches();
    let counts = &mut tree.root.periods[0].counts;
    let (key, _) = counts.nonzero().next().expect("a count");
    counts.add(key, 5);
    history.add(month_start(1) + 1_000);
    let delta = TreeDelta::between(&tree_key(), &history.entries, &tree.root.position, &history.position);
    let (edited, _) = tree.edit(&delta, history.position);
    assert_eq!(edited.mismatches, 1);
    tree.root = tree.nodes.write(edited, tree.root.edition + 1).0;
    tree.check(&history.model());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn edit_of_any_root_with_any_nodes_ends(
        root in arbitrary::roots(), removed in arbitrary::postings(), added in arbitrary::postings(),
        leaves in prop::collection::vec(arbitrary::postings(), 1..6), branches in prop::collection::vec(arbitrary::branches(), 1..4),
        recent_max in 0_usize..80, oldest_max in 0_usize..60, oldest in arbitrary::oldest(),
    ) {
        let root = TreeRoot { oldest, ..root };
        let removed = removed.into_iter().chain(root.recent.iter().take(2).copied()).map(|posting| (posting.key.id, posting));
        let delta = TreeDelta { removed: removed.collect::<HashMap<_, _>>(), added };
        let mut edit = TreeEdit::new(root, &delta, LogPosition::default(), TreeLimits { recent_max, oldest_max, period_split: 64 });
        let mut bytes: Vec<Vec<u8>> = leaves.iter().map(|leaf| encode_leaf(leaf)).collect();
        bytes.extend(branches.iter().map(|branch| encode_branch(branch)));
        let mut failed = false;
        for round in 0.. {
            let missing = edit.missing_nodes();
            if missing.is_empty() || failed {
                break;
            }
            // A branch, leaves, their neighbours, and those with the oldest postings: at worst one after the other.
            prop_assert!(round < 24);
            for node in missing {
                // A node is of the kind that its parent names, or it cannot be read.
                let fitting = bytes.iter().cycle().skip(node.slot as usize % bytes.len()).take(bytes.len());
                failed |= !fitting.into_iter().any(|bytes| edit.insert_node(node, bytes).is_ok());
            }
        }
        if let Ok(mut edited) = edit.finish() {
            let names = vec![super::super::NodeRef { slot: 0, stamp: 0 }; edited.new_leaves().count()];
            edited.name_leaves(&names);
            let names = vec![super::super::NodeRef { slot: 0, stamp: 0 }; edited.new_branches().count()];
            edited.name_branches(&names);
            let unused = edited.free().to_vec();
            let _root = edited.into_root(1, unused);
        }
    }
}
