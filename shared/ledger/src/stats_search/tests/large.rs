//! Reads of searches in trees of the sizes that the store has.

use std::sync::LazyLock;

use crate::fixtures::EVERYTHING;
use crate::page_search::tests::stored::{StoredTree, postings};
use crate::tree::decode_root;
use crate::{CalendarUnit, NodeKind, Posting, PostingFilter, PostingKey, StatsSearch, TreeDelta};

/// Nodes that a search reads.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reads {
    branches: usize,
    leaves: usize,
    was_stopped: bool,
}

fn reads(tree: &StoredTree, filter: PostingFilter, unit: Option<CalendarUnit>) -> Reads {
    let mut search = StatsSearch::new(filter, unit, 1_000);
    search.add_tree(0, &decode_root(&tree.root).expect("a root"), &TreeDelta::default());
    let mut reads = Reads::default();
    loop {
        reads.was_stopped = search.has_too_many_groups();
        let needed: Vec<_> = search.needed_nodes().collect();
        if reads.was_stopped || needed.is_empty() {
            return reads;
        }
        for node in needed {
            let is_leaf = node.kind == NodeKind::Leaf;
            reads.leaves += usize::from(is_leaf);
            reads.branches += usize::from(!is_leaf);
            search.insert_node(node, &tree.nodes[&node.node]).expect("a node that fits");
        }
    }
}

/// Reviews of five years, and their trees.
static TREES: LazyLock<[(Vec<Posting>, StoredTree); 3]> = LazyLock::new(|| {
    [10_000, 60_000, 300_000].map(|number| {
        let all = postings(number);
        let tree = tree(&all);
        (all, tree)
    })
});

fn tree(all: &[Posting]) -> StoredTree {
    StoredTree::new(all.to_vec(), 512, false)
}

#[test]
fn range_of_dates_reads_two_leaves_at_each_end_at_most_whatever_the_size() {
    for (all, tree) in &*TREES {
        for (first, end) in [(10, 20), (3_000, 3_010), (1_234, 9_000), (700, all.len() - 100)] {
            let (from, to) = (all[first].key.effective_at, all[end].key.effective_at);
            for (from, to) in [(Some(from), Some(to)), (Some(from), None), (None, Some(to))] {
                let read = reads(tree, PostingFilter { from, to, ..EVERYTHING }, None);
                assert!(read.branches <= 2 && read.leaves <= 4, "{}, {first} to {end}: {read:?}", all.len());
            }
        }
    }
}

#[test]
fn months_and_years_are_counted_without_nodes_where_periods_are_months() {
    for (all, tree) in &TREES[1..] {
        for unit in [CalendarUnit::Month, CalendarUnit::Year] {
            // Only the last period shares its month with the newest postings, which the root has.
            assert_eq!(reads(tree, EVERYTHING, Some(unit)), Reads::default(), "{unit:?} of {}", all.len());
        }
    }
}

#[test]
fn days_of_a_range_read_a_leaf_for_each_border_at_most() {
    for (all, tree) in &*TREES {
        let from = 1_600_000_000 / 86_400 * 86_400;
        for days in [7, 90, 365] {
            let filter = PostingFilter { from: Some(from), to: Some(from + days * 86_400 - 1), ..EVERYTHING };
            let read = reads(tree, filter, Some(CalendarUnit::Day));
            let borders = usize::try_from(days).expect("a small number") + 1;
            assert!(!read.was_stopped && read.leaves <= borders + 4, "{}, {days} days: {read:?}", all.len());
        }
    }
}

#[test]
fn too_many_days_are_told_before_most_nodes_are_read() {
    let [.., (dense, dense_tree)] = &*TREES;
    let read = reads(dense_tree, EVERYTHING, Some(CalendarUnit::Day));
    assert!(read.was_stopped && read.leaves <= 1_300, "1,826 days: {read:?}");
    let later = |posting: &Posting| {
        let key = PostingKey { effective_at: posting.key.effective_at * 20, ..posting.key };
        Posting { key, ..*posting }
    };
    let sparse: Vec<_> = dense.iter().map(later).collect();
    let read = reads(&tree(&sparse), EVERYTHING, Some(CalendarUnit::Day));
    assert_eq!(read, Reads { was_stopped: true, ..Reads::default() }, "each of 1,200 months has a review");
}
