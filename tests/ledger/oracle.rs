//! Random searches of random reviews, compared with a model: counts, pages and order.
//!
//! These searches have any set of facet keys. The oracle of the reviews API does those that requests can ask for.

use fastrand::Rng;
use presence_domain::ids::OrgId;
use presence_domain::review::{Review, ReviewId, ReviewState, normalize_text};
use presence_store::schema;
use presence_tests::{TestStack, rng, rounds};

use super::model::{Model, query, review};

const REVIEWS: usize = 400;
const SEARCHES: usize = 150;
const UPDATES: usize = 100;

async fn searches_equal_the_model(stack: &TestStack, model: &Model, rng: &mut Rng) {
    for number in 0..rounds(SEARCHES) {
        let query = query(rng);
        let page = stack
            .stores()
            .reviews
            .find_reviews(presence_tests::operator_scope(), &query)
            .await
            .expect("the store answers");
        let ids: Vec<ReviewId> = page.items.iter().map(|review| review.id.clone()).collect();
        assert_eq!((page.count, ids), model.find(&query), "search {number}: {query:?}");
        for found in &page.items {
            let stored = model.reviews.get(&found.id).cloned();
            // A blank text counts as none, although an earlier import may have stored it.
            let normalized = |review: Review| Review { content: review.content.and_then(normalize_text), ..review };
            assert_eq!(Some(found), stored.map(normalized).as_ref());
        }
    }
}

/// Returns the review with one change that moves it in the ledger.
pub(super) fn changed(rng: &mut Rng, old: &Review) -> Review {
    let other = review(rng, 0);
    let mut new = old.clone();
    match rng.u64(..5) {
        0 => new.state = if old.state == ReviewState::Deleted { other.state } else { ReviewState::Deleted },
        1 => new.rating = other.rating,
        2 => new.update_date = other.update_date,
        3 => new.content = other.content,
        _ => "besancon".clone_into(&mut new.city_key),
    }
    new
}

#[tokio::test(flavor = "multi_thread")]
async fn every_search_equals_a_brute_force_model_before_and_after_updates() {
    let stack = TestStack::start().await;
    let mut rng = rng("ledger oracle");
    let mut model = Model::default();
    let reviews = (0..REVIEWS).map(|number| review(&mut rng, number)).collect();
    model.write(stack.stores(), reviews).await;
    searches_equal_the_model(&stack, &model, &mut rng).await;

    let ids: Vec<_> = model.reviews.keys().cloned().collect();
    let mut updates = std::collections::BTreeMap::new();
    for _ in 0..UPDATES {
        let id = &ids[rng.usize(..ids.len())];
        updates.insert(id.clone(), changed(&mut rng, &model.reviews[id]));
    }
    model.write(stack.stores(), updates.into_values().collect()).await;
    searches_equal_the_model(&stack, &model, &mut rng).await;
}

/// Returns the items of reviews and of the list of organisations. Those of the trees depend on the order of writes.
async fn reviews_and_orgs(stack: &TestStack) -> Vec<String> {
    let mut items = stack.items(&stack.stores().database.name(&schema::REVIEWS)).await;
    items.retain(|item| !["\"LOG#", "\"DIR#", "\"TREE#"].iter().any(|prefix| item.contains(prefix)));
    items.sort();
    items
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_items_are_the_reviews_that_writes_make_and_trees_that_give_the_same_answers() {
    let (written, filled) = (TestStack::start().await, TestStack::start().await);
    let mut rng = rng("ledger filled at once");
    let mut model = Model::default();
    for org in [1, 2] {
        written
            .stores()
            .reviews
            .register_org_with_reviews(OrgId::new(org).expect("an id"))
            .await
            .expect("the store answers");
    }
    model.write(written.stores(), (0..300).map(|number| review(&mut rng, number)).collect()).await;
    let reviews: Vec<Review> = model.reviews.values().cloned().collect();
    filled.local.fill_reviews(&reviews).expect("the table can be filled");
    assert_eq!(reviews_and_orgs(&filled).await, reviews_and_orgs(&written).await);
    for stack in [&filled, &written] {
        searches_equal_the_model(stack, &model, &mut rng).await;
    }
}
