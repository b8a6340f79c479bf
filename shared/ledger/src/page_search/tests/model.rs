//! Trees of a test, built by hand with small nodes, and the list that a search must agree with.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use proptest::prelude::*;

use crate::page_search::{FoundPage, NeededNode, NodeKind, PageSearch};
use crate::tree::{MonthSpan, NodeRef, OldestPostings, PeriodSummary, RootSummary};
use crate::{LogPosition, Posting, PostingFilter, PostingKey, ReviewNumber, TreeDelta};
use presence_domain::calendar::Month;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};

/// Number of postings of a full leaf.
pub(super) const LEAF: usize = 4;
/// Number of leaves of a full branch.
const BRANCH: usize = 3;
/// Number of leaves of a period without branches.
const PLAIN_LEAVES: usize = 4;

/// Review of a tree before and after the changes of the log.
#[derive(Clone, Debug)]
pub(crate) struct TestReview {
    pub(crate) before: Option<Posting>,
    pub(crate) after: Option<Posting>,
}

/// Tree with its nodes.
pub(super) struct TestTree {
    root: RootSummary,
    delta: TreeDelta,
    leaves: HashMap<NodeRef, Vec<Posting>>,
    branches: HashMap<NodeRef, Vec<(PostingKey, NodeRef, u64)>>,
    after: Vec<Posting>,
}

/// Search of a test.
#[derive(Clone, Debug)]
pub(crate) struct TestSearch {
    pub(crate) filter: PostingFilter,
    pub(super) newest_first: bool,
    pub(super) page: PageRequest,
}

fn place() -> impl Strategy<Value = (i64, u8)> {
    // Half days, so that many reviews share a second, in the months around the turn of a year.
    (0_i64..1_000, 0_u8..5).prop_map(|(half_day, facet_key)| (half_day * 43_200 - 200 * 86_400, facet_key))
}

/// Returns reviews of one tree: most unchanged, some new, some gone, some in another place, some only with a higher version.
pub(crate) fn reviews(max: usize) -> impl Strategy<Value = Vec<TestReview>> {
    let review = (place(), place(), 0_u8..12);
    prop::collection::vec(review, 0..max).prop_map(|reviews| {
        let posting = |id: usize, (effective_at, facet_key): (i64, u8), version| {
            let id = ReviewNumber::new(id as u64 * 7919 % 10_007);
            let facet_key = FacetKey::from_number(facet_key).expect("a number below 90");
            Posting { key: PostingKey { effective_at, id }, facet_key, version }
        };
        let review = |(id, (old, new, change))| {
            let before = posting(id, old, 1);
            let after = match change {
                0 => None,
                1 => Some(posting(id, new, 2)),
                2 => Some(Posting { facet_key: posting(id, new, 2).facet_key, version: 2, ..before }),
                3 => Some(posting(id, old, 2)),
                _ => Some(before),
            };
            TestReview { before: (change != 4).then_some(before), after }
        };
        reviews.into_iter().enumerate().map(review).collect()
    })
}

/// Returns searches with each part of a filter, and pages up to some behind the last one.
pub(crate) fn search() -> impl Strategy<Value = TestSearch> {
    let second = || prop::option::weighted(0.6, place().prop_map(|(second, _)| second));
    let shift = prop::sample::select(vec![-1_i64, 0, 1]);
    let size = prop::sample::select(vec![1_u64, 2, 3, 5, 30, 100]);
    let page = prop_oneof![4 => 1_u64..4, 4 => 1_u64..120, 1 => Just(PageRequest::MAX_PAGE)];
    let facets = (0_u8..32, second(), second(), shift);
    (facets, any::<bool>(), size, page).prop_map(|((bits, from, to, shift), newest_first, size, page)| {
        let admits = |number: u8| number < 5 && bits >> number & 1 == 1;
        let mask = FacetMask::from_predicate(|state, rating, partner, has_content| {
            bits == 31 || admits(FacetKey::new(state, rating, partner, has_content).number())
        });
        let filter = PostingFilter { mask, from: from.map(|from| from + shift), to: to.map(|to| to + shift) };
        TestSearch { filter, newest_first, page: PageRequest { page, size } }
    })
}

