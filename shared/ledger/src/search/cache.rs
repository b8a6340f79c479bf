//! Cache of what earlier searches have read of the ledger: logs, buckets of directories, roots and nodes of trees.
//!
//! The cache decides nothing. Every search reads the log, and the log proves the directory, buckets and roots, or refutes them.
//! Nodes need no proof, because a node never changes under its name. Roots and nodes are kept in binary form, which takes a
//! third of the memory of the decoded form.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;

use crate::tree::NodeRef;
use crate::{DirectoryBucket, OrgLog, StoredRoot, TreeKey};
use presence_domain::ids::OrgId;

/// Maximum number of bytes of all entries. The function has 64 MB for everything, of which a cold one takes some 20 MB.
const MAX_BYTES: usize = 16 << 20;
/// Bytes of an entry beside its value: the key, the links of the list and the slot of the map.
const ENTRY_BYTES: usize = 200;
/// Maximum number of bytes of a log that is kept. A longer one is about to be folded.
const MAX_LOG_BYTES: usize = 512 << 10;
/// Bytes of a decoded log entry: two places with the names of a city and a business.
const LOG_ENTRY_BYTES: usize = 256;
/// Bytes of an edition in a decoded bucket.
const EDITION_BYTES: usize = 24;

/// Entries that were used last, with a bound on their bytes.
#[derive(Debug)]
pub(crate) struct SearchCache {
    entries: Mutex<Entries>,
    max_bytes: usize,
}

#[derive(Debug)]
struct Entries {
    by_key: LruCache<Key, Entry>,
    bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Log(OrgId),
    Bucket(OrgId, usize),
    Root(TreeKey),
    Node(TreeKey, NodeRef),
}

#[derive(Clone, Debug)]
struct Entry {
    value: Value,
    bytes: usize,
}

#[derive(Clone, Debug)]
enum Value {
    Log(Arc<OrgLog>),
    Bucket(Arc<DirectoryBucket>),
    Root(StoredRoot),
    Node(Arc<[u8]>),
}

impl Default for SearchCache {
    fn default() -> Self {
        Self::with_max_bytes(MAX_BYTES)
    }
}

impl SearchCache {
    /// Returns an empty cache for this many bytes.
    fn with_max_bytes(max_bytes: usize) -> Self {
        Self { entries: Mutex::new(Entries { by_key: LruCache::new_unbounded(), bytes: 0 }), max_bytes }
    }

    /// Returns the log of an organisation as it was read last.
    pub(super) fn log(&self, org_id: OrgId) -> Option<Arc<OrgLog>> {
        match self.get(&Key::Log(org_id))? {
            Value::Log(log) => Some(log),
            _ => None,
        }
    }

    /// Returns a bucket of a directory as it was read last.
    pub(super) fn bucket(&self, org_id: OrgId, number: usize) -> Option<Arc<DirectoryBucket>> {
        match self.get(&Key::Bucket(org_id, number))? {
            Value::Bucket(bucket) => Some(bucket),
            _ => None,
        }
    }

    /// Returns the root of a tree as it was read last.
    pub(super) fn root(&self, tree: &TreeKey) -> Option<StoredRoot> {
        match self.get(&Key::Root(tree.clone()))? {
            Value::Root(root) => Some(root),
            _ => None,
        }
    }

