//! Edit of a tree: applies changes of the log, and tells which nodes must be read for it.
//!
//! The edit makes no call. Its caller reads the nodes that [`TreeEdit::missing_nodes`] names until there are none, then writes
//! the [`EditedTree`] that [`TreeEdit::finish`] returns. Nodes come in at most three rounds: branches, then leaves, then the
//! neighbours of nodes that have become small. Copies of the oldest postings are seldom collected again: that may take rounds for a
//! branch and for leaves.

mod branches;
mod changes;
mod leaves;
mod nodes;
mod oldest;
mod periods;
mod plan;
mod sizes;

pub(super) use branches::BranchDraft;
pub(super) use leaves::{LeafDraft, leaf_start};
pub(super) use nodes::Nodes;
pub(super) use oldest::collect_oldest;
pub(super) use periods::lay_out_periods;
pub(super) use sizes::even_sizes;

use changes::Changes;
use nodes::Attempt;
use oldest::edit_oldest;
use plan::{Part, plan_parts};

use super::edited::EditedPeriod;
use super::{DecodeError, EditedTree, NodeRef, OldestPostings, TreeLimits, TreeRoot};
use crate::{LogPosition, Posting, PostingKey, TreeDelta};

/// Edit in progress.
#[derive(Debug)]
pub struct TreeEdit {
    /// Root of the edited tree, without its periods.
    root: TreeRoot,
    parts: Vec<PartState>,
    nodes: Nodes,
    replaced: Vec<NodeRef>,
    mismatches: usize,
    limits: TreeLimits,
    /// True if the oldest postings are to be collected from the edited leaves.
    needs_oldest: bool,
}

/// State of one part of the edit.
#[derive(Debug)]
enum PartState {
    /// Nodes may be missing.
    Open(Part),
    /// Periods that take the place of the part.
    Done(Vec<EditedPeriod>),
}

impl TreeEdit {
    /// Starts the edit that brings a tree to a position of the log.
    pub fn new(mut root: TreeRoot, delta: &TreeDelta, position: LogPosition, limits: TreeLimits) -> Self {
        let periods = std::mem::take(&mut root.periods);
        if periods.is_empty() {
            root.recent_start = PostingKey::FIRST;
        }
        let mut removed: Vec<Posting> = delta.removed.values().copied().collect();
        removed.sort_unstable();
        let mut recent_changes = Changes { removed: &removed, added: &delta.added };
        let period_changes = recent_changes.split_off_before(root.recent_start);
        let (recent, recent_mismatches) = recent_changes.apply(&root.recent);
        root.recent = recent;
        let mut added = period_changes.added.to_vec();
        let (old_start, copied) = (root.recent_start, root.oldest.postings.len());
        root.oldest = edit_oldest(&root.oldest, period_changes, limits);
        let spilled = spill(&mut root, limits);
        // An edit that removes postings has the leaves of the next ones at hand. So has an edit that puts the first ones there.
        let is_shorter = root.oldest.postings.len() < copied;
        let may_grow = root.oldest.end == old_start && !spilled.is_empty();
        let is_short = root.oldest.postings.len() < limits.oldest_max;
        let needs_oldest = is_short && (root.oldest.is_none() || is_shorter || may_grow);
        added.extend(spilled);
        root.position = root.position.max(&position);
        let plan = plan_parts(periods, period_changes.removed, &added, limits);
        Self {
            root,
            parts: plan.parts.into_iter().map(PartState::Open).collect(),
            nodes: Nodes::default(),
            replaced: Vec::new(),
            mismatches: recent_mismatches + plan.mismatches,
            limits,
            needs_oldest,
        }
    }

    /// Returns the nodes that must be read next. Empty if the edit can be finished.
    #[must_use]
    pub fn missing_nodes(&mut self) -> Vec<NodeRef> {
        for state in &mut self.parts {
            let PartState::Open(part) = state else { continue };
            let mut attempt = Attempt::new(&mut self.nodes);
            if let Some(periods) = attempt.edit_part(part, self.limits) {
                self.replaced.append(&mut attempt.replaced);
                self.mismatches += attempt.mismatches;
                *state = PartState::Done(periods);
            }
        }
        if self.needs_oldest {
            self.collect_oldest();
        }
        self.nodes.missing.keys().copied().collect()
    }

    /// Collects the oldest postings, if all parts are edited and no node is missing.
    fn collect_oldest(&mut self) {
        let edited = self.parts.iter().map(|state| match state {
            PartState::Open(_) => None,
            PartState::Done(periods) => Some(periods),
        });
        let Some(edited) = edited.collect::<Option<Vec<_>>>() else { return };
        let periods = edited.into_iter().flatten();
        if let Some(oldest) = collect_oldest(periods, &mut self.nodes, self.limits, self.root.recent_start) {
            self.root.oldest = oldest;
            self.needs_oldest = false;
        }
    }

    /// Takes the bytes of a node that was missing.
    pub fn insert_node(&mut self, node: NodeRef, bytes: &[u8]) -> Result<(), DecodeError> {
        self.nodes.insert(node, bytes)
    }

    /// Returns the edited tree. Every node that was missing must have been inserted.
    pub fn finish(mut self) -> Result<EditedTree, DecodeError> {
        if !self.missing_nodes().is_empty() {
            return Err(DecodeError("a node of the tree was not read"));
        }
        let mut periods = Vec::new();
        for state in self.parts {
            if let PartState::Done(edited) = state {
                periods.extend(edited);
            }
        }
        if periods.is_empty() {
            self.root.recent_start = PostingKey::FIRST;
            self.root.oldest = OldestPostings::NONE;
        }
        Ok(EditedTree { root: self.root, periods, replaced: self.replaced, mismatches: self.mismatches })
    }
}

/// Takes the oldest postings out of a root that holds too many. They are behind all postings of its periods.
pub(super) fn spill(root: &mut TreeRoot, limits: TreeLimits) -> Vec<Posting> {
    if root.recent.len() <= limits.recent_max {
        return Vec::new();
    }
    let kept = root.recent.split_off(root.recent.len() - (limits.recent_max / 2).max(1));
    let spilled = std::mem::replace(&mut root.recent, kept);
    if let Some(first) = root.recent.first() {
        root.recent_start = first.key;
    }
    spilled
}
