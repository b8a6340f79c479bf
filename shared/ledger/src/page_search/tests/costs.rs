//! Reads of searches in trees of the sizes that the store has.

use super::model::{TestSearch, positions};
use super::stored::{Search, StoredTree, postings, run, run_estimated, start};
use super::{EVERYTHING, FIRST_SECOND, each_minute, posting};
use crate::tree::{TreeLimits, decode_root};
use crate::{Posting, PostingFilter, PostingKey, ReviewNumber, TreeDelta};
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};

fn mask_of(keys: impl IntoIterator<Item = u8>) -> FacetMask {
    let keys: Vec<u8> = keys.into_iter().collect();
    FacetMask::from_predicate(|state, rating, partner, has_content| {
        keys.contains(&FacetKey::new(state, rating, partner, has_content).number())
    })
}

fn page(filter: PostingFilter, newest_first: bool, page: u64) -> TestSearch {
    TestSearch { filter, newest_first, page: PageRequest { page, size: 30 } }
}

/// Checks a search against the list of all postings, and returns it.
fn checked_search(all: &[Posting], tree: &StoredTree, search: &TestSearch) -> Search {
    let done = run(std::slice::from_ref(tree), search);
    let mut expected: Vec<_> = all.iter().filter(|posting| search.filter.admits(posting)).copied().collect();
    if search.newest_first {
        expected.reverse();
    }
    let range = search.page.range(expected.len() as u64);
    let expected_page: Vec<_> = expected[positions(&range)].iter().map(|one| (0, *one)).collect();
    assert_eq!((done.found.count, &done.found.postings), (expected.len() as u64, &expected_page), "{search:?}");
    assert!(done.rounds <= 2, "{search:?}");
    done
}

#[test]
fn page_without_filter_reads_the_leaves_that_it_lies_in() {
    let all = postings(60_000);
    let tree = StoredTree::new(all.clone(), 512, false);
    for newest_first in [true, false] {
        for number in [1, 2, 16, 17, 18, 19, 50, 51, 52, 700, 1_001, 1_999, 2_000, 2_001] {
            let search = page(EVERYTHING, newest_first, number);
            let done = checked_search(&all, &tree, &search);
            // A period without branches has one count for all its leaves: one of them on either side of the page is read too.
            assert!(done.leaves <= 3, "page {number} reads {} leaves", done.leaves);
            assert_eq!(done.found.range_total.map(|total| total.div_ceil(30)), Some(u64::from(number <= 2_000)));
        }
    }
    assert_eq!(checked_search(&all, &tree, &page(EVERYTHING, true, 1)).blocks, 0, "the root has the newest page");
}

#[test]
fn pages_of_copies_read_no_node_and_the_first_leaf_behind_them_counts_them_once() {
    let all = postings(60_000);
    let tree =
        StoredTree::with_limits(all.clone(), TreeLimits { recent_max: 512, oldest_max: 64, period_split: 64 }, false);
    let blocks = |filter, newest_first, number| checked_search(&all, &tree, &page(filter, newest_first, number)).blocks;
    for (newest_first, number) in [(false, 1), (false, 2), (true, 2_000), (true, 1_999)] {
        assert_eq!(blocks(EVERYTHING, newest_first, number), 0, "page {number}");
    }
    for (newest_first, number) in [(false, 3), (true, 1_998), (false, 9), (true, 1_992)] {
        assert!(blocks(EVERYTHING, newest_first, number) > 0, "page {number}");
    }
    let frequent = PostingFilter { mask: mask_of([0]), ..EVERYTHING };
    assert_eq!(blocks(frequent, false, 1), 0, "more than 30 of 64 match");
    let from = Some(all[10].key.effective_at);
    assert_eq!(blocks(PostingFilter { from, ..EVERYTHING }, false, 1), 0, "the range of dates cuts the copies");
    let to = Some(all[40].key.effective_at);
    assert_eq!(blocks(PostingFilter { to, ..EVERYTHING }, true, 1), 0);
}

