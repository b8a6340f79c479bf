mod ahead;
mod costs;
mod estimates;
mod kept;
pub(crate) mod model;
pub(crate) mod stored;

use proptest::prelude::*;

use self::model::{TestSearch, TestTree, expected, reviews, run, search};
use self::stored::{StoredTree, start};
use super::{COUNTS_DIFFER, NodeKind};
use crate::fixtures::EVERYTHING;
use crate::{Posting, PostingFilter, PostingKey, ReviewNumber, arbitrary};
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};

/// 2020-01-01.
const FIRST_SECOND: i64 = 1_577_836_800;

fn posting(effective_at: i64, id: u64, facet_key: u8) -> Posting {
    let key = PostingKey { effective_at, id: ReviewNumber::new(id) };
    Posting { key, facet_key: FacetKey::from_number(facet_key).expect("a facet key"), version: 1 }
}

/// Returns postings of one facet key, one in each minute from a day of 2020 on.
fn each_minute(day: i64, minutes: i64, facet_key: u8) -> Vec<Posting> {
    let start = FIRST_SECOND + day * SECONDS_OF_DAY;
    (0..minutes).map(|minute| posting(start + minute * 60, minute.unsigned_abs(), facet_key)).collect()
}

/// Slots whose nodes are at hand: none, some or all.
fn cached() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), any::<u32>(), Just(u32::MAX)]
}

proptest! {
    #![proptest_config(arbitrary::cases(1_000))]

    #[test]
    fn page_of_one_tree_is_that_of_a_list(
        reviews in reviews(200), in_root in (0_usize..12, 0_usize..12), months in prop::sample::select(vec![12_u8, 6, 3, 1]), search in search(),
        may_estimate in any::<bool>(), cached in cached(),
    ) {
        let trees = [TestTree::new(&reviews, in_root, months, search.filter.mask, (0, 1))];
        let (found, rounds) = run(&trees, &search, may_estimate, cached);
        prop_assert_eq!((found.count, found.postings), expected(&trees, &search));
        prop_assert!(rounds.len() <= 2, "{:?}", rounds);
        let of_one_kind = rounds.iter().all(|round| round.iter().all(|node| node.kind == round[0].kind));
        prop_assert!(of_one_kind && rounds.get(1).is_none_or(|round| round[0].kind == NodeKind::Leaf), "{:?}", rounds);
    }

    #[test]
    fn page_of_several_trees_is_that_of_one_list(
        reviews in prop::collection::vec((reviews(80), (0_usize..12, 0_usize..12), prop::sample::select(vec![12_u8, 6, 3, 1])), 0..6),
        search in search(), may_estimate in any::<bool>(), cached in cached(),
    ) {
        let number = reviews.len() as u64;
        let trees = (0..).zip(&reviews).map(|(tree, (reviews, in_root, months))| {
            TestTree::new(reviews, *in_root, *months, search.filter.mask, (tree, number))
        });
        let trees: Vec<_> = trees.collect();
        let (found, rounds) = run(&trees, &search, may_estimate, cached);
        prop_assert_eq!((found.count, found.postings), expected(&trees, &search));
        prop_assert!(rounds.len() <= 2, "{:?}", rounds);
    }
}

#[test]
fn search_without_trees_finds_nothing() {
    let search = TestSearch { filter: EVERYTHING, newest_first: true, page: PageRequest::default() };
    assert_eq!(run(&[], &search, true, 0).0.count, 0);
}

#[test]
fn a_leaf_without_a_match_that_is_counted_is_an_error() {
    let in_one_second = |number| posting(FIRST_SECOND, number, 7);
    let tree_of = |number| StoredTree::new((0..number).map(in_one_second).collect(), 0, false);
    let search = TestSearch { filter: EVERYTHING, newest_first: false, page: PageRequest { page: 1, size: 10 } };
    let tree = tree_of(200);
    for (other, expected) in [(tree_of(200), Ok(())), (tree_of(199), Err(COUNTS_DIFFER))] {
        let (mut page_search, _) = start(std::slice::from_ref(&tree), &search);
        let node = page_search.needed_nodes()[0];
        assert_eq!(page_search.insert_node(node, &other.nodes[&node.node]), expected);
    }
}

#[test]
fn a_review_that_is_just_before_a_known_one_of_another_tree_is_found() {
    let tree = |id, in_root| TestTree::unchanged(&[posting(FIRST_SECOND, id, 7)], (in_root, 0), FacetMask::ALL);
    let trees = [tree(1, 1), tree(0, 0)];
    let search = TestSearch { filter: EVERYTHING, newest_first: false, page: PageRequest { page: 1, size: 1 } };
    let (found, _) = run(&trees, &search, false, 0);
    assert_eq!((found.count, found.postings), expected(&trees, &search));
}

#[test]
fn leaves_are_not_read_if_those_at_hand_have_all_matches_of_their_period() {
    let mask = FacetKey::from_number(7).into_iter().collect();
    let trees = [TestTree::unchanged(&[each_minute(0, 4, 7), each_minute(1, 8, 0)].concat(), (0, 0), mask)];
    let filter = PostingFilter { mask, ..EVERYTHING };
    let search = TestSearch { filter, newest_first: false, page: PageRequest { page: 1, size: 10 } };
    for (cached, leaves) in [(0, 3), (1, 0)] {
        let (found, rounds) = run(&trees, &search, false, cached);
        assert_eq!((found.count, found.postings), expected(&trees, &search));
        assert_eq!(rounds.concat().len(), leaves, "{cached}");
    }
}

#[test]
fn a_leaf_is_not_read_if_the_root_has_copies_of_all_its_postings() {
    let trees = [TestTree::unchanged(&each_minute(0, 12, 7), (0, 4), FacetMask::ALL)];
    let search = TestSearch { filter: EVERYTHING, newest_first: false, page: PageRequest { page: 2, size: 4 } };
    let (found, rounds) = run(&trees, &search, false, 0);
    assert_eq!((found.count, found.postings), expected(&trees, &search));
    let slots: Vec<_> = rounds.concat().iter().map(|node| node.node.slot).collect();
    assert_eq!(slots, [1]);
}
