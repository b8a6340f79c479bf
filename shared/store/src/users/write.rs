//! Writes of users. There is one way: user, reservation of the address, directory head, log of changes, keys, outbox and audit trail in
//! one transaction.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put};
use futures::FutureExt as _;

use super::item::{to_item, to_item_after};
use super::record::UserRecord;
use crate::api_keys::KeyWrite;
use crate::client::read::{Item, number, pk_sk, text};
use crate::client::transaction::{Transaction, TransactionError};
use crate::keys::{LOCK_SK, USER_SK, lock_pk, mail_sk, user_pk};
use crate::outbox::{item as outbox_item, quiet_windows};
use crate::users::{address_marks, change_log, directory_heads};
use crate::{MailboxClaim, UserStore, api_keys, audit_trail, idempotency, schema};
use presence_domain::audit::AuditRecord;
use presence_domain::error::Error;
use presence_domain::idempotency::{KeptAnswer, LookupResult};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::invitation::{AddressMark, OutboxMessage};
use presence_domain::user::{DeliveryReport, MailEffect, User, UserChange};
use presence_domain::user_directory::DirectoryHead;

/// Error of the write of a user. Nothing was written.
#[derive(Debug)]
pub enum UserWriteError {
    /// The user has changed since it was read, or the id of a new user is taken.
    Stale,
    /// The address belongs to another user.
    EmailTaken,
    /// The user is the last active `ORG_ADMIN` of its organisation.
    LastAdmin,
    /// The change sends a mail to an address that is marked.
    AddressMarked(AddressMark),
    /// The write failed.
    Failed(Error),
}

/// Error of the claim of a mail. Nothing was written.
#[derive(Debug)]
pub enum ClaimError {
    /// The user has changed since it was read.
    Stale,
    /// The window of another mail to the address is open.
    AddressQuiet,
    /// The write failed.
    Failed(Error),
}

impl From<Error> for UserWriteError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Item of the transaction, for the meaning of its failed condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    User,
    Reservation,
    DirectoryHead,
    Change,
    Key,
    Mail,
    Mailbox,
    Mark,
    AuditRecord,
    Answer,
}

/// Items that are written with a change of a user.
#[derive(Debug, Default)]
struct Companions<'a> {
    keys: Vec<KeyWrite>,
    /// Window of the address, to claim it.
    window: Option<Put>,
    /// Answer to keep under the idempotency key of the request.
    answer: Option<&'a KeptAnswer>,
}

impl UserStore {
    /// Writes a change of the user `before`, or creates one; all or nothing. The version grows by one.
    pub async fn write(&self, before: Option<&UserRecord>, change: &UserChange) -> Result<(), UserWriteError> {
        self.write_with_keys(before, change, Vec::new()).await
    }

