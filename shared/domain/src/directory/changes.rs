//! The entries of an organisation's change log that a directory does not have yet.

use std::collections::HashMap;

use super::super::ids::UserId;
use super::Directory;

/// An entry of the change log: a write of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The user that was written.
    pub user_id: UserId,
    /// The version that the write made. A deletion counts as one more write.
    pub version: u64,
    /// True if the write took the user out of the organisation: it was deleted, or moved to another one.
    pub is_gone: bool,
}

/// The steps by which a directory follows some changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Users to remove. No read is needed.
    pub gone: Vec<Change>,
    /// Users to read, each in this version or a later one.
    pub to_read: Vec<Change>,
}

impl News {
    /// True if the directory knew all of it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.to_read.is_empty()
    }
}

impl Directory {
    /// Returns what is new in some changes, in any order. `followed` holds the last version of each user that was removed or
    /// read before, and not found.
    #[must_use]
    pub fn news(&self, changes: &[Change], followed: &HashMap<UserId, u64>) -> News {
        let mut last: HashMap<UserId, Change> = HashMap::new();
        for change in changes {
            let newest = last.entry(change.user_id).or_insert(*change);
            if change.version > newest.version {
                *newest = *change;
            }
        }
        let mut news = News::default();
        for change in last.into_values() {
            let here = self.version_of(change.user_id);
            if here.max(followed.get(&change.user_id).copied()).is_some_and(|version| version >= change.version) {
                continue;
            }
            match (change.is_gone, here) {
                (true, None) => {}
                (true, Some(_)) => news.gone.push(change),
                (false, _) => news.to_read.push(change),
            }
        }
        news.gone.sort_unstable_by_key(|change| change.user_id);
        news.to_read.sort_unstable_by_key(|change| change.user_id);
        news
    }
}
