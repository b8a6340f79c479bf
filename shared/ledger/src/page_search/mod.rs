//! Search of one page in one or several trees, without reads: tells which nodes it needs next.
//!
//! Each tree is a list of **buckets**: ranges of keys with a number of matches. A bucket whose matches may lie on the page, or
//! that the range of dates cuts, is expanded: a period to its branches or postings, a branch to its leaves. What is left are
//! counts that are exact and the postings of the page.

mod add_tree;
mod buckets;
mod estimate;
mod facet_choice;
mod found_page;
mod order;
#[cfg(test)]
pub(super) mod tests;
mod window;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::buckets::{Bucket, Part};
pub use self::found_page::FoundPage;
use self::found_page::Share;
use self::order::{AnswerOrder, Position};
use self::window::{MatchWeights, Window};
use super::tree::{DecodeError, LEAF_MAX, NodeRef, decode_branch_matches, decode_leaf_matches};
use super::{Posting, PostingFilter, PostingKey};
use presence_domain::page::PageRequest;

/// Number of pages after this one whose nodes may be read ahead.
const PAGES_AHEAD: u64 = 2;

/// Number of leaves that a round of reads more must save: four units.
const LEAVES_OF_A_ROUND: usize = 8;

/// Search in progress.
#[derive(Debug)]
pub struct PageSearch {
    filter: PostingFilter,
    order: AnswerOrder,
    /// Positions inside the range of dates.
    range: Range<Position>,
    /// Ranks of the page.
    page: Range<u64>,
    /// Positions of the matches in each tree's nodes that are not counted there, ascending. The tree has some of them at its own position
    /// of the log, and not at the one that is answered. Its root has copies of the others, which are counted.
    removed: Vec<Vec<Position>>,
    /// Positions of each tree whose postings its root has copies of.
    copied: Vec<Range<Position>>,
    /// Maximum number of postings of a leaf.
    leaf_max: u64,
    /// Number of leaves that a round of reads more must save.
    leaves_of_a_round: usize,
    buckets: Vec<Bucket>,
    parts: Vec<Part>,
    /// Matches that are known one by one, before `limit`.
    matches: Vec<Match>,
    /// Every match from this position on comes after the page.
    limit: Position,
    /// Number of matches from `limit` on that were found and are not kept.
    after: u64,
    /// Share of matches on ranges of the first tree.
    shares: Vec<Share>,
    /// Bucket and number of each node that was needed and is not read.
    pending: HashMap<(usize, NodeRef), (usize, usize)>,
    /// Window of the page, once no node is needed any more.
    found: Option<Window>,
}

/// Match that is known: its position, the number of its tree, and the posting.
type Match = (Position, usize, Posting);

/// Occurs when nodes do not have the number of matches that their parent counts.
const COUNTS_DIFFER: DecodeError = DecodeError("nodes that do not have what their parent counts");

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

impl PageSearch {
    /// Starts a search without trees.
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
            copied: Vec::new(),
            leaf_max: LEAF_MAX as u64,
            leaves_of_a_round: LEAVES_OF_A_ROUND,
            buckets: Vec::new(),
            parts: Vec::new(),
            matches: Vec::new(),
            limit: Position::MAX,
            after: 0,
            shares: Vec::new(),
            pending: HashMap::new(),
            found: None,
        }
    }

    /// Returns the nodes that are needed next. Empty if the page is found.
    #[must_use]
    pub fn needed_nodes(&mut self) -> Vec<NeededNode> {
        let window = self.window();
        let needed = self.next_parts(&window);
        self.found = needed.is_empty().then_some(window);
        self.name_pending(needed)
    }

    /// Returns other nodes that tell where the page lies: leaves that wait for branches, and those of the periods in which leaves are
    /// needed. Those that are at hand may be inserted too: fewer others are needed then.
    #[must_use]
    pub fn narrowing_nodes(&mut self) -> Vec<NeededNode> {
        let needed: HashSet<usize> = self.pending.values().map(|(_, part)| *part).collect();
        let buckets: HashSet<usize> = self.pending.values().map(|(bucket, _)| *bucket).collect();
        let siblings =
            buckets.into_iter().flat_map(|bucket| self.buckets[bucket].parts.clone().map(move |part| (bucket, part)));
        let has_branch = needed.iter().any(|part| self.parts[*part].kind == NodeKind::Branch);
        let waiting = if has_branch { self.needed_parts(&self.window()) } else { Vec::new() };
        let is_other = |(_, part): &(usize, usize)| !self.parts[*part].is_read && !needed.contains(part);
        let others: HashSet<(usize, usize)> = siblings.chain(waiting).filter(is_other).collect();
        let nodes: Vec<_> = others.iter().map(|(bucket, part)| self.name_of(*bucket, *part)).collect();
        self.pending.extend(nodes.iter().map(|node| (node.tree, node.node)).zip(others));
        nodes
    }

    /// Returns the nodes that the next page most likely needs next, and branches of the page after it. To be called when no node is
    /// needed any more. Those that are inserted tell others.
    #[must_use]
    pub fn nodes_ahead(&mut self) -> Vec<NeededNode> {
        let mut needed = self.next_parts(&self.window_of(&self.page_ahead(1)));
        let later = self.next_parts(&self.window_of(&self.page_ahead(PAGES_AHEAD)));
        let known: HashSet<usize> = needed.iter().map(|(_, part)| *part).collect();
        let is_new_branch =
            |(_, part): &(usize, usize)| self.parts[*part].kind == NodeKind::Branch && !known.contains(part);
        needed.extend(later.into_iter().filter(is_new_branch));
        self.name_pending(needed)
    }

    /// Returns branches that the next page most likely needs. To be called while leaves of this page are needed: the leaves of the next
    /// page are known one round of reads earlier then.
    pub fn branches_ahead(&self) -> Vec<NeededNode> {
        let needed = self.next_parts(&self.window_of(&self.page_ahead(1))).into_iter();
        let nodes = needed.map(|(bucket, part)| self.name_of(bucket, part));
        nodes.filter(|node| node.kind == NodeKind::Branch).collect()
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
}

