//! Stores over one database for timed and for counted searches.

use aws_smithy_http_client::Builder;
use aws_smithy_types::timeout::TimeoutConfig;
use presence_bench::cost::measure_cost;
use presence_domain::access::Scope;
use presence_domain::page::PageRequest;
use presence_domain::review_stats::GroupBy;
use presence_local::connectors::{ConnectorLayer as _, WavesConnector};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_store::{Database, ReviewFilter, StatsError, Stores};

use super::backend::Answer;
use super::delayed_client::delayed_client;
use super::group_by::{StatsAnswer, groups_of};
use crate::cpu_clock;

/// Prefix of all table names.
pub(super) const PREFIX: &str = "presence-";

/// Store for timed searches, and one for counted searches. Both get the same searches.
pub(super) struct MeasuredStores {
    /// Store with the delay of a call.
    timed: Stores,
    counted: Stores,
}

impl MeasuredStores {
    /// Returns stores with empty caches and without connections.
    pub(super) fn new(dynamodb: &EmbeddedDynamo) -> Self {
        // The emulator answers one call at a time: parallel calls queue for longer than the usual timeouts.
        let config = sdk_config(&dynamodb.endpoint_url());
        let config = config.into_builder().timeout_config(TimeoutConfig::disabled()).build();
        let stores = |client| Stores::new(Database::new(&config.to_builder().http_client(client).build(), PREFIX));
        Self { timed: stores(delayed_client()), counted: stores(WavesConnector.over(Builder::new().build_http())) }
    }

    /// Returns stores with empty caches, over the same connections.
    pub(super) fn with_empty_caches(&self) -> Self {
        let empty = |stores: &Stores| Stores::new(stores.database.clone());
        Self { timed: empty(&self.timed), counted: empty(&self.counted) }
    }

    /// Searches in both stores. Time is that of the timed search.
    ///
    /// Processor time is that of the calling thread. It is the whole of the searching side, if the runtime has only this thread.
    pub(super) async fn search(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> anyhow::Result<Answer> {
        let (stopwatch, cpu_before) = (Stopwatch::start(), cpu_clock::thread_time());
        let found = self.timed.reviews.search_reviews(scope, filter, page).await?;
        let (elapsed, cpu) = (stopwatch.elapsed(), cpu_clock::thread_time().saturating_sub(cpu_before));
        let ids = found.items.iter().map(|review| review.id.as_str().to_owned()).collect();
        let (counting, filter) = (self.counted.reviews.clone(), filter.clone());
        // Counted in a search of its own: in virtual time nothing can be timed.
        let (counted, cost) = measure_cost(async move { counting.search_reviews(scope, &filter, page).await }).await;
        counted?;
        Ok(Answer { count: Some(found.count), ids, cost, elapsed, cpu })
    }

    /// Counts in both stores. Time is that of the timed one.
    pub(super) async fn statistics(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        group_by: Option<GroupBy>,
    ) -> anyhow::Result<StatsAnswer> {
        let stopwatch = Stopwatch::start();
        let stats = self.timed.reviews.review_stats(scope, filter, group_by).await.map_err(failed)?;
        let elapsed = stopwatch.elapsed();
        let (counting, filter) = (self.counted.reviews.clone(), filter.clone());
        let (counted, cost) = measure_cost(async move { counting.review_stats(scope, &filter, group_by).await }).await;
        counted.map_err(failed)?;
        Ok(StatsAnswer { groups: groups_of(&stats), cost, elapsed })
    }
}

fn failed(error: StatsError) -> anyhow::Error {
    match error {
        StatsError::TooManyGroups(error) => error.into(),
        StatsError::Failed(error) => error.into(),
    }
}
