//! Random searches between random writes and folds, compared with a model, by stores with warm and with empty caches.

use presence_domain::review::Review;
use presence_store::{FoldLimits, ReviewStore};
use presence_tests::reviews::org_id;
use presence_tests::{TestStack, calls_apart, rng, rounds};

use super::model::{Model, changed, query, review};

/// Number of reviews at the beginning. Organisation 1 has more than its root holds itself, and a month with branches.
const REVIEWS: usize = 1_600;
const STEPS: usize = 24;
const SEARCHES_A_STEP: usize = 12;
/// Small limits, so that folds are frequent, and sets have trees of facet keys.
const LIMITS: FoldLimits = FoldLimits { fold_from: u64::MAX, pass_changes: 200, facets_from: 250 };

#[tokio::test(flavor = "multi_thread")]
async fn every_search_between_writes_and_folds_equals_a_brute_force_model() {
    let stack = TestStack::start().await;
    let mut rng = rng("tree search");
    let mut model = Model::default();
    let new_store = || ReviewStore::new(&stack.stores().database).with_fold_limits(LIMITS);
    let (writer, warm) = (new_store(), new_store());
    let mut known = REVIEWS;
    let reviews = (0..known).map(|number| review(&mut rng, number));
    // The other organisation has no trees before its first fold.
    let (with_trees, in_log): (Vec<Review>, _) = reviews.partition(|review| review.org_id == org_id(1));
    stack.fill_ledger(&with_trees, LIMITS.facets_from).await;
    model.add(with_trees);
    model.write(&writer, in_log).await;
    for step in 0..rounds(STEPS) {
        match rng.u8(..4) {
            0 => {
                let count = rng.usize(1..120);
                model.write(&writer, (known..known + count).map(|number| review(&mut rng, number)).collect()).await;
                known += count;
            }
            1 => {
                let report = writer.fold_reviews(org_id(rng.u64(1..=2))).await.expect("the store answers");
                assert!(!report.lost && report.mismatches == 0, "{report:?}");
            }
            _ => {
                let count = rng.usize(1..90);
                let updates = model.changed(&mut rng, count, changed);
                model.write(&writer, updates).await;
            }
        }
        let cold = new_store();
        for number in (0..SEARCHES_A_STEP).step_by(calls_apart(2)) {
            let query = query(&mut rng);
            // The second search of a store is predicted from its cache.
            for (what, store) in [("warm", &warm), ("cold at first", &cold), ("again", &warm)] {
                model.assert_finds(store, &query, &format!("step {step}, search {number}, {what}")).await;
            }
        }
    }
}
