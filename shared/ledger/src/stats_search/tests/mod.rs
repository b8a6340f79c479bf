mod large;
mod model;

use proptest::prelude::*;

use self::model::{TestTree, expected, run, units};
use super::COUNTS_DIFFER;
use crate::fixtures::{facet_key, posting_at};
use crate::page_search::tests::model::{reviews, search, unchanged};
use crate::tree::TreeRoot;
use crate::{CalendarUnit, NodeKind, Posting, PostingFilter, StatsSearch, TreeDelta, arbitrary};
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::review::{FacetKey, FacetMask};

/// Number of groups that no test exceeds.
const ANY_NUMBER: usize = 10_000;

/// Returns a tree of postings that the log does not change, with a period for each month and none in the root.
fn tree_of(postings: impl Iterator<Item = Posting>) -> TestTree {
    TestTree::new(&unchanged(postings), 0, 1, 0)
}

proptest! {
    #![proptest_config(arbitrary::cases(500))]

    #[test]
    fn counts_of_trees_are_those_of_a_list(
        reviews in prop::collection::vec((reviews(120), 0_usize..12, prop::sample::select(vec![12_u8, 6, 3, 1])), 0..4),
        search in search(), unit in units(),
    ) {
        let trees = reviews.iter().enumerate().map(|(number, (reviews, recent, months))| {
            TestTree::new(reviews, *recent, *months, number % 2)
        });
        let trees: Vec<_> = trees.collect();
        let done = run(&trees, search.filter, unit, ANY_NUMBER);
        prop_assert_eq!(done.counts, Some(expected(&trees, search.filter, unit)));
        prop_assert!(done.waves.len() <= 2, "{:?}", done.waves);
        let is_leaf = |wave: &[NodeKind]| wave.iter().all(|kind| *kind == NodeKind::Leaf);
        prop_assert!(done.waves.get(1).is_none_or(|wave| is_leaf(wave)), "branches come first: {:?}", done.waves);
    }

    #[test]
    fn maximum_of_groups_is_exceeded_exactly_if_a_list_has_more(
        reviews in prop::collection::vec((reviews(120), 0_usize..12, prop::sample::select(vec![12_u8, 6, 3, 1])), 0..3),
        search in search(), unit in units(), max in 0_usize..40,
    ) {
        let trees = reviews.iter().map(|(reviews, recent, months)| TestTree::new(reviews, *recent, *months, 0));
        let trees: Vec<_> = trees.collect();
        let all = expected(&trees, search.filter, unit);
        let done = run(&trees, search.filter, unit, max);
        prop_assert_eq!(done.counts, Some(all.clone()).filter(|all| all.len() <= max));
        prop_assert!(!done.was_stopped || all.len() > max, "a search is stopped only if it has too many groups");
    }

    #[test]
    fn without_dates_and_unit_no_node_is_read(
        reviews in reviews(200), recent in 0_usize..12, months in prop::sample::select(vec![12_u8, 6, 3, 1]), search in search(),
    ) {
        let filter = PostingFilter { from: None, to: None, ..search.filter };
        let done = run(&[TestTree::new(&reviews, recent, months, 0)], filter, None, ANY_NUMBER);
        prop_assert!(done.waves.is_empty());
    }
}

#[test]
fn search_without_trees_has_no_group() {
    let search = StatsSearch::new(PostingFilter { mask: FacetMask::ALL, from: None, to: None }, None, ANY_NUMBER);
    assert!(search.finish().expect("no node").expect("few groups").is_empty());
}

#[test]
fn nodes_without_a_match_are_not_read() {
    // January has branches of twelve postings each, and February has leaves. Only the first branch has matches.
    let other = FacetKey::from_number(8).expect("a key");
    let posting = |number| {
        let posting = model::posting(number);
        if number < 12 { posting } else { Posting { facet_key: other, ..posting } }
    };
    let tree = tree_of((0..60).chain(67..75).map(posting));
    let filter = PostingFilter { mask: FacetMask::from_iter([facet_key()]), from: None, to: None };
    let done = run(&[tree], filter, Some(CalendarUnit::Day), ANY_NUMBER);
    assert_eq!(done.waves, [vec![NodeKind::Branch], vec![NodeKind::Leaf; 3]]);
}

#[test]
fn leaves_on_the_larger_side_of_a_date_are_not_read() {
    // The date is in the second leaf of four, or in the third one. It and the leaf on its smaller side are read.
    let trees = [tree_of((0..16).map(model::posting))];
    for number in [5, 11] {
        let from = Some(model::posting(number).key.effective_at);
        let filter = PostingFilter { mask: FacetMask::ALL, from, to: None };
        let done = run(&trees, filter, None, ANY_NUMBER);
        assert_eq!(done.waves, [vec![NodeKind::Leaf; 2]], "from posting {number}");
        assert_eq!(done.counts, Some(expected(&trees, filter, None)), "from posting {number}");
    }
}

#[test]
fn no_further_group_is_counted_once_there_are_too_many() {
    let recent = (0..10).map(|day| posting_at(day * SECONDS_OF_DAY)).collect();
    let root = TreeRoot { recent, ..TreeRoot::empty() };
    let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
    let mut search = StatsSearch::new(filter, Some(CalendarUnit::Day), 2);
    search.add_tree(0, &root, &TreeDelta::default());
    assert_eq!(search.counts.len(), 3);
    assert_eq!(search.finish(), Ok(None));
}

#[test]
fn a_removed_review_that_no_tree_has_is_an_error() {
    let delta = TreeDelta { removed: [(model::posting(0).key.id, model::posting(0))].into(), ..TreeDelta::default() };
    let mut search = StatsSearch::new(PostingFilter { mask: FacetMask::ALL, from: None, to: None }, None, ANY_NUMBER);
    search.add_tree(1, &TreeRoot::empty(), &delta);
    assert_eq!(search.finish(), Err(COUNTS_DIFFER));
}

#[test]
fn nodes_that_do_not_have_what_their_parent_counts_are_an_error() {
    for damage in [model::Damage::LeafWithoutPosting, model::Damage::BranchWithoutLeaf] {
        let error = model::run_damaged(damage).expect_err("counts that differ");
        assert!(error.to_string().contains("what their parent counts"), "{damage:?}: {error}");
    }
}
