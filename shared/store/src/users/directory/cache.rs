//! Cache of directories, with a bound on its bytes.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::{MeasuredDirectory, MemoryCounter};
use presence_domain::ids::OrgId;
use presence_domain::user_directory::{DirectoryHead, UserDirectory};

/// Maximum memory for directories, in bytes. It holds some 400,000 users with their indexes of words, within the 256 MB of a
/// function.
const MAX_BYTES: usize = 96 << 20;
/// Share of the memory for directories that are loaded ahead of their search: one part in this many. The cache has the rest.
const LOADING_SHARE: usize = 8;
/// Number of locks. Organisations that share one by chance wait for each other. That happens in tests and in the local stack only:
/// a function serves one request at a time.
const LOCKS: usize = 64;

/// Directories that were used last.
#[derive(Debug)]
pub(crate) struct DirectoryCache {
    entries: Mutex<Entries>,
    /// Locks of the refreshes, by organisation.
    locks: [tokio::sync::Mutex<()>; LOCKS],
    memory: Arc<MemoryCounter>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Entries {
    by_org: HashMap<Option<OrgId>, Entry>,
    /// Bytes of all entries, by their last measurements.
    bytes: usize,
    /// Logical time: it advances with every use of the cache.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    directory: Arc<MeasuredDirectory>,
    bytes: usize,
    /// Logical time of the last use. The entry with the smallest one is evicted first.
    used_at: u64,
    /// Logical time at which the directory was certainly current: the start of the request that checked it.
    verified_at: u64,
}

/// Start of a request, in logical time of the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestStart(u64);

impl Default for DirectoryCache {
    fn default() -> Self {
        Self::with_max_bytes(MAX_BYTES)
    }
}

impl DirectoryCache {
    /// Returns an empty cache for this many bytes.
    pub(crate) fn with_max_bytes(max_bytes: usize) -> Self {
        let locks = std::array::from_fn(|_| tokio::sync::Mutex::default());
        Self { entries: Mutex::default(), locks, memory: Arc::default(), max_bytes }
    }

    /// Returns the maximum memory for directories that are loaded ahead of their search, in bytes.
    pub(crate) fn max_loading_bytes(&self) -> usize {
        self.max_bytes / LOADING_SHARE
    }

    /// Returns the largest memory that directories have taken at a time, in bytes.
    pub(crate) fn peak_bytes(&self) -> usize {
        self.memory.peak.load(Ordering::Relaxed)
    }

    /// Starts a request. It must be called before the request reads any head.
    pub(crate) fn start_request(&self) -> RequestStart {
        RequestStart(self.entries().tick())
    }

    /// Returns the lock of an organisation's refreshes.
    pub(super) fn lock_of(&self, org_id: Option<OrgId>) -> &tokio::sync::Mutex<()> {
        let number = org_id.map_or(0, OrgId::get) % LOCKS as u64;
        &self.locks[usize::try_from(number).unwrap_or_default()]
    }

    /// Returns the cached directory if it is current for a request. It is if it has the head that the request has read. It also is if
    /// another request checked it after this one started: then it is newer than the head.
    pub(super) fn get_current(
        &self,
        org_id: Option<OrgId>,
        head: &DirectoryHead,
        started: RequestStart,
    ) -> Option<Arc<MeasuredDirectory>> {
        let mut entries = self.entries();
        let now = entries.tick();
        let entry = entries.by_org.get_mut(&org_id)?;
        if entry.directory.head() != *head && entry.verified_at <= started.0 {
            return None;
        }
        entry.used_at = now;
        Some(Arc::clone(&entry.directory))
    }

    /// Returns the cached directory, however old it is.
    pub(super) fn get_last(&self, org_id: Option<OrgId>) -> Option<Arc<UserDirectory>> {
        self.entries().by_org.get(&org_id).map(|entry| Arc::clone(&entry.directory.directory))
    }

