mod ahead;
mod costs;
pub(crate) mod model;
pub(crate) mod stored;

use proptest::prelude::*;

use self::model::{TestSearch, TestTree, expected, reviews, run, search};
use self::stored::{StoredTree, start};
use super::{COUNTS_DIFFER, NodeKind};
use crate::{Posting, PostingFilter, PostingKey, ReviewNumber, arbitrary};
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};

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
    let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
    let search = TestSearch { filter, newest_first: true, page: PageRequest::default() };
    assert_eq!(run(&[], &search, true, 0).0.count, 0);
}

#[test]
fn a_leaf_without_a_match_that_is_counted_is_an_error() {
    let in_one_second = |number| {
        let key = PostingKey { effective_at: 1_577_836_800, id: ReviewNumber::new(number) };
        Posting { key, facet_key: FacetKey::from_number(7).expect("a facet key"), version: 1 }
    };
    let tree_of = |number| StoredTree::new((0..number).map(in_one_second).collect(), 0, false);
    let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
    let search = TestSearch { filter, newest_first: false, page: PageRequest { page: 1, size: 10 } };
    let tree = tree_of(200);
    for (other, expected) in [(tree_of(200), Ok(())), (tree_of(199), Err(COUNTS_DIFFER))] {
        let (mut page_search, _) = start(std::slice::from_ref(&tree), &search);
        let node = page_search.needed_nodes()[0];
        assert_eq!(page_search.insert_node(node, &other.nodes[&node.node]), expected);
    }
}
