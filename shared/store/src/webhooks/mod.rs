//! Webhooks: ten slots of each organisation, in the table of events, and the log of their attempts.

mod attempts;
mod item;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::{Item, Partition, pk_sk, text};
use crate::client::tables::{Condition, ItemWrite};
use crate::client::transaction::{Transaction, TransactionError};
use crate::idempotency::AnswerStore;
use crate::keys::{ORGS_WITH_WEBHOOKS_PK, org_key, parse_org_key, webhooks_pk};
use crate::outbox::notice;
use crate::schema::EVENTS;
use crate::{Database, audit_trail, idempotency};
use presence_domain::audit::{Actor, AuditAction, AuditRecord, WebhookAction};
use presence_domain::error::Error;
use presence_domain::idempotency::KeptAnswer;
use presence_domain::ids::OrgId;
use presence_domain::webhook::{MAX_WEBHOOKS, Webhook, WebhookId};

/// Items in one page of a query.
const PAGE: i32 = 1_000;
/// Largest number of pages: a hundred thousand organisations.
const MAX_PAGES: usize = 100;

/// Webhooks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WebhookStore {
    db: Database,
    answers: AnswerStore,
}

/// Write of a webhook with its companions.
#[derive(Debug)]
pub struct WebhookWrite<'a> {
    /// Webhook as it was read; `None` for a new one.
    pub before: Option<&'a Webhook>,
    /// Webhook after the change; `None` for one that is deleted.
    pub after: Option<&'a Webhook>,
    /// Record of the change.
    pub record: Option<&'a AuditRecord>,
    /// Answer that is kept under the idempotency key of the request.
    pub answer: Option<&'a KeptAnswer>,
}

/// Decision on a webhook as it was read.
#[derive(Debug)]
pub struct WebhookDecision<A> {
    /// Webhook after the change (`None` for one that is deleted), and the record of it; `None` if nothing changes.
    pub change: Option<(Option<Webhook>, AuditRecord)>,
    /// Answer of the request.
    pub answer: A,
}

/// Item of the transaction, for the meaning of its failed condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    Webhook,
    Other,
    Answer,
}

