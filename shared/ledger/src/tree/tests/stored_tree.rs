//! Tree with its nodes in memory, edited as the store does it, and held against a list.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;

use super::super::layout::{BRANCH_MAX, BRANCH_MIN, LEAF_MIN, ORG_PERIOD_SPLIT, PERIOD_SPLIT, PLAIN_LEAVES_MAX};
use super::super::{
    EditedTree, FREE_MAX, LEAF_MAX, MonthCounts, MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, TreeEdit,
    TreeLimits, TreeRoot, build_tree, decode_branch, decode_leaf, decode_root, encode_oldest, encode_root, stream_tree,
};
use crate::{LogPosition, Posting, PostingKey, TreeDelta};
use presence_domain::{calendar::Month, review::FacetCounts};

/// Postings that a tree must have.
pub(super) type Model = BTreeMap<PostingKey, Posting>;

/// Slots of nodes, as the table holds them.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeStore {
    slots: HashMap<u32, (u32, Vec<u8>)>,
    used_names: HashSet<NodeRef>,
    next_slot: u32,
}

/// Tree with its nodes.
#[derive(Clone, Debug)]
pub(super) struct StoredTree {
    pub(super) root: TreeRoot,
    pub(super) nodes: NodeStore,
    pub(super) limits: TreeLimits,
}

/// Numbers of nodes that an edit read and wrote.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EditCost {
    pub(super) reads: usize,
    pub(super) leaves: usize,
    pub(super) branches: usize,
}

impl NodeStore {
    pub(super) fn get(&self, node: NodeRef) -> &[u8] {
        let (stamp, bytes) = self.slots.get(&node.slot).expect("the slot is in use");
        assert_eq!(*stamp, node.stamp, "the node is not overwritten");
        bytes
    }

    /// Writes a node as the store does: in a free slot whose stamp is the one noted, or in a new slot.
    pub(super) fn put(&mut self, free: &mut Vec<NodeRef>, bytes: Vec<u8>) -> NodeRef {
        let mut name = None;
        while let (None, Some(slot)) = (name, free.pop()) {
            let is_as_noted = self.slots.get(&slot.slot).is_some_and(|(stamp, _)| *stamp == slot.stamp);
            name = is_as_noted.then_some(NodeRef { stamp: slot.stamp + 1, ..slot });
        }
        self.next_slot += 1;
        let name = name.unwrap_or(NodeRef { slot: self.next_slot.wrapping_mul(0x9e37_79b1), stamp: 0 });
        assert!(self.used_names.insert(name), "no name is used twice: {name:?}");
        self.slots.insert(name.slot, (name.stamp, bytes));
        name
    }

    /// Writes the nodes of an edited tree, and returns the root to put.
    pub(super) fn write(&mut self, mut tree: EditedTree, edition: u64) -> (TreeRoot, EditCost) {
        let mut free = tree.free().to_vec();
        let leaves: Vec<Vec<u8>> = tree.new_leaves().collect();
        let names: Vec<NodeRef> = leaves.into_iter().map(|bytes| self.put(&mut free, bytes)).collect();
        let mut cost = EditCost { leaves: names.len(), ..EditCost::default() };
        tree.name_leaves(&names);
        let branches: Vec<Vec<u8>> = tree.new_branches().collect();
        let names: Vec<NodeRef> = branches.into_iter().map(|bytes| self.put(&mut free, bytes)).collect();
        cost.branches = names.len();
        tree.name_branches(&names);
        (tree.into_root(edition, free), cost)
    }
}

impl StoredTree {
    pub(super) fn empty(recent_max: usize) -> Self {
        Self { root: TreeRoot::empty(), nodes: NodeStore::default(), limits: limits(recent_max) }
    }

    pub(super) fn build(model: &Model, recent_max: usize, position: LogPosition) -> Self {
        let (limits, mut nodes) = (limits(recent_max), NodeStore::default());
        let built = build_tree(model.values().copied().collect(), position, limits);
        assert_eq!((built.mismatches, built.total()), (0, i64::try_from(model.len()).expect("a number of postings")));
        let (root, _) = nodes.write(built, 1);
        Self { root, nodes, limits }
    }

    /// Builds the tree from a stream of its postings.
    pub(super) fn stream(model: &Model, recent_max: usize) -> Self {
        let (limits, mut nodes, mut months) = (limits(recent_max), NodeStore::default(), MonthCounts::default());
        for posting in model.values() {
            months.add(posting);
        }
        let postings = model.values().map(|posting| Ok::<_, Infallible>(*posting));
        let Ok(root) = stream_tree(&months, postings, limits, |bytes| Ok(nodes.put(&mut Vec::new(), bytes)));
        Self { root, nodes, limits }
    }

