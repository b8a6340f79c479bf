//! User as a search lists it, and the filter of a search.

use super::head::{DirectoryHead, user_digest};
use crate::email::EmailAddress;
use crate::fuzzy::FuzzyQuery;
use crate::ids::UserId;
use crate::text::{fold, sort_key};
use crate::user::{Role, Status};
use crate::work::{TooCostlyError, Work};

/// Separator of the parts of a composed key. It sorts before a space, so that "Martin" comes before "Martin Luc".
pub const SEPARATOR: char = '\u{1f}';

/// User as a search lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUser {
    /// Id of the user.
    pub id: UserId,
    /// Version of the user when it was read.
    pub version: u64,
    /// Status of the user.
    pub status: Status,
    /// Role of the user.
    pub role: Role,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// E-mail address as typed.
    pub email: String,
    /// Phone number.
    pub phone: Option<String>,
}

impl ListedUser {
    /// Returns the key by which the results of a search are ordered.
    pub fn name_order(&self) -> String {
        name_order(&self.last_name, &self.first_name, self.id)
    }

    /// Returns the head of this user alone: the part that it adds to the head of its organisation.
    pub(super) fn head(&self) -> DirectoryHead {
        head_of(self.id, self.version, self.status, self.role)
    }

    /// Returns the size of its texts on the heap, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        let texts = [&self.first_name, &self.last_name, &self.email].into_iter().chain(&self.phone);
        texts.map(String::capacity).sum()
    }
}

/// Returns the key by which the results of a search are ordered: last name and first name, folded, then the id by number.
pub fn name_order(last_name: &str, first_name: &str, id: UserId) -> String {
    let (last, first) = (sort_key(last_name), sort_key(first_name));
    format!("{last}{SEPARATOR}{first}{SEPARATOR}{:016}", id.get())
}

/// Returns the head of a user with these attributes.
pub(super) fn head_of(id: UserId, version: u64, status: Status, role: Role) -> DirectoryHead {
    DirectoryHead {
        active: i64::from(status == Status::Active),
        invited: i64::from(status == Status::Invited),
        admins: i64::from(role == Role::OrgAdmin && status == Status::Active),
        digest: user_digest(id, version),
    }
}

/// Filters of a search of users. All of them must hold.
#[derive(Clone, Debug, Default)]
pub struct UserFilter {
    /// Status that users must have.
    pub status: Option<Status>,
    /// Text that the last name must contain, folded.
    pub last_name: Option<String>,
    /// Key of the e-mail address that the user must have.
    pub email_key: Option<String>,
    /// Words that must match names or the e-mail address.
    pub query: Option<FuzzyQuery>,
    /// Work of the search so far, over all directories.
    pub work: Work,
}

impl UserFilter {
    /// True if the counts by status answer a search, without looking at any user.
    pub fn is_by_status_only(&self) -> bool {
        self.last_name.is_none() && self.email_key.is_none() && self.query.is_none()
    }

    /// Returns the filter for a search that starts again, whose work counts from zero: another directory was stored meanwhile.
    #[must_use]
    pub fn started_again(&self) -> Self {
        Self { work: Work::default(), ..self.clone() }
    }

    /// Returns true if a user with these attributes passes all filters except the words of the query.
    pub(super) fn admits(&self, status: Status, last_name: &str, email: &str) -> Result<bool, TooCostlyError> {
        let is_candidate = self.status.is_none_or(|wanted| status == wanted)
            && self.email_key.as_ref().is_none_or(|key| has_key(email, key));
        let Some(part) = self.last_name.as_ref().filter(|_| is_candidate) else { return Ok(is_candidate) };
        self.work.add("last_name", folding_work(last_name))?;
        Ok(fold(last_name).contains(part))
    }
}

/// Returns the units of work of folding a name and looking for a part of it.
fn folding_work(name: &str) -> usize {
    if name.is_ascii() { 1 + name.len() / 16 } else { 4 * name.len() }
}

/// True if this is the key of the address. It avoids parsing: the key of an ASCII address is the address in lower case.
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
        fn address_is_found_by_its_key_and_by_no_other(
            local in "[a-zA-Z0-9+éß]{1,8}", domain in "[a-zA-Z0-9éßü]{1,8}\\.(com|Org|xn--p1ai)", other in "[a-z]{1,3}",
        ) {
            let Ok(address) = EmailAddress::parse(&format!("{local}@{domain}")) else { return Ok(()) };
            prop_assert!(has_key(address.as_str(), address.key()));
            let longer = format!("{other}{}", address.key());
            prop_assert!(!has_key(address.as_str(), &longer));
        }
    }
}
