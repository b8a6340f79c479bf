//! Sample data, read over HTTP with the keys that the local stack prints at its start.

use std::path::Path;

use presence_domain::ids::OrgId;
use presence_domain::page::PageRequest;
use presence_domain::review::Review;
use presence_ledger::ReviewSet;
use presence_local::{DemoKeys, DynamoDb, Options};
use presence_store::ReviewFilter;
use presence_tests::{TestStack, long_timeouts, operator_scope};

/// Lower bound of the reviews in the sample: the documentation promises some thousands.
const MIN_REVIEWS: u64 = 3_000;

async fn start(data: Option<&Path>) -> TestStack {
    let dynamodb = DynamoDb::Embedded { port: 0, data: data.map(Path::to_path_buf) };
    TestStack::with(Options { sample: true, dynamodb, ..long_timeouts() }).await
}

/// Returns the number of reviews that a search by a role finds.
async fn count(stack: &TestStack, role: &str, query: &str) -> u64 {
    let reply = stack.get(&format!("/reviews?page=1&{query}"), &stack.local.keys()[role]).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.text);
    reply.json()["count"].as_u64().expect("a count")
}

/// Searches by every parameter, with all values where there are few.
const SEARCHES: [&str; 24] = [
    "state=treated",
    "state=not_treated",
    "state=deleted",
    "rating=1",
    "rating=2",
    "rating=3",
    "rating=4",
    "rating=5",
    "rating__in=1,2",
    "partner__in=partner_8",
    "partner__in=partner_1",
    "partner__in=partner_9",
    "content__isnull=true",
    "content__isnull=false",
    "update_date__lte=2021-12-31",
    "update_date__gte=2022-01-01&update_date__lte=2022-12-31",
    "update_date__gte=2023-01-01&update_date__lte=2023-12-31",
    "update_date__gte=2024-01-01&update_date__lte=2024-12-31",
    "update_date__gte=2025-01-01&update_date__lte=2025-12-31",
    "update_date__gte=2026-01-01",
    "business__in=5409c35a97bbc544d8e26737",
    "business_city=saint%20etienne",
    "business_city=k%C3%B6ln",
    "business_city=evora",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_search_of_reviews_finds_some_of_the_sample_and_every_audit_is_clean() {
    let stack = start(None).await;
    let all = count(&stack, "PROVIDER", "").await;
    assert!(all >= MIN_REVIEWS, "{all} reviews");
    for search in SEARCHES {
        let found = count(&stack, "PROVIDER", search).await;
        assert!((1..all).contains(&found), "{search}: {found} of {all}");
    }
    let own = count(&stack, "ORG_ADMIN", "").await;
    assert!((1..all).contains(&own), "an organisation has {own} of {all}");
    let page = stack.get("/reviews?page=1&order_by=update_date", &stack.local.keys()["PROVIDER"]).await.json();
    assert_eq!(page["reviews"].as_array().map(Vec::len), Some(30));

    let audit = stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!((audit.reviews as u64, audit.orgs), (all, 3));
    assert_eq!(audit.findings, []);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_on_the_same_folder_keeps_its_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = start(Some(folder.path())).await;
    let (reviews, page) = (&first.stores().reviews, PageRequest { page: 1, size: 1 });
    let sets = [ReviewSet::Org(OrgId::new(42).expect("an id"))];
    let loaded = reviews.find_reviews(operator_scope(), Some(&sets), &ReviewFilter::ALL, page).await;
    let loaded = loaded.expect("the store answers");
    let another = Review { partner_id: "another".to_owned(), ..loaded.items[0].clone() };
    reviews.upsert_reviews(&[another]).await.expect("the store answers");
    drop(first);
    let second = start(Some(folder.path())).await;
    assert_eq!(count(&second, "ORG_ADMIN", "").await, loaded.count + 1);
}

/// Returns the keys of a start on a folder, after a call with each, and the status of the known key that may only read.
async fn keys_that_work(options: Options) -> (DemoKeys, u16) {
    let stack = TestStack::with(options).await;
    let keys = stack.local.keys().clone();
    assert_eq!(keys.len(), 3);
    for (role, key) in &keys {
        assert_eq!(stack.get("/user/me", key).await.status, 200, "{role}");
    }
    let read = stack.get("/user/me", "pk_ExampleKeyOfAReadOnlyReport0012KUpp3").await.status;
    (keys, read)
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_the_same_at_every_start_unless_they_are_to_be_random() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = |random_keys| {
        let dynamodb = DynamoDb::Embedded { port: 0, data: Some(folder.path().to_path_buf()) };
        Options { sample: true, random_keys, dynamodb, ..long_timeouts() }
    };
    let known = keys_that_work(options(false)).await;
    assert_eq!((known.0["ORG_ADMIN"].as_str(), known.1), ("pk_ExampleKeyOfTheOrgAdmin00000001gBpoe", 200));
    assert_eq!(keys_that_work(options(false)).await, known);
    let random = keys_that_work(options(true)).await;
    assert!(known.0.iter().all(|(role, key)| random.0[role] != *key));
    assert_eq!(random.1, 401, "no known key gives access any more");
    let stack = TestStack::with(options(true)).await;
    for key in known.0.values().chain(random.0.values()) {
        assert_eq!(stack.get("/user/me", key).await.status, 401, "each start makes keys of its own");
    }
    drop(stack);
    assert_eq!(keys_that_work(options(false)).await, known);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_sample_there_are_no_reviews() {
    let stack = TestStack::start().await;
    assert_eq!(stack.stores().reviews.orgs_with_reviews().await.expect("the store answers"), []);
}
