//! Backend of the ledger: the store of the service itself.

use std::sync::Arc;

use aws_smithy_http_client::Builder;
use aws_smithy_types::timeout::TimeoutConfig;
use presence_bench::cost::measure_cost;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::Review;
use presence_domain::user::Role;
use presence_local::connectors::{ConnectorLayer as _, WavesConnector};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_store::meter::Meter;
use presence_store::{Business, Database, OrgPostings, Stores, bulk_body_item, schema};

use super::backend::Answer;
use super::delayed_client::delayed_client;
use super::search::Search;

/// Prefix of all table names.
pub(super) const PREFIX: &str = "presence-";

/// Ledger in an embedded `DynamoDB`.
pub(super) struct Ledger {
    /// Store for loading, without a delay.
    loading: Stores,
    /// Store for timed searches, with the delay of a call.
    searching: Stores,
    /// Store for counted searches.
    counting: Stores,
}

/// Write units of a new review with its changes in the log and in the trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteUnits {
    /// Units of a review that is written alone.
    pub(super) alone: f64,
    /// Units of a review in an import.
    pub(super) imported: f64,
}

impl Ledger {
    /// Creates the tables.
    pub(super) async fn start(dynamodb: &EmbeddedDynamo) -> anyhow::Result<Self> {
        let config = sdk_config(&dynamodb.endpoint_url());
        let loading = Stores::new(Database::new(&config, PREFIX));
        loading.database.create_tables().await?;
        // The emulator answers one call at a time: parallel calls queue for longer than the usual timeouts.
        let config = config.into_builder().timeout_config(TimeoutConfig::disabled()).build();
        let stores = |client| Stores::new(Database::new(&config.to_builder().http_client(client).build(), PREFIX));
        let (searching, counting) =
            (stores(delayed_client()), stores(WavesConnector.over(Builder::new().build_http())));
        Ok(Self { loading, searching, counting })
    }

    /// Loads the businesses.
    pub(super) async fn load_businesses(&self, businesses: &[Business]) -> anyhow::Result<()> {
        for business in businesses {
            self.loading.businesses.put(business).await?;
        }
        Ok(())
    }

    /// Loads reviews without trees. Returns the number of bytes.
    pub(super) fn load(&self, dynamodb: &EmbeddedDynamo, reviews: &[Review]) -> anyhow::Result<usize> {
        let bodies: Result<Vec<_>, _> = reviews.iter().map(bulk_body_item).collect();
        dynamodb.import(&self.loading.database.name(&schema::REVIEWS), bodies?)
    }

    /// Loads the trees of all reviews. Returns the number of bytes.
    pub(super) fn load_trees(&self, dynamodb: &EmbeddedDynamo, postings: OrgPostings) -> anyhow::Result<usize> {
        dynamodb.import_trees(&self.loading.database.name(&schema::REVIEWS), postings)
    }

    /// Searches as a user of the organisation.
    pub(super) async fn search(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        let filter = search.filter.for_store();
        let stopwatch = Stopwatch::start();
        let page = self.searching.reviews.search_reviews(scope(org_id), &filter, search.page).await?;
        let elapsed = stopwatch.elapsed();
        let ids = page.items.iter().map(|review| review.id.as_str().to_owned()).collect();
        let (counting, request) = (self.counting.reviews.clone(), search.page);
        // Counted in a search of its own: in virtual time nothing can be timed.
        let counted = async move { counting.search_reviews(scope(org_id), &filter, request).await };
        let (counted, cost) = measure_cost(counted).await;
        counted?;
        Ok(Answer { count: Some(page.count), ids, cost, elapsed })
    }

    /// Writes new reviews: the first `alone` of them one by one, the others in one import.
    pub(super) async fn measure_write_units(&self, reviews: &[Review], alone: usize) -> anyhow::Result<WriteUnits> {
        let (one_by_one, imported) = reviews.split_at(alone.min(reviews.len() / 2));
        let (single_meter, import_meter) = (Arc::new(Meter::default()), Arc::new(Meter::default()));
        for review in one_by_one {
            let write = self.loading.reviews.upsert_reviews(std::slice::from_ref(review));
            Arc::clone(&single_meter).watch(write).await?;
        }
        Arc::clone(&import_meter).watch(self.loading.reviews.upsert_reviews(imported)).await?;
        Ok(WriteUnits {
            alone: single_meter.cost().write_units / one_by_one.len() as f64,
            imported: import_meter.cost().write_units / imported.len() as f64,
        })
    }
}

fn scope(org_id: OrgId) -> Scope {
    Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope()
}
