//! The users of one organisation in memory: filtered, searched and ordered without a read.

use std::sync::OnceLock;

use super::fuzzy::{FuzzyQuery, PeopleIndex};
use super::ids::UserId;
use super::roster::{Roster, member_digest};
use super::text::fold;
use super::user::{Role, Status};

/// A user as a search lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUser {
    /// Its id.
    pub id: UserId,
    /// Its version when it was listed.
    pub version: u64,
    /// Where it stands.
    pub status: Status,
    /// What it may do.
    pub role: Role,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Address as typed.
    pub email: String,
    /// What addresses are compared by.
    pub email_key: String,
    /// Phone number.
    pub phone: Option<String>,
    /// Last name, first name and id in the order of answers.
    pub name_order: String,
}

impl ListedUser {
    fn share(&self) -> Roster {
        Roster {
            active: i64::from(self.status == Status::Active),
            invited: i64::from(self.status == Status::Invited),
            admins: i64::from(self.role == Role::OrgAdmin && self.status == Status::Active),
            digest: member_digest(self.id, self.version),
        }
    }

    fn heap_bytes(&self) -> usize {
        let texts = [&self.first_name, &self.last_name, &self.email, &self.email_key, &self.name_order];
        let phone = self.phone.as_ref().map_or(0, String::len);
        size_of::<Self>() + phone + texts.iter().map(|text| text.len()).sum::<usize>()
    }
}

/// What a search of users asks for. All of it must hold.
#[derive(Clone, Debug, Default)]
pub struct UserFilter {
    /// This status.
    pub status: Option<Status>,
    /// A last name with this in it, folded.
    pub last_name: Option<String>,
    /// This address, by its key.
    pub email_key: Option<String>,
    /// These words.
    pub query: Option<FuzzyQuery>,
}

impl UserFilter {
    /// Whether counts by status answer it, without looking at any user.
    #[must_use]
    pub fn is_by_status_only(&self) -> bool {
        self.last_name.is_none() && self.email_key.is_none() && self.query.is_none()
    }

    fn admits(&self, user: &ListedUser) -> bool {
        self.status.is_none_or(|status| user.status == status)
            && self.email_key.as_ref().is_none_or(|key| user.email_key == *key)
            && self.last_name.as_ref().is_none_or(|part| fold(&user.last_name).contains(part))
    }
}

/// The users of one organisation, in the order of answers.
#[derive(Debug)]
pub struct Directory {
    users: Vec<ListedUser>,
    roster: Roster,
    /// Made when the first fuzzy search asks for it.
    people: OnceLock<PeopleIndex>,
}

impl Directory {
    /// Orders the users and sums up their roster.
    #[must_use]
    pub fn new(mut users: Vec<ListedUser>) -> Self {
        users.sort_unstable_by(|one, other| one.name_order.cmp(&other.name_order));
        let roster = users.iter().map(ListedUser::share).sum();
        Self { users, roster, people: OnceLock::new() }
    }

    /// The roster that these users add up to. Equal to the stored one, this directory is complete and current.
    #[must_use]
    pub fn roster(&self) -> Roster {
        self.roster
    }

    /// The user at a position.
    #[must_use]
    pub fn user(&self, position: usize) -> &ListedUser {
        &self.users[position]
    }

    /// Positions of the users that the filter admits: best match first, then in the order of names.
    #[must_use]
    pub fn search(&self, filter: &UserFilter) -> Vec<usize> {
        let Some(query) = &filter.query else {
            return (0..self.users.len()).filter(|position| filter.admits(&self.users[*position])).collect();
        };
        let matches = self.people.get_or_init(|| self.index()).find(query);
        let mut found: Vec<(u32, usize)> =
            matches.into_iter().map(|found| (found.penalty, found.position as usize)).collect();
        found.retain(|(_, position)| filter.admits(&self.users[*position]));
        found.sort_unstable();
        found.into_iter().map(|(_, position)| position).collect()
    }

    /// Memory that it takes, in bytes, its fuzzy index included whether made or not: the index holds each distinct word
    /// once, and is well below half of the texts that it is made of.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let users: usize = self.users.iter().map(ListedUser::heap_bytes).sum();
        users + users / 2
    }

    fn index(&self) -> PeopleIndex {
        PeopleIndex::build(
            self.users.iter().map(|user| [fold(&user.first_name), fold(&user.last_name), fold(&user.email)]),
        )
    }
}