    /// Returns the cached directories of the organisations that the predicate admits, however old they are.
    pub(crate) fn get_all_last(
        &self,
        is_wanted: impl Fn(Option<OrgId>) -> bool,
    ) -> BTreeMap<Option<OrgId>, Arc<MeasuredDirectory>> {
        let mut entries = self.entries();
        let now = entries.tick();
        let wanted = entries.by_org.iter_mut().filter(|(org_id, _)| is_wanted(**org_id));
        let used = wanted.map(|(org_id, entry)| {
            entry.used_at = now;
            (*org_id, Arc::clone(&entry.directory))
        });
        used.collect()
    }

    /// Removes the directory of an organisation.
    pub(super) fn remove(&self, org_id: Option<OrgId>) {
        self.entries().remove(org_id);
    }

    /// Inserts a directory that a request has checked, if it fits.
    pub(super) fn insert(
        &self,
        org_id: Option<OrgId>,
        directory: Arc<UserDirectory>,
        started: RequestStart,
    ) -> Arc<MeasuredDirectory> {
        let directory = Arc::new(MeasuredDirectory::new(directory, &self.memory));
        self.insert_measured(org_id, &directory, started.0, started);
        directory
    }

    /// Measures a directory again after a search, which may have built its index of words.
    pub(crate) fn measure(&self, org_id: Option<OrgId>, searched: &Arc<MeasuredDirectory>, started: RequestStart) {
        if !searched.measure() {
            return;
        }
        let verified_at = {
            let entries = self.entries();
            let entry = entries.by_org.get(&org_id).filter(|entry| Arc::ptr_eq(&entry.directory, searched));
            entry.map(|entry| entry.verified_at)
        };
        if let Some(verified_at) = verified_at {
            self.insert_measured(org_id, searched, verified_at, started);
        }
    }

    /// Inserts a directory if it fits after the eviction of entries that this request has not used.
    ///
    /// Entries that it has used stay. A search over more organisations than fit would otherwise evict each one before its next
    /// search.
    fn insert_measured(
        &self,
        org_id: Option<OrgId>,
        directory: &Arc<MeasuredDirectory>,
        verified_at: u64,
        started: RequestStart,
    ) {
        let bytes = directory.bytes.load(Ordering::Relaxed);
        let mut entries = self.entries();
        entries.remove(org_id);
        while entries.bytes + bytes > self.max_bytes - self.max_loading_bytes() {
            let unused = entries.by_org.iter().filter(|(_, entry)| entry.used_at < started.0);
            let oldest = unused.min_by_key(|(_, entry)| entry.used_at).map(|(org_id, _)| *org_id);
            match oldest {
                Some(oldest) => entries.remove(oldest),
                None => return,
            }
        }
        entries.bytes += bytes;
        let used_at = entries.tick();
        entries.by_org.insert(org_id, Entry { directory: Arc::clone(directory), bytes, used_at, verified_at });
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    fn remove(&mut self, org_id: Option<OrgId>) {
        if let Some(removed) = self.by_org.remove(&org_id) {
            self.bytes -= removed.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_that_was_used_longest_ago_makes_room_unless_this_request_has_used_it() {
        let directory = Arc::new(UserDirectory::default());
        let org = |number| Some(OrgId::new(number).expect("an id"));
        // Two fit, beside those that are loaded.
        let cache = DirectoryCache::with_max_bytes(3 * directory.heap_bytes());
        let insert = |number, started| drop(cache.insert(org(number), Arc::clone(&directory), started));
        let kept = || [1, 2, 3].map(|number| cache.get_last(org(number)).is_some());
        let started = cache.start_request();
        for number in 1..=3 {
            insert(number, started);
        }
        assert_eq!(kept(), [true, true, false]);
        assert!(cache.get_current(org(1), &directory.head(), cache.start_request()).is_some());
        insert(3, cache.start_request());
        assert_eq!(kept(), [true, false, true]);
    }
}
