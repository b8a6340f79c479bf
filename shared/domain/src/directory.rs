//! The users of one organisation in memory: filtered, searched and ordered without a read.
//!
//! A directory is a base and what has changed since the base was read. The base is compact and never changes; changed users
//! lie over it, and positions of the base that are no longer so are masked. When many users have changed, both become a new
//! base.

mod base;
mod changes;
mod listed;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub use self::base::NewRow;
use self::base::{Base, BaseBuilder};
pub use self::changes::{Change, News};
pub use self::listed::{ListedUser, SEPARATOR, UserFilter, name_order};
use super::fuzzy::{FuzzyQuery, PeopleIndex};
use super::ids::UserId;
use super::roster::Roster;
use super::text::fold;

/// Changed users that always lie over the base before they are merged into it.
const MIN_OVERLAY: usize = 1_024;
/// The overlay may grow to one in so many users of the base. A search looks at each changed user; a merge at all users.
const OVERLAY_SHARE: usize = 32;

/// A place in the order of answers. Those in the base and those over it sort as the users themselves do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// A position in the base; for a changed user, the one that it comes before.
    position: u32,
    /// A position among the changed users, or [`Place::IN_BASE`].
    changed: u32,
}

impl Place {
    const IN_BASE: u32 = u32::MAX;

    fn in_base(position: usize) -> Self {
        Self { position: small(position), changed: Self::IN_BASE }
    }
}

/// A user that has changed since the base was read.
#[derive(Clone, Debug)]
struct Changed {
    user: ListedUser,
    name_order: String,
    /// The position of the base that it comes before.
    before: u32,
}

/// The users of one organisation, in the order of answers.
#[derive(Debug, Default)]
pub struct Directory {
    base: Arc<Base>,
    /// A bit for each position of the base that is no longer so; empty where there is none.
    masked: Vec<u64>,
    /// The changed users, in the order of answers.
    changed: Vec<Changed>,
    roster: Roster,
    /// Of the changed users. Made when the first fuzzy search asks for it.
    people: OnceLock<PeopleIndex>,
}

impl Directory {
    /// Puts users together that came in any order.
    #[must_use]
    pub fn new(users: &[ListedUser]) -> Self {
        let mut builder = DirectoryBuilder::with_capacity(users.len());
        for user in users {
            builder.push(&NewRow::from(user), &user.name_order());
        }
        builder.finish()
    }

    fn of(base: Base) -> Self {
        let mut masked = Vec::new();
        for position in base.outdated() {
            set_bit(&mut masked, position, base.len());
        }
        let current = (0..base.len()).filter(|position| !bit(&masked, *position));
        let roster = current.map(|position| base.share(position)).sum();
        Self { base: Arc::new(base), masked, roster, ..Self::default() }
    }

    /// Returns the roster that these users add up to. If it equals the stored one, the directory is complete and current.
    #[must_use]
    pub fn roster(&self) -> Roster {
        self.roster
    }

    /// Returns the user at a place that [`Directory::search`] found.
    #[must_use]
    pub fn user(&self, place: Place) -> ListedUser {
        match place.changed {
            Place::IN_BASE => self.base.user(place.position as usize),
            changed => self.changed[changed as usize].user.clone(),
        }
    }

    /// Returns the version of a user; `None` where it is not among these users.
    #[must_use]
    pub fn version_of(&self, id: UserId) -> Option<u64> {
        if let Some(changed) = self.changed.iter().find(|changed| changed.user.id == id) {
            return Some(changed.user.version);
        }
        let positions = self.base.positions_of(id).iter().map(|position| *position as usize);
        positions.filter(|position| !self.is_masked(*position)).map(|position| self.base.version(position)).max()
    }

    /// Returns the places of the users that the filter admits: best match first, then in the order of names.
    #[must_use]
    pub fn search(&self, filter: &UserFilter) -> Vec<Place> {
        if let Some(query) = &filter.query {
            return self.search_words(query, filter);
        }
        let mut found = Vec::new();
        let mut changed = self.places_of_changed().peekable();
        for position in (0..self.base.len()).filter(|position| !self.is_masked(*position)) {
            let place = Place::in_base(position);
            while let Some(before) = changed.next_if(|changed| *changed < place) {
                found.extend(Some(before).filter(|before| self.is_admitted(*before, filter)));
            }
            found.extend(Some(place).filter(|place| self.is_admitted(*place, filter)));
        }
        found.extend(changed.filter(|place| self.is_admitted(*place, filter)));
        found
    }