impl TestTree {
    /// Returns the tree of the reviews, whose ids have this remainder, with this number of postings and of copies in the root, and
    /// periods of these numbers of months.
    pub(super) fn new(
        reviews: &[TestReview],
        (recent, copied): (usize, usize),
        months: u8,
        mask: FacetMask,
        trees: (u64, u64),
    ) -> Self {
        let renamed = |mut posting: Posting| {
            posting.key.id = ReviewNumber::new(posting.key.id.get() * trees.1 + trees.0);
            posting
        };
        let changes: Vec<_> =
            reviews.iter().map(|review| (review.before.map(renamed), review.after.map(renamed))).collect();
        let mut before: Vec<_> = changes.iter().filter_map(|(before, _)| *before).collect();
        let mut after: Vec<_> = changes.iter().filter_map(|(_, after)| *after).collect();
        before.sort_unstable();
        after.sort_unstable();
        let differing = || changes.iter().filter(|(before, after)| before != after);
        let removed = differing().filter_map(|(before, _)| before.map(|before| (before.key.id, before)));
        let mut added: Vec<_> = differing().filter_map(|(_, after)| *after).collect();
        added.sort_unstable();
        let delta = TreeDelta { removed: removed.collect(), added };
        let recent = before.split_off(before.len().saturating_sub(recent));
        let behind = before.last().map_or(PostingKey::FIRST, |last| PostingKey::at(last.key.effective_at + 1));
        let recent_start = recent.first().map_or(behind, |first| first.key);
        let (edition, position) = (1, LogPosition::default());
        let total = before.len() as u64;
        let oldest = before[..copied.min(before.len())].to_vec();
        let end = match before.get(copied) {
            Some(_) if copied == 0 => PostingKey::FIRST,
            Some(next) => next.key,
            None => recent_start,
        };
        let oldest = OldestPostings { end, postings: oldest };
        let (facet_editions, periods) = (None, Vec::new());
        let root = RootSummary { edition, position, facet_editions, periods, recent_start, recent, oldest, total };
        let mut tree = Self { root, delta, leaves: HashMap::new(), branches: HashMap::new(), after };
        tree.add_periods(&before, months, mask);
        tree
    }

    /// Returns the tree of ascending postings that no change of the log concerns, with this number of them and of copies in the root.
    pub(super) fn unchanged(postings: &[Posting], in_root: (usize, usize), mask: FacetMask) -> Self {
        Self::new(&unchanged(postings.iter().copied()), in_root, 12, mask, (0, 1))
    }

    fn add_periods(&mut self, postings: &[Posting], months: u8, mask: FacetMask) {
        let mut periods: BTreeMap<MonthSpan, Vec<Posting>> = BTreeMap::new();
        for posting in postings {
            let span = MonthSpan::containing(Month::of(posting.key.effective_at), months);
            periods.entry(span).or_default().push(*posting);
        }
        for (span, postings) in periods {
            let (total, matches) = (postings.len() as u64, matches(&postings, mask));
            let leaves: Vec<_> = postings.chunks(LEAF).map(|leaf| self.add_leaf(leaf, mask)).collect();
            let plain = leaves.len() <= PLAIN_LEAVES;
            let nodes = if plain {
                leaves.into_iter().map(|(start, node, _)| (start, node, None)).collect()
            } else {
                leaves.chunks(BRANCH).map(|leaves| self.add_branch(leaves)).collect()
            };
            self.root.periods.push(PeriodSummary { span, total, matches, nodes });
        }
    }

    fn next_node(&self) -> NodeRef {
        node_number(self.leaves.len() + self.branches.len())
    }

    fn add_leaf(&mut self, postings: &[Posting], mask: FacetMask) -> (PostingKey, NodeRef, u64) {
        let node = self.next_node();
        self.leaves.insert(node, postings.to_vec());
        (postings[0].key, node, matches(postings, mask))
    }

    fn add_branch(&mut self, leaves: &[(PostingKey, NodeRef, u64)]) -> (PostingKey, NodeRef, Option<u64>) {
        let node = self.next_node();
        self.branches.insert(node, leaves.to_vec());
        (leaves[0].0, node, Some(leaves.iter().map(|(.., matches)| matches).sum()))
    }
}

