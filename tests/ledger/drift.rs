//! A damaged ledger: searches answer and report it, and a rebuild corrects it.

use fastrand::Rng;
use presence_domain::ids::OrgId;
use presence_domain::ledger::tree::FACETS_FROM;
use presence_domain::ledger::{FacetMask, ReviewSet};
use presence_domain::page::PageRequest;
use presence_domain::review::{Rating, Review, ReviewId, ReviewState};
use presence_store::{ReviewQuery, bulk_review_items, schema};
use presence_tests::logs::with_metrics;
use presence_tests::{TestStack, rng, sdk_config};

use super::model::{Model, review};

const REVIEWS: usize = 60;
const DRIFT: [(&str, f64); 1] = [("ledger_drift", 1.0)];

/// Returns the query for all reviews of organisation 1 on one page.
fn query_for_all() -> ReviewQuery {
    ReviewQuery {
        sets: vec![ReviewSet::Org(OrgId::new(1).expect("an id"))],
        mask: FacetMask::ALL,
        from: None,
        to: None,
        newest_first: true,
        page: PageRequest { page: 1, size: 100 },
    }
}

/// Returns the count, the ids of the reviews that were found, and the metrics.
async fn search(stack: &TestStack) -> (u64, Vec<ReviewId>, Vec<(String, f64)>) {
    let query = query_for_all();
    let (page, metrics) =
        with_metrics(stack.stores().reviews.find_reviews(presence_tests::operator_scope(), &query)).await;
    let page = page.expect("the store answers");
    (page.count, page.items.into_iter().map(|review| review.id).collect(), metrics)
}

/// Deletes one postings item of organisation 1. No write of the store does this.
async fn delete_postings_item(stack: &TestStack, rng: &mut Rng) {
    let client = aws_sdk_dynamodb::Client::from_conf(sdk_config(stack.local.dynamodb_url()));
    let table = stack.stores().database.name(&schema::REVIEWS);
    let items = client.scan().table_name(&table).send().await.expect("DynamoDB answers").items.unwrap_or_default();
    let has_postings = |item: &&std::collections::HashMap<_, _>| {
        item.get("pk").is_some_and(|pk: &aws_sdk_dynamodb::types::AttributeValue| {
            pk.as_s().is_ok_and(|pk| pk.starts_with("L#o:1#"))
        })
    };
    let postings_items: Vec<_> = items.iter().filter(has_postings).collect();
    let victim = postings_items[rng.usize(..postings_items.len())];
    let key = ["pk", "sk"].map(|name| (name.to_owned(), victim[name].clone()));
    client.delete_item().table_name(table).set_key(Some(key.into())).send().await.expect("DynamoDB answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_ledger_still_answers_is_measured_and_is_corrected_by_a_rebuild() {
    let stack = TestStack::start().await;
    let mut rng = rng("ledger drift");
    let mut model = Model::default();
    for (id, city) in [("b1", "Saint-Étienne"), ("b2", "Évora"), ("b3", "Évora")] {
        stack.create_business(1, id, city).await;
    }
    model.write(stack.stores(), (0..REVIEWS).map(|number| review(&mut rng, number)).collect()).await;
    let (count, all, metrics) = search(&stack).await;
    assert_eq!((usize::try_from(count).ok(), metrics), (Some(all.len()), Vec::new()), "nothing is wrong");

    delete_postings_item(&stack, &mut rng).await;
    let (_, shown, metrics) = search(&stack).await;
    assert_eq!(metrics, DRIFT.map(|(name, value)| (name.to_owned(), value)));
    assert!(shown.len() < all.len(), "a review without a posting is not shown");
    assert!(shown.iter().all(|id| all.contains(id)));

    let org_id = OrgId::new(1).expect("an id");
    stack.stores().reviews.rebuild_reviews(org_id).await.expect("the ledger can be rebuilt");
    assert_eq!(search(&stack).await, (count, all, Vec::new()));
}

/// Changes a review without its counts and postings. No write of the store does this.
async fn rewrite_review_only(stack: &TestStack, changed: &Review) {
    let client = aws_sdk_dynamodb::Client::from_conf(sdk_config(stack.local.dynamodb_url()));
    let items = bulk_review_items(std::slice::from_ref(changed), FACETS_FROM).expect("items");
    let review = items.into_iter().find(|item| item["sk"].as_s().is_ok_and(|sk| sk == "R")).expect("a review");
    let put = client.put_item().table_name(stack.stores().database.name(&schema::REVIEWS)).set_item(Some(review));
    put.send().await.expect("DynamoDB answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn review_that_the_filter_excludes_is_neither_shown_nor_counted_whatever_the_ledger_says() {
    const DAY: i64 = 86_400;
    let stack = TestStack::start().await;
    let mut rng = rng("bodies that are not what their slips say");
    let mut model = Model::default();
    let template = Review { state: ReviewState::Treated, rating: Rating::ALL[0], ..review(&mut rng, 0) };
    let (org, start) = (OrgId::new(1).expect("an id"), 1_700_000_000);
    let reviews = (0..24).map(|number| Review {
        date: start + number * DAY,
        update_date: None,
        org_id: org,
        city_key: "lyon".to_owned(),
        ..Review { id: review(&mut rng, usize::try_from(number).expect("small")).id, ..template.clone() }
    });
    let reviews: Vec<Review> = reviews.collect();
    model.write(stack.stores(), reviews.clone()).await;
    let changes: [fn(&mut Review); 4] = [
        |review| review.rating = Rating::ALL[4],
        |review| review.date -= 100 * DAY,
        |review| review.org_id = OrgId::new(2).expect("an id"),
        |review| "paris".clone_into(&mut review.city_key),
    ];
    for (review, change) in reviews.iter().zip(changes.iter().cycle()).take(16) {
        let mut damaged = review.clone();
        change(&mut damaged);
        rewrite_review_only(&stack, &damaged).await;
    }
    // This review still matches, at another time: it is shown in the position that it says itself.
    rewrite_review_only(&stack, &Review { date: start + 17 * DAY + 1, ..reviews[23].clone() }).await;
    let mask =
        FacetMask::from_predicate(|state, rating, _, _| state == ReviewState::Treated && rating == Rating::ALL[0]);
    let page = PageRequest { page: 1, size: 100 };
    let (from, to) = (Some(start), Some(start + 30 * DAY));
    let sets = vec![ReviewSet::City(org, "lyon".to_owned())];
    let query = ReviewQuery { sets, mask, from, to, newest_first: false, page };
    let (found, metrics) =
        with_metrics(stack.stores().reviews.find_reviews(presence_tests::operator_scope(), &query)).await;
    let found = found.expect("the store answers");
    let shown: Vec<&ReviewId> = found.items.iter().map(|review| &review.id).collect();
    let expected = [16, 17, 23, 18, 19, 20, 21, 22].map(|number| &reviews[number].id);
    assert_eq!(shown, expected);
    assert_eq!(found.count, 8);
    assert_eq!(metrics, DRIFT.map(|(name, value)| (name.to_owned(), value)));
}
