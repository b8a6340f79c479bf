//! Directories kept in memory between requests, and never served stale.
//!
//! An index lags behind its table. So a directory read from `status-index` is used only while its roster,
//! digest included, equals the stored roster, which is read strongly for every search.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::keys::org_key;
use super::meter::side_by_side;
use super::read::{Partition, text};
use super::users::listed;
use super::{Store, schema};
use crate::domain::directory::Directory;
use crate::domain::ids::OrgId;
use crate::domain::roster::Roster;
use crate::error::Error;

/// Memory for directories, in bytes: about 150,000 users, and well inside the 256 MB of a function.
const MAX_BYTES: usize = 96 << 20;
/// Users in one page of a Query: they fill about the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 4_000;
/// Pages at the most: a million users of one organisation.
const MAX_PAGES: usize = 1_000;
/// How often an index that lags is read again before the request is given up.
const LAG_RETRIES: u32 = 6;
/// The pause before the first of these; it doubles. An index lags for milliseconds, rarely for a second.
const LAG_PAUSE: Duration = Duration::from_millis(20);
/// Directories read side by side.
const LOADS_IN_FLIGHT: u16 = 8;

/// The directories seen last, within [`MAX_BYTES`].
#[derive(Debug, Default)]
pub(super) struct Directories(Mutex<Cache>);

#[derive(Debug, Default)]
struct Cache {
    entries: HashMap<Option<OrgId>, Entry>,
    /// Of all entries.
    bytes: usize,
    /// Counts the look-ups: the entry with the smallest `used` goes first.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    directory: Arc<Directory>,
    bytes: usize,
    used: u64,
}

impl Directories {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The directory, if it is the one that the roster stands for.
    fn current(&self, org_id: Option<OrgId>, roster: &Roster) -> Option<Arc<Directory>> {
        let mut cache = self.cache();
        cache.now += 1;
        let now = cache.now;
        let entry = cache.entries.get_mut(&org_id).filter(|entry| entry.directory.roster() == *roster)?;
        entry.used = now;
        Some(Arc::clone(&entry.directory))
    }

    /// Those in memory of such organisations, however old.
    pub(super) fn of(&self, which: impl Fn(Option<OrgId>) -> bool) -> BTreeMap<Option<OrgId>, Arc<Directory>> {
        let mut cache = self.cache();
        cache.now += 1;
        let now = cache.now;
        let entries = cache.entries.iter_mut().filter(|(org_id, _)| which(**org_id));
        let used = entries.map(|(org_id, entry)| {
            entry.used = now;
            (*org_id, Arc::clone(&entry.directory))
        });
        used.collect()
    }

    fn keep(&self, org_id: Option<OrgId>, directory: &Arc<Directory>) {
        let bytes = directory.heap_bytes();
        let mut cache = self.cache();
        cache.now += 1;
        let entry = Entry { directory: Arc::clone(directory), bytes, used: cache.now };
        let replaced = cache.entries.insert(org_id, entry);
        cache.bytes = cache.bytes + bytes - replaced.map_or(0, |old| old.bytes);
        while cache.bytes > MAX_BYTES {
            let oldest = cache.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(org_id, _)| *org_id);
            let Some(gone) = oldest.and_then(|org_id| cache.entries.remove(&org_id)) else { return };
            cache.bytes -= gone.bytes;
        }
    }
}

impl Store {
    /// The directory of one organisation, whose roster was read strongly in this request: complete, and as
    /// current as that roster or newer.
    pub(super) async fn directory(&self, org_id: Option<OrgId>, roster: Roster) -> Result<Arc<Directory>, Error> {
        let mut roster = roster;
        for retry in 0.. {
            if let Some(directory) = self.directories.current(org_id, &roster) {
                return Ok(directory);
            }
            let directory = Arc::new(self.read_directory(org_id, roster).await?);
            if directory.roster() == roster {
                self.directories.keep(org_id, &directory);
                return Ok(directory);
            }
            if retry == LAG_RETRIES {
                return Err(Error::Unavailable("status-index lags behind its roster".into()));
            }
            tokio::time::sleep(LAG_PAUSE * (1 << retry)).await;
            roster = self.roster(org_id).await?;
        }
        unreachable!("the last look returns")
    }

    /// The directories of several organisations.
    pub(super) async fn directories(
        &self,
        rosters: Vec<(Option<OrgId>, Roster)>,
    ) -> Result<BTreeMap<Option<OrgId>, Arc<Directory>>, Error> {
        let loads = rosters.into_iter().map(|(org_id, roster)| async move {
            self.directory(org_id, roster).await.map(|directory| (org_id, directory))
        });
        Ok(side_by_side(LOADS_IN_FLIGHT, loads).await?.into_iter().collect())
    }

    async fn read_directory(&self, org_id: Option<OrgId>, roster: Roster) -> Result<Directory, Error> {
        if roster.count() == 0 {
            return Ok(Directory::new(Vec::new()));
        }
        let partition = Partition {
            table: &schema::USERS,
            index: Some(&schema::STATUS_INDEX),
            value: text(org_key(org_id)),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        let users = self.query(partition).await?.into_iter().map(listed).collect::<Result<_, _>>()?;
        Ok(Directory::new(users))
    }
}
