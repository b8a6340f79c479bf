//! Connection to the tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_types::SdkConfig;
use presence_domain::error::Error;
use presence_runtime::aws::{ATTEMPT_TIMEOUT, Aws};
use presence_runtime::config::{Config, ConfigError};

use super::errors::failed;
use super::meter::MeterInterceptor;
use super::partition_pace::PartitionPace;
use super::retry::RetryPolicy;
use super::tables::Tables;
use crate::schema::{AUDIT, EVENTS, REVIEWS, TABLES, Table};

/// Connection to the tables of the service, over the real SDK client. Cheap to clone.
///
/// It reads and writes items; what they mean is known to the store of each resource.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) dynamo: DynamoDb,
    /// The same connection, or a simulation in its place.
    pub(crate) tables: Arc<dyn Tables>,
}

/// Tables in `DynamoDB`.
#[derive(Clone, Debug)]
pub(crate) struct DynamoDb {
    pub(crate) client: aws_sdk_dynamodb::Client,
    pub(super) prefix: Arc<str>,
    /// Full name of the audit trail's table, if it does not begin with the prefix.
    pub(super) audit_table: Option<Arc<str>>,
    /// Full name of the table of reviews, if it is not the prefix and `reviews`.
    pub(super) reviews_table: Option<Arc<str>>,
    /// Full name of the table of events, if it does not begin with the prefix.
    pub(super) events_table: Option<Arc<str>>,
    pub(super) retry_policy: RetryPolicy,
    /// Pace of folds, if partitions have limits.
    pub(super) partition_pace: Option<Arc<PartitionPace>>,
}

impl From<DynamoDb> for Database {
    fn from(dynamo: DynamoDb) -> Self {
        Self { tables: Arc::new(dynamo.clone()), dynamo }
    }
}

/// Number of clients that this process has made.
static CLIENTS: AtomicU64 = AtomicU64::new(0);

impl Database {
    /// Connects to the tables whose names start with the prefix, in a DynamoDB without limits of partitions. Makes no call.
    pub fn new(config: &SdkConfig, table_prefix: &str) -> Self {
        // The SDK counts retries by partition, which is the process by default: a broken client would use up those of a
        // healthy one.
        let number = CLIENTS.fetch_add(1, Ordering::Relaxed);
        let retries = RetryPartition::new(format!("store-{number}"));
        let config = aws_sdk_dynamodb::config::Builder::from(config).retry_partition(retries);
        let dynamo = DynamoDb {
            client: aws_sdk_dynamodb::Client::from_conf(config.interceptor(MeterInterceptor).build()),
            prefix: table_prefix.into(),
            audit_table: None,
            reviews_table: None,
            events_table: None,
            retry_policy: RetryPolicy::default(),
            partition_pace: None,
        };
        dynamo.into()
    }

    /// Returns the connection to simulated tables. Calls that are not simulated fail.
    #[cfg(test)]
    pub(crate) fn simulated(tables: Arc<dyn Tables>) -> Self {
        use aws_sdk_dynamodb::config::{BehaviorVersion, Builder};
        static NOWHERE: std::sync::LazyLock<Database> = std::sync::LazyLock::new(|| {
            let client =
                aws_sdk_dynamodb::Client::from_conf(Builder::new().behavior_version(BehaviorVersion::latest()).build());
            let (prefix, retry_policy) = ("simulated-".into(), RetryPolicy::default());
            let (audit_table, reviews_table, events_table, partition_pace) = (None, None, None, None);
            DynamoDb { client, prefix, audit_table, reviews_table, events_table, retry_policy, partition_pace }.into()
        });
        Self { tables, ..NOWHERE.clone() }
    }

