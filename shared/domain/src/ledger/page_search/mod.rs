//! Search of one page in one or several trees, without reads: tells which nodes it needs next.
//!
//! Each tree is a list of **buckets**: ranges of keys with a number of matches. A bucket whose matches may lie on the page, or
//! that the range of dates cuts, is expanded: a period to its branches or postings, a branch to its leaves. What is left are
//! counts that are exact and the postings of the page.

mod buckets;
mod order;
#[cfg(test)]
mod tests;
mod window;

use std::collections::HashMap;
use std::ops::Range;

use self::buckets::{Bucket, Part, Side};
use self::order::{AnswerOrder, Position};
use self::window::{Weights, Window};
use super::tree::{
    DecodeError, LEAF_MAX, NodeRef, PeriodSummary, RootSummary, decode_branch_matches, decode_leaf_matches,
};
use super::{Posting, PostingFilter, PostingKey, TreeDelta};
use crate::page::PageRequest;

/// Search in progress.
#[derive(Debug)]
pub struct PageSearch {
    filter: PostingFilter,
    order: AnswerOrder,
    /// Positions inside the range of dates.
    range: Range<Position>,
    /// Ranks of the page.
    page: Range<u64>,
    /// Positions of the matches that each tree has at its own position of the log and not at the one that is answered; ascending.
    removed: Vec<Vec<Position>>,
    /// Maximum number of postings of a leaf.
    leaf_max: u64,
    buckets: Vec<Bucket>,
    parts: Vec<Part>,
    /// Matches that are known one by one.
    matches: Vec<Match>,
    /// Share of matches on stretches of the first tree.
    shares: Vec<Share>,
    /// Bucket and number of each node that was needed and is not read.
    pending: HashMap<(usize, NodeRef), (usize, usize)>,
}

/// Match that is known: its position, the number of its tree, and the posting.
type Match = (Position, usize, Posting);

/// Occurs when nodes do not have the number of matches that their parent counts.
const COUNTS_DIFFER: DecodeError = DecodeError("nodes that do not have what their parent counts");

/// Share of matches on a stretch of a tree.
#[derive(Debug)]
struct Share {
    positions: Range<Position>,
    total: u64,
    matches: u64,
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Names leaves.
    Branch,
    /// Holds postings.
    Leaf,
}

/// Node that a search needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeededNode {
    /// Number of the tree, in the order in which the trees were added.
    pub tree: usize,
    /// Name of the node.
    pub node: NodeRef,
    /// Kind of the node.
    pub kind: NodeKind,
}

/// Page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// Number of all matches.
    pub count: u64,
    /// Postings of the page, in the order of the answer, each with the number of its tree.
    pub postings: Vec<(usize, Posting)>,
    /// Estimated number of all postings of the tree, matching or not, from the first to the last one of the page. `None` if there are
    /// several trees.
    pub stretch_total: Option<u64>,
}

impl PageSearch {
    /// Starts a search without trees.
    #[must_use]
    pub fn new(filter: PostingFilter, newest_first: bool, page: PageRequest) -> Self {
        let order = AnswerOrder { newest_first };
        let from = filter.from.map_or(PostingKey::FIRST, PostingKey::at);
        let to = filter.to.and_then(|to| to.checked_add(1)).map_or(PostingKey::END, PostingKey::at);
        Self {
            filter,
            order,
            range: order.positions(&(from..to.max(from))),
            page: page.start()..page.start().saturating_add(page.size),
            removed: Vec::new(),
            leaf_max: LEAF_MAX as u64,
            buckets: Vec::new(),
            parts: Vec::new(),
            matches: Vec::new(),
            shares: Vec::new(),
            pending: HashMap::new(),
        }
    }

    /// Adds a tree, and the difference from its position to the position at which the search answers. No review may be in
    /// two of the trees.
    pub fn add_tree(&mut self, root: &RootSummary, delta: &TreeDelta) {
        let tree = self.removed.len();
        let removed = delta.removed.values().filter(|posting| self.filter.mask.contains(posting.facet_key));
        let mut removed: Vec<_> = removed.map(|posting| self.order.position(posting.key)).collect();
        removed.sort_unstable();
        self.removed.push(removed);
        let total = root.recent.len() as u64;
        let matches = self.add_matches(tree, &root.recent, true);
        self.add_matches(tree, &delta.added, false);
        self.add_share(&(root.recent_start..PostingKey::END), total, matches);
        for period in &root.periods {
            let keys = period.span.start()..period.span.end().min(root.recent_start);
            self.add_share(&keys, period.total, period.matches);
            self.add_period(tree, &keys, period);
        }
    }

