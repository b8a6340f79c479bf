//! Layer that stores generated reviews in the database before a call reads them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::ensure;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use presence_local::connectors::{Answer, ConnectorLayer, Next};
use presence_local::embedded::EmbeddedDynamo;
use presence_store::{bulk_body_item, schema};
use serde_json::Value;
use tempfile::TempDir;

use super::packed_reviews::PackedReviews;
use crate::distribution::Distribution;

/// Generated reviews, and which of them are stored.
#[derive(Debug)]
pub(super) struct StoredReviews {
    reviews: PackedReviews,
    /// Positions of the reviews that are stored.
    stored: Mutex<HashSet<usize>>,
    table: String,
    // Dropped in this order: the database before its file.
    dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// Layer over [`StoredReviews`].
#[derive(Clone)]
pub(super) struct StoringLayer(Arc<StoredReviews>);

impl StoredReviews {
    pub(super) fn new(reviews: PackedReviews, dynamodb: EmbeddedDynamo, folder: TempDir, table: String) -> Self {
        Self { reviews, stored: Mutex::default(), table, dynamodb, _folder: folder }
    }

    pub(super) fn distribution(&self) -> &Distribution {
        self.reviews.distribution()
    }

    pub(super) fn layer(self: &Arc<Self>) -> StoringLayer {
        StoringLayer(Arc::clone(self))
    }

    /// Stores the reviews that a call reads, unless they are stored already.
    fn store_for(&self, request: &HttpRequest) -> anyhow::Result<()> {
        let operation = request.headers().get("x-amz-target").and_then(|target| target.rsplit('.').next());
        let body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default())?;
        let positions = match operation {
            Some("GetItem") => self.position_of(&body["Key"]).into_iter().collect(),
            Some("BatchGetItem") => {
                let tables = body["RequestItems"].as_object().into_iter().flatten();
                let keys = tables.flat_map(|(_, table)| table["Keys"].as_array().into_iter().flatten());
                keys.filter_map(|key| self.position_of(key)).collect()
            }
            Some("Query") if body["IndexName"] == schema::LISTING_INDEX.name => self.positions_of_query(&body)?,
            _ => Vec::new(),
        };
        self.store(positions)
    }

    fn store(&self, positions: Vec<usize>) -> anyhow::Result<()> {
        // Held during the import: a call that reads the same review waits for it.
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = positions.into_iter().filter(|position| stored.insert(*position));
        let items: Result<Vec<_>, _> =
            missing.map(|position| bulk_body_item(&self.reviews.generate(position))).collect();
        let items = items?;
        if !items.is_empty() {
            self.dynamodb.import(&self.table, items)?;
        }
        Ok(())
    }

    fn position_of(&self, key: &Value) -> Option<usize> {
        self.reviews.position(key["pk"]["S"].as_str()?.strip_prefix("R#")?)
    }

    /// Returns the positions of the first reviews of a Query of `listing-index`, as many as it reads at most.
    fn positions_of_query(&self, body: &Value) -> anyhow::Result<Vec<usize>> {
        ensure!(body["ExclusiveStartKey"].is_null(), "no search reads a second page of the index");
        let value = |name: &str| body["ExpressionAttributeValues"][name]["S"].as_str();
        let positions = match (value(":from"), value(":to")) {
            (Some(from), Some(to)) => self.reviews.positions(from, to),
            _ => self.reviews.all_positions(),
        };
        let limit = usize::try_from(body["Limit"].as_u64().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let is_forward = body["ScanIndexForward"].as_bool().unwrap_or(true);
        Ok(if is_forward { positions.take(limit).collect() } else { positions.rev().take(limit).collect() })
    }
}

impl ConnectorLayer for StoringLayer {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        self.0.store_for(&request).map_err(|error| ConnectorError::other(error.into(), None))?;
        next.call(request).await
    }
}

#[cfg(test)]
mod tests {
    use presence_local::connectors::WavesConnector;
    use presence_store::Stores;

    use super::super::ReviewDatabase;
    use super::super::searches::{PagePosition, Search, named_searches, random_search, run_search};
    use crate::distribution::Distribution;

    /// Number of reviews in both databases: some months are read as a whole, some are not.
    const REVIEWS: u64 = 10_000;
    const RANDOM_SEARCHES: usize = 20;
    const SEED: u64 = 20_251_103;

    #[tokio::test(flavor = "multi_thread")]
    async fn reviews_stored_when_they_are_read_give_the_answers_and_costs_of_reviews_stored_before() {
        let lazy = ReviewDatabase::start(Distribution::new(REVIEWS)).await.expect("a database");
        let full = ReviewDatabase::start(Distribution::new(REVIEWS)).await.expect("a database");
        full.reviews.store(full.reviews.reviews.all_positions().collect()).expect("reviews are stored");
        let full_stores = || Stores::new(full.database_over(&WavesConnector));
        let mut rng = fastrand::Rng::with_seed(SEED);
        let mut searches = named_searches(lazy.distribution());
        searches.extend((0..RANDOM_SEARCHES).map(|_| random_search(&mut rng)));
        for Search { name, filter } in searches {
            let first = run_search(&full_stores(), &filter, PagePosition::First.page(0)).await.expect("a page");
            let request = PagePosition::ALL[rng.usize(0..3)].page(first.page.count);
            let expected = run_search(&full_stores(), &filter, request).await.expect("a page");
            let found = run_search(&lazy.stores(), &filter, request).await.expect("a page");
            assert_eq!(found.page, expected.page, "{name}: {filter:?}");
            assert_eq!(found.cost, expected.cost, "{name}, {request:?}: {filter:?}");
        }
    }
}
