//! Trees of a test with small nodes, and the counts of a list that a search must agree with.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;

use crate::page_search::tests::model::{TestReview, node_number};
use crate::tree::{
    BranchEntry, BranchRef, DecodeError, MonthSpan, NodeRef, Period, PeriodNodes, TreeRoot, encode_branch, encode_leaf,
};
use crate::{
    CalendarUnit, GroupNumber, NodeKind, Posting, PostingFilter, PostingKey, ReviewNumber, StatsSearch, TreeDelta,
};
use presence_domain::calendar::Month;
use presence_domain::review::{FacetCounts, FacetKey, FacetMask};

/// Number of postings of a full leaf.
const LEAF: usize = 4;
/// Number of leaves of a full branch.
const BRANCH: usize = 3;
/// Number of leaves of a period without branches.
const PLAIN_LEAVES: usize = 4;

/// Counts of each group.
type Counts = BTreeMap<GroupNumber, FacetCounts>;

/// Tree with its nodes.
pub(super) struct TestTree {
    /// Group of all its reviews.
    group: GroupNumber,
    root: TreeRoot,
    delta: TreeDelta,
    nodes: HashMap<NodeRef, Vec<u8>>,
    after: Vec<Posting>,
}

/// Result of a search, and the kinds of nodes of each round of reads.
pub(super) struct Search {
    pub(super) counts: Option<Counts>,
    pub(super) waves: Vec<Vec<NodeKind>>,
    /// True if nodes were left unread, as there are too many groups in any case.
    pub(super) was_stopped: bool,
}

/// Damage of a stored node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Damage {
    /// The leaves of branches lack a posting.
    LeafWithoutPosting,
    /// Branches lack a leaf.
    BranchWithoutLeaf,
}

/// Returns each unit of time, and none.
pub(super) fn units() -> impl Strategy<Value = Option<CalendarUnit>> {
    let units = [None, Some(CalendarUnit::Day), Some(CalendarUnit::Month), Some(CalendarUnit::Year)];
    prop::sample::select(units.to_vec())
}

impl TestTree {
    /// Returns the tree of the reviews, with this number of postings in the root and periods of this number of months.
    pub(super) fn new(reviews: &[TestReview], recent: usize, months: u8, group: usize) -> Self {
        let changed = reviews.iter().filter(|review| review.before != review.after);
        let removed = changed.clone().filter_map(|review| review.before.map(|before| (before.key.id, before)));
        let mut added: Vec<_> = changed.filter_map(|review| review.after).collect();
        added.sort_unstable();
        let mut before: Vec<_> = reviews.iter().filter_map(|review| review.before).collect();
        before.sort_unstable();
        let recent = before.split_off(before.len().saturating_sub(recent));
        let behind = before.last().map_or(PostingKey::FIRST, |last| PostingKey::at(last.key.effective_at + 1));
        let recent_start = recent.first().map_or(behind, |first| first.key);
        let mut tree = Self {
            group: GroupNumber::try_from(group).expect("a small number"),
            root: TreeRoot { recent_start, recent, ..TreeRoot::empty() },
            delta: TreeDelta { removed: removed.collect(), added },
            nodes: HashMap::new(),
            after: reviews.iter().filter_map(|review| review.after).collect(),
        };
        tree.add_periods(&before, months);
        tree
    }

    fn add_periods(&mut self, postings: &[Posting], months: u8) {
        let mut by_span: BTreeMap<MonthSpan, Vec<Posting>> = BTreeMap::new();
        for posting in postings {
            let span = MonthSpan::containing(Month::of(posting.key.effective_at), months);
            by_span.entry(span).or_default().push(*posting);
        }
        for (span, postings) in by_span {
            let leaves: Vec<_> = postings.chunks(LEAF).map(|leaf| self.add_leaf(leaf)).collect();
            let nodes = if leaves.len() <= PLAIN_LEAVES {
                PeriodNodes::Leaves(leaves.iter().map(|leaf| (leaf.start, leaf.node)).collect())
            } else {
                PeriodNodes::Branches(leaves.chunks(BRANCH).map(|leaves| self.add_branch(leaves)).collect())
            };
            self.root.periods.push(Period { span, counts: Posting::counts(&postings), nodes });
        }
    }

