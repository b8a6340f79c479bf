//! Ledger of reviews: the index that counts and finds them, without storage.
//!
//! A log has every change of a review, and trees count and order what the log says up to a position. `presence-store` stores and reads both.
//! The ledger knows the review; the review does not know the ledger.

#[cfg(test)]
mod arbitrary;
pub mod audit;
#[cfg(test)]
mod codec_tests;
#[cfg(test)]
mod fixtures;
mod log;
mod log_codec;
pub mod moves;
mod org_log;
mod page_search;
mod parallel;
mod posting;
mod review_number;
mod review_set;
pub mod search;
mod stats_search;
pub mod table;
pub mod tree;
mod tree_delta;
mod trees;

pub use log::{LANES, LogChange, LogEntry, LogPosition, Place, TreeKey};
pub use log_codec::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, decode_changes, directory_hash, encode_changes};
pub use org_log::{LaneState, LogReader, OrgLog, SealedChunk, read_entries};
pub use page_search::{FoundPage, NeededNode, NodeKind, PageSearch};
pub use parallel::parallel;
pub use posting::{Posting, PostingFilter, PostingKey};
pub use review_number::ReviewNumber;
pub use review_set::ReviewSet;
pub use stats_search::{CalendarUnit, GroupNumber, StatsSearch};
pub use tree_delta::TreeDelta;
pub use trees::{
    ALL_KEYS, BuiltTrees, FOLD_PAGES, FoldLimits, FoldReport, Folder, OrgPostings, RootEditions, SetPostings,
    StoredRoot, TreeCorrection, Trees, bucket_of, facet_trees, has_facet_trees, raise_editions, root_value,
    split_by_facet,
};
