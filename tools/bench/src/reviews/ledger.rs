//! The ledger: the store of the service itself.

use std::sync::Arc;

use anyhow::anyhow;
use presence::access::{Principal, Scope};
use presence::clock::Stopwatch;
use presence::domain::ids::{OrgId, UserId};
use presence::domain::review::Review;
use presence::domain::user::Role;
use presence::store::meter::Meter;
use presence::store::{Business, Posting, Store, items_of_reviews, schema};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;

use super::answer::Answer;
use super::delay::delayed;
use super::search::Search;

/// What all tables are called, with their own name behind it.
pub(super) const PREFIX: &str = "presence-";

/// The ledger in an embedded `DynamoDB`.
pub(super) struct Ledger {
    /// Without delay: for loading.
    loading: Store,
    /// As a function has it, with the delay of a call.
    searching: Store,
}

impl Ledger {
    /// Makes the tables.
    pub(super) async fn start(dynamodb: &EmbeddedDynamo) -> anyhow::Result<Self> {
        let config = sdk_config(&dynamodb.endpoint_url()).await;
        let loading = Store::new(&config, PREFIX);
        loading.create_tables().await?;
        let searching = Store::new(&config.into_builder().http_client(delayed()).build(), PREFIX);
        Ok(Self { loading, searching })
    }

    /// Loads the businesses.
    pub(super) async fn load_businesses(&self, businesses: &[Business]) -> anyhow::Result<()> {
        for business in businesses {
            self.loading.put_business(business).await?;
        }
        Ok(())
    }

    /// Loads all reviews of a month.
    pub(super) fn load(&self, dynamodb: &EmbeddedDynamo, month: &[Review]) -> anyhow::Result<()> {
        dynamodb.import(&self.loading.name(&schema::REVIEWS), items_of_reviews(month)?)
    }

    /// Searches as a user of the organisation does.
    pub(super) async fn search(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        let (scope, filter, meter) = (scope(org_id), search.filter.for_store(), Arc::new(Meter::default()));
        let stopwatch = Stopwatch::start();
        let found = Arc::clone(&meter).watch(self.searching.search_reviews(scope, &filter, search.page)).await?;
        let elapsed = stopwatch.elapsed();
        let ids = found.items.iter().map(|review| review.id.as_str().to_owned()).collect();
        Ok(Answer { count: found.count, max_page: found.max_page(), ids, cost: meter.cost(), elapsed })
    }

    /// Write units of a new review that is posted alone, in the mean over these.
    pub(super) async fn write_units(&self, reviews: &[Review]) -> anyhow::Result<f64> {
        let meter = Arc::new(Meter::default());
        for review in reviews {
            let posting = Posting { old: None, new: review.clone() };
            let posted = Arc::clone(&meter).watch(self.loading.post_reviews(&[posting])).await;
            posted.map_err(|refused| anyhow!("{refused:?}"))?;
        }
        Ok(meter.cost().write_units / reviews.len() as f64)
    }
}

fn scope(org_id: OrgId) -> Scope {
    Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope()
}