    /// Returns the spans, starts and counts of periods and branches, and the starts of leaves: everything but names.
    pub(super) fn layout(&self) -> Vec<(MonthSpan, PostingKey, Option<FacetCounts>)> {
        let mut layout = Vec::new();
        for period in &self.root.periods {
            layout.push((period.span, PostingKey::FIRST, Some(period.counts.clone())));
            match &period.nodes {
                PeriodNodes::Leaves(leaves) => {
                    layout.extend(leaves.iter().map(|(start, _)| (period.span, *start, None)));
                }
                PeriodNodes::Branches(branches) => {
                    for branch in branches {
                        layout.push((period.span, branch.start, Some(branch.counts.clone())));
                        let entries = decode_branch(self.nodes.get(branch.node)).expect("the branch can be read");
                        layout.extend(entries.into_iter().map(|entry| (period.span, entry.start, Some(entry.counts))));
                    }
                }
            }
        }
        layout
    }

    /// Edits the tree from its root, without putting the new root.
    pub(super) fn edit(&self, delta: &TreeDelta, position: LogPosition) -> (EditedTree, usize) {
        let stored: HashSet<NodeRef> = self.live_nodes().into_iter().collect();
        let mut edit = TreeEdit::new(self.root.clone(), delta, position, self.limits);
        let mut read = HashSet::new();
        for round in 0.. {
            let missing = edit.missing_nodes();
            if missing.is_empty() {
                break;
            }
            assert!(round < 6, "nodes come in at most three rounds, and as many for the oldest postings");
            for node in missing {
                assert!(stored.contains(&node) && read.insert(node), "only nodes of the root are read, and once");
                edit.insert_node(node, self.nodes.get(node)).expect("the node can be read");
            }
        }
        (edit.finish().expect("every node was read"), read.len())
    }

    /// Edits the tree, and puts the new root.
    pub(super) fn apply(&mut self, delta: &TreeDelta, position: LogPosition) -> EditCost {
        let (edited, reads) = self.edit(delta, position);
        assert_eq!((edited.mismatches, edited.free()), (0, &self.root.free[..]), "new nodes may take every free slot");
        let live: HashSet<NodeRef> = self.live_nodes().into_iter().collect();
        let (root, cost) = self.nodes.write(edited, self.root.edition + 1);
        assert!(root.recent_start >= self.root.recent_start || root.periods.is_empty(), "the start moves forward");
        self.root = decode_root(&encode_root(&root)).expect("the root can be read");
        self.root.oldest = OldestPostings::read(encode_oldest(&root.oldest).as_deref());
        assert_eq!(self.root, root);
        let live_now: HashSet<NodeRef> = self.live_nodes().into_iter().collect();
        let is_lost = |node: &&NodeRef| !live_now.contains(node) && !root.free.contains(node);
        assert!(root.free.len() == FREE_MAX || !live.iter().any(|node| is_lost(&node)), "replaced nodes are free");
        EditCost { reads, ..cost }
    }

    /// Returns the names of all nodes, leaves behind their branches.
    pub(super) fn live_nodes(&self) -> Vec<NodeRef> {
        let mut nodes = Vec::new();
        for period in &self.root.periods {
            match &period.nodes {
                PeriodNodes::Leaves(leaves) => nodes.extend(leaves.iter().map(|(_, node)| *node)),
                PeriodNodes::Branches(branches) => {
                    for branch in branches {
                        nodes.push(branch.node);
                        let entries = decode_branch(self.nodes.get(branch.node)).expect("the branch can be read");
                        nodes.extend(entries.iter().map(|entry| entry.node));
                    }
                }
            }
        }
        nodes
    }

    /// Checks that the tree has exactly the postings of the model, and a proper shape.
    pub(super) fn check(&self, model: &Model) {
        let mut found = Vec::new();
        for period in &self.root.periods {
            let postings = self.check_period(period);
            assert_eq!(period.counts, Posting::counts(&postings));
            found.extend(postings);
        }
        assert!(found.last().is_none_or(|last| last.key < self.root.recent_start));
        assert!(self.root.recent.first().is_none_or(|first| first.key >= self.root.recent_start));
        assert!(self.root.recent.len() <= self.limits.recent_max);
        assert!(!self.root.periods.is_empty() || self.root.recent_start == PostingKey::FIRST);
        found.extend(&self.root.recent);
        assert!(found.iter().eq(model.values()), "the postings are those of the model, in order");
        self.check_oldest(model);
        self.check_spans();
        self.check_names();
    }

    /// Checks that the copies are the oldest postings of the periods, without a gap.
    fn check_oldest(&self, model: &Model) {
        let OldestPostings { end, postings } = &self.root.oldest;
        assert!(*end <= self.root.recent_start && postings.len() <= self.limits.oldest_max);
        assert!(postings.iter().eq(model.range(..end).map(|(_, posting)| posting)), "the oldest postings are copied");
        assert_eq!(self.root.oldest.is_none(), self.root.periods.is_empty(), "there are copies if there are periods");
    }