/// Returns the name of a node with a number.
pub(crate) fn node_number(number: usize) -> NodeRef {
    NodeRef { slot: u32::try_from(number).expect("few nodes"), stamp: 0 }
}

/// Returns ranks as positions in a list.
pub(super) fn positions(ranks: &Range<u64>) -> Range<usize> {
    let position = |rank| usize::try_from(rank).expect("a rank in a list");
    position(ranks.start)..position(ranks.end)
}

fn matches(postings: &[Posting], mask: FacetMask) -> u64 {
    postings.iter().filter(|posting| mask.contains(posting.facet_key)).count() as u64
}

/// Returns the page that a list of all postings has.
pub(super) fn expected(trees: &[TestTree], search: &TestSearch) -> (u64, Vec<(usize, Posting)>) {
    let all =
        trees.iter().enumerate().flat_map(|(tree, of_tree)| of_tree.after.iter().map(move |posting| (tree, *posting)));
    let mut all: Vec<_> = all.filter(|(_, posting)| search.filter.admits(posting)).collect();
    all.sort_by_key(|(_, posting)| posting.key);
    if search.newest_first {
        all.reverse();
    }
    let range = search.page.range(all.len() as u64);
    (all.len() as u64, all[positions(&range)].to_vec())
}

/// Returns reviews that no change of the log concerns.
pub(crate) fn unchanged(postings: impl Iterator<Item = Posting>) -> Vec<TestReview> {
    postings.map(|posting| TestReview { before: Some(posting), after: Some(posting) }).collect()
}

/// Returns a search with these trees.
pub(super) fn start(trees: &[TestTree], search: &TestSearch) -> PageSearch {
    let mut page_search = PageSearch::new(search.filter, search.newest_first, search.page);
    (page_search.leaf_max, page_search.leaves_of_a_round) = (LEAF as u64, 1);
    for tree in trees {
        page_search.add_tree(&tree.root, &tree.delta);
    }
    page_search
}

/// Searches, and returns the page with the nodes of each round of reads. If the page may be estimated, the first round of leaves reads
/// the likely ones, unless it is the second round of reads. `cached` has a bit for each slot modulo 32 whose nodes are at hand.
pub(super) fn run(
    trees: &[TestTree],
    search: &TestSearch,
    may_estimate: bool,
    cached: u32,
) -> (FoundPage, Vec<Vec<NeededNode>>) {
    let is_cached = |node: &NeededNode| cached & (1 << (node.node.slot % 32)) != 0;
    let mut rounds = Vec::new();
    let mut page_search = start(trees, search);
    loop {
        let needed = page_search.needed_nodes();
        if needed.is_empty() {
            return (page_search.finish(), rounds);
        }
        let (at_hand, missing): (Vec<_>, Vec<_>) = needed.into_iter().partition(is_cached);
        let at_hand = if at_hand.is_empty() { page_search.narrowing_nodes() } else { at_hand };
        let at_hand: Vec<_> = at_hand.into_iter().filter(is_cached).collect();
        if !at_hand.is_empty() {
            insert(&mut page_search, trees, search, &at_hand);
            continue;
        }
        let likely = if may_estimate && rounds.is_empty() { page_search.likely_leaves() } else { None };
        let likely = likely.inspect(|likely| assert!(!likely.is_empty() && likely.len() < missing.len()));
        let read = likely.unwrap_or(missing);
        insert(&mut page_search, trees, search, &read);
        rounds.push(read);
    }
}

fn insert(page_search: &mut PageSearch, trees: &[TestTree], search: &TestSearch, nodes: &[NeededNode]) {
    for node in nodes {
        let tree = &trees[node.tree];
        let inserted = match node.kind {
            NodeKind::Branch => page_search.insert_branch(*node, &tree.branches[&node.node]),
            NodeKind::Leaf => page_search.insert_leaf(*node, &{
                let leaf = tree.leaves[&node.node].iter();
                leaf.filter(|posting| search.filter.mask.contains(posting.facet_key)).copied().collect::<Vec<_>>()
            }),
        };
        inserted.expect("nodes have what their parents count");
    }
}
