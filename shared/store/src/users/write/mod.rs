//! Writes of users. There is one way: user, reservation of the address, directory head, log of changes, keys, outbox and audit trail in
//! one transaction.

mod bulk;
mod items;
mod refusal;

use aws_sdk_dynamodb::types::{Put, Update};
use futures::FutureExt as _;
use jiff::Timestamp;

use self::items::message_to_put;
use self::refusal::{Guard, claim_error};
use super::record::UserRecord;
use crate::api_keys::KeyWrite;
use crate::client::transaction::{Transaction, TransactionError};
use crate::keys::mail_sk;
use crate::outbox::{item as outbox_item, notice, quiet_windows};
use crate::users::{address_marks, change_log};
use crate::{MailboxClaim, UserStore, api_keys, audit_trail, idempotency};
use presence_domain::audit::AuditRecord;
use presence_domain::error::Error;
use presence_domain::idempotency::KeptAnswer;
use presence_domain::invitation::{OutboxMessage, WebhookNotice};
use presence_domain::user::{MailEffect, User, UserChange};

pub use refusal::{ClaimError, UserWriteError};

/// Items that are written with a change of a user.
#[derive(Debug, Default)]
struct Companions<'a> {
    keys: Vec<KeyWrite>,
    /// Window of the address, to claim it.
    window: Option<Put>,
    /// Tick of a notice whose mail the change puts into the outbox.
    notice: Option<Update>,
    /// Answer to keep under the idempotency key of the request.
    answer: Option<&'a KeptAnswer>,
}

impl UserStore {
    /// Writes a change of the user `before`, or creates one; all or nothing. The version grows by one.
    pub async fn write(&self, before: Option<&UserRecord>, change: &UserChange) -> Result<(), UserWriteError> {
        self.write_with(before, change, Companions::default()).await
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
        self.write_items(Some(before), change, companions).await.map_err(claim_error)
    }

    /// Puts the mail of a notice into the outbox of an administrator, and ticks the administrator off. False if the user or the notice
    /// has changed since it was read.
    pub async fn put_notice(&self, before: &UserRecord, notice: &WebhookNotice, now: Timestamp) -> Result<bool, Error> {
        let mail = OutboxMessage::notice(mail_sk(now), before.user.id, notice.webhook.clone(), now);
        let change = UserChange::of_mail(before.user.clone(), mail, now);
        let tick = Some(notice::tick(&self.db, notice, before.user.id)?);
        match self.write_items(Some(before), &change, Companions { notice: tick, ..Companions::default() }).await {
            Ok(()) => Ok(true),
            Err(TransactionError::ConditionsFailed(_)) => Ok(false),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }

    /// Writes a change like [`UserStore::write_answered`], with items of keys in the same transaction.
    pub(super) async fn write_with_keys(
        &self,
        before: &UserRecord,
        change: &UserChange,
        keys: Vec<KeyWrite>,
        answer: Option<&KeptAnswer>,
    ) -> Result<(), UserWriteError> {
        self.write_with(Some(before), change, Companions { keys, answer, ..Companions::default() }).await
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
        Companions { keys, window, notice, answer }: Companions<'_>,
    ) -> Result<(), TransactionError<Guard>> {
        let mut transaction = Transaction::new();
        let before = record.map(|record| &record.user);
        let version = UserChange::version_after(before);
        let after = change.after.as_ref().map(|user| User { version, ..user.clone() });
        let after = after.as_ref();
        let waiting = record.and_then(|record| record.mail.as_deref());
        let message = message_to_put(change);
        let mail = match change.mail {
            MailEffect::Keep => waiting,
            _ => message.as_deref().map(|message| message.id.as_str()),
        };
        self.add_user(&mut transaction, before, after, mail, change.delivery)?;
        if let Some(caller) = change.remover_of_provider(before) {
            transaction.check(Guard::Caller, self.check_active_provider(caller)?);
        }
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
        if let Some(notice) = notice {
            transaction.update(Guard::Notice, notice);
        }
        if let Some(record) = AuditRecord::of_change(before, change) {
            transaction.write(Guard::AuditRecord, audit_trail::put(&self.db, &record)?);
        }
        if let Some(answer) = answer {
            transaction.put(Guard::Answer, idempotency::put(&self.db, answer)?);
        }
        // An attempt whose reply was lost may have been carried out. These reads tell whether another writer failed the condition instead.
        let precondition_lost = |guard| match (guard, before, after) {
            (Guard::User, Some(before), _) => self.has_changed(before).boxed(),
            (Guard::Reservation, _, Some(after)) => self.is_address_of_another(after).boxed(),
            _ => std::future::ready(Ok(false)).boxed(),
        };
        transaction.commit_unless(&self.db, precondition_lost).await
    }
}
