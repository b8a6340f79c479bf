//! Binary form of roots, branches and leaves.

use super::{BranchEntry, MonthSpan, NodeRef, TreeRoot};
use crate::ledger::{FacetMask, LogPosition, Posting, PostingFilter, PostingKey};

/// Occurs when stored bytes are no node of a tree: damaged, or written by a later version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub &'static str);

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stored bytes of the ledger cannot be read: {}", self.0)
    }
}

impl std::error::Error for DecodeError {}

/// Root of a tree, read for a search: counts of what a mask admits instead of counts by facet key.
#[derive(Clone, Debug)]
pub struct RootSummary {
    /// Number of times that the root was written.
    pub edition: u64,
    /// Changes of the log that the tree contains.
    pub position: LogPosition,
    /// Editions of the trees of single facet keys, if the set has any.
    pub facet_editions: Option<Vec<u64>>,
    /// Periods, ascending.
    pub periods: Vec<PeriodSummary>,
    /// First key of `recent`.
    pub recent_start: PostingKey,
    /// Postings that the root holds itself, ascending; all of them, matching or not.
    pub recent: Vec<Posting>,
    /// Number of postings in periods.
    pub total: u64,
}

/// Period of a [`RootSummary`].
#[derive(Clone, Debug)]
pub struct PeriodSummary {
    /// Months of the period.
    pub span: MonthSpan,
    /// Number of postings.
    pub total: u64,
    /// Number of postings that the mask admits.
    pub matches: u64,
    /// Nodes: start, name and, for branches, the number of postings that the mask admits.
    pub nodes: Vec<(PostingKey, NodeRef, Option<u64>)>,
}

impl RootSummary {
    /// Reads a root for a search with this mask.
    pub fn decode(_bytes: &[u8], _mask: FacetMask) -> Result<Self, DecodeError> {
        unimplemented!()
    }
}

/// Returns the binary form of a root.
#[must_use]
pub fn encode_root(_root: &TreeRoot) -> Vec<u8> {
    unimplemented!()
}

/// Reads a root.
pub fn decode_root(_bytes: &[u8]) -> Result<TreeRoot, DecodeError> {
    unimplemented!()
}

/// Returns the binary form of a branch.
#[must_use]
pub fn encode_branch(_entries: &[BranchEntry]) -> Vec<u8> {
    unimplemented!()
}

/// Reads a branch.
pub fn decode_branch(_bytes: &[u8]) -> Result<Vec<BranchEntry>, DecodeError> {
    unimplemented!()
}

/// Reads a branch for a search: start and name of each leaf, and the number of its postings that the mask admits.
pub fn decode_branch_matches(_bytes: &[u8], _mask: FacetMask) -> Result<Vec<(PostingKey, NodeRef, u64)>, DecodeError> {
    unimplemented!()
}

/// Returns the binary form of a leaf.
#[must_use]
pub fn encode_leaf(_postings: &[Posting]) -> Vec<u8> {
    unimplemented!()
}

/// Reads a leaf.
pub fn decode_leaf(_bytes: &[u8]) -> Result<Vec<Posting>, DecodeError> {
    unimplemented!()
}

/// Reads those postings of a leaf that a filter admits.
pub fn decode_leaf_matches(_bytes: &[u8], _filter: &PostingFilter) -> Result<Vec<Posting>, DecodeError> {
    unimplemented!()
}
