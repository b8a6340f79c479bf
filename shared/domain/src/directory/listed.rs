//! A user as a search lists it, and the filter of a search.

use super::super::email::EmailAddress;
use super::super::fuzzy::FuzzyQuery;
use super::super::ids::UserId;
use super::super::roster::{Roster, member_digest};
use super::super::text::{fold, sort_key};
use super::super::user::{Role, Status};

/// Joins the parts of a composed key. It sorts before a space, so that "Martin" comes before "Martin Luc".
pub const SEPARATOR: char = '\u{1f}';

/// A user as a search lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUser {
    /// Its id.
    pub id: UserId,
    /// Its version when it was listed.
    pub version: u64,
    /// Where it stands.
    pub status: Status,
    /// Its role.
    pub role: Role,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Address as typed.
    pub email: String,
    /// Phone number.
    pub phone: Option<String>,
}

impl ListedUser {
    /// Returns the text by which answers are ordered.
    #[must_use]
    pub fn name_order(&self) -> String {
        name_order(&self.last_name, &self.first_name, self.id)
    }

    /// Returns what this user adds to the roster of its organisation.
    pub(super) fn share(&self) -> Roster {
        share(self.id, self.version, self.status, self.role)
    }

    /// Returns the bytes that its texts take on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let texts = [&self.first_name, &self.last_name, &self.email].into_iter().chain(&self.phone);
        texts.map(String::capacity).sum()
    }
}

/// Returns the text by which the answers of a user search are ordered: last name and first name folded, then the id by
/// number.
#[must_use]
pub fn name_order(last_name: &str, first_name: &str, id: UserId) -> String {
    let (last, first) = (sort_key(last_name), sort_key(first_name));
    format!("{last}{SEPARATOR}{first}{SEPARATOR}{:016}", id.get())
}

/// Returns what a user adds to the roster of its organisation.
pub(super) fn share(id: UserId, version: u64, status: Status, role: Role) -> Roster {
    Roster {
        active: i64::from(status == Status::Active),
        invited: i64::from(status == Status::Invited),
        admins: i64::from(role == Role::OrgAdmin && status == Status::Active),
        digest: member_digest(id, version),
    }
}

/// The filters of a search of users. All of them must hold.
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
    /// True if counts by status answer it, without looking at any user.
    #[must_use]
    pub fn is_by_status_only(&self) -> bool {
        self.last_name.is_none() && self.email_key.is_none() && self.query.is_none()
    }

    /// True if a user with these attributes passes, the words of the query aside.
    pub(super) fn admits(&self, status: Status, last_name: &str, email: &str) -> bool {
        self.status.is_none_or(|wanted| status == wanted)
            && self.email_key.as_ref().is_none_or(|key| has_key(email, key))
            && self.last_name.as_ref().is_none_or(|part| fold(last_name).contains(part))
    }
}

/// True if this is the key of the address. The key of an address in ASCII is the address in lower case.
fn has_key(email: &str, key: &str) -> bool {
    if email.is_ascii() {
        return email.eq_ignore_ascii_case(key);
    }
    EmailAddress::parse(email).is_ok_and(|address| address.key() == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_address_is_found_by_its_key_and_by_no_other(
            local in "[a-zA-Z0-9+éß]{1,8}", domain in "[a-zA-Z0-9éßü]{1,8}\\.(com|Org|xn--p1ai)", other in "[a-z]{1,3}",
        ) {
            let Ok(address) = EmailAddress::parse(&format!("{local}@{domain}")) else { return Ok(()) };
            prop_assert!(has_key(address.as_str(), address.key()));
            let longer = format!("{other}{}", address.key());
            prop_assert!(!has_key(address.as_str(), &longer));
        }
    }
}
