//! The vocabulary of the review ledger, without storage: review sets, facets, counts, days and months.
//!
//! The ledger is the index that counts and finds reviews. `presence-store` stores and reads it.
//! This module knows the review; the review does not know the ledger.

#[cfg(test)]
mod arbitrary;
mod calendar;
#[cfg(test)]
mod codec_tests;
mod facets;
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

pub use calendar::{Day, Month, SECONDS_OF_DAY};
pub use facets::{FACET_KEY_COUNT, FacetCounts, FacetKey, FacetMask};
pub use log::{LANES, LogChange, LogEntry, LogPosition, Place, TreeKey};
pub use log_codec::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, decode_changes, directory_hash, encode_changes};
pub use page_search::{FoundPage, NeededNode, NodeKind, PageSearch};
pub use posting::{Posting, PostingFilter, PostingKey};
pub use review_number::ReviewNumber;
pub use review_set::ReviewSet;
pub use stats_search::{CalendarUnit, GroupNumber, StatsSearch};
pub use tree_delta::TreeDelta;