impl WebhookStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone(), answers: AnswerStore::new(database) }
    }

    /// Returns a webhook, by a strong read.
    pub async fn get(&self, id: WebhookId) -> Result<Option<Webhook>, Error> {
        let item = self.db.get(&EVENTS, item::key(id)).await?;
        // The slot may have another webhook by now.
        Ok(item.map(item::read).transpose()?.filter(|webhook| webhook.id == id))
    }

    /// Returns the webhooks of an organisation, oldest first, by a strong read.
    pub async fn list(&self, org_id: OrgId) -> Result<Vec<Webhook>, Error> {
        let mut webhooks: Vec<Webhook> = self.list_each(org_id).await?.into_iter().collect::<Result<_, _>>()?;
        webhooks.sort_by_key(|webhook| (webhook.created_at, webhook.id));
        Ok(webhooks)
    }

    /// Returns the webhooks of an organisation by a strong read, with an error for each that cannot be read.
    pub async fn list_each(&self, org_id: OrgId) -> Result<Vec<Result<Webhook, Error>>, Error> {
        let items = self.db.query(partition(webhooks_pk(org_id))).await?;
        Ok(items.into_iter().map(item::read).collect())
    }

    /// Returns the organisations that have, or had, webhooks.
    pub async fn orgs(&self) -> Result<Vec<OrgId>, Error> {
        let items = self.db.query(partition(ORGS_WITH_WEBHOOKS_PK.to_owned())).await?;
        let org = |item: &Item| parse_org_key(item.get("sk")?.as_s().ok()?).flatten();
        Ok(items.iter().filter_map(org).collect())
    }

    /// Creates a webhook in a free slot, as `make` says, and returns the answer. `kept` returns the part of it that is kept.
    ///
    /// - [`Error::Invalid`] if the organisation has [`MAX_WEBHOOKS`] already.
    /// - [`Error::InProgress`] if an answer is kept already.
    pub async fn create<A>(
        &self,
        org_id: OrgId,
        make: impl Fn(WebhookId) -> (Webhook, AuditRecord, A),
        kept: fn(&A) -> Option<&KeptAnswer>,
    ) -> Result<A, Error> {
        let mut retries = self.db.retries();
        loop {
            let taken: Vec<u8> = self.list(org_id).await?.iter().map(|webhook| webhook.id.slot()).collect();
            let free = (0..MAX_WEBHOOKS).find(|slot| !taken.contains(slot));
            let slot = free.ok_or_else(|| {
                Error::invalid(format!(
                    "the organisation has {MAX_WEBHOOKS} webhooks, and may have no more: delete one first"
                ))
            })?;
            let (webhook, record, answer) = make(WebhookId::random(org_id, slot));
            let write =
                WebhookWrite { before: None, after: Some(&webhook), record: Some(&record), answer: kept(&answer) };
            if self.write(write).await? {
                return Ok(answer);
            }
            if !retries.pause().await {
                return Err(Error::Conflict);
            }
        }
    }

    /// Changes a webhook as `decide` says, and returns the answer. `kept` returns the part of it that is kept, with the change or alone.
    ///
    /// - [`Error::NotFound`] if there is none.
    /// - [`Error::Conflict`] if others changed it as long as there was time.
    /// - [`Error::InProgress`] if an answer is kept already.
    pub async fn update<A>(
        &self,
        id: WebhookId,
        decide: impl Fn(&Webhook) -> Result<WebhookDecision<A>, Error>,
        kept: fn(&A) -> Option<&KeptAnswer>,
    ) -> Result<A, Error> {
        let mut retries = self.db.retries();
        loop {
            let before = self.get(id).await?.ok_or(Error::NotFound)?;
            let WebhookDecision { change, answer } = decide(&before)?;
            let Some((after, record)) = change else {
                if let Some(kept) = kept(&answer) {
                    self.answers.put(kept).await?;
                }
                return Ok(answer);
            };
            let (before, after) = (Some(&before), after.as_ref());
            if self.write(WebhookWrite { before, after, record: Some(&record), answer: kept(&answer) }).await? {
                return Ok(answer);
            }
            if !retries.pause().await {
                return Err(Error::Conflict);
            }
        }
    }

    /// Keeps the answer of a request that changes nothing. [`Error::InProgress`] if one is kept already.
    pub async fn keep_answer(&self, answer: Option<&KeptAnswer>) -> Result<(), Error> {
        match answer {
            Some(answer) => self.answers.put(answer).await,
            None => Ok(()),
        }
    }

    /// Writes a webhook, if it is stored as it was read. False if another writer came first, or if the reply to a write alone was lost.
    /// A new one is written with the entry of its organisation, by which [`WebhookStore::orgs`] finds it. The administrators are told of one
    /// that the service disables.
    ///
    /// [`Error::InProgress`] if an answer is kept already.
    pub async fn write(&self, write: WebhookWrite<'_>) -> Result<bool, Error> {
        let WebhookWrite { before, after, record, answer } = write;
        let conditions = match before {
            None => vec![Condition::NotThere],
            Some(before) => {
                vec![Condition::TextIs("id", before.id.to_string()), Condition::NumberIs("version", before.version)]
            }
        };
        let webhook = match (before, after) {
            (_, Some(after)) => ItemWrite::put(&EVENTS, item::to_item(after)?, conditions),
            (Some(before), None) => ItemWrite::delete(&EVENTS, item::key(before.id), conditions),
            (None, None) => return Ok(true),
        };
        if before.is_some() && record.is_none() && answer.is_none() {
            return self.db.write(webhook).await;
        }
        let mut transaction = Transaction::new();
        transaction.write(Guard::Webhook, webhook);
        if let (None, Some(after)) = (before, after) {
            let org = pk_sk(ORGS_WITH_WEBHOOKS_PK, org_key(Some(after.id.org_id())));
            transaction.write(Guard::Other, ItemWrite::put(&EVENTS, org, []));
        }
        if let Some(record) = record {
            transaction.write(Guard::Other, audit_trail::put(&self.db, record)?);
            // An operator who disables a webhook tells its organisation in person.
            let is_by_service =
                record.actor == Actor::Service && record.action == AuditAction::Webhook(WebhookAction::Disable);
            if let Some(after) = after.filter(|_| is_by_service) {
                transaction.write(Guard::Other, notice::put(after, record.at)?);
            }
        }
        if let Some(answer) = answer {
            transaction.put(Guard::Answer, idempotency::put(&self.db, answer)?);
        }
        match transaction.commit(&self.db).await {
            Ok(()) => Ok(true),
            Err(TransactionError::ConditionsFailed(guards)) if guards.contains(&Guard::Answer) => {
                Err(Error::InProgress)
            }
            Err(TransactionError::ConditionsFailed(_)) => Ok(false),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }
}

fn partition(pk: String) -> Partition<'static> {
    let value: AttributeValue = text(pk);
    Partition { table: &EVENTS, index: None, value, between: None, page: PAGE, max_pages: MAX_PAGES }
}