#[test]
fn cut_of_dates_reads_few_leaves_more() {
    let all = postings(60_000);
    let tree = StoredTree::new(all.clone(), 512, false);
    let last = all.len() - 1;
    for (first, end) in [(0, last), (10, 20), (30_000, 30_010), (12_345, 54_321), (700, 59_990), (59_000, last)] {
        let (from, to) = (all[first].key.effective_at, all[end].key.effective_at);
        for (from, to) in [(Some(from), Some(to)), (Some(from), None), (None, Some(to))] {
            for number in [1, 2, 500, 1_000, 2_000] {
                let search = page(PostingFilter { from, to, ..EVERYTHING }, true, number);
                let done = checked_search(&all, &tree, &search);
                assert!(done.leaves <= 10, "{search:?} reads {} leaves", done.leaves);
            }
        }
    }
}

#[test]
fn page_of_many_trees_reads_about_one_leaf_of_each() {
    const TREES: usize = 20;
    let limits = TreeLimits { recent_max: 64, oldest_max: 0, period_split: 256 };
    let tree = |number: usize| {
        let number = number as u64;
        let renamed = |posting: &Posting| {
            let PostingKey { effective_at, id } = posting.key;
            let key = PostingKey { effective_at, id: ReviewNumber::new(id.get() * TREES as u64 + number) };
            Posting { key, ..*posting }
        };
        let postings = postings(15_000 + 500 * number).iter().map(renamed).collect();
        StoredTree::with_limits(postings, limits, false)
    };
    let trees: Vec<_> = (0..TREES).map(tree).collect();
    let (mut every, mut likely) = (0, 0);
    for number in (500..9_000).step_by(850) {
        for (newest_first, filter) in [(true, EVERYTHING), (false, PostingFilter { mask: mask_of([0]), ..EVERYTHING })]
        {
            let search = page(filter, newest_first, number);
            let (exact, estimated) = (run(&trees, &search), run_estimated(&trees, &search));
            assert_eq!(estimated.found, exact.found, "{search:?}");
            assert_eq!(estimated.found.postings.len(), 30, "{search:?}");
            assert!(estimated.rounds <= 2 && estimated.leaves <= exact.leaves, "{search:?}: {}", estimated.leaves);
            every += exact.leaves;
            likely += estimated.leaves;
        }
    }
    // 20 pages of 20 trees. Months have 250 to 410 postings of each tree, in one leaf or two.
    assert_eq!((likely, every), (415, 744), "leaves");
}

/// Blocks of a search in a set's tree and in trees of facet keys, and the choice between both.
struct Costs {
    main: usize,
    facets: usize,
    chosen: Option<Vec<FacetKey>>,
}

/// Returns the trees of single facet keys.
fn facet_trees(all: &[Posting], keys: &[u8]) -> Vec<StoredTree> {
    let of_key = |key: &u8| {
        let of_key = all.iter().filter(|posting| posting.facet_key.number() == *key).copied();
        StoredTree::new(of_key.collect(), 64, false)
    };
    keys.iter().map(of_key).collect()
}

fn costs(all: &[Posting], tree: &StoredTree, facet_trees: &[StoredTree], search: &TestSearch) -> Costs {
    let main = checked_search(all, tree, search).blocks;
    let root = &start(std::slice::from_ref(tree), search).1[0];
    let chosen =
        start(&[], search).0.choose_facet_keys(&tree.root, root, &TreeDelta::default(), false).expect("a root");
    let roots: usize = facet_trees.iter().map(|tree| tree.root.len().div_ceil(4_096)).sum();
    Costs { main, facets: roots + run(facet_trees, search).blocks, chosen }
}

