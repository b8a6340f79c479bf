//! Counted trees: B+trees over postings in order, whose inner entries carry counts by facet key.
//!
//! A tree has a **root**, which is stored under a fixed key, and nodes that the root names. The root holds the newest postings
//! itself, and copies of the oldest ones. All but the newest postings are in **periods**: spans of whole months. A period has **leaves** with postings; a large one has
//! **branches**, which name leaves with their counts. A node never changes under its name, so root and nodes are a snapshot.

mod build;
mod codec;
mod edit;
mod edited;
mod layout;
mod oldest;
mod stream;

pub use build::build_tree;
pub(crate) use codec::{ByteReader, ByteWriter};
pub use codec::{
    DecodeError, PeriodSummary, RootSummary, decode_branch, decode_branch_matches, decode_leaf, decode_leaf_matches,
    decode_oldest, decode_root, encode_branch, encode_leaf, encode_oldest, encode_root,
};
pub use edit::TreeEdit;
pub use edited::{EditedTree, FREE_MAX};
pub use layout::{FACETS_FROM, LEAF_MAX, MonthSpan, TreeLimits};
pub use oldest::OldestPostings;
pub use stream::{MonthCounts, stream_tree};

#[cfg(test)]
mod tests;

use super::{LogPosition, Posting, PostingKey};
use presence_domain::review::FacetCounts;

/// Name of a node: a slot of the tree, and a stamp that is raised each time the slot is written. No name is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRef {
    /// Slot, chosen at random.
    pub slot: u32,
    /// Number of earlier writes of the slot.
    pub stamp: u32,
}

/// Root of a tree: the state of its set at one position of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRoot {
    /// Number of times that the root was written.
    pub edition: u64,
    /// Changes of the log that the tree contains.
    pub position: LogPosition,
    /// Editions of the trees of single facet keys, by the number of the key; `None` if the set has no such trees.
    pub facet_editions: Option<Vec<u64>>,
    /// Periods, ascending, without overlap. Empty periods are left out.
    pub periods: Vec<Period>,
    /// First key of the postings that the root itself holds. All postings in periods are before it.
    pub recent_start: PostingKey,
    /// Postings from `recent_start` on, ascending.
    pub recent: Vec<Posting>,
    /// Copies of the oldest postings in periods. They are before `recent_start`, and stored beside the binary form of the root.
    pub oldest: OldestPostings,
    /// Nodes that no edition from this one on uses. Their slots may be written again.
    pub free: Vec<NodeRef>,
}

/// Postings of a span of months.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// Months of the period. The last period may end earlier, at `recent_start`.
    pub span: MonthSpan,
    /// Counts of all its postings.
    pub counts: FacetCounts,
    /// Nodes with its postings.
    pub nodes: PeriodNodes,
}

/// Nodes of a period, ascending. Each holds the postings from its start to the start of the next one; the first one also
/// those before its start. Starts are in the span of the period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeriodNodes {
    /// Leaves: the start of each, and its name.
    Leaves(Vec<(PostingKey, NodeRef)>),
    /// Branches of a large period.
    Branches(Vec<BranchRef>),
}

/// Branch of a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRef {
    /// First key of the branch.
    pub start: PostingKey,
    /// Counts of its postings.
    pub counts: FacetCounts,
    /// Name of the node.
    pub node: NodeRef,
}

/// Entry of a branch: a leaf with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchEntry {
    /// First key of the leaf.
    pub start: PostingKey,
    /// Counts of its postings.
    pub counts: FacetCounts,
    /// Name of the leaf.
    pub node: NodeRef,
}

impl TreeRoot {
    /// Returns the root of a tree without postings that was never written.
    pub fn empty() -> Self {
        Self {
            edition: 0,
            position: LogPosition::default(),
            facet_editions: None,
            periods: Vec::new(),
            recent_start: PostingKey::FIRST,
            recent: Vec::new(),
            oldest: OldestPostings::NONE,
            free: Vec::new(),
        }
    }

    /// Returns the counts of all postings.
    pub fn counts(&self) -> FacetCounts {
        let mut counts = Posting::counts(&self.recent);
        for period in &self.periods {
            counts.add_all(&period.counts);
        }
        counts
    }
}