    fn add_node(&mut self, bytes: Vec<u8>) -> NodeRef {
        let node = node_number(self.nodes.len());
        self.nodes.insert(node, bytes);
        node
    }

    fn add_leaf(&mut self, postings: &[Posting]) -> BranchEntry {
        let node = self.add_node(encode_leaf(postings));
        BranchEntry { start: postings[0].key, counts: Posting::counts(postings), node }
    }

    fn add_branch(&mut self, leaves: &[BranchEntry]) -> BranchRef {
        let mut counts = FacetCounts::default();
        for leaf in leaves {
            counts.add_all(&leaf.counts);
        }
        let node = self.add_node(encode_branch(leaves));
        BranchRef { start: leaves[0].start, counts, node }
    }
}

/// Returns the counts that a list of all postings has.
pub(super) fn expected(trees: &[TestTree], filter: PostingFilter, unit: Option<CalendarUnit>) -> Counts {
    let mut counts = Counts::new();
    for tree in trees {
        for posting in tree.after.iter().filter(|posting| filter.admits(posting)) {
            let date = presence_domain::instant::format_second(posting.key.effective_at);
            let month = || Month::parse(&date[..7]).expect("a month").number();
            let group = match unit {
                None => tree.group,
                Some(CalendarUnit::Day) => posting.key.effective_at.div_euclid(86_400),
                Some(CalendarUnit::Month) => month(),
                Some(CalendarUnit::Year) => date[..4].parse().expect("a year"),
            };
            counts.entry(group).or_default().add(posting.facet_key, 1);
        }
    }
    counts
}

fn start(trees: &[TestTree], filter: PostingFilter, unit: Option<CalendarUnit>, max: usize) -> StatsSearch {
    let mut search = StatsSearch::new(filter, unit, max);
    for tree in trees {
        search.add_tree(tree.group, &tree.root, &tree.delta);
    }
    search
}

/// Searches as the store does.
pub(super) fn run(trees: &[TestTree], filter: PostingFilter, unit: Option<CalendarUnit>, max: usize) -> Search {
    let (mut search, mut waves) = (start(trees, filter, unit, max), Vec::new());
    loop {
        let was_stopped = search.has_too_many_groups();
        let needed: Vec<_> = search.needed_nodes().collect();
        if was_stopped || needed.is_empty() {
            let counts = if was_stopped { None } else { search.finish().expect("nodes that fit") };
            return Search { counts, waves, was_stopped };
        }
        waves.push(needed.iter().map(|node| node.kind).collect());
        for node in needed {
            search.insert_node(node, &trees[node.tree].nodes[&node.node]).expect("a node that fits");
        }
    }
}

/// Returns one of the postings of a tree, which are half a day apart.
pub(super) fn posting(number: i64) -> Posting {
    let key = PostingKey { effective_at: number * 40_000, id: ReviewNumber::new(number.unsigned_abs()) };
    Posting { key, facet_key: FacetKey::from_number(7).expect("a key"), version: 1 }
}

/// Searches a tree with branches for its days, some of whose nodes are damaged.
pub(super) fn run_damaged(damage: Damage) -> Result<Option<Counts>, DecodeError> {
    let postings: Vec<_> = (0..60).map(posting).collect();
    let reviews: Vec<_> =
        postings.iter().map(|posting| TestReview { before: Some(*posting), after: Some(*posting) }).collect();
    let tree = TestTree::new(&reviews, 0, 1, 0);
    let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
    let mut search = start(std::slice::from_ref(&tree), filter, Some(CalendarUnit::Day), usize::MAX);
    loop {
        let needed: Vec<_> = search.needed_nodes().collect();
        if needed.is_empty() {
            return search.finish();
        }
        for node in needed {
            search.insert_node(node, &damaged(&tree.nodes[&node.node], node.kind, damage)?)?;
        }
    }
}

fn damaged(bytes: &[u8], kind: NodeKind, damage: Damage) -> Result<Vec<u8>, DecodeError> {
    use crate::tree::{decode_branch, decode_leaf};
    Ok(match (kind, damage) {
        (NodeKind::Leaf, Damage::LeafWithoutPosting) => encode_leaf(&decode_leaf(bytes)?[1..]),
        (NodeKind::Branch, Damage::BranchWithoutLeaf) => encode_branch(&decode_branch(bytes)?[1..]),
        _ => bytes.to_vec(),
    })
}