    /// Connects to the tables that the environment names. Makes no call.
    ///
    /// # Errors
    /// Occurs when a setting of AWS is missing or makes no sense.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self::of(&Aws::from_env()?.dynamodb(), &Config::from_env()))
    }

    /// Connects to the tables that the settings name, in a DynamoDB whose partitions have limits. Makes no call.
    pub fn of(config: &SdkConfig, settings: &Config) -> Self {
        let Config { table_prefix, audit_table, reviews_table, events_table } = settings;
        let database = Self::new(config, table_prefix).with_audit_table(audit_table.as_deref());
        let database = database.with_reviews_table(reviews_table.as_deref());
        database.with_events_table(events_table.as_deref()).with_partition_pace()
    }

    /// Returns the connection with folds that stay within the rate of a partition. AWS has this limit, and the local stack under
    /// `--aws-limits`.
    #[must_use]
    pub fn with_partition_pace(self) -> Self {
        DynamoDb { partition_pace: Some(Arc::default()), ..self.dynamo }.into()
    }

    /// Returns the connection with folds that write as fast as they can.
    #[must_use]
    pub fn without_partition_pace(self) -> Self {
        DynamoDb { partition_pace: None, ..self.dynamo }.into()
    }

    /// Returns the connection with this table for the audit trail; `None` leaves the one that begins with the prefix.
    #[must_use]
    pub fn with_audit_table(self, full_name: Option<&str>) -> Self {
        DynamoDb { audit_table: full_name.map(Into::into), ..self.dynamo }.into()
    }

    /// Returns the connection with this table for the reviews; `None` leaves the one that begins with the prefix.
    #[must_use]
    pub fn with_reviews_table(self, full_name: Option<&str>) -> Self {
        DynamoDb { reviews_table: full_name.map(Into::into), ..self.dynamo }.into()
    }

    /// Returns the connection with this table for the events; `None` leaves the one that begins with the prefix.
    #[must_use]
    pub fn with_events_table(self, full_name: Option<&str>) -> Self {
        DynamoDb { events_table: full_name.map(Into::into), ..self.dynamo }.into()
    }

    /// Returns a connection to tables with another prefix, which were restored from these. Audit trail and events stay the same. All other
    /// names begin with the prefix.
    #[must_use]
    pub fn with_prefix(&self, prefix: &str) -> Self {
        let audit_table = Some(self.name(&AUDIT).into());
        let events_table = Some(self.name(&EVENTS).into());
        DynamoDb { prefix: prefix.into(), audit_table, events_table, reviews_table: None, ..self.dynamo.clone() }.into()
    }

    /// Opens the connection to DynamoDB by a read of an item that does not exist, for half a unit. A failure is logged and
    /// ignored: the first request meets it again.
    ///
    /// A function calls this while it starts, when its CPU is not throttled and no request waits.
    pub async fn connect(&self, table: &Table) {
        let attributes = [Some(table.key.partition), table.key.sort].into_iter().flatten().map(|(name, _)| name);
        let missing_key = attributes.map(|name| (name.to_owned(), AttributeValue::S("-".to_owned()))).collect();
        let get = self.dynamo.client.get_item().table_name(self.name(table)).set_key(Some(missing_key));
        if !matches!(tokio::time::timeout(ATTEMPT_TIMEOUT, get.send()).await, Ok(Ok(_))) {
            tracing::warn!("DynamoDB did not answer while the function started");
        }
    }

    /// Creates the tables that are missing, and turns their time to live on. Leaves tables that exist as they are. Returns the full
    /// names of those created.
    pub async fn create_tables(&self) -> Result<Vec<String>, Error> {
        let mut created = Vec::new();
        for table in &TABLES {
            let name = self.name(table);
            match table.create(&self.dynamo.client, &name).send().await {
                Ok(_) => {
                    self.expire_items(table).await?;
                    created.push(name);
                }
                Err(error) if error.as_service_error().is_some_and(CreateTableError::is_resource_in_use_exception) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(created)
    }

    /// Turns the time to live of a table on. A refusal is logged and ignored: expired items only stay longer.
    async fn expire_items(&self, table: &Table) -> Result<(), Error> {
        let name = self.name(table);
        let Some(expire) = table.expire(&self.dynamo.client, &name) else { return Ok(()) };
        match expire.send().await.map_err(failed) {
            Ok(_) => Ok(()),
            // DynamoDB refuses while the table is being made; some endpoints do not know the call.
            Err(Error::Internal(error)) => {
                tracing::debug!(table = name, %error, "the time to live was not set");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the full names of all tables.
    pub fn table_names(&self) -> Vec<String> {
        TABLES.iter().map(|table| self.name(table)).collect()
    }

    /// Returns the prefix of the names of all tables.
    pub fn prefix(&self) -> &str {
        &self.dynamo.prefix
    }

    /// Returns the full name of a table, with the prefix. The audit trail of restored tables has the prefix of those before. A table
    /// of reviews that was made from a build has a name of its own.
    pub fn name(&self, table: &Table) -> String {
        self.dynamo.name(table)
    }
}

impl DynamoDb {
    /// Returns the full name of a table.
    pub(crate) fn name(&self, table: &Table) -> String {
        let own_name = match table.name {
            name if name == AUDIT.name => &self.audit_table,
            name if name == REVIEWS.name => &self.reviews_table,
            name if name == EVENTS.name => &self.events_table,
            _ => &None,
        };
        own_name.as_ref().map_or_else(|| format!("{}{}", self.prefix, table.name), ToString::to_string)
    }
}
