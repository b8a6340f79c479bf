//! The one way in which a user is written: user, lock, head, log of changes, keys and outbox in one transaction.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put};
use futures::FutureExt as _;
use jiff::Timestamp;

use super::item::to_item;
use super::record::UserRecord;
use crate::api_keys::KeyWrite;
use crate::client::read::{Item, number, pk_sk, text};
use crate::client::transaction::{Transaction, TransactionError};
use crate::keys::{LOCK_SK, USER_SK, lock_pk, user_pk};
use crate::outbox::OutboxRow;
use crate::{MailboxClaim, UserStore, api_keys, change_log, directory_heads, mailboxes, outbox, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::User;
use presence_domain::user_directory::DirectoryHead;

/// What a write does to the user's mails in the outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailChange<'a> {
    /// Leaves them alone.
    Keep,
    /// Removes them unsent.
    Cancel,
    /// Puts a fresh one, to be sent at the instant, in the place of those that wait.
    Send {
        /// Not before this.
        due_at: Timestamp,
    },
    /// Rewrites the one that waits.
    Rewrite(&'a OutboxRow),
}

/// One write of one user. `before` and `after` tell what happens to lock, head and keys.
#[derive(Clone, Debug)]
pub struct UserChange<'a> {
    /// As it was read; `None` creates.
    pub before: Option<&'a UserRecord>,
    /// As it shall be, with the version of `before`; `None` deletes.
    pub after: Option<&'a User>,
    /// The outbox.
    pub mail: MailChange<'a>,
    /// Refuse to take the last active `ORG_ADMIN` from its organisation.
    pub keep_an_admin: bool,
    /// When.
    pub now: Timestamp,
}

/// Why a user was not written. Nothing was.
#[derive(Debug)]
pub enum Refused {
    /// It has changed since it was read (or the drawn id is taken).
    Stale,
    /// The address belongs to another user.
    EmailTaken,
    /// It is the last active `ORG_ADMIN` of its organisation.
    LastAdmin,
    /// Something else.
    Failed(Error),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    User,
    Lock,
    DirectoryHead,
    Change,
    Key,
    Mail,
    Mailbox,
}

/// Why a mail was not claimed. Nothing was written.
#[derive(Debug)]
pub enum ClaimRefused {
    /// The user has changed since it was read.
    Stale,
    /// Another mail keeps the address quiet.
    Quiet,
    /// Something else.
    Failed(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl UserStore {
    /// Writes the user, all or nothing. Its version grows by one.
    pub async fn write(&self, change: UserChange<'_>) -> Result<(), Refused> {
        self.write_user_and_keys(change, Vec::new()).await
    }

    /// Writes the user like [`UserStore::write`], and claims the window of its address in the same transaction.
    pub async fn claim_mail(&self, change: UserChange<'_>, claim: MailboxClaim<'_>) -> Result<(), ClaimRefused> {
        let window = mailboxes::claim(&self.db, claim, change.now).map_err(ClaimRefused::Failed)?;
        self.write_items(change, Vec::new(), Some(window)).await.map_err(|refusal| match refusal {
            TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::User) => ClaimRefused::Stale,
            TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Mailbox) => ClaimRefused::Quiet,
            TransactionError::ConditionsFailed(_) => ClaimRefused::Stale,
            TransactionError::Failed(error) => ClaimRefused::Failed(error),
        })
    }

    /// Like [`UserStore::write`], with writes of key items in the same transaction.
    pub(crate) async fn write_user_and_keys(&self, change: UserChange<'_>, keys: Vec<KeyWrite>) -> Result<(), Refused> {
        self.write_items(change, keys, None).await.map_err(refused)
    }

    async fn write_items(
        &self,
        change: UserChange<'_>,
        keys: Vec<KeyWrite>,
        window: Option<Put>,
    ) -> Result<(), TransactionError<Guard>> {
        let mut transaction = Transaction::new();
        let now = change.now;
        let before = change.before.map(|record| &record.user);
        let after = change.after.map(|user| User { version: before.map_or(1, |old| old.version + 1), ..user.clone() });
        let waiting = change.before.and_then(|record| record.mail.as_deref());
        let fresh = fresh_mail(&change);
        let mail = match change.mail {
            MailChange::Keep | MailChange::Rewrite(_) => waiting,
            MailChange::Cancel | MailChange::Send { .. } => fresh.as_ref().map(OutboxRow::id),
        };
        self.add_user(&mut transaction, before, after.as_ref(), mail)?;
        self.add_locks(&mut transaction, before, after.as_ref())?;
        self.add_heads(&mut transaction, before, after.as_ref(), change.keep_an_admin);
        for (org_id, change) in change_log::entries_of_write(before, after.as_ref()) {
            transaction.put(Guard::Change, change_log::put(&self.db, org_id, change, now)?);
        }
        for write in api_keys::sync_with_owner(&self.db, before, after.as_ref(), now).into_iter().chain(keys) {
            match write {
                KeyWrite::Put(put) => transaction.put(Guard::Key, put),
                KeyWrite::Update(update) => transaction.update(Guard::Key, update),
                KeyWrite::Delete(delete) => transaction.delete(Guard::Key, delete),
            }
        }
        if let Some((user, sk)) = before.zip(waiting).filter(|_| after.is_none() || mail != waiting) {
            transaction.delete(Guard::Mail, outbox::delete(&self.db, user.id, sk));
        }
        let rewritten = match change.mail {
            MailChange::Rewrite(row) => Some(row),
            _ => None,
        };
        if let Some(row) = fresh.as_ref().or(rewritten) {
            transaction.put(Guard::Mail, outbox::put(&self.db, row)?);
        }
        if let Some(window) = window {
            transaction.put(Guard::Mailbox, window);
        }
        let after = after.as_ref();
        let precondition_lost = |guard| match (guard, before, after) {
            (Guard::User, Some(old), _) => self.has_changed(old).boxed(),
            (Guard::Lock, _, Some(new)) => self.is_anothers(new).boxed(),
            _ => std::future::ready(Ok(false)).boxed(),
        };
        transaction.commit_unless(&self.db, precondition_lost).await
    }

