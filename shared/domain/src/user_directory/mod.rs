//! Users of one organisation in memory: filtered, searched and ordered without a read.
//!
//! A directory is a base and an overlay. The base holds the users as the index showed them; it is compact and never changes.
//! The overlay holds the users that have changed since. A bit masks each user of the base that has changed or is gone. When the
//! overlay has grown large, both are merged into a new base.
//!
//! A directory cannot tell if it is complete. It is, if its [`DirectoryHead`] equals the stored one: see
//! `shared/docs/directory-check.md`.

mod base;
mod head;
mod listed_user;
mod pending_changes;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub use self::base::DirectoryUser;
use self::base::{Base, BaseBuilder};
pub use self::head::{DirectoryHead, user_digest};
pub use self::listed_user::{ListedUser, SEPARATOR, UserFilter, name_order};
pub use self::pending_changes::{ChangeEntry, PendingChanges};
use super::fuzzy::{FuzzyQuery, PeopleIndex};
use super::ids::UserId;
use super::text::fold;
use super::work::TooCostlyError;

/// Number of overlay users up to which the overlay is never merged.
const MIN_OVERLAY: usize = 1_024;
/// Share of the base that the overlay may reach: one in this many users. A search looks at each overlay user, a merge at all users.
const OVERLAY_SHARE: usize = 32;

/// Position of a user in the order of results. Positions in the base and in the overlay compare as their users do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserPosition {
    /// Position in the base. For an overlay user, the position that it comes before.
    base: u32,
    /// Position in the overlay, or [`UserPosition::NOT_IN_OVERLAY`]. The constant is the largest number, so that a user of the base
    /// comes after the overlay users that belong before it.
    overlay: u32,
}

impl UserPosition {
    const NOT_IN_OVERLAY: u32 = u32::MAX;

    fn in_base(position: usize) -> Self {
        Self { base: to_u32(position), overlay: Self::NOT_IN_OVERLAY }
    }
}

/// User that has changed since the base was read.
#[derive(Clone, Debug)]
struct OverlayUser {
    user: ListedUser,
    name_order: String,
    /// Position of the base that it comes before.
    before: u32,
}

/// Users of one organisation, in the order of results.
#[derive(Debug, Default)]
pub struct UserDirectory {
    base: Arc<Base>,
    /// Bit for each position of the base that does not count any more. Empty if all count.
    masked: Vec<u64>,
    /// Changed users, in the order of results.
    overlay: Vec<OverlayUser>,
    /// Head that the users add up to.
    head: DirectoryHead,
    /// Index of words of the overlay. The first fuzzy search builds it.
    overlay_index: OnceLock<PeopleIndex>,
}

impl UserDirectory {
    /// Builds a directory of users in any order.
    pub fn new(users: &[ListedUser]) -> Self {
        let mut builder = UserDirectoryBuilder::with_capacity(users.len());
        for user in users {
            builder.push(&DirectoryUser::from(user), &user.name_order());
        }
        builder.finish()
    }

    fn from_base(base: Base) -> Self {
        let mut masked = Vec::new();
        for position in base.outdated() {
            set_bit(&mut masked, position, base.len());
        }
        let current = (0..base.len()).filter(|position| !is_set(&masked, *position));
        let head = current.map(|position| base.head_at(position)).sum();
        Self { base: Arc::new(base), masked, head, ..Self::default() }
    }

    /// Returns the head that these users add up to. If it equals the stored one, the directory is complete and current.
    pub fn head(&self) -> DirectoryHead {
        self.head
    }

    /// Returns the user at a position that [`UserDirectory::search`] returned.
    pub fn user(&self, position: UserPosition) -> ListedUser {
        match position.overlay {
            UserPosition::NOT_IN_OVERLAY => self.base.user(position.base as usize),
            overlay => self.overlay[overlay as usize].user.clone(),
        }
    }

