//! Random searches of random reviews, compared with a model: counts, pages and order.
//!
//! These searches have any set of facet keys. The oracle of the reviews API does those that requests can ask for.

use presence_domain::review::Review;
use presence_store::schema;
use presence_tests::{TestStack, rng, rounds};

use super::model::{Model, query, review};

const SEARCHES: usize = 150;

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
    let reviews = (0..300).map(|number| review(&mut rng, number)).collect();
    model.write(&written.stores().reviews, reviews).await;
    let reviews: Vec<Review> = model.reviews.values().cloned().collect();
    filled.fill_reviews(&reviews).await;
    assert_eq!(reviews_and_orgs(&filled).await, reviews_and_orgs(&written).await);
    for stack in [&filled, &written] {
        for number in 0..rounds(SEARCHES) {
            model.assert_finds(&stack.stores().reviews, &query(&mut rng), &format!("search {number}")).await;
        }
    }
}