impl PageSearch {
    /// Returns the names of nodes that are to be inserted, by bucket and number.
    fn name_pending(&mut self, needed: Vec<(usize, usize)>) -> Vec<NeededNode> {
        self.pending.clear();
        let mut nodes = Vec::with_capacity(needed.len());
        for (bucket, part) in needed {
            let node = self.name_of(bucket, part);
            self.pending.insert((node.tree, node.node), (bucket, part));
            nodes.push(node);
        }
        nodes
    }

    fn name_of(&self, bucket: usize, part: usize) -> NeededNode {
        let Part { node, kind, .. } = &self.parts[part];
        NeededNode { tree: self.buckets[bucket].tree, node: *node, kind: *kind }
    }

    /// Returns bucket and number of each node that must be read next, as far as the counts tell.
    fn next_parts(&self, window: &Window) -> Vec<(usize, usize)> {
        let mut needed = self.needed_parts(window);
        // The leaves of a branch are read next in any case. What else is needed of leaves is then known better.
        let is_branch = |(_, part): &(usize, usize)| self.parts[*part].kind == NodeKind::Branch;
        if needed.iter().any(is_branch) {
            needed.retain(is_branch);
        }
        needed
    }

    /// Returns bucket and number of each node that must be read, as far as the counts tell.
    fn needed_parts(&self, window: &Window) -> Vec<(usize, usize)> {
        let (mut needed, mut parts) = (Vec::new(), Vec::new());
        for (number, bucket) in self.buckets.iter().enumerate().filter(|(_, bucket)| bucket.matches > 0) {
            bucket.add_needed(&self.parts, &self.range, window, &mut parts);
            needed.extend(parts.drain(..).map(|part| (number, part)));
        }
        needed
    }

    /// Returns the ranks of a page this number of pages after this one.
    fn page_ahead(&self, pages: u64) -> Range<u64> {
        let size = self.page.end - self.page.start;
        let start = self.page.start.saturating_add(size.saturating_mul(pages));
        start..start.saturating_add(size)
    }

    /// Returns the range in which the page's postings may lie.
    fn window(&self) -> Window {
        self.window_of(&self.page)
    }

    /// Returns the range in which the postings of these ranks may lie.
    fn window_of(&self, page: &Range<u64>) -> Window {
        let (mut least, mut most) = (MatchWeights::default(), MatchWeights::default());
        for (position, ..) in &self.matches {
            least.add(position + 1, 1);
            most.add(*position, 1);
        }
        for bucket in &self.buckets {
            bucket.add_weights(&self.parts, &self.range, self.leaf_max, &mut least, &mut most);
        }
        Window::new(page, least, most)
    }

    /// Adds the leaves of a branch that was needed.
    fn insert_branch(&mut self, node: NeededNode, leaves: &[(PostingKey, NodeRef, u64)]) -> Result<(), DecodeError> {
        let Some((bucket, part)) = self.pending.remove(&(node.tree, node.node)) else { return Ok(()) };
        let positions = self.parts[part].stored.clone();
        let ranges = self.order.split(&positions, leaves.iter().map(|(start, ..)| *start));
        for (positions, (_, leaf, matches)) in ranges.zip(leaves) {
            let part = self.unread_part(node.tree, positions, *leaf, NodeKind::Leaf);
            self.add_node(node.tree, *matches, part);
        }
        let matches = leaves.iter().map(|(.., matches)| matches).sum();
        self.finish_part(bucket, part, matches)
    }

    /// Adds the matches of a leaf that was needed, whatever their dates are.
    fn insert_leaf(&mut self, node: NeededNode, postings: &[Posting]) -> Result<(), DecodeError> {
        let Some((bucket, part)) = self.pending.remove(&(node.tree, node.node)) else { return Ok(()) };
        let positions = &self.parts[part].stored;
        if !postings.iter().all(|posting| positions.contains(&self.order.position(posting.key))) {
            return Err(DecodeError("a leaf with postings outside its range"));
        }
        self.add_matches(node.tree, postings, true);
        self.finish_part(bucket, part, postings.len() as u64)
    }

    /// Takes a node with this number of stored matches out of its bucket.
    fn finish_part(&mut self, bucket: usize, part: usize, matches: u64) -> Result<(), DecodeError> {
        let bucket = &mut self.buckets[bucket];
        let removed = removed_in(&self.removed[bucket.tree], &self.parts[part].stored);
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