    /// Writes a change like [`UserStore::write`], and claims the window of the address in the same transaction.
    pub async fn claim_mail(
        &self,
        before: &UserRecord,
        change: &UserChange,
        claim: MailboxClaim<'_>,
    ) -> Result<(), ClaimError> {
        let window = quiet_windows::claim(&self.db, claim, change.at).map_err(ClaimError::Failed)?;
        let companions = Companions { window: Some(window), ..Companions::default() };
        self.write_items(Some(before), change, companions).await.map_err(|error| match error {
            TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::User) => ClaimError::Stale,
            TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Mailbox) => ClaimError::AddressQuiet,
            TransactionError::ConditionsFailed(_) => ClaimError::Stale,
            TransactionError::Failed(error) => ClaimError::Failed(error),
        })
    }

    /// Writes a change like [`UserStore::write`], with items of keys in the same transaction.
    pub(crate) async fn write_with_keys(
        &self,
        before: Option<&UserRecord>,
        change: &UserChange,
        keys: Vec<KeyWrite>,
    ) -> Result<(), UserWriteError> {
        self.write_with(before, change, Companions { keys, ..Companions::default() }).await
    }

    /// Writes a change like [`UserStore::write`], and keeps the answer of its request in the same transaction. The error is
    /// [`Error::InProgress`] if an answer is kept already.
    pub(super) async fn write_answered(
        &self,
        before: Option<&UserRecord>,
        change: &UserChange,
        answer: Option<&KeptAnswer>,
    ) -> Result<(), UserWriteError> {
        self.write_with(before, change, Companions { answer, ..Companions::default() }).await
    }

    async fn write_with(
        &self,
        before: Option<&UserRecord>,
        change: &UserChange,
        companions: Companions<'_>,
    ) -> Result<(), UserWriteError> {
        match self.write_items(before, change, companions).await {
            Err(error) => Err(self.explain(error, change).await),
            Ok(()) => Ok(()),
        }
    }

    async fn write_items(
        &self,
        record: Option<&UserRecord>,
        change: &UserChange,
        Companions { keys, window, answer }: Companions<'_>,
    ) -> Result<(), TransactionError<Guard>> {
        let mut transaction = Transaction::new();
        let before = record.map(|record| &record.user);
        let version = UserChange::version_after(before);
        let after = change.after.as_ref().map(|user| User { version, ..user.clone() });
        let after = after.as_ref();
        let waiting = record.and_then(|record| record.mail.as_deref());
        let message = message_to_put(change);
        let mail = match change.mail {
            MailEffect::Keep | MailEffect::Rewrite(_) => waiting,
            MailEffect::Cancel | MailEffect::Send { .. } => message.as_deref().map(|message| message.id.as_str()),
        };
        self.add_user(&mut transaction, before, after, mail, change.delivery)?;
        self.add_reservations(&mut transaction, before, after)?;
        self.add_heads(&mut transaction, before, after, change.keeps_an_admin);
        for (org_id, logged) in change_log::entries_of_write(before, after) {
            transaction.put(Guard::Change, change_log::put(&self.db, org_id, logged, change.at)?);
        }
        for write in api_keys::sync_with_owner(&self.db, before, after, change.at).into_iter().chain(keys) {
            match write {
                KeyWrite::Put(put) => transaction.put(Guard::Key, put),
                KeyWrite::Update(update) => transaction.update(Guard::Key, update),
                KeyWrite::Delete(delete) => transaction.delete(Guard::Key, delete),
            }
        }
        if let Some((user, id)) = before.zip(waiting).filter(|_| after.is_none() || mail != waiting) {
            transaction.delete(Guard::Mail, outbox_item::delete(&self.db, user.id, id));
        }
        if let Some(message) = &message {
            transaction.put(Guard::Mail, outbox_item::put(&self.db, message)?);
        }
        if let (MailEffect::Send { .. }, Some(user)) = (&change.mail, after) {
            transaction.check(Guard::Mark, address_marks::check_free(&self.db, user.email.key())?);
        }
        if let Some(window) = window {
            transaction.put(Guard::Mailbox, window);
        }
        if let Some(record) = AuditRecord::of_change(before, change) {
            transaction.put(Guard::AuditRecord, audit_trail::put(&self.db, &record)?);
        }
        if let Some(answer) = answer {
            transaction.put(Guard::Answer, idempotency::put(&self.db, answer)?);
        }
        // An attempt whose reply was lost may have been carried out: these look whether it was another writer instead.
        let precondition_lost = |guard| match (guard, before, after) {
            (Guard::User, Some(before), _) => self.has_changed(before).boxed(),
            (Guard::Reservation, _, Some(after)) => self.is_address_of_another(after).boxed(),
            (Guard::Answer, ..) => self.is_answered(answer).boxed(),
            _ => std::future::ready(Ok(false)).boxed(),
        };
        transaction.commit_unless(&self.db, precondition_lost).await
    }

    /// Returns the error of a refused write, with the mark of the address if that is the reason.
    async fn explain(&self, error: TransactionError<Guard>, change: &UserChange) -> UserWriteError {
        let is_marked = matches!(&error, TransactionError::ConditionsFailed(guards) if guards == &[Guard::Mark]);
        let Some(user) = change.after.as_ref().filter(|_| is_marked) else { return write_error(error) };
        match self.address_mark(user.email.key()).await {
            Ok(Some(mark)) => UserWriteError::AddressMarked(mark),
            // The mark was cleared meanwhile.
            Ok(None) => UserWriteError::Stale,
            Err(error) => UserWriteError::Failed(error),
        }
    }

    /// True if the user has changed since it was read.
    async fn has_changed(&self, user: &User) -> Result<bool, Error> {
        let latest = self.get_unscoped(user.id).await?;
        Ok(latest.is_none_or(|latest| latest.user.version != user.version))
    }

    /// True if the user's address belongs to another user.
    async fn is_address_of_another(&self, user: &User) -> Result<bool, Error> {
        let holder = self.get_id_by_email(user.email.key()).await?;
        Ok(holder.is_some_and(|holder| holder != user.id))
    }

    /// True if an answer is kept for the request already.
    async fn is_answered(&self, answer: Option<&KeptAnswer>) -> Result<bool, Error> {
        let Some(answer) = answer else { return Ok(false) };
        let stored = self.answers.get(answer.request.id).await?;
        Ok(LookupResult::of(&answer.request, stored, answer.at) != LookupResult::NotFound)
    }

    /// Returns all items of the users table for these users, heads included, to load many at once into an empty table. The users must
    /// have distinct ids and addresses, and no keys.
    pub fn to_items(&self, users: &[User]) -> Result<Vec<HashMap<String, AttributeValue>>, Error> {
        let mut sums: BTreeMap<Option<OrgId>, DirectoryHead> = BTreeMap::new();
        let mut items = Vec::with_capacity(users.len() * 2);
        for user in users {
            let sum = sums.entry(user.org_id).or_default();
            *sum = *sum + DirectoryHead::of(user);
            items.push(to_item(user, None)?);
            items.push(reservation_item(user.email.key(), user.id));
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
        delivery: Option<DeliveryReport>,
    ) -> Result<(), Error> {
        let table = self.db.name(&schema::USERS);
        match (before, after) {
            (None, Some(new)) => {
                let put = Put::builder().table_name(table).set_item(Some(to_item(new, mail)?));
                let put = put.condition_expression("attribute_not_exists(pk)");
                transaction.put(Guard::User, put.build().map_err(Error::internal)?);
            }
            (Some(old), Some(new)) => {
                let put = Put::builder().table_name(table).set_item(Some(to_item_after(new, mail, delivery)?));
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

    fn add_reservations(
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
            transaction.delete(Guard::Reservation, delete.build().map_err(Error::internal)?);
        }
        if let Some(new) = after {
            transaction.put(Guard::Reservation, self.put_reservation(new.email.key(), new.id)?);
        }
        Ok(())
    }

    /// Returns the put that reserves a free address for a user.
    fn put_reservation(&self, email_key: &str, id: UserId) -> Result<Put, Error> {
        let item = reservation_item(email_key, id);
        let put = Put::builder().table_name(self.db.name(&schema::USERS)).set_item(Some(item));
        put.condition_expression("attribute_not_exists(pk)").build().map_err(Error::internal)
    }

    fn add_heads(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
        keeps_an_admin: bool,
    ) {
        // One update for each organisation: a transaction must not have the same item twice.
        let removed = before.map(|user| (user.org_id, DirectoryHead::default() - DirectoryHead::of(user)));
        let added = after.map(|user| (user.org_id, DirectoryHead::of(user)));
        let differences = match (removed, added) {
            (Some((old, minus)), Some((new, plus))) if old == new => vec![(old, minus + plus)],
            (removed, added) => removed.into_iter().chain(added).collect(),
        };
        for (org_id, difference) in differences {
            let loses_an_admin = org_id.is_some() && difference.admins < 0;
            let update = directory_heads::add(&self.db, org_id, &difference, keeps_an_admin && loses_an_admin);
            transaction.update(Guard::DirectoryHead, update);
        }
    }
}

/// Returns the message that a change puts into the outbox: a new one, or the new state of the one that waits.
fn message_to_put(change: &UserChange) -> Option<Cow<'_, OutboxMessage>> {
    match (&change.mail, &change.after) {
        (MailEffect::Send { due_at }, Some(user)) => {
            let message = OutboxMessage::new(mail_sk(change.at), user.id, change.at, *due_at);
            Some(Cow::Owned(message.invited_by(change.caller())))
        }
        (MailEffect::Rewrite(message), _) => Some(Cow::Borrowed(message)),
        _ => None,
    }
}

fn reservation_item(email_key: &str, id: UserId) -> Item {
    let mut item = pk_sk(lock_pk(email_key), LOCK_SK);
    item.insert("user_id".to_owned(), text(id.to_string()));
    item
}

/// Returns the error of a refused write. The answer counts first, then the user: if it changed, the other conditions say nothing.
fn write_error(error: TransactionError<Guard>) -> UserWriteError {
    match error {
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Answer) => {
            UserWriteError::Failed(Error::InProgress)
        }
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::User) => UserWriteError::Stale,
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Reservation) => {
            UserWriteError::EmailTaken
        }
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::DirectoryHead) => {
            UserWriteError::LastAdmin
        }
        TransactionError::ConditionsFailed(_) => UserWriteError::Stale,
        TransactionError::Failed(error) => UserWriteError::Failed(error),
    }
}
