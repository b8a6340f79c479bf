//! Oldest postings of an edited tree: edited with the leaves that they are copies of, or collected from these again.

use super::branches::{BranchDraft, stored_leaves};
use super::changes::Changes;
use super::leaves::LeafDraft;
use super::nodes::Nodes;
use crate::tree::edited::{Draft, EditedNodes, EditedPeriod};
use crate::tree::layout::LEAF_MIN;
use crate::tree::oldest::key_behind;
use crate::tree::{OldestPostings, TreeLimits};
use crate::{Posting, PostingKey};

/// Maximum number of leaves from which the oldest postings are collected. Most often the first one is enough.
const LEAVES_MAX: usize = 16;

/// Applies changes to the oldest postings of a tree. The leaves get the same changes, and count those that do not fit.
pub(super) fn edit_oldest(oldest: &OldestPostings, mut changes: Changes<'_>, limits: TreeLimits) -> OldestPostings {
    let own = changes.split_off_before(oldest.end);
    let (postings, _) = own.apply(&oldest.postings);
    OldestPostings::of(postings, limits.oldest_max, oldest.end)
}

/// Collects the oldest postings from the first leaves of a tree. Returns `None`, and notes the nodes that are missing, if some were
/// not read. The periods of the tree end before `periods_end`.
pub(in crate::tree) fn collect_oldest<'a>(
    periods: impl IntoIterator<Item = &'a EditedPeriod>,
    nodes: &mut Nodes,
    limits: TreeLimits,
    periods_end: PostingKey,
) -> Option<OldestPostings> {
    let mut first = FirstLeaves {
        nodes,
        max: limits.oldest_max,
        postings: Vec::new(),
        expected: 0,
        leaves: 0,
        is_missing: false,
        is_cut: false,
    };
    for period in periods {
        first.add_period(period);
    }
    first.into_oldest(periods_end)
}

/// First leaves of a tree, up to those that have enough postings.
struct FirstLeaves<'a> {
    nodes: &'a mut Nodes,
    max: usize,
    postings: Vec<Posting>,
    /// Number of postings, with an estimate of those in missing leaves.
    expected: usize,
    leaves: usize,
    /// True if a node was not read.
    is_missing: bool,
    /// True if there are more leaves.
    is_cut: bool,
}

impl FirstLeaves<'_> {
    fn add_period(&mut self, period: &EditedPeriod) {
        match &period.nodes {
            EditedNodes::Leaves(leaves) => {
                let total = usize::try_from(period.counts.total()).unwrap_or(0);
                self.add_leaves(leaves, if leaves.len() == 1 { total } else { LEAF_MIN });
            }
            EditedNodes::Branches(branches) => {
                for branch in branches {
                    self.add_branch(branch);
                }
            }
        }
    }

    fn add_branch(&mut self, branch: &BranchDraft) {
        if self.is_full() {
            self.is_cut = true;
            return;
        }
        match &branch.node {
            Draft::New(leaves) => self.add_leaves(leaves, LEAF_MIN),
            Draft::Stored(node) => {
                if let Some(entries) = self.nodes.branch(*node) {
                    self.add_leaves(&stored_leaves(entries), LEAF_MIN);
                } else {
                    // It has more than enough.
                    (self.is_missing, self.expected) = (true, self.max);
                }
            }
        }
    }

    /// Adds leaves. Those that are missing count with the estimate.
    fn add_leaves(&mut self, leaves: &[LeafDraft], estimate: usize) {
        for leaf in leaves {
            if self.is_full() {
                self.is_cut = true;
                return;
            }
            self.leaves += 1;
            let found = match &leaf.node {
                Draft::New(postings) => Some(postings.clone()),
                Draft::Stored(node) => self.nodes.leaf(*node),
            };
            self.is_missing |= found.is_none();
            self.expected += found.as_ref().map_or(estimate, Vec::len);
            self.postings.extend(found.unwrap_or_default());
        }
    }

    /// True if no more leaves are needed.
    fn is_full(&self) -> bool {
        self.expected >= self.max || self.leaves == LEAVES_MAX
    }

    fn into_oldest(self, periods_end: PostingKey) -> Option<OldestPostings> {
        if self.is_missing {
            return None;
        }
        // Leaves that overlap are damage, which an audit finds.
        if !self.postings.is_sorted_by(|one, next| one.key < next.key) {
            return Some(OldestPostings::NONE);
        }
        let last = self.postings.last().map_or(PostingKey::FIRST, |last| key_behind(last.key));
        Some(OldestPostings::of(self.postings, self.max, if self.is_cut { last } else { periods_end }))
    }
}