    /// Whether the user is not any more as it was read.
    async fn has_changed(&self, user: &User) -> Result<bool, Error> {
        let now = self.get(Scope::for_operator(), user.id).await?;
        Ok(now.is_none_or(|now| now.version != user.version))
    }

    /// Whether the user's address belongs to another user.
    async fn is_anothers(&self, user: &User) -> Result<bool, Error> {
        let holder = self.get_id_by_email(user.email.key()).await?;
        Ok(holder.is_some_and(|holder| holder != user.id))
    }

    /// Every item of the users table that these users make, heads included: for loading many at once into an empty
    /// table, where nothing can be in the way. They must have distinct ids and addresses, and no keys.
    pub fn to_items(&self, users: &[User]) -> Result<Vec<HashMap<String, AttributeValue>>, Error> {
        let mut sums: BTreeMap<Option<OrgId>, DirectoryHead> = BTreeMap::new();
        let mut items = Vec::with_capacity(users.len() * 2);
        for user in users {
            let sum = sums.entry(user.org_id).or_default();
            *sum = *sum + DirectoryHead::of(user);
            items.push(to_item(user, None)?);
            items.push(lock_item(user.email.key(), user.id));
        }
        items.extend(sums.into_iter().map(|(org_id, head)| directory_heads::to_item(org_id, &head)));
        Ok(items)
    }

    fn add_user(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
        mail: Option<&str>,
    ) -> Result<(), Error> {
        let table = self.db.name(&schema::USERS);
        match (before, after) {
            (None, Some(new)) => {
                let put = Put::builder().table_name(table).set_item(Some(to_item(new, mail)?));
                let put = put.condition_expression("attribute_not_exists(pk)");
                transaction.put(Guard::User, put.build().map_err(Error::internal)?);
            }
            (Some(old), Some(new)) => {
                let put = Put::builder().table_name(table).set_item(Some(to_item(new, mail)?));
                let put = put
                    .condition_expression("version = :version")
                    .expression_attribute_values(":version", number(old.version));
                transaction.put(Guard::User, put.build().map_err(Error::internal)?);
            }
            (Some(old), None) => {
                let delete = Delete::builder().table_name(table).set_key(Some(pk_sk(user_pk(old.id), USER_SK)));
                let delete = delete
                    .condition_expression("version = :version")
                    .expression_attribute_values(":version", number(old.version));
                transaction.delete(Guard::User, delete.build().map_err(Error::internal)?);
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn add_locks(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
    ) -> Result<(), Error> {
        let (old_key, new_key) = (before.map(|user| user.email.key()), after.map(|user| user.email.key()));
        if old_key == new_key {
            return Ok(());
        }
        if let Some(old) = before {
            let delete = Delete::builder()
                .table_name(self.db.name(&schema::USERS))
                .set_key(Some(pk_sk(lock_pk(old.email.key()), LOCK_SK)));
            transaction.delete(Guard::Lock, delete.build().map_err(Error::internal)?);
        }
        if let Some(new) = after {
            transaction.put(Guard::Lock, self.lock(new.email.key(), new.id)?);
        }
        Ok(())
    }

    fn lock(&self, email_key: &str, id: UserId) -> Result<Put, Error> {
        let put = Put::builder().table_name(self.db.name(&schema::USERS)).set_item(Some(lock_item(email_key, id)));
        put.condition_expression("attribute_not_exists(pk)").build().map_err(Error::internal)
    }

    fn add_heads(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
        keep_an_admin: bool,
    ) {
        let removed = before.map(|user| (user.org_id, DirectoryHead::default() - DirectoryHead::of(user)));
        let added = after.map(|user| (user.org_id, DirectoryHead::of(user)));
        let differences = match (removed, added) {
            (Some((old, minus)), Some((new, plus))) if old == new => vec![(old, minus + plus)],
            (removed, added) => removed.into_iter().chain(added).collect(),
        };
        for (org_id, difference) in differences {
            let loses_an_admin = org_id.is_some() && difference.admins < 0;
            let update = directory_heads::add(&self.db, org_id, &difference, keep_an_admin && loses_an_admin);
            transaction.update(Guard::DirectoryHead, update);
        }
    }
}

/// The mail that a change puts into the outbox.
fn fresh_mail(change: &UserChange<'_>) -> Option<OutboxRow> {
    match (change.mail, change.after) {
        (MailChange::Send { due_at }, Some(user)) => Some(OutboxRow::new(user.id, change.now, due_at)),
        _ => None,
    }
}

fn lock_item(email_key: &str, id: UserId) -> Item {
    let mut lock = pk_sk(lock_pk(email_key), LOCK_SK);
    lock.insert("user_id".to_owned(), text(id.to_string()));
    lock
}

fn refused(refusal: TransactionError<Guard>) -> Refused {
    match refusal {
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::User) => Refused::Stale,
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Lock) => Refused::EmailTaken,
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::DirectoryHead) => Refused::LastAdmin,
        TransactionError::ConditionsFailed(_) => Refused::Stale,
        TransactionError::Failed(error) => Refused::Failed(error),
    }
}