    /// Returns the nodes that are needed next. Empty if the page is found.
    #[must_use]
    pub fn needed_nodes(&mut self) -> Vec<NeededNode> {
        let window = self.window();
        let mut needed = Vec::new();
        for (number, bucket) in self.buckets.iter().enumerate().filter(|(_, bucket)| bucket.matches > 0) {
            let mut parts = Vec::new();
            bucket.add_needed(&self.parts, &self.range, &window, &mut parts);
            needed.extend(parts.into_iter().map(|part| (number, part)));
        }
        // The leaves of a branch are read next in any case. What else is needed of leaves is then known better.
        if needed.iter().any(|(_, part)| self.parts[*part].kind == NodeKind::Branch) {
            needed.retain(|(_, part)| self.parts[*part].kind == NodeKind::Branch);
        }
        self.pending.clear();
        let mut nodes = Vec::with_capacity(needed.len());
        for (bucket, part) in needed {
            let (tree, Part { node, kind, .. }) = (self.buckets[bucket].tree, self.parts[part].clone());
            self.pending.insert((tree, node), (bucket, part));
            nodes.push(NeededNode { tree, node, kind });
        }
        nodes
    }

    /// Takes the bytes of a node that was needed.
    pub fn insert_node(&mut self, node: NeededNode, bytes: &[u8]) -> Result<(), DecodeError> {
        match node.kind {
            NodeKind::Branch => self.insert_branch(node, &decode_branch_matches(bytes, self.filter.mask)?),
            NodeKind::Leaf => {
                // Dates do not filter here, so that the number of matches can be checked against the counts.
                let every_date = PostingFilter { from: None, to: None, ..self.filter };
                self.insert_leaf(node, &decode_leaf_matches(bytes, &every_date)?)
            }
        }
    }

    /// Returns the page. No node may be needed any more.
    #[must_use]
    pub fn finish(mut self) -> FoundPage {
        let window = self.window();
        let (mut before, mut inside) = (0, 0);
        for bucket in &self.buckets {
            let side = bucket.side(&self.parts, &self.range, &window);
            before += if side == Side::Before { bucket.matches } else { 0 };
            inside += if side == Side::Outside { 0 } else { bucket.matches };
        }
        let count = inside + self.matches.len() as u64;
        // All postings of the page are known, and so is every match between two of them.
        let first = self.page.start.saturating_sub(before)..self.page.end.saturating_sub(before);
        let matches = cut_out(&mut self.matches, &first);
        let stretch_total = (self.removed.len() == 1).then(|| stretch_total(matches, &self.shares));
        let postings = matches.iter().map(|(_, tree, posting)| (*tree, *posting)).collect();
        FoundPage { count, postings, stretch_total }
    }
}

impl PageSearch {
    /// Adds postings that the filter admits; of those that a tree has, not those that are removed. Returns their number.
    fn add_matches(&mut self, tree: usize, postings: &[Posting], is_stored: bool) -> u64 {
        let before = self.matches.len();
        for posting in postings.iter().filter(|posting| self.filter.admits(posting)) {
            let position = self.order.position(posting.key);
            if !is_stored || self.removed[tree].binary_search(&position).is_err() {
                self.matches.push((position, tree, *posting));
            }
        }
        (self.matches.len() - before) as u64
    }

    /// Notes how many postings of a stretch match, which the size of a page's stretch is estimated by.
    fn add_share(&mut self, keys: &Range<PostingKey>, total: u64, matches: u64) {
        if self.removed.len() == 1 && matches > 0 {
            self.shares.push(Share { positions: self.order.positions(keys), total, matches });
        }
    }

    /// Adds a period: a bucket for each branch, or one for all leaves, of which only the sum is known.
    fn add_period(&mut self, tree: usize, keys: &Range<PostingKey>, period: &PeriodSummary) {
        let positions = self.order.positions(keys);
        if period.matches == 0 || is_outside(&positions, &self.range) {
            return;
        }
        let first_part = self.parts.len();
        let ranges = self.order.split(&positions, period.nodes.iter().map(|(start, ..)| *start));
        for (positions, (_, node, matches)) in ranges.into_iter().zip(&period.nodes) {
            let kind = if matches.is_some() { NodeKind::Branch } else { NodeKind::Leaf };
            let part = Part { positions, node: *node, kind, is_read: false };
            match matches {
                Some(matches) => self.add_node(tree, *matches, part),
                None => self.parts.push(part),
            }
        }
        if period.nodes.iter().all(|(.., matches)| matches.is_none()) {
            if self.order.newest_first {
                self.parts[first_part..].reverse();
            }
            let matches = period.matches.saturating_sub(removed_in(&self.removed[tree], &positions));
            self.add_bucket(Bucket { tree, matches, parts: first_part..self.parts.len() });
        }
    }

    /// Adds a node whose own number of matches is known.
    fn add_node(&mut self, tree: usize, matches: u64, part: Part) {
        let matches = matches.saturating_sub(removed_in(&self.removed[tree], &part.positions));
        self.parts.push(part);
        self.add_bucket(Bucket { tree, matches, parts: self.parts.len() - 1..self.parts.len() });
    }