#[test]
fn trees_of_facet_keys_are_chosen_where_they_read_less() {
    let key_sets = [vec![7], vec![7, 8], vec![9], vec![10], (10..22).collect(), (10..30).collect(), vec![0], vec![50]];
    for (number, times) in [(8_000, 8), (60_000, 11), (300_000, 13)] {
        let all = postings(number);
        let tree = StoredTree::new(all.clone(), 512, true);
        let mut chosen_keys = Vec::new();
        for keys in &key_sets {
            let facet_trees = facet_trees(&all, keys);
            for (newest_first, number) in [(true, 1), (true, 2), (false, 1), (false, 3)] {
                let search = page(PostingFilter { mask: mask_of(keys.clone()), ..EVERYTHING }, newest_first, number);
                let Costs { main, facets, chosen } = costs(&all, &tree, &facet_trees, &search);
                let (own, other) = if chosen.is_some() { (facets, main) } else { (main, facets) };
                assert!(own <= other + 8, "{search:?} of {}: {own} blocks, not {other}", all.len());
                chosen_keys.extend(chosen);
            }
        }
        assert_eq!(chosen_keys.len(), times, "{number} postings");
    }
}

#[test]
fn estimated_blocks_are_near_those_that_are_read() {
    let key_sets = [vec![7], vec![7, 8], vec![9], (10..22).collect(), vec![0]];
    let estimates = [8_000, 60_000, 300_000].map(|number| {
        let all = postings(number);
        let tree = StoredTree::new(all.clone(), 512, true);
        let keys = [0, 9, 10].map(|key| FacetKey::from_number(key).expect("a key"));
        let root = decode_root(&tree.root).expect("a root");
        let dates = [(None, None), (Some(all.len() / 5), None), (Some(all.len() / 7), Some(all.len() * 4 / 5))];
        let searches = key_sets.iter().flat_map(|keys| {
            let at = |position: Option<usize>| position.map(|position| all[position].key.effective_at);
            let filters =
                dates.map(|(from, to)| PostingFilter { mask: mask_of(keys.clone()), from: at(from), to: at(to) });
            filters.into_iter().flat_map(|filter| {
                [(true, 1), (true, 3), (false, 2)].map(|(newest_first, number)| page(filter, newest_first, number))
            })
        });
        searches.fold([0; 4], |[estimated, read, of_facets, branches], search| {
            let (alone, summary) = start(std::slice::from_ref(&tree), &search);
            [
                estimated + alone.estimated_blocks(&summary[0]),
                read + run(std::slice::from_ref(&tree), &search).blocks as u64,
                of_facets + alone.estimated_facet_blocks(),
                branches + alone.keys_with_branches(&root, &keys),
            ]
        })
    });
    assert_eq!(
        estimates,
        [[135, 135, 125, 0], [1_082, 961, 125, 0], [814, 698, 125, 39]],
        "estimated blocks and those that are read, estimated ones of facet trees, and those with branches"
    );
}

#[test]
fn a_page_stands_for_the_postings_that_have_its_share_of_matches() {
    // A fourth of 40 postings in a period match, and half of the eight that the root has.
    let facet_key = |day: i64| if day % (if day < 40 { 4 } else { 2 }) == 0 { 9 } else { 0 };
    let all: Vec<_> = (0..48).map(|day| posting(FIRST_SECOND + day * SECONDS_OF_DAY, 1, facet_key(day))).collect();
    let tree = StoredTree::new(all, 16, false);
    for (size, total) in [(4, 8), (5, 12), (14, 48)] {
        let filter = PostingFilter { mask: mask_of([9]), ..EVERYTHING };
        let search = TestSearch { filter, newest_first: true, page: PageRequest { page: 1, size } };
        assert_eq!(run(std::slice::from_ref(&tree), &search).found.range_total, Some(total), "{size}");
    }
}

