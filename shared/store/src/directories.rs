//! Directories kept in memory between requests, and never served stale.
//!
//! A directory is used only while its roster, digest included, equals the stored roster, which is read strongly for every
//! search. One that is out of date follows the log of changes (`follow.rs`); what that does not tell is read from an index.

mod follow;
mod load;
#[cfg(test)]
mod simulation;

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) use self::follow::ChangePage;
use crate::UserStore;
use presence_domain::directory::Directory;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::roster::Roster;

/// Memory for directories, in bytes: some 400,000 users that are searched by words, and well inside the 256 MB of a function.
const MAX_BYTES: usize = 96 << 20;
/// The part of it that directories loaded ahead may take, as a divisor; the rest is for what is kept.
const LOADING_SHARE: usize = 8;
/// Organisations that wait for each other's loads where they share a lock by chance: only tests and the local stack serve
/// several requests at a time.
const LOCKS: usize = 64;

/// The directories seen last, within a bound on their bytes.
#[derive(Debug)]
pub(super) struct Directories {
    cache: Mutex<Cache>,
    /// One load of an organisation at a time: the others wait for it, and most often need none of their own.
    locks: [tokio::sync::Mutex<()>; LOCKS],
    bytes: Arc<Bytes>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Cache {
    entries: HashMap<Option<OrgId>, Entry>,
    /// Of all entries, as they were measured last.
    bytes: usize,
    /// Counts what happens: the entry with the smallest `used` goes first.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    directory: Arc<Held>,
    bytes: usize,
    used: u64,
    /// Not later than the read of the roster that proved it.
    proven: u64,
}

/// Bytes of the directories in memory, those of the cache and those that requests hold.
#[derive(Debug, Default)]
struct Bytes {
    held: AtomicUsize,
    most: AtomicUsize,
}

/// A directory, counted while it is in memory.
#[derive(Debug)]
pub(super) struct Held {
    directory: Arc<Directory>,
    bytes: AtomicUsize,
    counter: Arc<Bytes>,
}

impl Deref for Held {
    type Target = Directory;

    fn deref(&self) -> &Directory {
        &self.directory
    }
}

impl Held {
    fn new(directory: Arc<Directory>, counter: &Arc<Bytes>) -> Self {
        let bytes = directory.heap_bytes();
        let held = counter.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        counter.most.fetch_max(held, Ordering::Relaxed);
        Self { directory, bytes: AtomicUsize::new(bytes), counter: Arc::clone(counter) }
    }

