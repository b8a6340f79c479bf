//! Refresh of a directory that is out of date: by the change log if that is cheaper, else by the index.
//!
//! **The digest decides.** A directory is current only if it adds up to the head of its organisation, which is read strongly in this
//! request. Everything else here only decides where to look for missing changes.
//!
//! **The change log says where to look.** It has an entry for each write of a user. Its newest entries are read together with the head.
//! A user with a newer version is read strongly; a removed user needs no read. If the directory then adds up to the head, it is
//! current. Otherwise one of two things has happened, and both are handled by further reads of the log:
//!
//! - a write came between the reads of head and log: the next pass reads both again;
//! - the missing entry is older: the log is read further back, in pages that grow.
//!
//! **The bounds keep it cheap.** A refresh that would read more users or more entries than the bounds below reads the index instead.
//! The index may lag, so that the change log is applied to what it shows, too.
//!
//! `shared/docs/directory-check.md` explains the protocol by an example.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::user_directory::{ChangeEntry, DirectoryHead, ListedUser, PendingChanges, UserDirectory};

/// Number of entries in the first page of the log. They fill about the 4 KB of one read unit.
const FIRST_PAGE: usize = 32;
/// Growth of the pages: each further one has this many times the entries.
const PAGE_GROWTH: usize = 4;
/// Maximum number of entries in a page: some 130 KB.
const MAX_PAGE: usize = 1_024;
/// Number of entries that a refresh may read in any organisation. Large ones may read more: see [`USERS_SHARE`].
const MIN_ENTRIES: usize = 1_024;
/// Number of users that a refresh may read in any organisation. Large ones may read more: see [`USERS_SHARE`].
const MIN_USERS: usize = 64;
/// Share of the users that a refresh may read besides: one in this many. The index shows some 32 users for a read unit, and one user
/// takes a unit or more, so that beyond it the index is cheaper.
const USERS_SHARE: usize = 32;
/// Maximum number of passes over the log, each from its end. A pass is lost to each write between the reads of head and log, and to
/// each user that is read in a later version than the head counts.
const MAX_PASSES: usize = 4;
/// Number of times that an index that lags is read again, before the request fails.
pub(super) const MAX_LAG_RETRIES: u32 = 6;

/// Page of the change log.
#[derive(Debug)]
pub(crate) struct ChangePage<Cursor> {
    /// Entries, newest first.
    pub(crate) entries: Vec<ChangeEntry>,
    /// Start of the older entries; `None` at the end of the log.
    pub(crate) older: Option<Cursor>,
}

/// Reads of one organisation. The tables implement it, and the database of the simulation.
pub(super) trait DirectorySource: Sync {
    /// Place in the log.
    type Cursor: Send;

    /// Reads the head, strongly.
    fn get_head(&self) -> impl Future<Output = Result<DirectoryHead, Error>> + Send;

    /// Reads at most `limit` entries of the log, strongly: the newest ones, or those before a place.
    fn list_changes(
        &self,
        limit: usize,
        before: Option<Self::Cursor>,
    ) -> impl Future<Output = Result<ChangePage<Self::Cursor>, Error>> + Send;

    /// Reads users, strongly. Returns those that belong to the organisation.
    fn get_users(&self, ids: Vec<UserId>) -> impl Future<Output = Result<Vec<ListedUser>, Error>> + Send;

    /// Reads all users by the index, which may lag. The head tells about how many there are.
    fn read_index(&self, head: DirectoryHead) -> impl Future<Output = Result<UserDirectory, Error>> + Send;

    /// Waits for an index that lags.
    fn pause(&self, retry: u32) -> impl Future<Output = ()> + Send;
}

/// Returns a directory that adds up to the head, or to a later one. `last` is the cached directory. `head` was read in this request, and
/// `last` does not add up to it.
pub(super) async fn refresh<S: DirectorySource>(
    source: &S,
    last: Option<Arc<UserDirectory>>,
    mut head: DirectoryHead,
) -> Result<Arc<UserDirectory>, Error> {
    if let Some(last) = last
        && let Some(current) = apply_change_log(source, last, head).await?
    {
        return Ok(current);
    }
    for retry in 0..=MAX_LAG_RETRIES {
        let indexed = Arc::new(source.read_index(head).await?);
        if is_current(&indexed, head) {
            return Ok(indexed);
        }
        // An index that lags shows an older directory. The log has the changes that it does not show yet.
        if let Some(current) = apply_change_log(source, indexed, head).await? {
            return Ok(current);
        }
        if retry < MAX_LAG_RETRIES {
            source.pause(retry).await;
            head = source.get_head().await?;
        }
    }
    Err(Error::Unavailable(
        "status-index lags behind the head of its directory, and the change log is too short".into(),
    ))
}

