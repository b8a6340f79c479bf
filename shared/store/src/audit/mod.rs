//! Audit of the users: compares users, reservations of addresses, directory heads, keys, the outbox and `email-index`.

mod businesses;
mod email_index;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::client::read::Item;
use crate::format::{KEY, kind_of};
use crate::keys::{
    CHANGES_PK_PREFIX, LOCK_SK, MAIL_SK_PREFIX, MAILBOX_SK, MARK_SK, NOTICE_PK_PREFIX, ROSTERS_PK_PREFIX, USER_SK,
    lock_pk, org_key,
};
use crate::outbox::quiet_windows;
use crate::outbox::{item as outbox_item, notice};
use crate::schema;
use crate::users::{UserRecord, from_item, to_item};
use crate::users::{address_marks, directory_heads};
use crate::{ApiKeyRecord, UserStore};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::invitation::OutboxMessage;
use presence_domain::user::{Status, User};
use presence_domain::user_directory::DirectoryHead;

/// Items in one page of a Scan.
const PAGE: i32 = 1_000;
/// Largest number of pages. The audit of an operator reads everything.
const MAX_PAGES: usize = usize::MAX;

/// Inconsistency. It names users by id, never by name or address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// Subject, such as `user 7` or `roster 42`.
    pub subject: String,
    /// Problem, as a phrase that follows the subject.
    pub problem: String,
}

/// Result of an audit of the users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UsersAudit {
    /// Number of users.
    pub users: usize,
    /// Number of API keys, dead ones included.
    pub keys: usize,
    /// Number of mails in the outbox.
    pub mails: usize,
    /// Inconsistencies; empty if there are none.
    pub findings: Vec<Finding>,
}

/// Contents of the users table.
#[derive(Default)]
struct Contents {
    users: BTreeMap<UserId, User>,
    /// Partition key of the reservation → user that it names.
    reservations: HashMap<String, String>,
    heads: BTreeMap<Option<OrgId>, DirectoryHead>,
    mails: Vec<OutboxMessage>,
    /// User → mail that its item names.
    waiting: BTreeMap<UserId, String>,
    findings: Vec<Finding>,
}

impl UserStore {
    /// Reads and compares everything. Concurrent writes may be reported as findings; a finding that a second run reports too is
    /// real.
    pub async fn audit(&self) -> Result<UsersAudit, Error> {
        let mut contents = Contents::default();
        for item in self.db.scan(&schema::USERS, PAGE, MAX_PAGES).await? {
            contents.add(item)?;
        }
        let keys = self.db.scan(&schema::API_KEYS, PAGE, MAX_PAGES).await?.into_iter();
        let keys = keys.filter(|item| kind_of(&schema::API_KEYS, item) == KEY).map(ApiKeyRecord::read);
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        contents.check_reservations();
        contents.check_heads();
        contents.check_keys(&keys);
        contents.check_mails();
        let Contents { users, mails, mut findings, .. } = contents;
        findings.extend(self.audit_email_index(&users).await?);
        findings.extend(self.audit_businesses(&users).await?);
        findings.sort_unstable();
        Ok(UsersAudit { users: users.len(), keys: keys.len(), mails: mails.len(), findings })
    }
}

impl Contents {
    fn add(&mut self, item: Item) -> Result<(), Error> {
        let key = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        let (pk, sk) = (key("pk"), key("sk"));
        if pk.starts_with(ROSTERS_PK_PREFIX) {
            let (org_id, head) = directory_heads::parse_item(item)?;
            self.heads.insert(org_id, head);
        } else if sk == USER_SK {
            self.add_user(&item)?;
        } else if sk == LOCK_SK {
            let user_id = key("user_id");
            self.reservations.insert(pk, user_id);
        } else if sk == MAILBOX_SK {
            // A window belongs to an address, not to a user. The address must not be printed.
            if !quiet_windows::is_readable(item) {
                self.find("users table".to_owned(), "holds a window of an address that cannot be read");
            }
        } else if sk == MARK_SK {
            if !address_marks::is_readable(item) {
                self.find("users table".to_owned(), "holds a mark of an address that cannot be read");
            }
        } else if pk.starts_with(CHANGES_PK_PREFIX) {
            // The change log is a hint only: the digest of the head detects a missing or wrong entry.
        } else if pk.starts_with(NOTICE_PK_PREFIX) {
            if notice::read(item.clone()).is_err() {
                self.find("users table".to_owned(), "holds a notice that cannot be read");
            }
        } else if sk.starts_with(MAIL_SK_PREFIX) {
            match outbox_item::read(item) {
                Ok(message) => self.mails.push(message),
                Err(_) => self.find(pk.replace("USER#", "user "), "has a mail that cannot be read"),
            }
        } else {
            self.find("users table".to_owned(), "holds an item of no known kind");
        }
        Ok(())
    }