#[test]
fn blocks_of_a_branch_are_estimated_by_its_size_and_by_the_share_of_matches_in_its_period() {
    // The root has the last posting of each tree.
    let one_month = [each_minute(0, 20_000, 0), each_minute(91, 1, 9)];
    let january = [each_minute(0, 990, 9), each_minute(1, 1_010, 0)];
    let march = [each_minute(60, 30, 9), each_minute(61, 1_970, 0), each_minute(91, 1, 0)];
    let two_months = [january.concat(), march.concat()];
    for (all, search, blocks, is_chosen) in [
        // Some 96 leaves: a branch of two blocks, and two leaves of the page. The tree of the key has a root, a branch and a leaf,
        // and takes a round more, which is worth three.
        (one_month, page(PostingFilter { mask: mask_of([0]), ..EVERYTHING }, true, 2), 4, false),
        // The page is in March, where 30 reviews match in some ten leaves.
        (two_months, page(PostingFilter { mask: mask_of([9]), ..EVERYTHING }, false, 34), 12, true),
    ] {
        let tree = StoredTree::new(all.concat(), 0, true);
        let (alone, roots) = start(std::slice::from_ref(&tree), &search);
        assert_eq!(alone.estimated_blocks(&roots[0]), blocks, "{search:?}");
        let chosen = start(&[], &search).0;
        let chosen = chosen.choose_facet_keys(&tree.root, &roots[0], &TreeDelta::default(), true);
        assert_eq!(chosen.expect("a root").is_some(), is_chosen, "{search:?}");
    }
}

#[test]
fn keys_with_branches_have_many_reviews_in_a_period_that_the_dates_cut() {
    // The root has the last posting.
    let all = [each_minute(0, 841, 9), each_minute(60, 840, 10), each_minute(91, 1, 0)].concat();
    let tree = StoredTree::new(all, 0, true);
    let root = decode_root(&tree.root).expect("a root");
    let keys = [9, 10].map(|key| FacetKey::from_number(key).expect("a key"));
    for (day, number) in [(0, 1), (60, 0)] {
        let from = Some(FIRST_SECOND + day * SECONDS_OF_DAY + 1);
        let search = page(PostingFilter { from, ..EVERYTHING }, true, 1);
        let alone = start(std::slice::from_ref(&tree), &search).0;
        assert_eq!(alone.keys_with_branches(&root, &keys), number, "{day}");
    }
}

#[test]
fn trees_of_facet_keys_are_chosen_only_if_there_are_some_and_with_keys_that_only_the_log_has() {
    let all = postings(60_000);
    let rare = page(PostingFilter { mask: mask_of([7, 50]), ..EVERYTHING }, true, 1);
    let chosen = |has_facet_trees, delta: &TreeDelta| {
        let tree = StoredTree::new(all.clone(), 512, has_facet_trees);
        let root = &start(std::slice::from_ref(&tree), &rare).1[0];
        let chosen = start(&[], &rare).0.choose_facet_keys(&tree.root, root, delta, false).expect("a root");
        chosen.map(|keys| keys.into_iter().map(FacetKey::number).collect::<Vec<_>>())
    };
    assert_eq!(chosen(false, &TreeDelta::default()), None);
    assert_eq!(chosen(true, &TreeDelta::default()), Some(vec![7]));
    let added = Posting { facet_key: FacetKey::from_number(50).expect("a key"), ..all[30_000] };
    let delta = TreeDelta { added: vec![added], ..TreeDelta::default() };
    assert_eq!(chosen(true, &delta), Some(vec![7, 50]));
}

#[test]
fn tree_of_a_facet_key_with_branches_is_chosen_only_if_its_root_is_there() {
    let month = |posting: Posting| {
        let effective_at = 1_577_836_800 + (posting.key.effective_at - 1_577_836_800) % (31 * 86_400);
        Posting { key: PostingKey { effective_at, ..posting.key }, ..posting }
    };
    let mut all: Vec<_> = postings(300_000).into_iter().map(month).collect();
    all.sort_unstable();
    let tree = StoredTree::new(all, 512, true);
    // Key 10 has 3,000 postings of the month, and key 7 has 300.
    for (key, number, with_root, without_root) in [(10, 20, true, false), (7, 3, true, true)] {
        let search = page(PostingFilter { mask: mask_of([key]), ..EVERYTHING }, true, number);
        let root = &start(std::slice::from_ref(&tree), &search).1[0];
        for (has_facet_roots, is_chosen) in [(true, with_root), (false, without_root)] {
            let chosen = start(&[], &search).0;
            let chosen = chosen.choose_facet_keys(&tree.root, root, &TreeDelta::default(), has_facet_roots);
            assert_eq!(chosen.expect("a root").is_some(), is_chosen, "key {key}, root is there: {has_facet_roots}");
        }
    }
}
