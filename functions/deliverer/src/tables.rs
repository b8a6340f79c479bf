//! Tables of a deliverer. The simulation has others, which are hostile.

use jiff::Timestamp;
use presence_domain::audit::{Actor, AuditRecord, WebhookAction};
use presence_domain::error::Error;
use presence_domain::feed::{FeedPage, FeedStart};
use presence_domain::ids::OrgId;
use presence_domain::webhook::{Attempt, Delivery, Webhook, WebhookId, WebhookState};
use presence_store::{FeedStore, WebhookStore, WebhookWrite};

/// Tables of a deliverer.
pub trait Tables: Send + Sync + 'static {
    /// Reads a webhook, strongly.
    fn webhook(&self, id: WebhookId) -> impl Future<Output = Result<Option<Webhook>, Error>> + Send;

    /// Reads the webhooks of an organisation, strongly, with an error for each that cannot be read.
    fn webhooks_of(&self, org_id: OrgId) -> impl Future<Output = Result<Vec<Result<Webhook, Error>>, Error>> + Send;

    /// Reads events of a feed, as [`FeedStore::read`].
    fn events(
        &self,
        org_id: OrgId,
        start: FeedStart,
        limit: usize,
        now: Timestamp,
    ) -> impl Future<Output = Result<FeedPage, Error>> + Send;

    /// Writes a webhook now, if it is stored as it was read. False if it is not, or if nobody knows. Tells of one that is disabled.
    fn write(
        &self,
        before: &Webhook,
        after: &Webhook,
        now: Timestamp,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Returns the last attempt at an event that the log has.
    fn last_attempt(
        &self,
        id: WebhookId,
        number: u64,
        now: Timestamp,
    ) -> impl Future<Output = Result<Option<Attempt>, Error>> + Send;

    /// Writes an attempt into the log.
    fn record_attempt(&self, id: WebhookId, attempt: &Attempt) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Tables in `DynamoDB`.
#[derive(Clone, Debug)]
pub struct StoredTables {
    /// Webhooks, and the log of attempts.
    pub webhooks: WebhookStore,
    /// Feeds.
    pub feed: FeedStore,
}

impl Tables for StoredTables {
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, Error> {
        self.webhooks.get(id).await
    }

    async fn webhooks_of(&self, org_id: OrgId) -> Result<Vec<Result<Webhook, Error>>, Error> {
        self.webhooks.list_each(org_id).await
    }

    async fn events(&self, org_id: OrgId, start: FeedStart, limit: usize, now: Timestamp) -> Result<FeedPage, Error> {
        self.feed.read(Some(org_id), start, limit, now).await
    }

    async fn write(&self, before: &Webhook, after: &Webhook, now: Timestamp) -> Result<bool, Error> {
        let is_disabled = |webhook: &Webhook| webhook.progress.state() == WebhookState::Disabled;
        let record = (is_disabled(after) && !is_disabled(before)).then(|| {
            AuditRecord::of_webhook(after.id, after.version, Vec::new(), Actor::Service, WebhookAction::Disable, now)
        });
        let write = WebhookWrite { before: Some(before), after: Some(after), record: record.as_ref(), answer: None };
        self.webhooks.write(write).await
    }

    async fn last_attempt(&self, id: WebhookId, number: u64, now: Timestamp) -> Result<Option<Attempt>, Error> {
        let (newest, _) = self.webhooks.deliveries(id, Some(number + 1), 1, now).await?;
        let last = newest.first().and_then(Delivery::latest);
        Ok(last.filter(|attempt| attempt.number == number).cloned())
    }

    async fn record_attempt(&self, id: WebhookId, attempt: &Attempt) -> Result<(), Error> {
        self.webhooks.record_attempt(id, attempt).await
    }
}
