//! Users in little memory: a row of fixed size for each, and all their texts one after another.

use std::sync::OnceLock;

use super::super::fuzzy::PeopleIndex;
use super::super::ids::UserId;
use super::super::roster::Roster;
use super::super::text::fold;
use super::super::user::{Role, Status};
use super::listed::{ListedUser, UserFilter, share};

const TOO_LARGE: &str = "a directory is far below 4 GiB of text and 2^32 users, and its fields are bounded";

/// A user: 32 bytes. Its texts follow one another: first name, last name, address, phone number.
#[derive(Clone, Copy, Debug)]
struct Row {
    id: UserId,
    version: u64,
    /// Where its texts start.
    start: u32,
    first_name: u16,
    last_name: u16,
    email: u16,
    /// Zero without a phone number.
    phone: u16,
    status: Status,
    role: Role,
}

/// Users in the order of answers. Never changed: what changes lies over it.
#[derive(Debug, Default)]
pub(super) struct Base {
    rows: Vec<Row>,
    texts: String,
    /// Positions in the order of ids, then versions. A user that an index showed twice, while it moved there, has two.
    by_id: Vec<u32>,
    /// Made when the first fuzzy search asks for it.
    people: OnceLock<PeopleIndex>,
}

impl Base {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn version(&self, position: usize) -> u64 {
        self.rows[position].version
    }

    pub(super) fn share(&self, position: usize) -> Roster {
        let row = &self.rows[position];
        share(row.id, row.version, row.status, row.role)
    }

    /// Returns the user at a position, as a value of its own.
    pub(super) fn user(&self, position: usize) -> ListedUser {
        let row = &self.rows[position];
        let [first_name, last_name, email, phone] = self.texts_of(row);
        ListedUser {
            id: row.id,
            version: row.version,
            status: row.status,
            role: row.role,
            first_name: first_name.to_owned(),
            last_name: last_name.to_owned(),
            email: email.to_owned(),
            phone: (!phone.is_empty()).then(|| phone.to_owned()),
        }
    }

    /// True if the filter admits the user at a position, the words of its query aside.
    pub(super) fn is_admitted(&self, position: usize, filter: &UserFilter) -> bool {
        let row = &self.rows[position];
        let [_, last_name, email, _] = self.texts_of(row);
        filter.admits(row.status, last_name, email)
    }

    /// Returns the positions of a user: mostly one or none.
    pub(super) fn positions_of(&self, id: UserId) -> &[u32] {
        let from = self.by_id.partition_point(|position| self.rows[*position as usize].id < id);
        let many = self.by_id[from..].iter().take_while(|position| self.rows[**position as usize].id == id).count();
        &self.by_id[from..from + many]
    }

    /// Returns the positions of users that are here in a later version too: an index that they moved in showed both.
    pub(super) fn outdated(&self) -> impl Iterator<Item = usize> {
        let id = |position: u32| self.rows[position as usize].id;
        let pairs = self.by_id.windows(2).filter(move |pair| id(pair[0]) == id(pair[1]));
        // Within an id they are in the order of versions.
        pairs.map(|pair| pair[0] as usize)
    }

    /// Returns the position before which a user with this key belongs.
    pub(super) fn position_before(&self, name_order: &str) -> usize {
        self.rows.partition_point(|row| {
            let [first_name, last_name, ..] = self.texts_of(row);
            super::listed::name_order(last_name, first_name, row.id).as_str() < name_order
        })
    }

    pub(super) fn people(&self) -> &PeopleIndex {
        self.people.get_or_init(|| {
            PeopleIndex::build(self.rows.iter().map(|row| {
                let [first_name, last_name, email, _] = self.texts_of(row);
                [fold(first_name), fold(last_name), fold(email)]
            }))
        })
    }

    /// Returns the bytes that it holds on the heap now.
    pub(super) fn heap_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.texts.capacity()
            + self.by_id.capacity() * size_of::<u32>()
            + self.people.get().map_or(0, PeopleIndex::heap_bytes)
    }

    fn texts_of(&self, row: &Row) -> [&str; 4] {
        let mut rest = &self.texts[row.start as usize..];
        [row.first_name, row.last_name, row.email, row.phone].map(|length| {
            let (text, after) = rest.split_at(usize::from(length));
            rest = after;
            text
        })
    }
}

