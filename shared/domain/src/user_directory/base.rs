//! Compact part of a directory: a row of fixed size for each user, and all texts in one string.

use std::sync::OnceLock;

use super::head::DirectoryHead;
use super::listed_user::{ListedUser, UserFilter, head_of};
use crate::fuzzy::PeopleIndex;
use crate::ids::UserId;
use crate::text::fold;
use crate::user::{Role, Status};
use crate::work::TooCostlyError;

const TOO_LARGE: &str = "a directory is far below 4 GiB of text and 2^32 users, and its fields are bounded";

/// User in 32 bytes. Its texts lie one after another: first name, last name, e-mail address, phone number.
#[derive(Clone, Copy, Debug)]
struct Row {
    id: UserId,
    version: u64,
    /// Start of its texts, in bytes.
    start: u32,
    first_name_len: u16,
    last_name_len: u16,
    email_len: u16,
    /// Zero without a phone number.
    phone_len: u16,
    status: Status,
    role: Role,
}

/// Users in the order of results. It never changes: changed users lie in the overlay of the directory.
#[derive(Debug, Default)]
pub(super) struct Base {
    rows: Vec<Row>,
    texts: String,
    /// Positions in the order of ids, then versions. A user that moved within the index while it was read has two.
    by_id: Vec<u32>,
    /// Index of words. The first fuzzy search builds it.
    people: OnceLock<PeopleIndex>,
}

impl Base {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn version(&self, position: usize) -> u64 {
        self.rows[position].version
    }

    pub(super) fn head_at(&self, position: usize) -> DirectoryHead {
        let row = &self.rows[position];
        head_of(row.id, row.version, row.status, row.role)
    }

    /// Returns a copy of the user at a position.
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

    /// Returns true if the filter admits the user at a position. The words of its query are not checked.
    pub(super) fn is_admitted(&self, position: usize, filter: &UserFilter) -> Result<bool, TooCostlyError> {
        let row = &self.rows[position];
        let [_, last_name, email, _] = self.texts_of(row);
        filter.admits(row.status, last_name, email)
    }

    /// Returns the positions of a user: usually one or none.
    pub(super) fn positions_of(&self, id: UserId) -> &[u32] {
        let from = self.by_id.partition_point(|position| self.id_at(*position) < id);
        let count = self.by_id[from..].iter().take_while(|position| self.id_at(**position) == id).count();
        &self.by_id[from..from + count]
    }

    /// Returns the positions of users that the base also has in a later version.
    pub(super) fn outdated(&self) -> impl Iterator<Item = usize> {
        let pairs = self.by_id.windows(2).filter(|pair| self.id_at(pair[0]) == self.id_at(pair[1]));
        // Positions of one id are in the order of versions.
        pairs.map(|pair| pair[0] as usize)
    }

    /// Returns the position before which a user with this key comes in the order of results.
    pub(super) fn position_before(&self, name_order: &str) -> usize {
        self.rows.partition_point(|row| {
            let [first_name, last_name, ..] = self.texts_of(row);
            super::listed_user::name_order(last_name, first_name, row.id).as_str() < name_order
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

    /// Returns the size of its data on the heap, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.texts.capacity()
            + self.by_id.capacity() * size_of::<u32>()
            + self.people.get().map_or(0, PeopleIndex::heap_bytes)
    }

    fn id_at(&self, position: u32) -> UserId {
        self.rows[position as usize].id
    }

    /// Returns first name, last name, e-mail address and phone number of a row.
    fn texts_of(&self, row: &Row) -> [&str; 4] {
        let mut rest = &self.texts[row.start as usize..];
        [row.first_name_len, row.last_name_len, row.email_len, row.phone_len].map(|length| {
            let (text, after) = rest.split_at(usize::from(length));
            rest = after;
            text
        })
    }
}

/// User to be added to a directory.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryUser<'a> {
    /// Id of the user.
    pub id: UserId,
    /// Version of the user when it was read.
    pub version: u64,
    /// Status of the user.
    pub status: Status,
    /// Role of the user.
    pub role: Role,
    /// First name.
    pub first_name: &'a str,
    /// Last name.
    pub last_name: &'a str,
    /// E-mail address as typed.
    pub email: &'a str,
    /// Phone number; empty if there is none.
    pub phone: &'a str,
}

impl<'a> From<&'a ListedUser> for DirectoryUser<'a> {
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

/// Builder of a base. The index delivers users in sorted runs: all active ones by name, then all invited ones by name.
#[derive(Debug, Default)]
pub(super) struct BaseBuilder {
    base: Base,
    /// Keys of the rows, in the order in which the rows were added.
    keys: String,
    /// End of each key, in bytes.
    key_ends: Vec<u32>,
}

impl BaseBuilder {
    pub(super) fn with_capacity(users: usize) -> Self {
        let base = Base { rows: Vec::with_capacity(users), ..Base::default() };
        Self { base, keys: String::new(), key_ends: Vec::with_capacity(users) }
    }

    /// Adds a user with its key in the order of results.
    pub(super) fn push(&mut self, user: &DirectoryUser<'_>, name_order: &str) {
        self.push_in_order(user);
        self.keys.push_str(name_order);
        self.key_ends.push(u32::try_from(self.keys.len()).expect(TOO_LARGE));
    }

    /// Adds a user that comes after all others in the order of results.
    pub(super) fn push_in_order(&mut self, user: &DirectoryUser<'_>) {
        self.base.rows.push(Row {
            id: user.id,
            version: user.version,
            start: u32::try_from(self.base.texts.len()).expect(TOO_LARGE),
            first_name_len: text_len(user.first_name),
            last_name_len: text_len(user.last_name),
            email_len: text_len(user.email),
            phone_len: text_len(user.phone),
            status: user.status,
            role: user.role,
        });
        for text in [user.first_name, user.last_name, user.email, user.phone] {
            self.base.texts.push_str(text);
        }
    }

    /// Adds the user at a position of another base. It comes after all others in the order of results.
    pub(super) fn push_from(&mut self, other: &Base, position: usize) {
        let row = &other.rows[position];
        let [first_name, last_name, email, phone] = other.texts_of(row);
        let Row { id, version, status, role, .. } = *row;
        self.push_in_order(&DirectoryUser { id, version, status, role, first_name, last_name, email, phone });
    }

    /// Sorts the users, and releases the memory that is not used.
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
        let mut order: Vec<u32> = (0..).take(self.key_ends.len()).collect();
        // A stable sort is fast here: it merges sorted runs.
        order.sort_by(|one, other| self.key_of(*one as usize).cmp(self.key_of(*other as usize)));
        let rows = order.iter().map(|row| self.base.rows[*row as usize]).collect();
        self.base.rows = rows;
    }

    /// Returns the key of a row in the order of results.
    fn key_of(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.key_ends[before] as usize);
        &self.keys[start..self.key_ends[row] as usize]
    }
}

fn text_len(text: &str) -> u16 {
    u16::try_from(text.len()).expect(TOO_LARGE)
}
