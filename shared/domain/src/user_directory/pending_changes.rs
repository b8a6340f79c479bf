//! Entries of an organisation's change log that a directory does not have yet.

use std::collections::HashMap;

use super::UserDirectory;
use crate::ids::UserId;

/// Entry of the change log: one write of one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeEntry {
    /// User that was written.
    pub user_id: UserId,
    /// Version that the write made. A deletion counts as one more version.
    pub version: u64,
    /// True if the write removed the user from the organisation: the user was deleted, or moved to another one.
    pub is_removal: bool,
}

/// Changes that a directory does not have yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// Users to remove. That needs no read.
    pub removals: Vec<ChangeEntry>,
    /// Users to read, each in this version or a later one.
    pub to_read: Vec<ChangeEntry>,
}

impl PendingChanges {
    /// True if the directory has all changes.
    pub fn is_empty(&self) -> bool {
        self.removals.is_empty() && self.to_read.is_empty()
    }
}

impl UserDirectory {
    /// Returns those of the entries, in any order, that this directory does not have.
    ///
    /// `applied` holds the last version that was applied of each user. It matters for users that are not in the directory any more:
    /// the directory itself does not know their versions.
    pub fn pending_changes(&self, entries: &[ChangeEntry], applied: &HashMap<UserId, u64>) -> PendingChanges {
        let mut latest: HashMap<UserId, ChangeEntry> = HashMap::new();
        for entry in entries {
            let newest = latest.entry(entry.user_id).or_insert(*entry);
            if entry.version > newest.version {
                *newest = *entry;
            }
        }
        let mut pending = PendingChanges::default();
        for entry in latest.into_values() {
            let present = self.version_of(entry.user_id);
            let known = present.max(applied.get(&entry.user_id).copied());
            if known.is_some_and(|version| version >= entry.version) {
                continue;
            }
            match (entry.is_removal, present) {
                (true, None) => {}
                (true, Some(_)) => pending.removals.push(entry),
                (false, _) => pending.to_read.push(entry),
            }
        }
        // A map has no order. Reads in a fixed order make runs of tests repeatable.
        pending.removals.sort_unstable_by_key(|entry| entry.user_id);
        pending.to_read.sort_unstable_by_key(|entry| entry.user_id);
        pending
    }
}
