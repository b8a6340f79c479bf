//! Log of changes of businesses: every change is announced here before it is written.
//!
//! Searches keep all businesses in memory ([`super::directory`]) and read what the log announces. So no item may get a new revision
//! before a strong read of the log tells of it. The revision is the number of the entry, so that it is higher than every earlier one. A
//! put is conditional on the revision before: an announced change is written once or never, even if the SDK repeats the put.
//!
//! Rows that are written at the same time share an entry: while one is appended, the next announcements wait and then go together.
//! An entry is never closed. A reader sees by the stored revision that a change is done. A change that is never written, because its
//! import was killed, costs each search one read, until the next import of the business.
//!
//! Entries are numbered without a gap, and take the slots of a ring in turn. A slot is free for a new entry after the old one was
//! released: its changes are done, or were announced again by a later entry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

use super::BusinessStore;
use super::log_items::{LogEntry, SLOTS, Slot};
use crate::client::tables::Condition;
use crate::schema;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::random::random_u64;

/// Maximum number of businesses that an entry announces for its own batch: as many as an import writes at a time.
const BATCH: usize = 32;
/// Number of entries after which a writer releases slots. Half of them stay free for other writers.
const RELEASE_AT: u64 = SLOTS / 2;
/// Maximum number of slots that are read at once to find the end of the log. The number begins at one and doubles.
const SLOTS_AT_ONCE: u64 = 64;
/// Maximum number of attempts to append. An attempt fails only if another writer appended first.
const MAX_ATTEMPTS: u32 = 50;

/// Writer's side of the log: announcements that wait, and what the writer knows of the log.
#[derive(Debug)]
pub(crate) struct ChangeLog {
    writer: String,
    waiting: Mutex<Vec<Announcement>>,
    /// Ends of the log as this writer saw them last; `None` before the first append. Only one task appends at a time.
    ends: tokio::sync::Mutex<Option<LogEnds>>,
    own: Mutex<OwnEntries>,
}

/// Announcement that waits for an entry. The reply is the number of the entry.
#[derive(Debug)]
struct Announcement {
    id: BusinessId,
    reply: oneshot::Sender<u64>,
}

#[derive(Clone, Copy, Debug)]
struct LogEnds {
    /// First entry that is not released. Another writer may have released more.
    first: u64,
    /// Number of the next entry.
    next: u64,
}

/// Entries of this writer.
#[derive(Debug, Default)]
struct OwnEntries {
    /// Changes of an entry that are not done. All those that it announces again count as one, which never ends here.
    open: BTreeMap<u64, usize>,
    /// Entries whose changes are all done.
    done: BTreeSet<u64>,
}

impl Default for ChangeLog {
    fn default() -> Self {
        Self {
            writer: format!("{:016x}", random_u64()),
            waiting: Mutex::default(),
            ends: tokio::sync::Mutex::default(),
            own: Mutex::default(),
        }
    }
}

impl OwnEntries {
    fn begin(&mut self, number: u64) {
        *self.open.entry(number).or_default() += 1;
    }

    fn end(&mut self, number: u64) {
        if let Some(open) = self.open.get_mut(&number) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(&number);
                self.done.insert(number);
            }
        }
    }
}

impl BusinessStore {
    /// Announces a change of a business. Returns the number of the entry, which is the revision that the item must have.
    pub(super) async fn announce(&self, id: &BusinessId) -> Result<u64, Error> {
        let (reply, mut number) = oneshot::channel();
        guard(&self.changes.waiting).push(Announcement { id: id.clone(), reply });
        let mut ends = self.changes.ends.lock().await;
        loop {
            match number.try_recv() {
                Ok(number) => return Ok(number),
                Err(TryRecvError::Closed) => {
                    return Err(Error::Unavailable("the change of a business could not be announced".into()));
                }
                Err(TryRecvError::Empty) => {}
            }
            let batch = self.changes.take_batch();
            let number = self.append(&mut ends, &batch).await?;
            self.changes.reply(batch, number);
        }
    }

    /// Notes that a change of an entry is written, or will never be: its condition failed.
    pub(super) fn note_done(&self, entry: u64) {
        guard(&self.changes.own).end(entry);
    }

    /// Releases the log after an import, by one write, unless a change is still open. Then searches that start have less to read.
    pub async fn release_changes(&self) -> Result<(), Error> {
        let mut ends = self.changes.ends.lock().await;
        let Some(known) = *ends else { return Ok(()) };
        if known.first < known.next && self.open_changes(known).await?.is_empty() {
            self.release(&mut ends, known.next).await?;
        }
        Ok(())
    }