    /// Adds a bucket, whose parts are the last ones, unless it has no matches in the range of dates.
    fn add_bucket(&mut self, bucket: Bucket) {
        let parts = &self.parts[bucket.parts.clone()];
        if bucket.matches == 0 || parts.iter().all(|part| part.is_outside(&self.range)) {
            self.parts.truncate(bucket.parts.start);
        } else {
            self.buckets.push(bucket);
        }
    }

    /// Returns the stretch in which the page's postings may lie.
    fn window(&self) -> Window {
        let (mut least, mut most) = (Weights::default(), Weights::default());
        for (position, ..) in &self.matches {
            least.add(position + 1, 1);
            most.add(*position, 1);
        }
        for bucket in &self.buckets {
            bucket.add_weights(&self.parts, &self.range, self.leaf_max, &mut least, &mut most);
        }
        Window::new(&self.page, least, most)
    }

    /// Adds the leaves of a branch that was needed.
    fn insert_branch(&mut self, node: NeededNode, leaves: &[(PostingKey, NodeRef, u64)]) -> Result<(), DecodeError> {
        let Some((bucket, part)) = self.pending.remove(&(node.tree, node.node)) else { return Ok(()) };
        let positions = self.parts[part].positions.clone();
        let ranges = self.order.split(&positions, leaves.iter().map(|(start, ..)| *start));
        for (positions, (_, leaf, matches)) in ranges.into_iter().zip(leaves) {
            let part = Part { positions, node: *leaf, kind: NodeKind::Leaf, is_read: false };
            self.add_node(node.tree, *matches, part);
        }
        let matches = leaves.iter().map(|(.., matches)| matches).sum();
        self.finish_part(bucket, part, matches)
    }

    /// Adds the matches of a leaf that was needed, whatever their dates are.
    fn insert_leaf(&mut self, node: NeededNode, postings: &[Posting]) -> Result<(), DecodeError> {
        let Some((bucket, part)) = self.pending.remove(&(node.tree, node.node)) else { return Ok(()) };
        let positions = &self.parts[part].positions;
        if !postings.iter().all(|posting| positions.contains(&self.order.position(posting.key))) {
            return Err(DecodeError("a leaf with postings outside its range"));
        }
        self.add_matches(node.tree, postings, true);
        self.finish_part(bucket, part, postings.len() as u64)
    }

    /// Takes a node with this number of stored matches out of its bucket.
    fn finish_part(&mut self, bucket: usize, part: usize, matches: u64) -> Result<(), DecodeError> {
        let bucket = &mut self.buckets[bucket];
        let removed = removed_in(&self.removed[bucket.tree], &self.parts[part].positions);
        self.parts[part].is_read = true;
        let rest = matches.checked_sub(removed).and_then(|matches| bucket.matches.checked_sub(matches));
        bucket.matches = rest.ok_or(COUNTS_DIFFER)?;
        let is_read = bucket.unread(&self.parts).next().is_none();
        if is_read && bucket.matches > 0 { Err(COUNTS_DIFFER) } else { Ok(()) }
    }
}

/// True if no position is in both ranges.
fn is_outside(positions: &Range<Position>, range: &Range<Position>) -> bool {
    positions.end <= range.start || range.end <= positions.start
}

/// Returns the number of removed matches at these positions.
fn removed_in(removed: &[Position], positions: &Range<Position>) -> u64 {
    let before = |position| removed.partition_point(|removed| *removed < position);
    if removed.is_empty() { 0 } else { before(positions.end).saturating_sub(before(positions.start)) as u64 }
}

/// Returns the matches of these ranks among all that are known, in order.
fn cut_out<'a>(matches: &'a mut [Match], ranks: &Range<u64>) -> &'a [Match] {
    let rank = |rank: u64| usize::try_from(rank).unwrap_or(usize::MAX).min(matches.len());
    let (start, end) = (rank(ranks.start), rank(ranks.end));
    if end < matches.len() {
        matches.select_nth_unstable_by_key(end, |(position, ..)| *position);
    }
    if start < end {
        matches[..end].select_nth_unstable_by_key(start, |(position, ..)| *position);
    }
    let page = &mut matches[start..end];
    page.sort_unstable_by_key(|(position, ..)| *position);
    page
}

/// Returns the estimated number of postings that the stretch of a page has for its matches.
fn stretch_total(page: &[Match], shares: &[Share]) -> u64 {
    let thousandths_of = |position: Position| {
        let share = shares.iter().find(|share| share.positions.contains(&position));
        share.map_or(1_000, |share| share.total.saturating_mul(1_000) / share.matches)
    };
    let thousandths = page.iter().map(|(position, ..)| thousandths_of(*position));
    thousandths.fold(0, u64::saturating_add).div_ceil(1_000)
}
