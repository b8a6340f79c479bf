//! Decisions of operators on mails: a retry of those that were given up or refused, a release or an end of those that are held.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::invitation::{MessageState, OutboxMessage};
use presence_domain::user::{MailEffect, User, UserChange};

use super::update::{WRITE_ATTEMPTS, retry_stale};
use crate::UserStore;

impl UserStore {
    /// Retries a mail that was given up, is held or waits after a refusal, from the beginning. True if there is one of that id.
    pub async fn retry_mail(&self, id: &str, now: Timestamp) -> Result<bool, Error> {
        let listed = self.outbox.list().await?;
        match listed.iter().find(|message| message.id == id) {
            Some(message) => self.retry(message, now).await,
            None => Ok(false),
        }
    }

    /// Retries every mail that was given up, is held or waits after a refusal, from the beginning. Returns their ids.
    pub async fn retry_mails(&self, now: Timestamp) -> Result<Vec<String>, Error> {
        let mut retried = Vec::new();
        for message in self.outbox.list().await?.into_iter().filter(OutboxMessage::may_be_retried) {
            if self.retry(&message, now).await? {
                retried.push(message.id);
            }
        }
        Ok(retried)
    }

    /// Deletes a mail unsent, in any state. True if there is one of that id. The user may be invited again at once, unless a mail was
    /// sent in the last five minutes.
    pub async fn cancel_mail(&self, id: &str, now: Timestamp) -> Result<bool, Error> {
        let listed = self.outbox.list().await?;
        let Some(message) = listed.iter().find(|message| message.id == id) else { return Ok(false) };
        let cancel = |user: &User, _: &OutboxMessage| {
            let pace = user.pace().call_off(now);
            (user.clone().with_pace(pace), MailEffect::Cancel)
        };
        self.change_mail(message, |_| true, cancel, now).await
    }

    /// Holds every mail that waits to be sent, until an operator retries or cancels it. Returns their ids, the one due first at the
    /// front. Meant for tables that no mailer uses yet.
    pub async fn hold_mails(&self, now: Timestamp) -> Result<Vec<String>, Error> {
        let mut ids = Vec::new();
        for message in self.outbox.list_pending().await? {
            let hold = |user: &User, latest: &OutboxMessage| (user.clone(), MailEffect::Rewrite(latest.held()));
            if self.change_mail(&message, |latest| latest.state == MessageState::Pending, hold, now).await? {
                ids.push(message.id);
            }
        }
        Ok(ids)
    }

    async fn retry(&self, listed: &OutboxMessage, now: Timestamp) -> Result<bool, Error> {
        let retry = |user: &User, latest: &OutboxMessage| (user.clone(), MailEffect::Rewrite(latest.retried(now)));
        self.change_mail(listed, OutboxMessage::may_be_retried, retry, now).await
    }

    /// Changes a mail as `change` says. False if its user does not name it any more, or if it may not be changed any more: the list
    /// comes from an index, which lags.
    async fn change_mail(
        &self,
        listed: &OutboxMessage,
        may_change: impl Fn(&OutboxMessage) -> bool,
        change: impl Fn(&User, &OutboxMessage) -> (User, MailEffect),
        now: Timestamp,
    ) -> Result<bool, Error> {
        let (may_change, change) = (&may_change, &change);
        let attempt = |_| async move {
            let record = self.get_unscoped(listed.user_id).await?;
            let record = record.filter(|record| record.mail.as_ref() == Some(&listed.id));
            let Some(record) = record else { return Ok(Some(false)) };
            let message = self.outbox.get(listed.user_id, &listed.id).await?;
            let message = message.filter(may_change);
            let Some(message) = message else { return Ok(Some(false)) };
            let (after, mail) = change(&record.user, &message);
            let change = UserChange::of_delivery(after, now).with_mail(mail);
            Ok(self.write_if_current(&record, &change).await?.then_some(true))
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }
}
