//! The ledger: the store of the service itself.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::timeout::TimeoutConfig;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::Review;
use presence_domain::user::Role;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_store::meter::Meter;
use presence_store::{Business, Database, Stores, bulk_review_items, schema};

use super::backend::Answer;
use super::delayed_client::delayed_client;
use super::search::Search;

/// What all tables are called, with their own name behind it.
pub(super) const PREFIX: &str = "presence-";

/// The ledger in an embedded `DynamoDB`.
pub(super) struct Ledger {
    /// Without delay: for loading.
    loading: Stores,
    /// As a function has it, with the delay of a call.
    searching: Stores,
}

impl Ledger {
    /// Makes the tables.
    pub(super) async fn start(dynamodb: &EmbeddedDynamo) -> anyhow::Result<Self> {
        let config = sdk_config(&dynamodb.endpoint_url());
        let loading = Stores::new(Database::new(&config, PREFIX));
        loading.database.create_tables().await?;
        // Calls side by side wait for each other in the emulator, which answers one at a time.
        let config =
            config.into_builder().http_client(delayed_client()).timeout_config(TimeoutConfig::disabled()).build();
        let searching = Stores::new(Database::new(&config, PREFIX));
        Ok(Self { loading, searching })
    }

    /// Loads the businesses.
    pub(super) async fn load_businesses(&self, businesses: &[Business]) -> anyhow::Result<()> {
        for business in businesses {
            self.loading.businesses.put(business).await?;
        }
        Ok(())
    }

    /// Loads all reviews of a month. Returns the bytes of the reviews, and of the tallies and slips.
    pub(super) fn load(&self, dynamodb: &EmbeddedDynamo, month: &[Review]) -> anyhow::Result<(usize, usize)> {
        let table = self.loading.database.name(&schema::REVIEWS);
        let is_review = |item: &HashMap<String, AttributeValue>| item.contains_key("version");
        let (reviews, others) = bulk_review_items(month)?.into_iter().partition(is_review);
        Ok((dynamodb.import(&table, reviews)?, dynamodb.import(&table, others)?))
    }

    /// Searches as a user of the organisation does.
    pub(super) async fn search(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        let (scope, filter, meter) = (scope(org_id), search.filter.for_store(), Arc::new(Meter::default()));
        let stopwatch = Stopwatch::start();
        let found =
            Arc::clone(&meter).watch(self.searching.reviews.search_reviews(scope, &filter, search.page)).await?;
        let elapsed = stopwatch.elapsed();
        let ids = found.items.iter().map(|review| review.id.as_str().to_owned()).collect();
        Ok(Answer { count: Some(found.count), ids, cost: meter.cost(), elapsed })
    }

    /// Write units of a new review of this month: posted alone, and as one of an import. The first so many are posted alone,
    /// the rest is imported.
    pub(super) async fn write_units(&self, month: &[Review], alone: usize) -> anyhow::Result<(f64, f64)> {
        let (one_by_one, imported) = month.split_at(alone.min(month.len() / 2));
        let (single, import) = (Arc::new(Meter::default()), Arc::new(Meter::default()));
        for review in one_by_one {
            Arc::clone(&single).watch(self.loading.reviews.upsert_reviews(std::slice::from_ref(review))).await?;
        }
        Arc::clone(&import).watch(self.loading.reviews.upsert_reviews(imported)).await?;
        let each = |meter: &Meter, reviews: &[Review]| meter.cost().write_units / reviews.len() as f64;
        Ok((each(&single, one_by_one), each(&import, imported)))
    }
}

fn scope(org_id: OrgId) -> Scope {
    Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope()
}