    /// Returns the version of a user; `None` if the directory does not have the user.
    pub fn version_of(&self, id: UserId) -> Option<u64> {
        if let Some(changed) = self.overlay.iter().find(|changed| changed.user.id == id) {
            return Some(changed.user.version);
        }
        let positions = self.base.positions_of(id).iter().map(|position| *position as usize);
        positions.filter(|position| !is_set(&self.masked, *position)).map(|position| self.base.version(position)).max()
    }

    /// Returns the positions of the users that the filter admits: best match first, then in the order of names.
    pub fn search(&self, filter: &UserFilter) -> Result<Vec<UserPosition>, TooCostlyError> {
        if let Some(query) = &filter.query {
            return self.search_words(query, filter);
        }
        self.admitted(self.all_positions(), |position| *position, filter)
    }

    /// Returns the positions of the users that match the words and that the filter admits: best match first.
    fn search_words(&self, query: &FuzzyQuery, filter: &UserFilter) -> Result<Vec<UserPosition>, TooCostlyError> {
        let in_base = self.base.people().find(query, &filter.work)?.into_iter();
        let in_base = in_base
            .filter(|found| !is_set(&self.masked, found.position as usize))
            .map(|found| (found.penalty, UserPosition::in_base(found.position as usize)));
        let positions: Vec<UserPosition> = self.overlay_positions().collect();
        let in_overlay =
            self.overlay_index.get_or_init(|| self.build_overlay_index()).find(query, &filter.work)?.into_iter();
        let in_overlay = in_overlay.map(|found| (found.penalty, positions[found.position as usize]));
        let mut found = self.admitted(in_base.chain(in_overlay), |(_, position)| *position, filter)?;
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, position)| position).collect())
    }

    /// Returns the positions of all users, in the order of results. Both parts are sorted, so that one pass merges them.
    fn all_positions(&self) -> Vec<UserPosition> {
        let mut positions = Vec::with_capacity(self.base.len() + self.overlay.len());
        let mut overlay = self.overlay_positions().peekable();
        for position in (0..self.base.len()).filter(|position| !is_set(&self.masked, *position)) {
            let position = UserPosition::in_base(position);
            while let Some(before) = overlay.next_if(|changed| *changed < position) {
                positions.push(before);
            }
            positions.push(position);
        }
        positions.extend(overlay);
        positions
    }

    /// Returns this directory with users replaced, or removed where the new user is `None`. A user that is older than the one in
    /// the directory is ignored, because reads may overtake one another.
    #[must_use]
    pub fn with_users(&self, users: impl IntoIterator<Item = (UserId, Option<ListedUser>)>) -> Self {
        let mut masked = self.masked.clone();
        let mut overlay: BTreeMap<UserId, OverlayUser> =
            self.overlay.iter().map(|changed| (changed.user.id, changed.clone())).collect();
        let mut head = self.head;
        for (id, user) in users {
            let present = overlay.get(&id).map(|changed| changed.user.version).or_else(|| self.version_of(id));
            if user.as_ref().is_some_and(|user| present.is_some_and(|version| version > user.version)) {
                continue;
            }
            for position in self.base.positions_of(id).iter().map(|position| *position as usize) {
                if !is_set(&masked, position) {
                    set_bit(&mut masked, position, self.base.len());
                    head = head - self.base.head_at(position);
                }
            }
            if let Some(replaced) = overlay.remove(&id) {
                head = head - replaced.user.head();
            }
            if let Some(user) = user {
                head = head + user.head();
                overlay.insert(id, self.overlay_user(user));
            }
        }
        let mut overlay: Vec<OverlayUser> = overlay.into_values().collect();
        overlay.sort_unstable_by(|one, other| one.name_order.cmp(&other.name_order));
        Self { base: Arc::clone(&self.base), masked, overlay, head, overlay_index: OnceLock::new() }
    }

    /// True if the overlay is so large that [`UserDirectory::merged`] is worth its cost. Masked users count too: they take memory.
    pub fn needs_merge(&self) -> bool {
        let masked: u32 = self.masked.iter().map(|bits| bits.count_ones()).sum();
        self.overlay.len().max(masked as usize) > MIN_OVERLAY + self.base.len() / OVERLAY_SHARE
    }

    /// Returns a directory of the same users with one base and no overlay.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut builder = BaseBuilder::with_capacity(self.base.len() + self.overlay.len());
        for position in self.all_positions() {
            match position.overlay {
                UserPosition::NOT_IN_OVERLAY => builder.push_from(&self.base, position.base as usize),
                overlay => builder.push_in_order(&DirectoryUser::from(&self.overlay[overlay as usize].user)),
            }
        }
        Self::from_base(builder.finish())
    }

    /// Returns the size of its data on the heap, in bytes. The indexes of words count as soon as they are built.
    pub fn heap_bytes(&self) -> usize {
        let overlay = self.overlay.iter().map(|changed| changed.user.heap_bytes() + changed.name_order.capacity());
        size_of::<Base>()
            + self.base.heap_bytes()
            + self.masked.capacity() * size_of::<u64>()
            + self.overlay.capacity() * size_of::<OverlayUser>()
            + overlay.sum::<usize>()
            + self.overlay_index.get().map_or(0, PeopleIndex::heap_bytes)
    }

    /// Returns those of the found whose user the filter admits. The words of its query are not checked.
    fn admitted<T>(
        &self,
        found: impl IntoIterator<Item = T>,
        position: impl Fn(&T) -> UserPosition,
        filter: &UserFilter,
    ) -> Result<Vec<T>, TooCostlyError> {
        let mut admitted = Vec::new();
        for one in found {
            if self.is_admitted(position(&one), filter)? {
                admitted.push(one);
            }
        }
        Ok(admitted)
    }

    fn is_admitted(&self, position: UserPosition, filter: &UserFilter) -> Result<bool, TooCostlyError> {
        match position.overlay {
            UserPosition::NOT_IN_OVERLAY => self.base.is_admitted(position.base as usize, filter),
            overlay => {
                let user = &self.overlay[overlay as usize].user;
                filter.admits(user.status, &user.last_name, &user.email)
            }
        }
    }

    fn overlay_positions(&self) -> impl Iterator<Item = UserPosition> {
        (0..).zip(&self.overlay).map(|(overlay, changed)| UserPosition { base: changed.before, overlay })
    }

    fn overlay_user(&self, user: ListedUser) -> OverlayUser {
        let name_order = user.name_order();
        let before = to_u32(self.base.position_before(&name_order));
        OverlayUser { user, name_order, before }
    }

    fn build_overlay_index(&self) -> PeopleIndex {
        PeopleIndex::build(self.overlay.iter().map(|changed| {
            let user = &changed.user;
            [fold(&user.first_name), fold(&user.last_name), fold(&user.email)]
        }))
    }
}

