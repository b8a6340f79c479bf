//! Notices that a webhook was disabled: each active `ORG_ADMIN` of its organisation gets a mail into the outbox, once.

use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::MessageState;
use presence_domain::user::User;
use presence_domain::webhook::WebhookId;
use presence_store::retry_stale;

use crate::deliver::{OutboxProcessor, WRITE_ATTEMPTS};

impl OutboxProcessor {
    /// Puts the mails of a notice into the outbox, then removes the notice. It stays for a later sweep while nobody knows all
    /// administrators, or while another mail waits for one of them.
    pub(crate) async fn tell_admins(&self, webhook: WebhookId, id: &str) -> Result<(), Error> {
        let Some(admins) = self.users.list_active_admins(webhook.org_id()).await? else { return Ok(()) };
        let mut are_told: Result<bool, Error> = Ok(true);
        for admin in admins {
            // One of them whose mail cannot be read holds up nobody else.
            let is_told = retry_stale(WRITE_ATTEMPTS, |_| self.tell_admin(admin, webhook, id)).await;
            are_told = are_told.and_then(|are_told| Ok(are_told && is_told?));
        }
        if are_told? { self.outbox.remove_notice(webhook, id).await } else { Ok(()) }
    }

    /// Puts the mail to one administrator. True if nothing remains to be done, `None` if another writer came first.
    async fn tell_admin(&self, admin: UserId, webhook: WebhookId, id: &str) -> Result<Option<bool>, Error> {
        let (notice, record) = futures::try_join!(self.outbox.get_notice(webhook, id), self.get_recipient(admin))?;
        let is_admin = |user: &User| user.is_active_admin() && user.org_id == Some(webhook.org_id());
        // The index lags, and has as many administrators as the head by chance: another one is missing.
        let Some(record) = record.filter(|record| is_admin(&record.user)) else { return Ok(Some(false)) };
        let Some(notice) = notice.filter(|notice| !notice.told.contains(&admin)) else { return Ok(Some(true)) };
        if let Some(mail) = &record.mail {
            let waiting = self.outbox.get(admin, mail).await?;
            // A mail that was given up gives way, as it does to a new invitation.
            if waiting.is_some_and(|waiting| waiting.state != MessageState::Failed) {
                return Ok(Some(false));
            }
        }
        Ok(self.users.put_notice(&record, &notice, self.clock.now()).await?.then_some(true))
    }
}