    fn add_user(&mut self, item: &Item) -> Result<(), Error> {
        let UserRecord { user, mail } = from_item(item.clone())?;
        // A write of the next version of the service may leave attributes that this one does not know.
        let follows = to_item(&user, mail.as_deref())?;
        if follows.iter().any(|(name, value)| item.get(name) != Some(value)) {
            self.find(subject(user.id), "is stored with derived attributes that do not follow from its fields");
        }
        self.waiting.extend(mail.map(|mail| (user.id, mail)));
        self.users.insert(user.id, user);
        Ok(())
    }

    fn find(&mut self, subject: String, problem: impl Into<String>) {
        self.findings.push(Finding { subject, problem: problem.into() });
    }

    /// Checks that each user has one reservation, and each reservation one user.
    fn check_reservations(&mut self) {
        let mut reservations = std::mem::take(&mut self.reservations);
        let mut found = Vec::new();
        for user in self.users.values() {
            match reservations.remove(&lock_pk(user.email.key())) {
                Some(holder) if holder == user.id.to_string() => {}
                Some(holder) => found.push((subject(user.id), format!("has its address locked by user {holder}"))),
                None => found.push((subject(user.id), "has no lock on its address".to_owned())),
            }
        }
        found.extend(
            reservations.into_values().map(|holder| (format!("user {holder}"), "left a lock behind".to_owned())),
        );
        for (subject, problem) in found {
            self.find(subject, problem);
        }
    }

    /// Checks that each head equals a recount.
    fn check_heads(&mut self) {
        let mut recount: BTreeMap<Option<OrgId>, DirectoryHead> = BTreeMap::new();
        for user in self.users.values() {
            let sum = recount.entry(user.org_id).or_default();
            *sum = *sum + DirectoryHead::of(user);
        }
        let orgs: BTreeSet<_> = recount.keys().chain(self.heads.keys()).copied().collect();
        for org_id in orgs {
            let counted = recount.get(&org_id).copied().unwrap_or_default();
            let stored = self.heads.get(&org_id).copied().unwrap_or_default();
            if counted != stored {
                self.find(
                    format!("roster {}", org_key(org_id)),
                    format!("is {stored:?}, but its users make {counted:?}"),
                );
            }
        }
    }

    /// Checks that each key belongs to a user that lists it, and agrees with that user.
    fn check_keys(&mut self, keys: &[ApiKeyRecord]) {
        let mut listed: std::collections::HashSet<_> =
            self.users.values().flat_map(|user| user.keys.iter().map(|hash| (user.id, *hash))).collect();
        let mut found = Vec::new();
        for key in keys {
            let known = listed.remove(&(key.user_id, key.hash));
            let Some(user) = self.users.get(&key.user_id).filter(|_| known) else {
                found.push((key.id(), "belongs to no user that lists it"));
                continue;
            };
            if (key.org_id, key.role, key.active) != (user.org_id, user.role, user.status == Status::Active) {
                found.push((key.id(), "does not say of its owner what is so"));
            }
        }
        for (id, problem) in found {
            self.find(format!("key {id}"), problem);
        }
        for (user, _) in listed {
            self.find(subject(user), "lists a key that does not exist");
        }
    }

    /// Checks that each mail is named by its user, that the user of an invitation was invited, and that each named mail exists.
    fn check_mails(&mut self) {
        let mut found = Vec::new();
        let mut named = std::mem::take(&mut self.waiting);
        for mail in &self.mails {
            let problem = match self.users.get(&mail.user_id) {
                None => Some("has a mail waiting, and does not exist"),
                Some(user) if named.remove(&user.id).as_deref() != Some(mail.id.as_str()) => {
                    Some("has a mail that it does not name")
                }
                Some(user) if mail.about.is_none() && user.invited_at.is_none() => {
                    Some("has a mail waiting that opened no window")
                }
                Some(_) => None,
            };
            found.extend(problem.map(|problem| (format!("user {}", mail.user_id), problem)));
        }
        found.extend(named.into_keys().map(|id| (subject(id), "names a mail that is not there")));
        for (user, problem) in found {
            self.find(user, problem);
        }
    }
}

fn subject(user: UserId) -> String {
    format!("user {user}")
}
