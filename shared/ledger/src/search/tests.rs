//! Searches of trees in a table in memory: the trees that are searched, the nodes that are read ahead, and the ranges of pages.

use std::collections::HashSet;
use std::sync::Arc;

use super::{JointLogs, PagePlan, PostingPage, SearchTarget, Searcher};
use crate::fixtures::{EVERYTHING, facet_key, org_id, posting_at};
use crate::page_search::tests::stored::StoredTree;
use crate::table::{Consistency, NewValue, ValueName};
use crate::trees::tests::memory_table::{MemoryTable, at_once};
use crate::{Posting, PostingFilter, ReviewSet, TreeKey};
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};

/// 2024-01-01.
const FIRST_SECOND: i64 = 1_704_067_200;

/// Returns the filter of one facet key.
fn of_key() -> PostingFilter {
    PostingFilter { mask: FacetMask::from_iter([facet_key()]), ..EVERYTHING }
}

/// Returns postings this number of seconds apart. The first one and every fourth after it have the usual facet key.
fn postings(number: i64, seconds: i64) -> Vec<Posting> {
    let other = FacetKey::from_number(8).expect("a key");
    let posting = |number: i64| {
        let posting = posting_at(FIRST_SECOND + number * seconds);
        if number % 4 == 0 { posting } else { Posting { facet_key: other, ..posting } }
    };
    (0..number).map(posting).collect()
}

/// Returns the postings with the usual facet key.
fn with_key(postings: &[Posting]) -> Vec<Posting> {
    postings.iter().filter(|posting| posting.facet_key == facet_key()).copied().collect()
}

fn tree_of(set: &ReviewSet) -> TreeKey {
    TreeKey { set: set.clone(), facet_key: None }
}

/// Stores a tree whose root has the newest posting itself.
fn store(table: &MemoryTable, tree: &TreeKey, postings: Vec<Posting>, has_facet_trees: bool) {
    let stored = StoredTree::new(postings, 1, has_facet_trees);
    table.store(ValueName::Root(tree), NewValue { number: 1, bytes: stored.root, oldest: None });
    for (node, bytes) in stored.nodes {
        table.store_node(tree, node, bytes);
    }
}

/// Returns the page of a search. Reads the log, the roots, and the nodes that lead to it.
fn find(searcher: &Searcher, target: &SearchTarget) -> PostingPage {
    let (orgs, distrusted) = (&target.orgs, HashSet::new());
    let snapshots = at_once(searcher.read_snapshots(orgs, &JointLogs::new(), &distrusted, true)).expect("snapshots");
    let mut plan = PagePlan::new(target);
    at_once(searcher.add_snapshots(&mut plan, target, orgs, &snapshots, &distrusted)).expect("roots");
    at_once(searcher.find_postings(plan)).expect("a page")
}

#[test]
fn a_facet_tree_that_may_have_branches_is_searched_if_its_root_was_read_ahead_or_if_it_is_preferred() {
    let (table, set) = (MemoryTable::default(), ReviewSet::Org(org_id()));
    let all = postings(4_000, 600);
    store(&table, &TreeKey { facet_key: Some(facet_key()), ..tree_of(&set) }, with_key(&all), false);
    store(&table, &tree_of(&set), all, true);
    // The date leaves out one match, and cuts the month.
    let filter = PostingFilter { from: Some(FIRST_SECOND + 1), ..of_key() };
    let target = SearchTarget::new([set], filter, true, PageRequest { page: 1, size: 900 });
    for (is_ahead, is_preferred, is_searched) in [(false, false, false), (true, false, true), (false, true, true)] {
        let searcher = Searcher::new(Arc::new(table.clone())).with_facets_preferred(is_preferred);
        if is_ahead {
            at_once(searcher.read_facet_root_ahead(&target)).expect("a root");
        }
        let page = find(&searcher, &target);
        assert_eq!((page.count, page.postings.len()), (999, 900));
        let has_searched = page.postings.iter().all(|(tree, _)| tree.facet_key.is_some());
        assert_eq!(has_searched, is_searched, "read ahead: {is_ahead}, preferred: {is_preferred}");
    }
}

#[test]
fn the_branch_of_the_next_page_is_read_beside_the_nodes_of_a_page() {
    let (table, set) = (MemoryTable::default(), ReviewSet::Org(org_id()));
    // February has 1,312 postings, and January the others. Each of them has a branch.
    store(&table, &tree_of(&set), postings(2_800, 1_800), false);
    // Pages 42 and 43 are in one leaf of February. Page 44 begins there, and ends in January.
    for (page, reads) in [(42, 3), (43, 4)] {
        let target = SearchTarget::new([set.clone()], EVERYTHING, true, PageRequest { page, size: 30 });
        let found = find(&Searcher::new(Arc::new(table.clone())), &target);
        assert_eq!(found.postings.len(), 30);
        assert_eq!(table.take_reads(), vec![(Consistency::Eventual, 1); reads], "page {page}");
    }
}

#[test]
fn a_root_that_the_cached_directory_does_not_name_is_not_read_again() {
    let (table, set) = (MemoryTable::default(), ReviewSet::City(org_id(), "lyon".to_owned()));
    let target = SearchTarget::new([set], EVERYTHING, true, PageRequest { page: 1, size: 30 });
    let searcher = Searcher::new(Arc::new(table.clone()));
    let [first, again] = [(); 2].map(|()| {
        assert_eq!(find(&searcher, &target).count, 0);
        table.take_reads()
    });
    // The roots of the city and of its organisation, and a bucket of the directory. Then only the organisation's.
    assert_eq!(first, [(Consistency::Eventual, 2), (Consistency::Eventual, 1)]);
    assert_eq!(again, [(Consistency::Eventual, 1)]);
}

#[test]
fn the_range_of_a_page_is_told_by_the_tree_of_an_organisation_and_estimated_by_its_root_for_a_city() {
    let (table, org, city) =
        (MemoryTable::default(), ReviewSet::Org(org_id()), ReviewSet::City(org_id(), "lyon".to_owned()));
    let all = postings(2_800, 900);
    store(&table, &tree_of(&city), with_key(&all), false);
    store(&table, &tree_of(&org), all, false);
    // 2,799 of all postings are in the period of January. The city has one in each hour, and 100 of them are 99 hours apart:
    // 2,799 × 99 / 744 is 372.
    for (set, filter, total) in [(org, of_key(), 400), (city, EVERYTHING, 372)] {
        let target = SearchTarget::new([set.clone()], filter, true, PageRequest { page: 1, size: 100 });
        let page = find(&Searcher::new(Arc::new(table.clone())), &target);
        let range = page.range.map(|range| (range.org_id, range.total));
        assert_eq!((page.postings.len(), range), (100, Some((org_id(), total))), "{set:?}");
    }
}