/// Builder of a directory. It takes users one by one, so that a page of the index can be dropped as soon as it is added.
#[derive(Debug)]
pub struct UserDirectoryBuilder(BaseBuilder);

impl UserDirectoryBuilder {
    /// Starts a directory of about this many users.
    pub fn with_capacity(users: usize) -> Self {
        Self(BaseBuilder::with_capacity(users))
    }

    /// Adds a user with its [`name_order`]. Users in sorted runs are added fastest.
    pub fn push(&mut self, user: &DirectoryUser<'_>, name_order: &str) {
        self.0.push(user, name_order);
    }

    /// Sorts the users.
    pub fn finish(self) -> UserDirectory {
        UserDirectory::from_base(self.0.finish())
    }
}

fn is_set(bits: &[u64], position: usize) -> bool {
    bits.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
}

/// Sets the bit of a position. The first bit allocates the bits of all positions.
fn set_bit(bits: &mut Vec<u64>, position: usize, len: usize) {
    if bits.is_empty() {
        bits.resize(len.div_ceil(64), 0);
    }
    bits[position / 64] |= 1 << (position % 64);
}

fn to_u32(position: usize) -> u32 {
    u32::try_from(position).expect("a directory has fewer than 2^32 users")
}

#[cfg(test)]
mod tests;
