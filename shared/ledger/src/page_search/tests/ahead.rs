//! Reads of a walk from page to page, with the nodes that are read ahead.

use std::collections::HashSet;

use super::FIRST_SECOND;
use super::model::TestSearch;
use super::stored::{StoredTree, postings, start};
use crate::page_search::{NeededNode, NodeKind, PageSearch};
use crate::tree::TreeLimits;
use crate::{Posting, PostingFilter, PostingKey};
use presence_domain::page::PageRequest;
use presence_domain::review::FacetMask;

/// Reviews of a page: so many that a walk soon comes to the next branch.
const SIZE: u64 = 500;

/// Walk over the pages of trees, and the nodes that it has read.
struct Walk<'a> {
    trees: &'a [StoredTree],
    newest_first: bool,
    cache: HashSet<NeededNode>,
}

/// Reads of one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reads {
    /// Rounds in which nodes were needed.
    rounds: usize,
    /// Nodes that were needed.
    needed: usize,
    /// Branches that were read beside them.
    parallel: usize,
    /// Nodes that were read after them, for later pages.
    after: usize,
}

impl Walk<'_> {
    fn insert(&self, search: &mut PageSearch, nodes: &[NeededNode]) {
        for node in nodes {
            search.insert_node(*node, &self.trees[node.tree].nodes[&node.node]).expect("a node that fits");
        }
    }

    /// Inserts the nodes that are at hand. Returns the others, and true if there were any.
    fn insert_cached(&self, search: &mut PageSearch, nodes: Vec<NeededNode>) -> (Vec<NeededNode>, bool) {
        let (cached, others): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|node| self.cache.contains(node));
        self.insert(search, &cached);
        (others, !cached.is_empty())
    }

    /// Reads nodes that are not at hand. Returns their number.
    fn read(&mut self, nodes: &[NeededNode]) -> usize {
        nodes.iter().filter(|node| self.cache.insert(**node)).count()
    }

    fn page(&mut self, page: u64) -> Reads {
        let (from, to) = (FIRST_SECOND + 45 * 86_400, FIRST_SECOND + 310 * 86_400);
        let filter = PostingFilter { mask: FacetMask::ALL, from: Some(from), to: Some(to) };
        let page = PageRequest { page, size: SIZE };
        let mut search = start(self.trees, &TestSearch { filter, newest_first: self.newest_first, page }).0;
        let mut reads = Reads::default();
        loop {
            let needed = search.needed_nodes();
            if needed.is_empty() {
                break;
            }
            let (missing, is_narrower) = self.insert_cached(&mut search, needed);
            let others = if is_narrower { Vec::new() } else { search.narrowing_nodes() };
            let is_narrower = is_narrower || self.insert_cached(&mut search, others).1;
            let likely = if is_narrower || reads.rounds > 0 { None } else { search.likely_leaves() };
            let (missing, is_narrower) = match likely {
                None => (missing, is_narrower),
                Some(likely) => self.insert_cached(&mut search, likely),
            };
            if !is_narrower {
                reads.rounds += 1;
                let branches = search.branches_ahead();
                assert!(branches.iter().all(|node| node.kind == NodeKind::Branch));
                reads.needed += self.read(&missing);
                reads.parallel += self.read(&branches);
                self.insert(&mut search, &missing);
            }
        }
        assert_eq!(search.finish().postings.len() as u64, SIZE);
        loop {
            let ahead = search.nodes_ahead();
            let (missing, has_inserted) = self.insert_cached(&mut search, ahead);
            if !has_inserted {
                reads.after += self.read(&missing);
                return reads;
            }
        }
    }
}

/// Returns trees of so many reviews in one year. From 18,000 on, each month has a branch.
fn trees_of(numbers: &[u64]) -> Vec<StoredTree> {
    let limits = TreeLimits { recent_max: 64, oldest_max: 0, period_split: 64 };
    let in_one_year = |posting: Posting| {
        let effective_at = FIRST_SECOND + posting.key.effective_at % (366 * 86_400);
        Posting { key: PostingKey { effective_at, ..posting.key }, ..posting }
    };
    let tree = |number: &u64| {
        let mut all: Vec<_> = postings(*number).into_iter().map(in_one_year).collect();
        all.sort_unstable();
        StoredTree::with_limits(all, limits, false)
    };
    numbers.iter().map(tree).collect()
}