    fn search_words(&self, query: &FuzzyQuery, filter: &UserFilter) -> Vec<Place> {
        let in_base = self.base.people().find(query).into_iter();
        let in_base = in_base
            .filter(|found| !self.is_masked(found.position as usize))
            .map(|found| (found.penalty, Place::in_base(found.position as usize)));
        let places: Vec<Place> = self.places_of_changed().collect();
        let over = self.people.get_or_init(|| self.index_of_changed()).find(query).into_iter();
        let over = over.map(|found| (found.penalty, places[found.position as usize]));
        let mut found: Vec<(u32, Place)> =
            in_base.chain(over).filter(|(_, place)| self.is_admitted(*place, filter)).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// Returns this directory with some users as they are now, or without them. A user that is older than the one here is
    /// ignored: reads may overtake one another.
    #[must_use]
    pub fn with(&self, users: impl IntoIterator<Item = (UserId, Option<ListedUser>)>) -> Self {
        let mut masked = self.masked.clone();
        let mut changed: BTreeMap<UserId, Changed> =
            self.changed.iter().map(|changed| (changed.user.id, changed.clone())).collect();
        let mut roster = self.roster;
        for (id, user) in users {
            let known = changed.get(&id).map(|changed| changed.user.version).or_else(|| self.version_of(id));
            if user.as_ref().is_some_and(|user| known.is_some_and(|known| known > user.version)) {
                continue;
            }
            for position in self.base.positions_of(id).iter().map(|position| *position as usize) {
                if !bit(&masked, position) {
                    set_bit(&mut masked, position, self.base.len());
                    roster = roster - self.base.share(position);
                }
            }
            roster = changed.remove(&id).map_or(roster, |old| roster - old.user.share());
            if let Some(user) = user {
                roster = roster + user.share();
                changed.insert(id, self.over_base(user));
            }
        }
        let mut changed: Vec<Changed> = changed.into_values().collect();
        changed.sort_unstable_by(|one, other| one.name_order.cmp(&other.name_order));
        Self { base: Arc::clone(&self.base), masked, changed, roster, people: OnceLock::new() }
    }

    /// True if so much has changed that [`Directory::merged`] is worth its while.
    #[must_use]
    pub fn is_to_be_merged(&self) -> bool {
        let masked: u32 = self.masked.iter().map(|bits| bits.count_ones()).sum();
        self.changed.len().max(masked as usize) > MIN_OVERLAY + self.base.len() / OVERLAY_SHARE
    }

    /// Returns the same users as one base.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut builder = BaseBuilder::with_capacity(self.base.len() + self.changed.len());
        let everybody = UserFilter::default();
        for place in self.search(&everybody) {
            match place.changed {
                Place::IN_BASE => builder.push_from(&self.base, place.position as usize),
                changed => builder.push_in_order(&NewRow::from(&self.changed[changed as usize].user)),
            }
        }
        Self::of(builder.finish())
    }

    /// Returns the bytes that it holds on the heap now. The indexes of words count as soon as they are made.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let changed = self.changed.iter().map(|changed| changed.user.heap_bytes() + changed.name_order.capacity());
        size_of::<Base>()
            + self.base.heap_bytes()
            + self.masked.capacity() * size_of::<u64>()
            + self.changed.capacity() * size_of::<Changed>()
            + changed.sum::<usize>()
            + self.people.get().map_or(0, PeopleIndex::heap_bytes)
    }

    fn is_admitted(&self, place: Place, filter: &UserFilter) -> bool {
        match place.changed {
            Place::IN_BASE => self.base.is_admitted(place.position as usize, filter),
            changed => {
                let user = &self.changed[changed as usize].user;
                filter.admits(user.status, &user.last_name, &user.email)
            }
        }
    }

    fn is_masked(&self, position: usize) -> bool {
        bit(&self.masked, position)
    }

    fn places_of_changed(&self) -> impl Iterator<Item = Place> {
        (0..).zip(&self.changed).map(|(number, changed)| Place { position: changed.before, changed: number })
    }

    fn over_base(&self, user: ListedUser) -> Changed {
        let name_order = user.name_order();
        let before = small(self.base.position_before(&name_order));
        Changed { user, name_order, before }
    }

    fn index_of_changed(&self) -> PeopleIndex {
        PeopleIndex::build(self.changed.iter().map(|changed| {
            let user = &changed.user;
            [fold(&user.first_name), fold(&user.last_name), fold(&user.email)]
        }))
    }
}

/// A directory in the making, user by user.
#[derive(Debug)]
pub struct DirectoryBuilder(BaseBuilder);

impl DirectoryBuilder {
    /// Starts one of about so many users.
    #[must_use]
    pub fn with_capacity(users: usize) -> Self {
        Self(BaseBuilder::with_capacity(users))
    }

    /// Adds a user with its [`name_order`]. Runs that are in order already are put together fastest.
    pub fn push(&mut self, user: &NewRow<'_>, name_order: &str) {
        self.0.push(user, name_order);
    }

    /// Puts the users in order.
    #[must_use]
    pub fn finish(self) -> Directory {
        Directory::of(self.0.finish())
    }
}

fn bit(bits: &[u64], position: usize) -> bool {
    bits.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
}

fn set_bit(bits: &mut Vec<u64>, position: usize, len: usize) {
    if bits.is_empty() {
        bits.resize(len.div_ceil(64), 0);
    }
    bits[position / 64] |= 1 << (position % 64);
}

fn small(position: usize) -> u32 {
    u32::try_from(position).expect("a directory has fewer than 2^32 users")
}

#[cfg(test)]
mod tests;
