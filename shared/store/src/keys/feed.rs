//! Keys of the feed, in the table of events.

use presence_domain::ids::OrgId;

use super::org_key;

/// Prefix of the partitions of feeds.
pub const FEED_PK_PREFIX: &str = "FEED#";
/// Sort key of the head of a feed. It sorts after every chunk.
pub const FEED_HEAD_SK: &str = "HEAD";

/// Returns the partition of the feed of an organisation, or of users without one.
pub fn feed_pk(org_id: Option<OrgId>) -> String {
    format!("{FEED_PK_PREFIX}{}", org_key(org_id))
}

/// Returns the sort key of the chunk whose last event has this number, in digits that sort as numbers do.
pub fn chunk_sk(last: u64) -> String {
    format!("{last:016}")
}
