//! Ledger of reviews: the index that counts and finds them, without storage.
//!
//! A log has every change of a review, and trees count and order what the log says up to a position. `presence-store` stores and reads both.
//! The ledger knows the review; the review does not know the ledger.

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod codec_tests;
mod log;
mod log_codec;
pub mod moves;
mod page_search;
mod posting;
mod review_number;
mod review_set;
mod stats_search;
pub mod tree;
mod tree_delta;

pub use log::{LANES, LogChange, LogEntry, LogPosition, Place, TreeKey};
pub use log_codec::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, decode_changes, directory_hash, encode_changes};
pub use page_search::{FoundPage, NeededNode, NodeKind, PageSearch};
pub use posting::{Posting, PostingFilter, PostingKey};
pub use review_number::ReviewNumber;
pub use review_set::ReviewSet;
pub use stats_search::{CalendarUnit, GroupNumber, StatsSearch};
pub use tree_delta::TreeDelta;
