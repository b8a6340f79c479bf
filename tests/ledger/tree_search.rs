//! Random searches between random writes and folds, compared with a model, by stores with warm and with empty caches.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::OrgId;
use presence_domain::review::{Review, ReviewId, normalize_text};
use presence_store::{FoldLimits, ReviewQuery, ReviewStore, ReviewWrite};
use presence_tests::{TestStack, operator_scope, rng, rounds};

use super::model::{Model, query, review};
use super::oracle::changed;

/// Number of reviews at the beginning. Organisation 1 has more than its root holds itself.
const REVIEWS: usize = 2_500;
const STEPS: usize = 40;
const SEARCHES_A_STEP: usize = 12;
/// Small limits, so that folds are frequent, and sets have trees of facet keys.
const LIMITS: FoldLimits = FoldLimits { fold_from: u64::MAX, pass_changes: 200, facets_from: 250 };

/// Writes reviews to the model and to the store, as many in one transaction as fit.
async fn write(model: &mut Model, store: &ReviewStore, reviews: Vec<Review>) {
    let write = |new: Review| ReviewWrite { old: model.reviews.get(&new.id).cloned(), new };
    let mut writes: Vec<_> = reviews.into_iter().map(write).collect();
    while !writes.is_empty() {
        let rest = writes.split_off(ReviewWrite::count_fitting(&writes));
        store.write_reviews(&writes).await.expect("nobody else writes");
        for ReviewWrite { old, new } in std::mem::replace(&mut writes, rest) {
            let version = old.map_or(1, |old| old.version + 1);
            model.reviews.insert(new.id.clone(), Review { version, ..new });
        }
    }
}

fn updates(rng: &mut Rng, model: &Model, count: usize) -> Vec<Review> {
    let ids: Vec<_> = model.reviews.keys().cloned().collect();
    let mut updates = BTreeMap::new();
    for _ in 0..count {
        let id = &ids[rng.usize(..ids.len())];
        updates.insert(id.clone(), changed(rng, &model.reviews[id]));
    }
    updates.into_values().collect()
}

async fn check(store: &ReviewStore, model: &Model, query: &ReviewQuery, what: &str) {
    let page = store.find_reviews(operator_scope(), query).await.expect("the store answers");
    let ids: Vec<ReviewId> = page.items.iter().map(|review| review.id.clone()).collect();
    assert_eq!((page.count, ids), model.find(query), "{what}: {query:?}");
    for found in &page.items {
        let stored = model.reviews.get(&found.id).cloned();
        // A blank text counts as none, although an earlier import may have stored it.
        let normalized = |review: Review| Review { content: review.content.and_then(normalize_text), ..review };
        assert_eq!(Some(found), stored.map(normalized).as_ref(), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_search_between_writes_and_folds_equals_a_brute_force_model() {
    let stack = TestStack::start().await;
    let mut rng = rng("tree search");
    let mut model = Model::default();
    let new_store = || ReviewStore::new(&stack.stores().database).with_fold_limits(LIMITS);
    let (writer, warm) = (new_store(), new_store());
    let orgs = [1, 2].map(|number| OrgId::new(number).expect("an id"));
    for org_id in orgs {
        writer.register_org_with_reviews(org_id).await.expect("the store answers");
    }
    let mut known = REVIEWS;
    write(&mut model, &writer, (0..known).map(|number| review(&mut rng, number)).collect()).await;
    for step in 0..rounds(STEPS) {
        match rng.u8(..4) {
            0 => {
                let count = rng.usize(1..120);
                write(&mut model, &writer, (known..known + count).map(|number| review(&mut rng, number)).collect())
                    .await;
                known += count;
            }
            1 => {
                let report = writer.fold_reviews(orgs[rng.usize(..2)]).await.expect("the store answers");
                assert!(!report.lost && report.mismatches == 0, "{report:?}");
            }
            _ => {
                let count = rng.usize(1..90);
                let updates = updates(&mut rng, &model, count);
                write(&mut model, &writer, updates).await;
            }
        }
        let cold = new_store();
        for number in 0..SEARCHES_A_STEP {
            let query = query(&mut rng);
            check(&warm, &model, &query, &format!("step {step}, search {number}, warm")).await;
            check(&cold, &model, &query, &format!("step {step}, search {number}, cold at first")).await;
            // The same search again is predicted from the cache.
            check(&warm, &model, &query, &format!("step {step}, search {number}, again")).await;
        }
    }
}
