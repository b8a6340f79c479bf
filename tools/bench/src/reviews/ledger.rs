//! Backend of the ledger: the store of the service itself.

use std::sync::Arc;

use presence_domain::access::{Principal, Scope};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::Review;
use presence_domain::user::Role;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_store::meter::Meter;
use presence_store::{Business, Database, FoldLimits, OrgPostings, Stores, bulk_body_item, schema};

use super::backend::Answer;
use super::group_by::{StatsAnswer, StatsCase};
use super::measured_stores::{MeasuredStores, PREFIX};
use super::search::Search;

/// Largest number of reviews that are written one by one to measure write units: as many as a writer folds.
pub(super) const WRITTEN_ALONE: usize = 512;
/// Largest number of reviews that are imported to measure write units: as many as an import folds.
pub(super) const IMPORTED: usize = 4_096;

/// Ledger in an embedded `DynamoDB`.
pub(super) struct Ledger {
    /// Store for loading, without a delay.
    loading: Stores,
    /// Stores whose caches have what all searches so far have read.
    warm: MeasuredStores,
}

/// Write units of a review with its changes in the log and its share of the folds.
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
        let loading = Stores::new(Database::new(&sdk_config(&dynamodb.endpoint_url()), PREFIX));
        loading.database.create_tables().await?;
        Ok(Self { loading, warm: MeasuredStores::new(dynamodb) })
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

    /// Searches as a user of the organisation, with the cache of all warm searches so far.
    pub(super) async fn search_warm(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        self.warm.search(scope(org_id), &search.filter.for_store(), search.page).await
    }

    /// Searches as a user of the organisation, with an empty cache and open connections.
    pub(super) async fn search_cold(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        let cold = self.warm.with_empty_caches();
        cold.search(scope(org_id), &search.filter.for_store(), search.page).await
    }

    /// Counts as a user of the organisation, with an empty cache or with that of all statistics so far.
    pub(super) async fn statistics(
        &self,
        org_id: OrgId,
        case: &StatsCase,
        is_warm: bool,
    ) -> anyhow::Result<StatsAnswer> {
        let filter = case.filter.for_store();
        if is_warm {
            return self.warm.statistics(scope(org_id), &filter, case.group_by).await;
        }
        self.warm.with_empty_caches().statistics(scope(org_id), &filter, case.group_by).await
    }

    /// Writes new reviews: up to [`WRITTEN_ALONE`] one by one, the others in one import. Each part is folded once, at its end.
    pub(super) async fn measure_write_units(&self, reviews: &[Review]) -> anyhow::Result<WriteUnits> {
        let (one_by_one, imported) = reviews.split_at(WRITTEN_ALONE.min(reviews.len() / 2));
        Ok(WriteUnits {
            alone: self.count_write_units(one_by_one.chunks(1)).await? / one_by_one.len() as f64,
            imported: self.count_write_units(std::iter::once(imported)).await? / imported.len() as f64,
        })
    }

    /// Returns the write units of writing each portion of reviews, and of folding all.
    async fn count_write_units(&self, portions: impl Iterator<Item = &[Review]>) -> anyhow::Result<f64> {
        let limits = FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() };
        let (meter, store) = (Arc::new(Meter::default()), self.loading.reviews.clone().with_fold_limits(limits));
        let mut org_id = None;
        for portion in portions {
            Arc::clone(&meter).watch(store.upsert_reviews(portion)).await?;
            org_id = portion.first().map(|review| review.org_id);
        }
        if let Some(org_id) = org_id {
            Arc::clone(&meter).watch(store.fold_reviews(org_id)).await?;
        }
        Ok(meter.cost().write_units)
    }
}

fn scope(org_id: OrgId) -> Scope {
    Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope()
}
