//! DynamoDB: every table, key, read and write of the service.

mod api_keys;
mod audit;
mod businesses;
mod categories;
mod changes;
mod client;
mod directories;
mod format;
pub mod keys;
mod mailboxes;
mod migrate;
mod outbox;
mod reviews;
mod rosters;
pub mod schema;
mod users;

use std::sync::Arc;

use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_types::SdkConfig;

pub use api_keys::{ApiKeyRecord, IssuedKey, KeyRefused, MAX_LIVE_KEYS, NewApiKey};
pub use audit::{Finding, UsersAudit};
pub use businesses::{Business, BusinessLocation, Known, Org, PutOutcome};
pub use categories::{CategoryHead, CategoryImport};
pub use client::meter;
pub use client::pace::Pace;
pub use client::retry::{Patience, within};
pub use mailboxes::MailboxClaim;
pub use migrate::Migrated;
pub use outbox::{MailState, OutboxRow, PageStart, UnreadableRow, WaitingMails};
pub use reviews::ledger::{
    AuditRun, AuditSettings, PostingItemFullError, RebuildReport, ReviewQuery, ReviewWrite, ReviewsAudit,
    UpsertOutcome, WriteReviewsError, bulk_review_items,
};
pub use reviews::search::ReviewFilter;
pub use users::{BusinessIds, ClaimRefused, EmailSearch, FoundUser, MailChange, Refused, UserChange, UserRecord};

use categories::CategoryCache;
use client::errors;
use directories::Directories;
use presence_domain::error::Error;
use presence_domain::ids::random_u64;
use presence_runtime::aws::ATTEMPT_TIMEOUT;
use reviews::search::ListedOrgs;
use schema::{TABLES, Table};

/// The tables of the service, over the real SDK client. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    client: aws_sdk_dynamodb::Client,
    prefix: Arc<str>,
    directories: Arc<Directories>,
    categories: Arc<CategoryCache>,
    listed_orgs: Arc<ListedOrgs>,
    patience: Patience,
}

impl Store {
    /// The tables whose names start with the prefix. Makes no call.
    #[must_use]
    pub fn new(config: &SdkConfig, table_prefix: &str) -> Self {
        // The SDK bounds the retries of a process, not of a client: what breaks for one store must not cost another its own.
        let retries = RetryPartition::new(format!("store-{:016x}", random_u64()));
        let config = aws_sdk_dynamodb::config::Builder::from(config).retry_partition(retries);
        Self {
            client: aws_sdk_dynamodb::Client::from_conf(config.interceptor(client::meter::MeterInterceptor).build()),
            prefix: table_prefix.into(),
            directories: Arc::default(),
            categories: Arc::default(),
            listed_orgs: Arc::default(),
            patience: Patience::default(),
        }
    }

    /// Opens the connection to DynamoDB, by a read of an item that does not exist: half a unit. While a function starts its CPU
    /// is not throttled, and nobody waits. Whatever comes of it, the function goes on: its first request finds out.
    pub async fn connect(&self, table: &Table) {
        let names = [Some(table.key.partition), table.key.sort].into_iter().flatten().map(|(name, _)| name);
        let nobodys = names.map(|name| (name.to_owned(), AttributeValue::S("-".to_owned()))).collect();
        let get = self.client.get_item().table_name(self.name(table)).set_key(Some(nobodys));
        if !matches!(tokio::time::timeout(ATTEMPT_TIMEOUT, get.send()).await, Ok(Ok(_))) {
            tracing::warn!("DynamoDB did not answer while the function started");
        }
    }

    /// Creates the tables that are missing. Returns the full names of those created.
    pub async fn create_tables(&self) -> Result<Vec<String>, Error> {
        let mut created = Vec::new();
        for table in &TABLES {
            let name = self.name(table);
            match table.create(&self.client, &name).send().await {
                Ok(_) => created.push(name),
                Err(error)
                    if error.as_service_error().is_some_and(
                        aws_sdk_dynamodb::operation::create_table::CreateTableError::is_resource_in_use_exception,
                    ) => {}
                Err(error) => return Err(errors::failed(error)),
            }
            self.expire_items(table).await?;
        }
        Ok(created)
    }

    /// Has `DynamoDB` remove the items of the table that have ended. A refusal changes nothing that is read: the items only
    /// stay. `DynamoDB` refuses where this is set already, where the table is still being made, and some endpoints know no
    /// such operation.
    async fn expire_items(&self, table: &Table) -> Result<(), Error> {
        let name = self.name(table);
        let Some(expire) = table.expire(&self.client, &name) else { return Ok(()) };
        match expire.send().await.map_err(errors::failed) {
            Ok(_) => Ok(()),
            Err(Error::Internal(error)) => {
                tracing::debug!(table = name, %error, "the time to live was not set");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The full names of all tables.
    #[must_use]
    pub fn table_names(&self) -> Vec<String> {
        TABLES.iter().map(|table| self.name(table)).collect()
    }

    /// The name of a table, with the prefix.
    #[must_use]
    pub fn name(&self, table: &Table) -> String {
        format!("{}{}", self.prefix, table.name)
    }
}
