//! Edits of small trees: which nodes they read, and how they cut, merge and split.

use std::collections::HashMap;

use super::history::Step;
use super::stored_tree::{StoredTree, month_start};
use super::{catch_up, dense, yearly};
use crate::tree::{NodeRef, OldestPostings, Period, PeriodNodes, decode_leaf};
use crate::{Posting, TreeDelta};

/// Returns the number of months of each period, and of postings of each of its leaves. There are no branches.
fn sizes(tree: &StoredTree) -> Vec<(u8, Vec<usize>)> {
    let leaf_size = |node: NodeRef| decode_leaf(tree.nodes.get(node)).expect("the leaf can be read").len();
    let leaf_sizes = |period: &Period| -> Vec<usize> {
        let PeriodNodes::Leaves(leaves) = &period.nodes else { panic!("the period has branches") };
        leaves.iter().map(|(_, node)| leaf_size(*node)).collect()
    };
    tree.root.periods.iter().map(|period| (period.span.months, leaf_sizes(period))).collect()
}

#[test]
fn leaf_that_gets_too_large_is_cut_evenly_unless_it_is_the_last_one() {
    let (mut tree, mut history) = dense(768, 240);
    assert_eq!(sizes(&tree), [(1, vec![256, 256])]);
    for hour in [0, 100] {
        (0..25).for_each(|second| history.add(month_start(12) + hour * 3_600 + second));
    }
    catch_up(&mut tree, &history, history.position);
    assert_eq!(sizes(&tree), [(1, vec![141, 140, 280, 1])]);
    tree.check(&history.model());
}

#[test]
fn edit_of_one_of_four_leaves_reads_no_other_leaf() {
    let (mut tree, mut history) = dense(1_280, 240);
    history.add(month_start(12) + 1);
    let cost = catch_up(&mut tree, &history, history.position);
    assert_eq!((cost.reads, cost.leaves), (1, 1));
    assert_eq!(sizes(&tree), [(1, vec![257, 256, 256, 256])]);
}

#[test]
fn leaf_that_gets_small_is_merged_with_one_that_does_not_change() {
    let (mut tree, mut history) = dense(768, 240);
    // The small leaf does not fit into the other one, then the other one shrinks, then the small leaf does.
    for (hours, keep_every, reads, expected) in
        [(0..80, 4, 2, vec![64, 256]), (80..160, 2, 1, vec![64, 128]), (0..80, 2, 2, vec![160])]
    {
        history.play(&Step::DeleteHours { month: 12, hours, keep_every });
        assert_eq!(catch_up(&mut tree, &history, history.position).reads, reads);
        assert_eq!(sizes(&tree), [(1, expected)]);
        tree.check(&history.model());
    }
}

#[test]
fn edit_of_a_small_leaf_that_keeps_its_size_reads_no_other_leaf() {
    let (mut tree, mut history) = dense(768, 240);
    history.play(&Step::DeleteHours { month: 12, hours: 0..80, keep_every: 4 });
    catch_up(&mut tree, &history, history.position);
    assert_eq!(sizes(&tree), [(1, vec![64, 256])]);
    let old = tree.root.oldest.postings[0];
    let removed = HashMap::from([(old.key.id, old)]);
    let added = vec![Posting { version: old.version + 1, ..old }];
    let (_, reads) = tree.edit(&TreeDelta { removed, added }, history.position);
    assert_eq!(reads, 1);
}

#[test]
fn period_that_gets_large_is_split() {
    let (mut tree, mut history) = dense(1_000, 24);
    for (month, expected) in
        [(3, vec![(12, vec![40]), (1, vec![248; 3])]), (9, vec![(6, vec![40]), (6, vec![40]), (1, vec![248; 3])])]
    {
        history.play(&Step::Spread { month, months: 1, reviews: 40 });
        catch_up(&mut tree, &history, history.position);
        assert_eq!(sizes(&tree), expected);
        tree.check(&history.model());
    }
}

#[test]
fn edit_collects_the_oldest_postings_from_sixteen_leaves_at_once_and_reads_no_others() {
    let (mut tree, mut history) = yearly();
    let copies = std::mem::replace(&mut tree.root.oldest, OldestPostings::NONE);
    assert_eq!((tree.root.periods.len(), copies.postings.len()), (40, 16));
    history.add(month_start(1));
    // One leaf a round would be more rounds than an edit may have.
    let cost = catch_up(&mut tree, &history, history.position);
    assert_eq!((cost.reads, cost.leaves), (16, 0));
    assert_eq!(tree.root.oldest, copies);
    tree.check(&history.model());
}
