//! Keys of the ledger: logs, directories and trees.

use presence_domain::ids::OrgId;
use presence_domain::review::FacetKey;
use presence_ledger::{LANES, ReviewSet};

/// Prefix of the partitions with the logs of organisations.
pub const LOG_PK_PREFIX: &str = "LOG#";
/// Sort key of the directory of an organisation's trees. It sorts after all lanes and chunks: a Query reads it last.
pub const DIRECTORY_SK: &str = "~";
/// Prefix of the partitions with the buckets of directories.
pub const DIRECTORY_BUCKETS_PK_PREFIX: &str = "DIR#";
/// Prefix of the partitions with trees.
pub const TREE_PK_PREFIX: &str = "TREE#";
/// Sort key of the root of a tree of all reviews of a set.
pub const ROOT_SK: &str = "ROOT";
/// Prefix of the sort keys of nodes.
pub const NODE_SK_PREFIX: &str = "NODE#";

/// Item of the partition of a log, by its sort key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogItemKey {
    /// Lane item: the last sequence number and the changes that are not sealed.
    Lane(usize),
    /// Sealed chunk of a lane.
    Chunk {
        /// Lane of its changes.
        lane: usize,
        /// Sequence number of its first change.
        first: u64,
    },
    /// Directory of the organisation's trees.
    Directory,
}

impl LogItemKey {
    /// Returns the sort key. A lane sorts before its chunks, and chunks sort by their first sequence number.
    pub fn sort_key(self) -> String {
        match self {
            Self::Lane(lane) => lane.to_string(),
            Self::Chunk { lane, first } => format!("{lane}#{first:012}"),
            Self::Directory => DIRECTORY_SK.to_owned(),
        }
    }

    /// Reads [`LogItemKey::sort_key`]; `None` if the text has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let key = match text.split_once('#') {
            _ if text == DIRECTORY_SK => Self::Directory,
            None => Self::Lane(text.parse().ok()?),
            Some((lane, first)) => Self::Chunk { lane: lane.parse().ok()?, first: first.parse().ok()? },
        };
        let is_lane = match key {
            Self::Lane(lane) | Self::Chunk { lane, .. } => lane < LANES,
            Self::Directory => true,
        };
        (is_lane && key.sort_key() == text).then_some(key)
    }
}

/// Returns the partition with the log of an organisation and the directory of its trees.
pub fn log_pk(org_id: OrgId) -> String {
    format!("{LOG_PK_PREFIX}{org_id}")
}

/// Returns the partition with the buckets of an organisation's directory.
pub fn directory_buckets_pk(org_id: OrgId) -> String {
    format!("{DIRECTORY_BUCKETS_PK_PREFIX}{org_id}")
}

/// Returns the sort key of a bucket: its number in two digits.
pub fn directory_bucket_sk(bucket: usize) -> String {
    format!("{bucket:02}")
}

/// Returns the partition with the root and the nodes of the trees of a review set.
pub fn tree_pk(set: &ReviewSet) -> String {
    format!("{TREE_PK_PREFIX}{set}")
}

/// Returns the sort key of the root of a tree.
pub fn root_sk(facet_key: Option<FacetKey>) -> String {
    match facet_key {
        None => ROOT_SK.to_owned(),
        Some(facet_key) => format!("{ROOT_SK}#{:02}", facet_key.number()),
    }
}

/// Returns the sort key of the node of a tree in a slot.
pub fn node_sk(facet_key: Option<FacetKey>, slot: u32) -> String {
    match facet_key {
        None => format!("{NODE_SK_PREFIX}{slot:08x}"),
        Some(facet_key) => format!("{NODE_SK_PREFIX}{:02}#{slot:08x}", facet_key.number()),
    }
}

/// Reads [`node_sk`]: the facet key and the slot. `None` if the text has another form.
pub fn parse_node_sk(text: &str) -> Option<(Option<FacetKey>, u32)> {
    let rest = text.strip_prefix(NODE_SK_PREFIX)?;
    let (facet_key, slot) = match rest.split_once('#') {
        None => (None, rest),
        Some((number, slot)) if number.len() == 2 => (Some(FacetKey::from_number(number.parse().ok()?)?), slot),
        Some(_) => return None,
    };
    let is_slot = slot.len() == 8 && slot.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if is_slot { Some((facet_key, u32::from_str_radix(slot, 16).ok()?)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::ids::BusinessId;

    fn facet_key(number: u8) -> FacetKey {
        FacetKey::from_number(number).expect("a facet key")
    }

    #[test]
    fn a_log_is_read_lane_before_chunks_before_directory() {
        let mut keys = Vec::new();
        for lane in 0..LANES {
            keys.push(LogItemKey::Lane(lane));
            keys.extend([1, 2, 10, 999_999_999_999].map(|first| LogItemKey::Chunk { lane, first }));
        }
        keys.push(LogItemKey::Directory);
        let texts: Vec<String> = keys.iter().map(|key| key.sort_key()).collect();
        assert!(texts.is_sorted(), "{texts:?}");
        for (key, text) in keys.iter().zip(&texts) {
            assert_eq!(LogItemKey::parse(text), Some(*key));
        }
        for wrong in ["", "8", "00", "-1", "0#", "0#1", "8#000000000001", "0#00000000000a", "~~", "a"] {
            assert_eq!(LogItemKey::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn keys_of_trees_and_directories_have_the_stored_form() {
        let org = OrgId::new(42).expect("an id");
        assert_eq!((log_pk(org), directory_buckets_pk(org)), ("LOG#42".to_owned(), "DIR#42".to_owned()));
        assert_eq!((directory_bucket_sk(3), directory_bucket_sk(15)), ("03".to_owned(), "15".to_owned()));
        assert_eq!(tree_pk(&ReviewSet::City(org, "saint etienne".to_owned())), "TREE#c:42:saint etienne");
        let business = ReviewSet::Business(org, BusinessId::parse("b1").expect("an id"));
        assert_eq!(tree_pk(&business), "TREE#b:42:b1");
        assert_eq!((root_sk(None), root_sk(Some(facet_key(7)))), ("ROOT".to_owned(), "ROOT#07".to_owned()));
        assert_eq!(node_sk(None, 255), "NODE#000000ff");
        assert_eq!(node_sk(Some(facet_key(89)), u32::MAX), "NODE#89#ffffffff");
    }

    #[test]
    fn sort_keys_of_nodes_are_read_back() {
        for facet_key in [None, Some(facet_key(0)), Some(facet_key(89))] {
            for slot in [0, 1, 0xdead_beef, u32::MAX] {
                assert_eq!(parse_node_sk(&node_sk(facet_key, slot)), Some((facet_key, slot)));
            }
        }
        for wrong in
            ["ROOT", "NODE#", "NODE#1", "NODE#000000FF", "NODE#90#00000000", "NODE#1#00000000", "NODE#+0000000"]
        {
            assert_eq!(parse_node_sk(wrong), None, "{wrong:?}");
        }
    }
}
