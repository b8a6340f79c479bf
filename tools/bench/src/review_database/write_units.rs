//! Write units of reviews, with the folds that bring the reviews into the trees.

use std::sync::Arc;

use anyhow::ensure;
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::review::{Review, ReviewId};
use presence_store::meter::Meter;
use presence_store::{FoldLimits, ReviewStore};

use super::ReviewDatabase;
use crate::distribution::Distribution;

/// Days by which copies of the reviews of the last month are newer than all stored ones.
const NEWEST_DAYS: i64 = 62;

/// Way in which reviews are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteCase {
    /// True for reviews that are newer than all stored ones; false for reviews of the last stored month.
    pub(crate) is_newest: bool,
    /// Number of reviews in one call of the store.
    pub(crate) portion: usize,
    /// Number of reviews after which a fold follows.
    pub(crate) fold_after: usize,
    /// Number of folds. The first one costs less than the others, because each tree was just built.
    pub(crate) folds: usize,
}

/// Writes new reviews and folds them. Returns the write units of a review.
pub(crate) async fn count_write_units(database: &ReviewDatabase, case: WriteCase) -> anyhow::Result<f64> {
    let (store, meter) = (unfolding_store(database), Arc::new(Meter::default()));
    let reviews = new_reviews(database, case);
    let write = async {
        for fold in reviews.chunks(case.fold_after) {
            for portion in fold.chunks(case.portion) {
                store.upsert_reviews(portion).await?;
            }
            let report = store.fold_reviews(database.distribution().org().id).await?;
            ensure!(report.changes == fold.len() as u64 && report.mismatches == 0, "an incomplete fold: {report:?}");
        }
        Ok(())
    };
    Arc::clone(&meter).watch(write).await?;
    Ok(meter.cost().write_units / reviews.len() as f64)
}

/// Writes new reviews of the last stored month one by one, without a fold.
pub(crate) async fn fill_log(database: &ReviewDatabase, changes: usize) -> anyhow::Result<()> {
    let store = unfolding_store(database);
    for review in copies_of_last_month(database.distribution(), changes, false, "log") {
        store.upsert_reviews(std::slice::from_ref(&review)).await?;
    }
    Ok(())
}

/// Returns a store that folds only when it is told to.
fn unfolding_store(database: &ReviewDatabase) -> ReviewStore {
    let limits = FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() };
    database.stores_without_waves().reviews.with_fold_limits(limits)
}

/// Returns new reviews with the businesses and facets of those of the last month: newer than all, or of its times in random order.
fn new_reviews(database: &ReviewDatabase, case: WriteCase) -> Vec<Review> {
    let count = case.fold_after * case.folds;
    let mut reviews =
        copies_of_last_month(database.distribution(), count, case.is_newest, &format!("{}", case.fold_after));
    if case.is_newest {
        reviews.sort_by_key(|review| review.date);
    }
    reviews
}

/// Returns copies of random reviews of the last month: with its times, or newer than all reviews. The label makes them other reviews.
pub(super) fn copies_of_last_month(
    distribution: &Distribution,
    count: usize,
    is_newest: bool,
    label: &str,
) -> Vec<Review> {
    let headers = distribution.headers().last().unwrap_or_default();
    let shift = if is_newest { NEWEST_DAYS * SECONDS_OF_DAY } else { 0 };
    let mut rng = fastrand::Rng::with_seed(count as u64);
    let copy = |number: usize| {
        let header = &headers[rng.usize(..headers.len())];
        let review = distribution.review(header);
        let partner_id = format!("copy {label} {is_newest} {number}");
        let id = ReviewId::derive(&review.business_id, review.partner, &partner_id, 0);
        Review { id, partner_id, date: header.at + shift, update_date: None, delete_date: None, ..review }
    };
    (0..count).map(copy).collect()
}