/// Sizes of one tree without branches, of one with them, of two with them, and of four without.
const SIZES: [&[u64]; 4] = [&[10_000], &[20_000], &[18_000, 20_000], &[3_100, 3_300, 3_500, 3_700]];

/// Returns the number of a full page, which is one of the last.
fn pages(sizes: &[u64]) -> u64 {
    sizes.iter().sum::<u64>() * 7 / 10 / SIZE
}

/// Returns the sums of the reads of walks in trees of these sizes: forward, and in the other order. Each walk begins with nothing at hand
/// but what `at_hand` says.
fn sums<const N: usize>(
    sizes: &[u64],
    at_hand: impl Fn(&NeededNode) -> bool,
    walks: impl Fn(&mut Walk<'_>, u64, &mut [usize; N]),
) -> [[usize; N]; 2] {
    let trees = trees_of(sizes);
    let of_kind = |kind| {
        let nodes =
            (0..).zip(&trees).flat_map(move |(tree, stored)| stored.nodes.keys().map(move |node| (tree, *node)));
        nodes.map(move |(tree, node)| NeededNode { tree, node, kind })
    };
    let all: Vec<_> = [NodeKind::Branch, NodeKind::Leaf].into_iter().flat_map(of_kind).collect();
    [true, false].map(|newest_first| {
        let mut sums = [0; N];
        for page in (1..pages(sizes)).step_by(2) {
            let cache = all.iter().copied().filter(&at_hand).collect();
            walks(&mut Walk { trees: &trees, newest_first, cache }, page, &mut sums);
        }
        sums
    })
}

#[test]
fn a_walk_reads_each_page_before_it_comes() {
    let read = SIZES.map(|sizes| {
        let trees = trees_of(sizes);
        [true, false].map(|newest_first| {
            let mut walk = Walk { trees: &trees, newest_first, cache: HashSet::new() };
            let first = walk.page(1).rounds;
            for page in 2..pages(sizes) {
                assert_eq!(walk.page(page).rounds, 0, "page {page}");
            }
            (first, walk.cache.len())
        })
    });
    let expected = [[(1, 37), (1, 36)], [(2, 71), (2, 70)], [(2, 135), (2, 135)], [(1, 71), (1, 71)]];
    assert_eq!(read, expected, "rounds of the first page, and nodes of all");
}

#[test]
fn the_page_after_any_page_needs_no_round() {
    let reads = SIZES.map(|sizes| {
        sums(
            sizes,
            |_| false,
            |walk, page, sums| {
                let (first, next) = (walk.page(page), walk.page(page + 1));
                assert_eq!((next.rounds, next.needed, next.parallel), (0, 0, 0), "page {page}");
                let Reads { rounds, needed, parallel, after } = first;
                for (sum, reads) in sums.iter_mut().zip([rounds, needed, parallel, after, next.after]) {
                    *sum += reads;
                }
            },
        )
    });
    let without_branches = [[7, 58, 0, 12, 15], [7, 67, 0, 7, 17]];
    let of_one = [[28, 141, 3, 28, 30], [28, 139, 4, 19, 30]];
    let of_many = [[10, 158, 0, 32, 27], [9, 139, 0, 36, 31]];
    let of_two = [[52, 487, 4, 22, 69], [52, 487, 6, 29, 59]];
    assert_eq!(
        reads,
        [without_branches, of_one, of_two, of_many],
        "rounds, nodes needed, beside and after them, and after the next page"
    );
}

#[test]
fn nodes_at_hand_narrow_the_page() {
    // Two thirds of the leaves, without branches; and all leaves, with two thirds of the branches.
    let at_hand: [fn(&NeededNode) -> bool; 2] = [
        |node| node.kind == NodeKind::Leaf && node.node.slot % 3 > 0,
        |node| node.kind == NodeKind::Leaf || node.node.slot % 3 > 0,
    ];
    let reads = at_hand.map(|at_hand| {
        SIZES.map(|sizes| {
            sums(sizes, at_hand, |walk, page, sums| {
                let reads = walk.page(page);
                sums[0] += reads.rounds;
                sums[1] += reads.needed;
            })
        })
    });
    let without_branches = [[[7, 10], [7, 9]], [[28, 72], [28, 71]], [[50, 246], [49, 244]], [[9, 33], [9, 31]]];
    let with_branches = [[[0, 0], [0, 0]], [[9, 9], [6, 6]], [[26, 79], [26, 76]], [[0, 0], [0, 0]]];
    assert_eq!(reads, [without_branches, with_branches], "rounds, and nodes needed");
}
