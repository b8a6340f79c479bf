//! Brings a directory in memory up to date: by the log of changes, and else by the index.
//!
//! Only one thing makes a directory current: it adds up to the head (the roster) of its organisation, which was read strongly in
//! this request. All else is where to look for what is missing. `shared/docs/directory-check.md` explains it by an example.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use presence_domain::directory::{Change, Directory, ListedUser, News};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::roster::Roster;

/// Entries of the log in the first look: they fill about the 4 KB of one read unit.
const FIRST_LOOK: usize = 32;
/// Each further look reads so many times more.
const LOOK_GROWTH: usize = 4;
/// Entries in one look at the most: some 130 KB.
const LONGEST_LOOK: usize = 1_024;
/// Entries that are looked at before the index is read instead, beside [`READ_SHARE`].
const MIN_LOOKED: usize = 1_024;
/// Users that are read one by one before the index is read instead, beside [`READ_SHARE`].
const MIN_READ: usize = 64;
/// One in so many users of the organisation: the index shows some 32 users for a read unit, and a user takes one or more.
const READ_SHARE: usize = 32;
/// Looks at the log from its end. A user that is read in a later version than the head knows takes one more; so
/// does a write between the reads of head and log.
const PASSES: usize = 4;
/// Reads of an index that lags before the request is given up.
pub(super) const LAG_RETRIES: u32 = 6;

/// A part of the log of changes.
#[derive(Debug)]
pub(crate) struct ChangePage<Cursor> {
    /// Newest first.
    pub(crate) changes: Vec<Change>,
    /// Where the older ones begin; `None` at the end of the log.
    pub(crate) older: Option<Cursor>,
}

/// The reads of an organisation. Beside the tables, the simulation implements it.
pub(super) trait Source: Sync {
    /// A place in the log.
    type Cursor: Send;

    /// Returns the roster, read strongly.
    fn head(&self) -> impl Future<Output = Result<Roster, Error>> + Send;

    /// Returns so many changes, or fewer, read strongly: the newest, or those before a place.
    fn changes(
        &self,
        limit: usize,
        before: Option<Self::Cursor>,
    ) -> impl Future<Output = Result<ChangePage<Self::Cursor>, Error>> + Send;

    /// Returns those of the users that belong to the organisation, read strongly.
    fn users(&self, ids: Vec<UserId>) -> impl Future<Output = Result<Vec<ListedUser>, Error>> + Send;

    /// Returns all users by the index, which may lag.
    fn listed(&self, head: Roster) -> impl Future<Output = Result<Directory, Error>> + Send;

    /// Waits for an index that lags.
    fn pause(&self, retry: u32) -> impl Future<Output = ()> + Send;
}

/// Returns a directory that adds up to the head, or to a later one. `last` is what is in memory; `head` was read in this
/// request, and is not that of `last`.
pub(super) async fn current<S: Source>(
    source: &S,
    last: Option<Arc<Directory>>,
    mut head: Roster,
) -> Result<Arc<Directory>, Error> {
    if let Some(last) = last
        && let Some(current) = follow_log(source, last, head).await?
    {
        return Ok(current);
    }
    for retry in 0..=LAG_RETRIES {
        let listed = Arc::new(source.listed(head).await?);
        if is_proven(&listed, head) {
            return Ok(listed);
        }
        // An index that lags shows an older directory: the log tells what it does not show yet.
        if let Some(current) = follow_log(source, listed, head).await? {
            return Ok(current);
        }
        if retry < LAG_RETRIES {
            source.pause(retry).await;
            head = source.head().await?;
        }
    }
    Err(Error::Unavailable("status-index lags behind its roster, and the log of changes does not tell enough".into()))
}

/// Applies what the log of changes tells, newest first, until the directory adds up to a head that is read beside the log.
/// `None` where that needs more reads than the index, or the log has no more to tell.
async fn follow_log<S: Source>(
    source: &S,
    mut known: Arc<Directory>,
    mut last_head: Roster,
) -> Result<Option<Arc<Directory>>, Error> {
    let users = usize::try_from(known.roster().count()).unwrap_or_default();
    let (mut may_read, mut may_look) = (MIN_READ + users / READ_SHARE, MIN_LOOKED + users / READ_SHARE);
    let mut followed = HashMap::new();
    for pass in 0..PASSES {
        let newest = source.changes(FIRST_LOOK, None);
        let (head, mut page) = futures::try_join!(source.head(), newest)?;
        let (mut look, mut has_news) = (FIRST_LOOK, false);
        loop {
            let news = known.news(&page.changes, &followed);
            let Some(left) = may_read.checked_sub(news.to_read.len()) else { return Ok(None) };
            may_read = left;
            // Where the older half was known, what is missing is most likely newer than this look at the log.
            let is_settled =
                !page.changes.is_empty() && known.news(&page.changes[page.changes.len() / 2..], &followed).is_empty();
            has_news |= !news.is_empty();
            known = with_news(source, known, news, &mut followed).await?;
            if is_proven(&known, head) {
                return Ok(Some(known));
            }
            let Some(older) = page.older.take() else { break };
            let Some(left) = may_look.checked_sub(look) else { break };
            if is_settled && (pass == 0 || has_news) {
                break;
            }
            may_look = left;
            look = (look * LOOK_GROWTH).min(LONGEST_LOOK);
            page = source.changes(look, Some(older)).await?;
        }
        if !has_news && head == last_head {
            return Ok(None);
        }
        last_head = head;
    }
    Ok(None)
}

/// Returns the directory with the news in it: who is gone needs no read, all others are read strongly.
async fn with_news<S: Source>(
    source: &S,
    known: Arc<Directory>,
    news: News,
    followed: &mut HashMap<UserId, u64>,
) -> Result<Arc<Directory>, Error> {
    if news.is_empty() {
        return Ok(known);
    }
    let News { gone, to_read } = news;
    let ids: Vec<UserId> = to_read.iter().map(|change| change.user_id).collect();
    let found = if ids.is_empty() { Vec::new() } else { source.users(ids).await? };
    let mut found: HashMap<UserId, ListedUser> = found.into_iter().map(|user| (user.id, user)).collect();
    let removed = gone.iter().map(|change| (change.user_id, None));
    let read: Vec<_> = to_read.iter().map(|change| (change.user_id, found.remove(&change.user_id))).collect();
    let next = known.with(removed.chain(read));
    followed.extend(gone.iter().chain(&to_read).map(|change| (change.user_id, change.version)));
    Ok(Arc::new(next))
}

/// True if the directory is complete, and as current as the head.
fn is_proven(directory: &Directory, head: Roster) -> bool {
    #[cfg(test)]
    if super::simulation::is_check_skipped() {
        return true;
    }
    directory.roster() == head
}
