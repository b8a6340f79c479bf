//! DynamoDB: every table, key, read and write of the service.

mod api_keys;
mod audit;
mod audit_trail;
mod businesses;
mod categories;
mod client;
mod feed;
mod format;
mod idempotency;
mod ingest;
pub mod keys;
mod outbox;
pub mod restore;
mod reviews;
pub mod schema;
#[cfg(test)]
mod simulation;
pub mod streamed_change;
mod table_state;
mod users;
mod webhooks;

pub use api_keys::{ApiKeyRecord, ApiKeyStore, LeaseOutcome, RateLimitStore};
pub use audit::{Finding, UsersAudit};
pub use audit_trail::{AuditPages, AuditSource, AuditStore};
pub use businesses::{Business, BusinessLocation, BusinessStore, ListPage, Org, PutOutcome};
pub use categories::{CategoryHead, CategoryImport, CategoryStore};
pub use client::database::Database;
pub use client::list_position::ListPosition;
pub use client::meter;
pub use client::retry::{RetryPolicy, with_deadline, with_retries_for};
pub use client::write_rate::WriteRate;
pub use feed::{FeedStore, SourceRecord};
pub use idempotency::AnswerStore;
pub use ingest::{IngestStore, Registration, Segment, SplitProgress};
pub use outbox::item::UnreadableMessage;
pub use outbox::quiet_windows::MailboxClaim;
pub use outbox::{OutboxPage, OutboxStore, PageStart};
pub use presence_ledger::{FoldLimits, FoldReport};
pub use reviews::audit::{AuditProgress, AuditRun, AuditSettings, RebuildPlan, RebuildReport, ReviewsAudit};
pub use reviews::body_item::{exported_acts, review_from_item, with_exported_acts};
pub use reviews::export::{LogMark, ReviewPosition, ReviewVersion, ReviewWindow};
pub use reviews::search::{ReviewFilter, StatsError};
pub use reviews::trees::{
    LeftoverFolds, bulk_body_item, bulk_directory_items, bulk_org_items, bulk_review_items, bulk_tree_items,
};
pub use reviews::upsert::{OnStored, REVIEW_ID_SALTS, UpsertOutcome};
pub use reviews::write::{ReviewWrite, WriteReviewsError};
pub use reviews::{ReviewDecision, ReviewStore};
pub use table_state::{IndexState, TableState};
pub use users::{
    ApiKeyError, BusinessIds, ClaimError, Decision, EmailSearch, FoundUser, IssuedKey, KeyChange, NewApiKey,
    ReplacedKey, UpdateOutcome, UserDetails, UserRecord, UserStore, UserWriteError, retry_stale,
};
pub use webhooks::{WebhookDecision, WebhookStore, WebhookWrite};

/// Every store over one connection, for the operator's tool, the local stack and tests. A function is built from the stores
/// that it uses, so that it can name no other.
#[derive(Clone, Debug)]
pub struct Stores {
    /// Connection, to create tables and to look at all items.
    pub database: Database,
    /// Users, their directories and the audit of both.
    pub users: UserStore,
    /// Keys.
    pub api_keys: ApiKeyStore,
    /// Answers that are kept under idempotency keys.
    pub answers: AnswerStore,
    /// Audit trail.
    pub audit_trail: AuditStore,
    /// Mails to be sent.
    pub outbox: OutboxStore,
    /// Directory of categories.
    pub categories: CategoryStore,
    /// Organisations and businesses.
    pub businesses: BusinessStore,
    /// Reviews and their ledger.
    pub reviews: ReviewStore,
    /// Feeds of events.
    pub feed: FeedStore,
    /// Webhooks.
    pub webhooks: WebhookStore,
}

impl Stores {
    /// Builds every store, each with an empty cache. Makes no call.
    pub fn new(database: Database) -> Self {
        Self {
            users: UserStore::new(&database),
            api_keys: ApiKeyStore::new(&database),
            answers: AnswerStore::new(&database),
            audit_trail: AuditStore::new(&database),
            outbox: OutboxStore::new(&database),
            categories: CategoryStore::new(&database),
            businesses: BusinessStore::new(&database),
            reviews: ReviewStore::new(&database),
            feed: FeedStore::new(&database),
            webhooks: WebhookStore::new(&database),
            database,
        }
    }
}
