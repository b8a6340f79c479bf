//! Retries of mails that were given up, by the operator.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::invitation::{MessageState, OutboxMessage};
use presence_domain::user::{MailEffect, UserChange};

use super::update::{WRITE_ATTEMPTS, retry_stale};
use crate::UserStore;

impl UserStore {
    /// Retries a mail that was given up from the beginning. True if there is one of that id.
    pub async fn retry_mail(&self, id: &str, now: Timestamp) -> Result<bool, Error> {
        let failed = self.outbox.list_failed().await?;
        match failed.iter().find(|message| message.id == id) {
            Some(message) => self.retry(message, now).await,
            None => Ok(false),
        }
    }

    /// Retries every mail that was given up from the beginning. Returns their ids.
    pub async fn retry_failed_mails(&self, now: Timestamp) -> Result<Vec<String>, Error> {
        let mut retried = Vec::new();
        for message in self.outbox.list_failed().await? {
            if self.retry(&message, now).await? {
                retried.push(message.id);
            }
        }
        Ok(retried)
    }

    async fn retry(&self, listed: &OutboxMessage, now: Timestamp) -> Result<bool, Error> {
        let attempt = |_| async {
            // The list comes from an index, which lags: the user must still name the mail, and it must still be given up.
            let record = self.get_unscoped(listed.user_id).await?;
            let record = record.filter(|record| record.mail.as_ref() == Some(&listed.id));
            let Some(record) = record else { return Ok(Some(false)) };
            let message = self.outbox.get(listed.user_id, &listed.id).await?;
            let message = message.filter(|message| message.state == MessageState::Failed);
            let Some(message) = message else { return Ok(Some(false)) };
            let change = UserChange::of_delivery(record.user.clone(), now);
            let change = change.with_mail(MailEffect::Rewrite(message.retried(now)));
            Ok(self.write_if_current(&record, &change).await?.then_some(true))
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }
}
