//! Moves of businesses that were interrupted. The simulation of the store has moves beside all other processes.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::UserId;
use presence_domain::page::PageRequest;
use presence_domain::review::{Partner, Review};
use presence_domain::text::city_key;
use presence_domain::user::Role;
use presence_ledger::moves::MAX_MOVES;
use presence_ops::Exit;
use presence_store::{AuditSettings, Business, FoldLimits, ReviewFilter, ReviewStore, Stores};
use presence_store::{keys, schema};
use presence_tests::reviews::{business_id, org_id, test_review};
use presence_tests::{TestStack, calls_apart, operator_scope};

/// Organisation and city.
type Place = (u64, &'static str);

const HOME: Place = (1, "Lyon");
/// Number of reviews of a business.
const REVIEWS: u64 = 4;

fn business(id: &str, (org, city): Place) -> Business {
    Business { id: business_id(id), org_id: org_id(org), name: "Shop".to_owned(), city: city.to_owned() }
}

/// Returns reviews of businesses at home: those with these numbers of each.
fn reviews(ids: &[String], numbers: std::ops::Range<u64>) -> Vec<Review> {
    let (org, city) = HOME;
    let review = |id: &str, number: u64| Review {
        date: i64::try_from(number).expect("small") * 100_000,
        ..test_review(Partner::Partner8, &format!("review {number}"), (id, org, &city_key(city)))
    };
    numbers.flat_map(|number| ids.iter().map(move |id| review(id, number))).collect()
}

/// Returns a process of its own, which folds after each write.
fn process(stack: &TestStack) -> Stores {
    let stores = Stores::new(stack.stores().database.clone());
    let limits = FoldLimits { fold_from: 1, ..FoldLimits::default() };
    Stores { reviews: stores.reviews.with_fold_limits(limits), ..stores }
}

async fn put(stores: &Stores, business: &Business) {
    stores.reviews.put_business(business).await.expect("the store answers");
}

/// Puts businesses at home with their reviews. Of each business, some are in trees and some in the log.
async fn found_businesses(stack: &TestStack, ids: &[String]) {
    for id in ids {
        put(stack.stores(), &business(id, HOME)).await;
    }
    let limits = FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() };
    let writer = ReviewStore::new(&stack.stores().database).with_fold_limits(limits);
    writer.upsert_reviews(&reviews(ids, 0..REVIEWS / 2)).await.expect("new reviews");
    writer.fold_reviews(org_id(HOME.0)).await.expect("the store answers");
    writer.upsert_reviews(&reviews(ids, REVIEWS / 2..REVIEWS)).await.expect("new reviews");
}

fn scope_of(org: u64) -> Scope {
    Principal { user_id: UserId::random(), org_id: Some(org_id(org)), role: Role::OrgAdmin }.scope()
}

/// Asserts that a business and all its reviews are in a place, and nowhere else.
async fn assert_is_in(stack: &TestStack, id: &str, (org, city): Place, what: &str) {
    let store = ReviewStore::new(&stack.stores().database);
    let of_business = ReviewFilter { businesses: Some(vec![business_id(id)]), ..ReviewFilter::ALL };
    let page = PageRequest { page: 1, size: 100 };
    for other in 1..=3 {
        let found = store.search_reviews(scope_of(other), &of_business, page).await.expect("the store answers");
        assert_eq!(found.count, if other == org { REVIEWS } else { 0 }, "{what}: organisation {other}");
    }
    let found = store.search_reviews(operator_scope(), &of_business, page).await.expect("the store answers");
    let is_here = |review: &Review| (review.org_id, &review.city_key) == (org_id(org), &city_key(city));
    assert_eq!(found.items.len() as u64, REVIEWS, "{what}");
    assert!(found.items.iter().all(is_here), "{what}: {:?}", found.items);
    let register = store.unfinished_moves().await.expect("the store answers");
    assert!(!register.moves.contains_key(&business_id(id)), "{what}: {register:?}");
    let client = stack.dynamodb_client();
    let get = client.get_item().table_name(stack.stores().database.name(&schema::BUSINESSES));
    let get = get.key("pk", AttributeValue::S(keys::business_pk(&business_id(id)))).consistent_read(true);
    let item = get.send().await.expect("DynamoDB answers").item.expect("the business");
    assert!(!item.contains_key("leaving"), "{what}: {item:?}");
}

/// Asserts that all reviews are in one organisation, with their businesses, and that no business is leaving a place.
async fn assert_all_are_in(stack: &TestStack, org: u64, reviews: usize) {
    let store = ReviewStore::new(&stack.stores().database);
    for other in 1..=3 {
        let page = PageRequest { page: 1, size: 1 };
        let found = store.search_reviews(scope_of(other), &ReviewFilter::ALL, page).await.expect("the store answers");
        assert_eq!(found.count, if other == org { reviews as u64 } else { 0 }, "organisation {other}");
    }
    let audit = store.audit_reviews(None).await.expect("the store answers");
    assert_eq!((audit.reviews, audit.findings), (reviews, vec![]));
    for item in stack.scan(&stack.stores().database.name(&schema::BUSINESSES)).await {
        assert!(!item.contains_key("leaving"), "{item:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_that_were_left_are_named_by_the_doctor_and_finished_by_an_operator_the_auditor_or_another_move() {
    let stack = TestStack::start().await;
    let ids: Vec<String> = (0..=MAX_MOVES).map(|number| format!("b{number}")).collect();
    found_businesses(&stack, &ids).await;
    // The first call of a move only: as if the import was killed after it.
    for id in &ids[..MAX_MOVES] {
        stack.stores().businesses.put(&business(id, (2, "Lyon"))).await.expect("the store answers");
    }
    let one_more = &ids[MAX_MOVES];
    stack.stores().businesses.put(&business(one_more, (2, "Lyon"))).await.expect_err("too many moves");
    put(&process(&stack), &business(one_more, (2, "Lyon"))).await;
    assert_is_in(&stack, one_more, (2, "Lyon"), one_more).await;
    let left = async || stack.stores().reviews.unfinished_moves().await.expect("the store answers").moves;
    assert_eq!(left().await.len(), MAX_MOVES - 1);

    let id = left().await.into_keys().next().expect("a move");
    let doctor = stack.ops("doctor").await.expect(Exit::Failed);
    let finding = format!(
        "business {0}: has not finished its move to another city or organisation\n    ops businesses move --finish={0}",
        id.as_str()
    );
    assert!(doctor.stdout.contains(&finding), "{}", doctor.stdout);
    let finished = stack.ops(&format!("--json businesses move --finish {}", id.as_str())).await.expect(Exit::Done);
    assert_eq!(finished.json(), serde_json::json!({ "id": id.as_str(), "reviews": REVIEWS }));
    assert_is_in(&stack, id.as_str(), (2, "Lyon"), "by an operator").await;
    let none = stack.ops("businesses move --finish unknown").await.expect(Exit::Done);
    assert!(none.stderr.contains("moves finished: 0"), "{}", none.stderr);

    let (settings, deadline) =
        (AuditSettings::new(1_000_000.0, true), presence_runtime::clock::Deadline::after(Duration::from_hours(1)));
    presence_auditor::handle(&stack.stores().reviews, stack.clock.as_ref(), settings, deadline).await.expect("a run");
    assert_eq!(left().await.len(), 0);
    assert_all_are_in(&stack, 2, reviews(&ids, 0..REVIEWS).len()).await;
    for id in ids.iter().step_by(calls_apart(13)) {
        assert_is_in(&stack, id, (2, "Lyon"), "by the auditor").await;
    }
}
