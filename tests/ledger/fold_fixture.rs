//! Stack with reviews of two organisations, and the trees that they should have.

use fastrand::Rng;
use presence_store::{FoldLimits, FoldReport, ReviewStore};
use presence_tests::{ConnectorLayer, ReviewModel, TestStack, in_process_client, long_timeouts, rng};

use super::log_writer::{new_review, org, write_random};
use super::stored_trees::StoredTrees;

/// Number of reviews from which a set has facet trees, in these tests.
pub(super) const FACETS_FROM: i64 = 700;
/// Limits of folds, in these tests. No writer folds.
pub(super) const LIMITS: FoldLimits =
    FoldLimits { fold_from: u64::MAX, pass_changes: 20_000, facets_from: FACETS_FROM };

/// Stack with reviews of two organisations.
pub(super) struct Ledger {
    pub(super) stack: TestStack,
    /// Writes without folds.
    pub(super) store: ReviewStore,
    pub(super) writer: ReviewModel,
    pub(super) rng: Rng,
}

impl Ledger {
    /// Starts a stack with stored reviews and their trees.
    pub(super) async fn with(test: &str, reviews: usize) -> Self {
        let (stack, mut rng, mut writer) = (TestStack::start().await, rng(test), ReviewModel::default());
        let stored: Vec<_> = std::iter::repeat_with(|| new_review(&mut rng)).take(reviews).collect();
        writer.add(stored.clone());
        stack.fill_ledger(&stored, FACETS_FROM).await;
        let store = stack.stores().reviews.clone().with_fold_limits(LIMITS);
        Self { stack, store, writer, rng }
    }

    pub(super) async fn write(&mut self, count: usize) {
        write_random(&mut self.writer, &self.store, &mut self.rng, count).await;
    }

    /// Folds both organisations. Nobody else folds.
    pub(super) async fn fold_alone(&self) -> [FoldReport; 2] {
        let fold = |number| self.store.fold_reviews(org(number));
        let reports = [fold(1).await.expect("the store answers"), fold(2).await.expect("the store answers")];
        for report in reports {
            assert!(!report.lost && report.mismatches == 0, "{report:?}");
        }
        reports
    }

    /// Compares the trees with the reviews, after a fold of all changes.
    pub(super) async fn assert_folded(&self, moment: &str) -> StoredTrees {
        let trees = StoredTrees::read(&self.stack).await;
        for number in [1, 2] {
            assert_eq!(trees.log_size(org(number)), 0, "{moment}: the log of organisation {number} is trimmed");
            trees.assert_hold(org(number), &self.writer.reviews, FACETS_FROM);
        }
        trees
    }

    /// Returns the store of another process.
    pub(super) fn store_through(&self, client: &(impl ConnectorLayer + 'static)) -> ReviewStore {
        let stores =
            self.stack.stores_through(client.over(in_process_client()), long_timeouts(), self.stack.table_prefix());
        stores.reviews.with_fold_limits(LIMITS)
    }
}