/// A user on its way into a directory.
#[derive(Clone, Copy, Debug)]
pub struct NewRow<'a> {
    /// As in [`ListedUser`].
    pub id: UserId,
    /// As in [`ListedUser`].
    pub version: u64,
    /// As in [`ListedUser`].
    pub status: Status,
    /// As in [`ListedUser`].
    pub role: Role,
    /// As in [`ListedUser`].
    pub first_name: &'a str,
    /// As in [`ListedUser`].
    pub last_name: &'a str,
    /// As in [`ListedUser`].
    pub email: &'a str,
    /// Empty without a phone number.
    pub phone: &'a str,
}

impl<'a> From<&'a ListedUser> for NewRow<'a> {
    fn from(user: &'a ListedUser) -> Self {
        Self {
            id: user.id,
            version: user.version,
            status: user.status,
            role: user.role,
            first_name: &user.first_name,
            last_name: &user.last_name,
            email: &user.email,
            phone: user.phone.as_deref().unwrap_or_default(),
        }
    }
}

/// Users as they come in, in runs that are in order: all active ones by name, then all invited ones by name.
#[derive(Debug, Default)]
pub(super) struct BaseBuilder {
    base: Base,
    /// The keys of the order, until the rows are in it.
    keys: String,
    /// Where each key ends.
    key_ends: Vec<u32>,
}

impl BaseBuilder {
    pub(super) fn with_capacity(users: usize) -> Self {
        let base = Base { rows: Vec::with_capacity(users), ..Base::default() };
        Self { base, keys: String::new(), key_ends: Vec::with_capacity(users) }
    }

    /// Adds a user with the key that orders it.
    pub(super) fn push(&mut self, user: &NewRow<'_>, name_order: &str) {
        self.push_in_order(user);
        self.keys.push_str(name_order);
        self.key_ends.push(u32::try_from(self.keys.len()).expect(TOO_LARGE));
    }

    /// Adds a user that comes after all others.
    pub(super) fn push_in_order(&mut self, user: &NewRow<'_>) {
        let length = |text: &str| u16::try_from(text.len()).expect(TOO_LARGE);
        self.base.rows.push(Row {
            id: user.id,
            version: user.version,
            start: u32::try_from(self.base.texts.len()).expect(TOO_LARGE),
            first_name: length(user.first_name),
            last_name: length(user.last_name),
            email: length(user.email),
            phone: length(user.phone),
            status: user.status,
            role: user.role,
        });
        for text in [user.first_name, user.last_name, user.email, user.phone] {
            self.base.texts.push_str(text);
        }
    }

    /// Adds the user at a position of another base, which comes after all others.
    pub(super) fn push_from(&mut self, other: &Base, position: usize) {
        let row = &other.rows[position];
        let [first_name, last_name, email, phone] = other.texts_of(row);
        let Row { id, version, status, role, .. } = *row;
        self.push_in_order(&NewRow { id, version, status, role, first_name, last_name, email, phone });
    }

    /// Puts the users in order and gives back what memory is left over.
    pub(super) fn finish(mut self) -> Base {
        let users = u32::try_from(self.base.rows.len()).expect(TOO_LARGE);
        if !self.key_ends.is_empty() {
            self.sort_rows();
        }
        let Self { mut base, .. } = self;
        base.rows.shrink_to_fit();
        base.texts.shrink_to_fit();
        let mut by_id: Vec<u32> = (0..users).collect();
        by_id.sort_unstable_by_key(|position| {
            let row = &base.rows[*position as usize];
            (row.id, row.version)
        });
        base.by_id = by_id;
        base
    }

    fn sort_rows(&mut self) {
        let key = |row: usize| {
            let start = row.checked_sub(1).map_or(0, |before| self.key_ends[before] as usize);
            &self.keys[start..self.key_ends[row] as usize]
        };
        let mut order: Vec<u32> = (0..).take(self.key_ends.len()).collect();
        // A stable sort merges runs that are in order already.
        order.sort_by(|one, other| key(*one as usize).cmp(key(*other as usize)));
        let rows = order.iter().map(|row| self.base.rows[*row as usize]).collect();
        self.base.rows = rows;
    }
}
