//! Users for the tests of the transitions.

use jiff::{SignedDuration, Timestamp};

use super::{NewUser, PersonName, Role, Status, User};
use crate::authorship::{Actor, OperatorName};
use crate::email::EmailAddress;
use crate::ids::{BusinessId, OrgId, UserId};
use crate::invitation::{ActivationToken, ActivationTokenHash, LinkStatus};
use crate::password::PasswordHash;

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).expect("a valid instant")
}

pub(crate) fn actor() -> Actor {
    Actor::Operator(OperatorName::local("tests").expect("a name"))
}

pub(crate) fn hash(text: &str) -> PasswordHash {
    PasswordHash::from_phc(text.to_owned())
}

pub(crate) fn email(text: &str) -> EmailAddress {
    EmailAddress::parse(text).expect("a valid address")
}

pub(crate) fn org(number: u64) -> OrgId {
    OrgId::new(number).expect("a valid id")
}

pub(crate) fn business(text: &str) -> BusinessId {
    BusinessId::parse(text).expect("a valid id")
}

pub(crate) fn new_user() -> NewUser {
    NewUser {
        status: Status::Active,
        role: Role::BusinessManager,
        org_id: Some(org(1)),
        first_name: PersonName::parse("Ann").expect("a valid name"),
        last_name: PersonName::parse("Lee").expect("a valid name"),
        email: email("ann@example.org"),
        phone: None,
        lang: None,
        business_ids: Vec::new(),
        password: None,
        send_invitation: Some(false),
    }
}

/// Returns a user that was sent nothing. An active one has the password `a`.
pub(crate) fn user(status: Status) -> User {
    let new = NewUser { status, password: Some(hash("a")), ..new_user() };
    let id = UserId::parse("7").expect("a valid id");
    User::create(new, id, &actor(), at(0)).after.expect("a user")
}

/// Returns the user with live links, oldest first, and their hashes.
pub(crate) fn with_links(mut user: User, count: usize) -> (User, Vec<ActivationTokenHash>) {
    let hashes: Vec<_> = (0..count).map(|_| ActivationToken::generate().hash()).collect();
    for hash in &hashes {
        user.links.add(*hash, at(0), SignedDuration::from_hours(72));
    }
    (user, hashes)
}

pub(crate) fn link_statuses(user: &User, hashes: &[ActivationTokenHash]) -> Vec<LinkStatus> {
    hashes.iter().map(|hash| user.links.status_at(*hash, at(60))).collect()
}