    /// Checks that the tree has exactly the postings of the model, whatever else uses its slots.
    pub(super) fn check_postings(&self, model: &Model) {
        let mut found: Vec<Posting> = self.root.periods.iter().flat_map(|period| self.check_period(period)).collect();
        found.extend(&self.root.recent);
        assert!(found.iter().eq(model.values()), "the postings are those of the model, in order");
    }

    fn check_names(&self) {
        let mut names = self.live_nodes();
        names.extend(&self.root.free);
        assert!(self.root.free.len() <= FREE_MAX);
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "free nodes are not in use");
    }

    /// Returns the postings of a period.
    fn check_period(&self, period: &Period) -> Vec<Posting> {
        let leaves = match &period.nodes {
            PeriodNodes::Leaves(leaves) => {
                assert!((1..=PLAIN_LEAVES_MAX).contains(&leaves.len()));
                vec![leaves.iter().map(|(start, node)| (*start, self.check_leaf(*start, *node))).collect()]
            }
            PeriodNodes::Branches(branches) => {
                let leaves: Vec<_> = branches.iter().map(|branch| self.check_branch(branch)).collect();
                assert!(leaves.iter().map(Vec::len).sum::<usize>() > PLAIN_LEAVES_MAX);
                let small = |leaves: &Vec<_>| leaves.len() < BRANCH_MIN;
                assert!(!leaves.windows(2).any(|pair| pair.iter().all(small)), "two small branches are neighbours");
                leaves
            }
        };
        for pair in leaves.iter().flat_map(|leaves| leaves.windows(2)) {
            assert!(pair.iter().any(|(_, leaf): &(_, Vec<Posting>)| leaf.len() >= LEAF_MIN), "two small neighbours");
        }
        let leaves = leaves.concat();
        let mut last_before: Option<PostingKey> = None;
        for (start, leaf) in &leaves {
            assert!(last_before < Some(*start), "a leaf starts behind the leaves before");
            assert!(*start <= leaf[0].key, "a leaf starts at or before its first posting");
            last_before = last_before.max(leaf.iter().map(|posting| posting.key).max());
        }
        let postings: Vec<Posting> = leaves.into_iter().flat_map(|(_, leaf)| leaf).collect();
        assert!(postings.iter().all(|posting| period.span.start() <= posting.key && posting.key < period.span.end()));
        postings
    }

    fn check_branch(&self, branch: &super::super::BranchRef) -> Vec<(PostingKey, Vec<Posting>)> {
        let entries = decode_branch(self.nodes.get(branch.node)).expect("the branch can be read");
        assert!((1..=BRANCH_MAX).contains(&entries.len()));
        assert_eq!(branch.start, entries[0].start);
        let mut counts = FacetCounts::default();
        let mut leaves = Vec::new();
        for entry in entries {
            let leaf = self.check_leaf(entry.start, entry.node);
            assert_eq!(entry.counts, Posting::counts(&leaf));
            counts.add_all(&entry.counts);
            leaves.push((entry.start, leaf));
        }
        assert_eq!(branch.counts, counts);
        leaves
    }

    fn check_leaf(&self, start: PostingKey, node: NodeRef) -> Vec<Posting> {
        let leaf = decode_leaf(self.nodes.get(node)).expect("the leaf can be read");
        assert!((1..=LEAF_MAX).contains(&leaf.len()));
        assert!(start <= leaf[0].key);
        leaf
    }

    /// Checks that spans do not overlap, and that their lengths follow from the numbers of postings.
    fn check_spans(&self) {
        let periods = &self.root.periods;
        assert!(periods.windows(2).all(|pair| pair[0].span.next_month() <= pair[1].span.first), "no overlap");
        for period in periods {
            assert_eq!(period.span, MonthSpan::containing(period.span.first, period.span.months), "aligned");
            assert!(
                period.span.months == 1 || period.counts.total() < self.limits.period_split,
                "large periods are split"
            );
            for months in MonthSpan::LENGTHS.into_iter().filter(|months| *months > period.span.months) {
                let longer = MonthSpan::containing(period.span.first, months);
                let inside = periods.iter().filter(|other| longer.contains(other.span.first));
                let totals: Vec<i64> = inside.map(|period| period.counts.total()).collect();
                assert!(
                    totals.len() == 1 || totals.iter().sum::<i64>() >= self.limits.period_merge(),
                    "small periods are merged"
                );
            }
        }
    }
}

/// Returns the limits of a tree.
fn limits(recent_max: usize) -> TreeLimits {
    let period_split = if recent_max >= 512 { ORG_PERIOD_SPLIT } else { PERIOD_SPLIT };
    TreeLimits { recent_max, oldest_max: recent_max.min(48), period_split }
}

/// Returns the first second of a month, counted from January 2020.
pub(super) fn month_start(number: i64) -> i64 {
    MonthSpan::containing(Month::from_number(2020 * 12 + number), 1).start().effective_at
}