/// Applies the change log to a directory until it is current. Returns `None` if the index must be read: because it is cheaper, or
/// because the log has no further changes.
async fn apply_change_log<S: DirectorySource>(
    source: &S,
    directory: Arc<UserDirectory>,
    mut last_head: DirectoryHead,
) -> Result<Option<Arc<UserDirectory>>, Error> {
    let mut replay = LogReplay::new(source, directory);
    for pass in 0..MAX_PASSES {
        match replay.run_pass(pass == 0).await? {
            PassResult::Current => return Ok(Some(replay.directory)),
            PassResult::OverBudget => return Ok(None),
            // The pass found nothing, and nobody has written meanwhile: another pass would find nothing either.
            PassResult::Behind { head, has_changes } if !has_changes && head == last_head => return Ok(None),
            PassResult::Behind { head, .. } => last_head = head,
        }
    }
    Ok(None)
}

/// Result of one pass over the log.
enum PassResult {
    /// The directory adds up to the head that the pass has read.
    Current,
    /// The changes need more reads of users than the budget has.
    OverBudget,
    /// The directory does not add up to the head.
    Behind {
        /// Head that the pass has read.
        head: DirectoryHead,
        /// True if the pass has found changes.
        has_changes: bool,
    },
}

/// Application of the change log to a directory.
struct LogReplay<'a, S> {
    source: &'a S,
    directory: Arc<UserDirectory>,
    /// Last version that was applied of each user, also of those who are not in the directory any more.
    applied: HashMap<UserId, u64>,
    /// Number of users that may still be read.
    users_left: usize,
    /// Number of entries that may still be read, besides the first page of each pass.
    entries_left: usize,
}

impl<'a, S: DirectorySource> LogReplay<'a, S> {
    fn new(source: &'a S, directory: Arc<UserDirectory>) -> Self {
        let share = usize::try_from(directory.head().count()).unwrap_or_default() / USERS_SHARE;
        Self {
            source,
            directory,
            applied: HashMap::new(),
            users_left: MIN_USERS + share,
            entries_left: MIN_ENTRIES + share,
        }
    }

    /// Reads the head and the log from its end, and applies the changes, until the directory is current or a reason to stop comes up.
    async fn run_pass(&mut self, is_first: bool) -> Result<PassResult, Error> {
        let newest = self.source.list_changes(FIRST_PAGE, None);
        let (head, mut page) = futures::try_join!(self.source.get_head(), newest)?;
        let (mut limit, mut has_changes) = (FIRST_PAGE, false);
        loop {
            let pending = self.directory.pending_changes(&page.entries, &self.applied);
            let Some(users_left) = self.users_left.checked_sub(pending.to_read.len()) else {
                return Ok(PassResult::OverBudget);
            };
            self.users_left = users_left;
            let knows_older_half = self.knows_older_half(&page.entries);
            has_changes |= !pending.is_empty();
            self.apply(pending).await?;
            if is_current(&self.directory, head) {
                return Ok(PassResult::Current);
            }
            let Some(older) = page.older.take() else { break };
            // If the older half brought nothing, the missing change is most likely newer than this pass, and the next pass finds it. A
            // later pass without any change looks further back nevertheless: entries can be late.
            let starts_over = knows_older_half && (is_first || has_changes);
            if starts_over || limit > self.entries_left {
                break;
            }
            self.entries_left -= limit;
            limit = (limit * PAGE_GROWTH).min(MAX_PAGE);
            page = self.source.list_changes(limit, Some(older)).await?;
        }
        Ok(PassResult::Behind { head, has_changes })
    }

    /// True if the directory has all changes of the older half of a page.
    fn knows_older_half(&self, entries: &[ChangeEntry]) -> bool {
        let older_half = &entries[entries.len() / 2..];
        !entries.is_empty() && self.directory.pending_changes(older_half, &self.applied).is_empty()
    }

    /// Applies changes to the directory. Removed users need no read; all others are read strongly.
    async fn apply(&mut self, pending: PendingChanges) -> Result<(), Error> {
        if pending.is_empty() {
            return Ok(());
        }
        let PendingChanges { removals, to_read } = pending;
        let ids: Vec<UserId> = to_read.iter().map(|entry| entry.user_id).collect();
        let users = if ids.is_empty() { Vec::new() } else { self.source.get_users(ids).await? };
        let mut users: HashMap<UserId, ListedUser> = users.into_iter().map(|user| (user.id, user)).collect();
        let removed = removals.iter().map(|entry| (entry.user_id, None));
        // A user that was not found has left the organisation since the entry was written.
        let read = to_read.iter().map(|entry| (entry.user_id, users.remove(&entry.user_id)));
        self.directory = Arc::new(self.directory.with_users(removed.chain(read)));
        self.applied.extend(removals.iter().chain(&to_read).map(|entry| (entry.user_id, entry.version)));
        Ok(())
    }
}

/// True if the directory is complete, and as current as the head.
fn is_current(directory: &UserDirectory, head: DirectoryHead) -> bool {
    #[cfg(test)]
    if super::simulation::is_check_skipped() {
        return true;
    }
    directory.head() == head
}
