//! Error of the first edition: a postings item that is full.

use super::item::LedgerKey;
use crate::keys::{POSTING_SHARDS, POSTINGS_PK_PREFIX};

/// A postings item has reached the 400 KB that DynamoDB takes. Reviews of its day, facet key and shard cannot be written
/// until the ledger stores postings in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingItemFullError(LedgerKey);

impl std::fmt::Display for PostingItemFullError {
    /// Writes the message that operators read. Its words "book" and "cell" are the older names of set and facet key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LedgerKey { pk, sk } = &self.0;
        let (set, month) = pk.trim_start_matches(POSTINGS_PK_PREFIX).rsplit_once('#').unwrap_or_default();
        let part = |range| sk.get(range).unwrap_or_default();
        write!(
            f,
            "there are too many reviews of one kind on {month}-{}: their index has reached the 400 KB that DynamoDB takes in \
             one item (book {set}, cell {}, shard {} of {POSTING_SHARDS})",
            part(0..2),
            part(2..4),
            part(4..5),
        )
    }
}

impl std::error::Error for PostingItemFullError {}
