//! Buckets: numbers of matches that lie somewhere in a range, in one or several nodes that are not read yet.

use std::ops::Range;

use super::order::Position;
use super::window::{MatchWeights, Window};
use super::{NodeKind, is_outside};
use crate::tree::NodeRef;

/// Matches in nodes that are not read: together a known number.
#[derive(Debug)]
pub(super) struct Bucket {
    /// Number of the tree.
    pub(super) tree: usize,
    /// Number of matches in all parts that are not read.
    pub(super) matches: u64,
    /// Its nodes, in the order of the answer.
    pub(super) parts: Range<usize>,
}

/// Node of a bucket.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Positions of its postings, but for those that the root has copies of.
    pub(super) positions: Range<Position>,
    /// Positions of all its postings.
    pub(super) stored: Range<Position>,
    /// Name of the node.
    pub(super) node: NodeRef,
    /// Kind of the node.
    pub(super) kind: NodeKind,
    /// True if its matches are known one by one, and the bucket counts them no more.
    pub(super) is_read: bool,
}

/// Side of a page on which the matches of a node lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// All outside the range of dates.
    Outside,
    /// All inside the range of dates and before the page.
    Before,
    /// All inside the range of dates and after the page.
    After,
    /// The range of dates cuts the node, or its matches may lie on the page.
    Open,
}

impl Part {
    /// Returns a node that is not read.
    pub(super) fn unread(positions: Range<Position>, stored: Range<Position>, node: NodeRef, kind: NodeKind) -> Self {
        Self { positions, stored, node, kind, is_read: false }
    }

    /// True if all its postings are outside a range.
    pub(super) fn is_outside(&self, range: &Range<Position>) -> bool {
        is_outside(&self.positions, range)
    }

    /// True if all its postings are inside a range.
    pub(super) fn is_inside(&self, range: &Range<Position>) -> bool {
        range.start <= self.positions.start && self.positions.end <= range.end
    }

    /// Returns the side of the page on which its matches lie.
    pub(super) fn side(&self, range: &Range<Position>, window: &Window) -> Side {
        if self.is_outside(range) {
            Side::Outside
        } else if !self.is_inside(range) {
            Side::Open
        } else if self.positions.end <= window.before_until {
            Side::Before
        } else if window.after_from <= self.positions.start {
            Side::After
        } else {
            Side::Open
        }
    }
}

impl Bucket {
    /// Returns its nodes that are not read, in the order of the answer.
    pub(super) fn unread<'a>(&self, parts: &'a [Part]) -> impl DoubleEndedIterator<Item = &'a Part> + Clone + use<'a> {
        parts[self.parts.clone()].iter().filter(|part| !part.is_read)
    }

    /// Adds what is known about the positions of its matches. `least` gets a match where the last possible position of it ends, and `most`
    /// where the first possible one starts.
    pub(super) fn add_weights(
        &self,
        parts: &[Part],
        range: &Range<Position>,
        leaf_max: u64,
        least: &mut MatchWeights,
        most: &mut MatchWeights,
    ) {
        let unread = self.unread(parts);
        let capacity = if unread.clone().nth(1).is_none() { self.matches } else { self.matches.min(leaf_max) };
        let capacities = capacity.saturating_mul(unread.clone().count() as u64);
        let (mut possible, mut inside) = (0, 0);
        for part in unread.filter(|part| !part.is_outside(range)) {
            let before = self.matches.min(possible);
            possible += capacity;
            most.add(part.positions.start.max(range.start), self.matches.min(possible) - before);
            if part.is_inside(range) {
                // All other nodes may be full. What does not fit into them is in those that are counted here.
                let fits = |inside: u64| self.matches.saturating_sub(capacities - inside);
                least.add(part.positions.end, fits(inside + capacity) - fits(inside));
                inside += capacity;
            }
        }
    }

    /// Adds the nodes that must be read, so that the bucket's number of matches on the page, and before it, is known.
    ///
    /// The number of matches is known only for all nodes that are not read together: these must be on one side of the page.
    pub(super) fn add_needed(&self, parts: &[Part], range: &Range<Position>, window: &Window, needed: &mut Vec<usize>) {
        let sides = || {
            self.parts.clone().filter(|part| !parts[*part].is_read).map(|part| (part, parts[part].side(range, window)))
        };
        let number = |side| sides().filter(|(_, other)| *other == side).count();
        let largest = [Side::Outside, Side::Before, Side::After].into_iter().max_by_key(|side| number(*side));
        needed.extend(sides().filter(|(_, side)| Some(*side) != largest).map(|(part, _)| part));
    }

    /// Returns the side on which its nodes lie that are not read. All are on one side when the page is found.
    pub(super) fn side(&self, parts: &[Part], range: &Range<Position>, window: &Window) -> Side {
        self.unread(parts).next().map_or(Side::Outside, |part| part.side(range, window))
    }
}