    /// Appends an entry for a batch, and returns its number. The changes of entries that it releases, and that are open, are
    /// announced again.
    async fn append(&self, ends: &mut Option<LogEnds>, batch: &[Announcement]) -> Result<u64, Error> {
        for _ in 0..MAX_ATTEMPTS {
            // Unknown again if this future is dropped.
            let at = match ends.take() {
                Some(known) => known,
                None => self.find_ends().await?,
            };
            let releases = at.next - at.first >= RELEASE_AT;
            let mut announced = if releases { self.open_changes(at).await? } else { BTreeMap::new() };
            let announces_again = !announced.is_empty();
            announced.extend(batch.iter().map(|announcement| (announcement.id.clone(), at.next)));
            if self.put_entry(&LogEntry::new(at.next, &self.changes.writer, &announced)).await? {
                if announces_again {
                    // Without an end: nobody tells this writer that the changes of others are done.
                    guard(&self.changes.own).begin(at.next);
                }
                *ends = Some(LogEnds { next: at.next + 1, ..at });
                if releases {
                    self.release(ends, at.next).await?;
                }
                return Ok(at.next);
            }
        }
        Err(Error::Conflict)
    }

    /// Puts an entry into its slot. False if another writer has put one with this number.
    async fn put_entry(&self, entry: &LogEntry) -> Result<bool, Error> {
        let condition = match entry.number.checked_sub(SLOTS) {
            None | Some(0) => Condition::NotThere,
            Some(replaced) => Condition::NumberIs("number", replaced),
        };
        if self.db.put_if(&schema::BUSINESSES, entry.to_item()?, condition).await? {
            return Ok(true);
        }
        // The SDK may have repeated a put whose reply was lost.
        Ok(matches!(self.read_slot(entry.number).await?, Slot::Entry(found) if found == *entry))
    }

    /// Releases the entries before `first`.
    async fn release(&self, ends: &mut Option<LogEnds>, first: u64) -> Result<(), Error> {
        self.write_log_first(first).await?;
        guard(&self.changes.own).done.retain(|number| *number >= first);
        *ends = ends.map(|known| LogEnds { first, ..known });
        Ok(())
    }

    /// Returns the changes that entries announce and that are not stored, with their last revisions.
    async fn open_changes(&self, LogEnds { first, next }: LogEnds) -> Result<BTreeMap<BusinessId, u64>, Error> {
        let numbers: Vec<u64> = {
            let own = guard(&self.changes.own);
            (first..next).filter(|number| !own.done.contains(number)).collect()
        };
        let mut announced = BTreeMap::new();
        for slot in self.read_slots(&numbers).await? {
            // An overwritten one was released, so that none of its changes are open.
            let Slot::Entry(entry) = slot else { continue };
            for (id, revision) in entry.announced()? {
                let last = announced.entry(id).or_insert(revision);
                *last = revision.max(*last);
            }
        }
        for stored in self.get_listed(announced.keys()).await? {
            if announced.get(&stored.id).is_some_and(|revision| stored.revision >= *revision) {
                announced.remove(&stored.id);
            }
        }
        Ok(announced)
    }

    /// Finds both ends of the log.
    async fn find_ends(&self) -> Result<LogEnds, Error> {
        for _ in 0..MAX_ATTEMPTS {
            let first = self.read_log_first().await?;
            if let Some(next) = self.find_next(first).await? {
                return Ok(LogEnds { first, next });
            }
        }
        Err(Error::Conflict)
    }

    /// Returns the number of the next entry. `None` if entries from `first` on were released meanwhile.
    async fn find_next(&self, first: u64) -> Result<Option<u64>, Error> {
        let (mut next, mut at_once) = (first, 1);
        loop {
            let numbers: Vec<u64> = (next..next + at_once).collect();
            at_once = (at_once * 2).min(SLOTS_AT_ONCE);
            for slot in self.read_slots(&numbers).await? {
                match slot {
                    Slot::Entry(_) => next += 1,
                    Slot::Free => return Ok(Some(next)),
                    Slot::Overwritten => return Ok(None),
                }
            }
        }
    }
}

impl ChangeLog {
    fn take_batch(&self) -> Vec<Announcement> {
        let mut waiting = guard(&self.waiting);
        let count = waiting.len().min(BATCH);
        waiting.drain(..count).collect()
    }

    /// Tells the announcers their entry. The change of one that has gone is never written.
    fn reply(&self, batch: Vec<Announcement>, number: u64) {
        let mut own = guard(&self.own);
        for announcement in batch {
            own.begin(number);
            // One that has gone leaves its change open: it may have written nothing.
            let _ = announcement.reply.send(number);
        }
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
