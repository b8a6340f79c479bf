//! Edits of trees that are not what their log says: they end, and tell of it.

use std::collections::HashMap;

use proptest::prelude::*;

use super::history::{History, Step};
use super::stored_tree::{StoredTree, month_start};
use super::{catch_up, dense, tree_key, yearly};
use crate::tree::{
    OldestPostings, PeriodNodes, TreeEdit, TreeLimits, TreeRoot, decode_branch, encode_branch, encode_leaf,
};
use crate::{LogPosition, TreeDelta, arbitrary};

/// Numbers of reviews of a month that are a period with branches, one with a leaf, and one of a year.
const REVIEWS: [usize; 3] = [3_000, 288, 100];

/// Returns a tree with reviews of one month, and its history.
fn tree_of(reviews: usize) -> (StoredTree, History) {
    tree_after(&[Step::Spread { month: 1, months: 1, reviews }])
}

/// Returns a tree with leaves and branches, and its history.
fn tree_with_branches() -> (StoredTree, History) {
    tree_after(&[
        Step::Spread { month: 1, months: 1, reviews: 3_000 },
        Step::Spread { month: 2, months: 12, reviews: 1_000 },
    ])
}

fn tree_after(steps: &[Step]) -> (StoredTree, History) {
    let mut history = History::new(3);
    history.play_all(steps);
    let mut tree = StoredTree::empty(64);
    catch_up(&mut tree, &history, history.position);
    (tree, history)
}

/// Returns the change of a tree from a position to the end of a history.
fn since(position: &LogPosition, history: &History) -> TreeDelta {
    TreeDelta::between(&tree_key(), &history.entries, position, &history.position)
}

/// Edits a tree, which has the postings of the history then. Returns the number of mismatches.
fn mismatches(tree: &mut StoredTree, delta: &TreeDelta, history: &History) -> usize {
    let (edited, _) = tree.edit(delta, history.position);
    let mismatches = edited.mismatches;
    tree.root = tree.nodes.write(edited, tree.root.edition + 1).0;
    tree.check(&history.model());
    mismatches
}

#[test]
fn edit_with_postings_that_are_already_there_tells_of_each_and_has_none_twice() {
    for reviews in REVIEWS {
        let (mut tree, history) = tree_of(reviews);
        let whole = since(&LogPosition::default(), &history);
        assert_eq!(mismatches(&mut tree, &whole, &history), reviews);
    }
}

#[test]
fn edit_with_postings_that_are_not_there_tells_of_each_and_others_stay() {
    let (mut tree, history) = tree_with_branches();
    let mut other = History::new(4);
    // The tree has no periods in the first year.
    other.play(&Step::Spread { month: -12, months: 36, reviews: 500 });
    let others = since(&LogPosition::default(), &other).added;
    let removed = others.into_iter().map(|posting| (posting.key.id, posting)).collect();
    assert_eq!(mismatches(&mut tree, &TreeDelta { removed, added: Vec::new() }, &history), 500);
}

#[test]
fn posting_of_another_version_is_a_mismatch_and_is_replaced() {
    let (mut tree, mut history) = tree_with_branches();
    history.play(&Step::Change { every: 10 });
    let mut delta = since(&tree.root.position, &history);
    delta.removed.values_mut().for_each(|posting| posting.version += 7);
    assert_eq!(mismatches(&mut tree, &delta, &history), delta.removed.len());
}

#[test]
fn edit_of_a_period_whose_counts_are_not_those_of_its_leaves_is_a_mismatch() {
    for reviews in REVIEWS {
        let (mut tree, mut history) = tree_of(reviews);
        let counts = &mut tree.root.periods[0].counts;
        let (key, _) = counts.nonzero().next().expect("a count");
        counts.add(key, 5);
        history.add(month_start(1) + 1_000);
        let delta = since(&tree.root.position, &history);
        assert_eq!(mismatches(&mut tree, &delta, &history), 1, "{reviews}");
    }
}

#[test]
fn edit_of_a_leaf_whose_counts_are_not_those_of_its_branch_is_a_mismatch() {
    let (mut tree, mut history) = tree_of(3_000);
    let PeriodNodes::Branches(branches) = &mut tree.root.periods[0].nodes else { panic!("a period with branches") };
    let mut entries = decode_branch(tree.nodes.get(branches[0].node)).expect("the branch can be read");
    let counts = &mut entries[0].counts;
    let (key, _) = counts.nonzero().next().expect("a count");
    counts.add(key, 5);
    branches[0].node = tree.nodes.put(&mut Vec::new(), encode_branch(&entries));
    history.add(month_start(1) + 1_000);
    let delta = since(&tree.root.position, &history);
    assert_eq!(mismatches(&mut tree, &delta, &history), 1);
}

#[test]
fn edit_of_a_leaf_that_makes_a_count_of_the_period_negative_is_a_mismatch_and_raises_it() {
    let (mut tree, history) = dense(768, 240);
    let oldest = tree.root.oldest.postings[0];
    let counts = &mut tree.root.periods[0].counts;
    counts.add(oldest.facet_key, -counts.get(oldest.facet_key));
    let removed = HashMap::from([(oldest.key.id, oldest)]);
    let (edited, _) = tree.edit(&TreeDelta { removed, added: Vec::new() }, history.position);
    assert_eq!(edited.mismatches, 1);
    let (root, _) = tree.nodes.write(edited, tree.root.edition + 1);
    assert_eq!(root.periods[0].counts.get(oldest.facet_key), 0);
}

#[test]
fn edit_of_a_root_that_has_a_period_twice_is_a_mismatch_and_keeps_one() {
    let (mut tree, mut history) = tree_of(100);
    tree.root.periods.push(tree.root.periods[0].clone());
    history.add(month_start(2));
    let delta = since(&tree.root.position, &history);
    assert_eq!(mismatches(&mut tree, &delta, &history), 1);
}

#[test]
fn oldest_postings_are_not_collected_from_leaves_that_overlap() {
    let (mut tree, mut history) = yearly();
    tree.root.oldest = OldestPostings::NONE;
    tree.root.periods[1].nodes = tree.root.periods[0].nodes.clone();
    history.add(month_start(1));
    let (edited, _) = tree.edit(&since(&tree.root.position, &history), history.position);
    let (root, _) = tree.nodes.write(edited, tree.root.edition + 1);
    assert!(root.oldest.is_none());
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