    /// Measures it anew. True if it has grown.
    fn measure(&self) -> bool {
        let bytes = self.directory.heap_bytes();
        let before = self.bytes.fetch_max(bytes, Ordering::Relaxed);
        let grown = bytes.saturating_sub(before);
        let held = self.counter.held.fetch_add(grown, Ordering::Relaxed) + grown;
        self.counter.most.fetch_max(held, Ordering::Relaxed);
        grown > 0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.counter.held.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

/// When a request began, as the cache counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Began(u64);

impl Default for Directories {
    fn default() -> Self {
        Self::within(MAX_BYTES)
    }
}

impl Directories {
    /// Returns a cache of so many bytes at the most.
    pub(super) fn within(max_bytes: usize) -> Self {
        let locks = std::array::from_fn(|_| tokio::sync::Mutex::default());
        Self { cache: Mutex::default(), locks, bytes: Arc::default(), max_bytes }
    }

    /// Returns the bytes of directories that may be loaded ahead of their search.
    pub(super) fn loading_bytes(&self) -> usize {
        self.max_bytes / LOADING_SHARE
    }

    /// Returns the bytes of directories that may be kept.
    fn kept_bytes(&self) -> usize {
        self.max_bytes - self.loading_bytes()
    }

    /// Returns the most bytes that directories have taken at a time.
    pub(super) fn most_bytes(&self) -> usize {
        self.bytes.most.load(Ordering::Relaxed)
    }

    /// Notes that a request begins. Call it before the rosters of the request are read.
    pub(super) fn begin(&self) -> Began {
        Began(self.cache().tick())
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_of(&self, org_id: Option<OrgId>) -> &tokio::sync::Mutex<()> {
        let number = org_id.map_or(0, OrgId::get) % LOCKS as u64;
        &self.locks[usize::try_from(number).unwrap_or_default()]
    }

    /// Returns the directory in memory if it is current for a request: its roster is the one that the request has read, or it
    /// was proven by a roster that was read after the request began.
    fn current(&self, org_id: Option<OrgId>, roster: &Roster, began: Began) -> Option<Arc<Held>> {
        let mut cache = self.cache();
        let now = cache.tick();
        let entry = cache.entries.get_mut(&org_id)?;
        if entry.directory.roster() != *roster && entry.proven <= began.0 {
            return None;
        }
        entry.used = now;
        Some(Arc::clone(&entry.directory))
    }

    /// Returns the directory in memory, however old.
    fn last(&self, org_id: Option<OrgId>) -> Option<Arc<Directory>> {
        self.cache().entries.get(&org_id).map(|entry| Arc::clone(&entry.directory.directory))
    }

    /// Returns those in memory of such organisations, however old.
    pub(super) fn of(&self, which: impl Fn(Option<OrgId>) -> bool) -> BTreeMap<Option<OrgId>, Arc<Held>> {
        let mut cache = self.cache();
        let now = cache.tick();
        let entries = cache.entries.iter_mut().filter(|(org_id, _)| which(**org_id));
        let used = entries.map(|(org_id, entry)| {
            entry.used = now;
            (*org_id, Arc::clone(&entry.directory))
        });
        used.collect()
    }

    /// Drops what is in memory of an organisation.
    fn forget(&self, org_id: Option<OrgId>) {
        self.cache().remove(org_id);
    }

    /// Keeps a directory that a request has proven current, if it fits.
    fn keep(&self, org_id: Option<OrgId>, directory: Arc<Directory>, began: Began) -> Arc<Held> {
        let directory = Arc::new(Held::new(directory, &self.bytes));
        self.put(org_id, &directory, began.0, began);
        directory
    }

    /// Measures a directory anew after a search: its index of words may have been made.
    pub(super) fn measure(&self, org_id: Option<OrgId>, searched: &Arc<Held>, began: Began) {
        if !searched.measure() {
            return;
        }
        let proven = self
            .cache()
            .entries
            .get(&org_id)
            .filter(|entry| Arc::ptr_eq(&entry.directory, searched))
            .map(|entry| entry.proven);
        if let Some(proven) = proven {
            self.put(org_id, searched, proven, began);
        }
    }

    /// Puts a directory into the cache, if it fits. What the request has used already stays before it: who walks over more
    /// than fits would else find nothing of it the next time.
    fn put(&self, org_id: Option<OrgId>, directory: &Arc<Held>, proven: u64, began: Began) {
        let bytes = directory.bytes.load(Ordering::Relaxed);
        let mut cache = self.cache();
        cache.remove(org_id);
        while cache.bytes + bytes > self.kept_bytes() {
            let unused = cache.entries.iter().filter(|(_, entry)| entry.used < began.0);
            let oldest = unused.min_by_key(|(_, entry)| entry.used).map(|(org_id, _)| *org_id);
            match oldest {
                Some(oldest) => cache.remove(oldest),
                None => return,
            }
        }
        cache.bytes += bytes;
        let used = cache.tick();
        cache.entries.insert(org_id, Entry { directory: Arc::clone(directory), bytes, used, proven });
    }
}

impl Cache {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    fn remove(&mut self, org_id: Option<OrgId>) {
        if let Some(gone) = self.entries.remove(&org_id) {
            self.bytes -= gone.bytes;
        }
    }
}

impl UserStore {
    /// Returns the directory of one organisation, whose roster was read strongly in this request: complete, and as current as
    /// that roster or newer.
    pub(super) async fn directory(
        &self,
        org_id: Option<OrgId>,
        roster: Roster,
        began: Began,
    ) -> Result<Arc<Held>, Error> {
        if let Some(current) = self.directories.current(org_id, &roster, began) {
            return Ok(current);
        }
        let _alone = self.directories.lock_of(org_id).lock().await;
        // Meanwhile another request may have read it.
        if let Some(current) = self.directories.current(org_id, &roster, began) {
            return Ok(current);
        }
        let last = self.directories.last(org_id);
        let mut directory = self.read_directory(org_id, last, roster).await?;
        if directory.is_to_be_merged() {
            directory = Arc::new(directory.merged());
        }
        Ok(self.directories.keep(org_id, directory, began))
    }
}
