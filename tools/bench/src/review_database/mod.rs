//! Embedded `DynamoDB` with the reviews of a [`Distribution`], for counts at sizes whose reviews would take hours to load.
//!
//! The trees are stored as `ops reviews build` makes them. A review is stored when a call first reads it: of ten million, the
//! counted searches read some thousands. The database counts calls and units, as for any other table.

mod arrivals;
mod budgets;
mod full_day;
mod packed_reviews;
mod partition_limits;
mod searches;
mod stats;
mod stored_reviews;
mod write_units;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence_ledger::OrgPostings;
use presence_local::connectors::{ConnectorLayer, WavesConnector};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::aws::http_client;
use presence_store::{Database, Stores, schema};

use crate::distribution::Distribution;
pub(crate) use arrivals::{Arrivals, ArrivalsOutcome, play_arrivals};
pub(crate) use budgets::check_budgets;
pub(crate) use full_day::{FullDay, fill_day};
use packed_reviews::PackedReviews;
pub(crate) use partition_limits::PartitionLoad;
pub(crate) use stats::count_stats;
use stored_reviews::StoredReviews;
pub(crate) use write_units::{WriteCase, count_write_units, fill_log};

const PREFIX: &str = "presence-";
/// Timeout of a call. A busy machine may take seconds for one.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);

/// Database of the reviews of a distribution. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct ReviewDatabase {
    endpoint_url: String,
    reviews: Arc<StoredReviews>,
}

impl ReviewDatabase {
    /// Starts a database in a temporary file with the trees of the reviews and their businesses. Each review takes some 200 bytes of
    /// memory meanwhile, and 28 afterwards.
    pub(crate) async fn start(distribution: Distribution) -> anyhow::Result<Self> {
        u32::try_from(distribution.total).context("the number of reviews must fit into 32 bits")?;
        let folder = tempfile::tempdir()?;
        // In a file: in memory the database becomes slow with many items.
        let dynamodb = EmbeddedDynamo::start(0, Some(folder.path()))?;
        dynamodb.enable_bulk_loading()?;
        let endpoint_url = dynamodb.endpoint_url();
        let stores = Stores::new(Database::new(&sdk_config(&endpoint_url), PREFIX));
        stores.database.create_tables().await?;
        for business in distribution.businesses() {
            stores.businesses.put(&business).await?;
        }
        let table = stores.database.name(&schema::REVIEWS);
        let mut postings = OrgPostings::new(distribution.org().id);
        distribution.months().flatten().for_each(|review| postings.add(&review));
        dynamodb.import_trees(&table, postings)?;
        let reviews = StoredReviews::new(PackedReviews::new(distribution), dynamodb, folder, table);
        Ok(Self { endpoint_url, reviews: Arc::new(reviews) })
    }

    /// Returns the distribution of the reviews.
    pub(crate) fn distribution(&self) -> &Distribution {
        self.reviews.distribution()
    }

    /// Returns stores with empty caches, for searches whose waves are counted.
    pub(crate) fn stores(&self) -> Stores {
        Stores::new(self.database_over(&WavesConnector))
    }

    /// Returns stores with empty caches, for work in real time.
    pub(crate) fn stores_without_waves(&self) -> Stores {
        Stores::new(self.database_with(self.http_client()))
    }

    /// Returns a connection with a layer in front of the database.
    fn database_over(&self, layer: &impl ConnectorLayer) -> Database {
        self.database_with(layer.over(self.http_client()))
    }

    fn database_with(&self, client: SharedHttpClient) -> Database {
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(PATIENCE).operation_timeout(PATIENCE).build();
        let config = sdk_config(&self.endpoint_url).into_builder().http_client(client).timeout_config(timeouts);
        Database::new(&config.build(), PREFIX)
    }

    /// Returns a client that stores each review before it is read.
    fn http_client(&self) -> SharedHttpClient {
        self.reviews.layer().over(http_client())
    }
}