    /// Returns the bytes of a node.
    pub(super) fn node(&self, tree: &TreeKey, node: NodeRef) -> Option<Arc<[u8]>> {
        match self.get(&Key::Node(tree.clone(), node))? {
            Value::Node(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Keeps a log, unless it is long.
    pub(super) fn insert_log(&self, org_id: OrgId, log: Arc<OrgLog>) {
        let bytes = log.entries.len().saturating_mul(LOG_ENTRY_BYTES);
        if bytes <= MAX_LOG_BYTES {
            self.insert(Key::Log(org_id), Value::Log(log), bytes);
        } else {
            self.entries().remove(&Key::Log(org_id));
        }
    }

    /// Keeps a bucket, unless a later one is kept.
    pub(super) fn insert_bucket(&self, org_id: OrgId, number: usize, bucket: Arc<DirectoryBucket>) {
        if self.bucket(org_id, number).is_none_or(|kept| kept.edition < bucket.edition) {
            let bytes = bucket.editions.len().saturating_mul(EDITION_BYTES);
            self.insert(Key::Bucket(org_id, number), Value::Bucket(bucket), bytes);
        }
    }

    /// Keeps a root, unless a later one is kept.
    pub(super) fn insert_root(&self, tree: &TreeKey, root: StoredRoot) {
        if self.root(tree).is_none_or(|kept| kept.edition < root.edition) {
            let bytes = root.size();
            self.insert(Key::Root(tree.clone()), Value::Root(root), bytes);
        }
    }

    /// Keeps a node.
    pub(super) fn insert_node(&self, tree: &TreeKey, node: NodeRef, bytes: Arc<[u8]>) {
        let length = bytes.len();
        self.insert(Key::Node(tree.clone(), node), Value::Node(bytes), length);
    }

    fn get(&self, key: &Key) -> Option<Value> {
        self.entries().by_key.get(key).map(|entry| entry.value.clone())
    }

    /// Inserts an entry, and removes those that were not used for the longest time until all fit.
    fn insert(&self, key: Key, value: Value, value_bytes: usize) {
        let bytes = value_bytes.saturating_add(ENTRY_BYTES);
        let mut entries = self.entries();
        entries.remove(&key);
        entries.bytes = entries.bytes.saturating_add(bytes);
        entries.by_key.insert(key, Entry { value, bytes });
        while entries.bytes > self.max_bytes && entries.remove_oldest() {}
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.by_key.remove(key) {
            self.bytes = self.bytes.saturating_sub(entry.bytes);
        }
    }

    /// Removes the entry that was not used for the longest time. False if there is none.
    fn remove_oldest(&mut self) -> bool {
        let oldest = self.by_key.remove_lru();
        self.bytes = oldest.as_ref().map_or(0, |(_, entry)| self.bytes.saturating_sub(entry.bytes));
        oldest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReviewSet;

    fn tree() -> TreeKey {
        TreeKey { set: ReviewSet::Org(OrgId::new(1).expect("an id")), facet_key: None }
    }

    fn node(slot: u32) -> NodeRef {
        NodeRef { slot, stamp: 0 }
    }

    fn root(edition: u64, byte: u8) -> StoredRoot {
        StoredRoot { edition, bytes: Arc::from([byte; 10]), oldest: None }
    }

    #[test]
    fn bytes_stay_below_the_bound_and_the_entry_used_longest_ago_goes_first() {
        let cache = SearchCache::with_max_bytes(10 * (1_000 + ENTRY_BYTES));
        for slot in 0..100 {
            cache.insert_node(&tree(), node(slot), Arc::from([0; 1_000]));
            assert!(cache.node(&tree(), node(0)).is_some(), "it is used all the time");
            assert!(cache.entries().bytes <= cache.max_bytes);
        }
        let kept: Vec<u32> = (0..100).filter(|slot| cache.node(&tree(), node(*slot)).is_some()).collect();
        assert_eq!(kept, [vec![0], (91..100).collect()].concat());
    }

    #[test]
    fn an_entry_larger_than_the_bound_is_not_kept_and_leaves_no_bytes() {
        let cache = SearchCache::with_max_bytes(1_000);
        cache.insert_node(&tree(), node(1), Arc::from([0; 2_000]));
        assert!(cache.node(&tree(), node(1)).is_none());
        assert_eq!(cache.entries().bytes, 0);
    }

    #[test]
    fn a_later_root_or_bucket_is_never_replaced_by_an_earlier_one() {
        let (cache, org_id) = (SearchCache::default(), OrgId::new(1).expect("an id"));
        let bucket = |edition, byte: u8| DirectoryBucket { edition, editions: [(u64::from(byte), 1)].into() };
        for (edition, byte, kept) in [(5, 1, (5, 1)), (4, 2, (5, 1)), (5, 3, (5, 1)), (6, 4, (6, 4))] {
            cache.insert_root(&tree(), root(edition, byte));
            assert_eq!(cache.root(&tree()), Some(root(kept.0, kept.1)));
            cache.insert_bucket(org_id, 3, Arc::new(bucket(edition, byte)));
            assert_eq!(cache.bucket(org_id, 3).as_deref(), Some(&bucket(kept.0, kept.1)));
        }
        assert_eq!(cache.entries().bytes, 2 * ENTRY_BYTES + 10 + EDITION_BYTES, "what is replaced leaves no bytes");
    }
}
