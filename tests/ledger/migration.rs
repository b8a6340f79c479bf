//! Migration from the first edition of the ledger. `tests/stored/first_ledger` has the tables of an organisation as a version
//! with that edition wrote them: 300 reviews of four businesses in two cities, their counts and their postings.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use fastrand::Rng;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{FacetMask, ReviewSet};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_store::schema::{BUSINESSES, REVIEWS, Table};
use presence_store::{FoldLimits, MigrationCounts, RetryPolicy, ReviewQuery, ReviewStore, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    CrashConnector, CrashPoint, LagConnector, TestStack, long_timeouts, operator_scope, plain_http, rng, sdk_config,
};
use serde_json::Value;

use super::damage::StoredTrees;
use super::model::{Model, query};

const FILES: [(Table, &str); 2] = [
    (BUSINESSES, include_str!("../stored/first_ledger/businesses.jsonl")),
    (REVIEWS, include_str!("../stored/first_ledger/reviews.jsonl")),
];
/// Organisation of the files.
const ORG: u64 = 43;
const REVIEW_COUNT: usize = 300;
/// Number of counts and postings in the file.
const FIRST_EDITION_ITEMS: u64 = 809;
const SEARCHES: usize = 30;
/// Number of puts in one `BatchWriteItem`: the limit of DynamoDB.
const BATCH: usize = 25;

type Item = HashMap<String, AttributeValue>;

fn org_id() -> OrgId {
    OrgId::new(ORG).expect("an id")
}

fn items(text: &str) -> Vec<Item> {
    let attribute = |(name, value): (&String, &Value)| {
        let (kind, value) = value.as_object().and_then(|value| value.iter().next()).expect("a kind and a value");
        let text = value.as_str().expect("a text").to_owned();
        let value = if kind == "N" { AttributeValue::N(text) } else { AttributeValue::S(text) };
        (name.clone(), value)
    };
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.map(|line| line.as_object().expect("an item").iter().map(attribute).collect()).collect()
}

/// Starts a stack with the items of the earlier version, and no others.
async fn stack() -> TestStack {
    let stack = TestStack::start().await;
    for (table, text) in FILES {
        put(&stack, &table, &items(text)).await;
    }
    stack
}

async fn put(stack: &TestStack, table: &Table, items: &[Item]) {
    let client = Client::from_conf(sdk_config(stack.local.dynamodb_url()));
    for chunk in items.chunks(BATCH) {
        let put = |item: &Item| PutRequest::builder().set_item(Some(item.clone())).build().expect("an item");
        let writes = chunk.iter().map(|item| WriteRequest::builder().put_request(put(item)).build()).collect();
        let name = stack.stores().database.name(table);
        client.batch_write_item().request_items(name, writes).send().await.expect("DynamoDB answers");
    }
}

/// Deletes everything of the second edition, and restores the list of organisations.
async fn reset(stack: &TestStack) {
    let is_new = |pk: &str| ["TREE#", "LOG#", "DIR#"].iter().any(|prefix| pk.starts_with(prefix));
    StoredTrees::of(stack).delete_all(is_new).await;
    put(stack, &REVIEWS, &items(FILES[1].1)).await;
}

/// Returns the reviews of the file.
fn stored_reviews() -> Model {
    let bodies = items(FILES[1].1).into_iter().filter(|item| item["sk"].as_s().is_ok_and(|sk| sk == "R"));
    Model { reviews: bodies.map(|item| read_review(&item)).map(|review| (review.id.clone(), review)).collect() }
}

fn read_review(item: &Item) -> Review {
    let text = |name: &str| item.get(name).map(|value| value.as_s().expect("a text").clone());
    let number =
        |name: &str| item.get(name).map(|value| value.as_n().expect("a number").parse::<i64>().expect("digits"));
    let (partner, state) = (text("partner").expect("a partner"), text("state").expect("a state"));
    Review {
        id: ReviewId::parse(&text("id").expect("an id")).expect("an id"),
        version: u64::try_from(number("version").expect("a version")).expect("positive"),
        org_id: org_id(),
        business_id: BusinessId::parse(&text("business_id").expect("an id")).expect("an id"),
        city_key: text("city_key").expect("a city"),
        partner: Partner::ALL.into_iter().find(|known| known.as_str() == partner).expect("a partner"),
        partner_id: text("partner_id").expect("an id"),
        key: text("key").expect("a key"),
        author_name: text("author_name"),
        date: number("date").expect("a date"),
        update_date: number("update_date"),
        delete_date: None,
        rating: Rating::new(number("rating").expect("a rating").into()).expect("a rating"),
        title: None,
        content: text("content"),
        reply_comment: text("reply_comment"),
        state: ReviewState::ALL.into_iter().find(|known| known.as_str() == state).expect("a state"),
        link: None,
        seen_at: None,
    }
}

/// Returns a random search of the organisation, of one of its cities, or of a business.
fn search(rng: &mut Rng, from: i64) -> ReviewQuery {
    let set = match rng.u8(..5) {
        0 | 1 => ReviewSet::Org(org_id()),
        2 => ReviewSet::City(org_id(), "lyon".to_owned()),
        3 => ReviewSet::City(org_id(), "saint etienne".to_owned()),
        _ => ReviewSet::Business(org_id(), BusinessId::parse(["s1", "s2", "s3", "s4"][rng.usize(..4)]).expect("an id")),
    };
    let random = query(rng);
    let shifted = |bound: Option<i64>| bound.map(|second| from + second.rem_euclid(90 * 86_400));
    ReviewQuery { sets: vec![set], from: shifted(random.from), to: shifted(random.to), ..random }
}

/// Makes random searches by a store without a cache. Each is right, or refused while the migration is not done.
///
/// Returns the number of searches that were right.
async fn right_searches(stack: &TestStack, model: &Model, rng: &mut Rng, what: &str) -> usize {
    let database = stack.stores().database.clone().with_retry_policy(RetryPolicy::For(Duration::from_millis(100)));
    let store = ReviewStore::new(&database);
    let mut right = 0;
    for _ in 0..SEARCHES {
        let query = search(rng, 1_735_689_600);
        match store.find_reviews(operator_scope(), &query).await {
            Ok(page) => {
                let ids: Vec<ReviewId> = page.items.iter().map(|review| review.id.clone()).collect();
                assert_eq!((page.count, ids), model.find(&query), "{what}: {query:?}");
                right += 1;
            }
            Err(Error::Unavailable(_)) => {}
            Err(error) => panic!("{what}: {error}"),
        }
    }
    right
}

async fn migrate(store: &Stores) -> (u64, u64) {
    let MigrationCounts { current, rewritten, overtaken: changed_meanwhile, unreadable } =
        store.reviews.migrate_ledger(false).await.expect("the store answers");
    assert_eq!((changed_meanwhile, unreadable), (0, 0));
    (current, rewritten)
}

async fn assert_migrated(stack: &TestStack, model: &Model, rng: &mut Rng, what: &str) {
    assert_eq!(right_searches(stack, model, rng, what).await, SEARCHES, "{what}");
    let audit = stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!((audit.reviews, audit.findings), (REVIEW_COUNT, Vec::new()), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn organisation_of_the_first_edition_is_refused_until_it_is_migrated_and_then_right() {
    let (stack, model, mut rng) = (stack().await, stored_reviews(), rng("migration"));
    let stores = stack.stores();
    // Only searches that match nothing by themselves are answered.
    assert!(right_searches(&stack, &model, &mut rng, "before").await < SEARCHES / 2);
    let all = ReviewQuery {
        sets: vec![ReviewSet::Org(org_id())],
        mask: FacetMask::ALL,
        from: None,
        to: None,
        ..query(&mut rng)
    };
    let refused = stores.reviews.find_reviews(operator_scope(), &all).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    let template = model.reviews.values().next().expect("a review").clone();
    let new = Review { partner_id: "another".to_owned(), ..template };
    let refused = match stores.reviews.register_org_with_reviews(org_id()).await {
        Ok(()) => stores.reviews.upsert_reviews(&[new]).await.map(drop),
        refused => refused,
    };
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    let refused = stores.reviews.delete_first_edition(false).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");

    let before = stack.items(&stores.database.name(&REVIEWS)).await;
    let dry = stores.reviews.migrate_ledger(true).await.expect("the store answers");
    assert_eq!((dry.current, dry.rewritten), (0, 1));
    assert_eq!(stack.items(&stores.database.name(&REVIEWS)).await.len(), before.len(), "a dry run writes nothing");
    assert_eq!(migrate(stores).await, (0, 1));
    assert_migrated(&stack, &model, &mut rng, "after").await;
    assert_eq!(migrate(stores).await, (1, 0), "a second run has nothing to do");

    let left = stack.items(&stores.database.name(&REVIEWS)).await;
    let is_of_first_edition = |item: &&String| item.contains("\"T#") || item.contains("\"L#");
    let of_first_edition = left.iter().filter(is_of_first_edition).count();
    assert_eq!(of_first_edition as u64, FIRST_EDITION_ITEMS, "the earlier version still reads them");
    assert_eq!(stores.reviews.delete_first_edition(true).await.expect("the store answers"), FIRST_EDITION_ITEMS);
    assert_eq!(stores.reviews.delete_first_edition(false).await.expect("the store answers"), FIRST_EDITION_ITEMS);
    assert_eq!(stores.reviews.delete_first_edition(false).await.expect("the store answers"), 0);
    let left = stack.items(&stores.database.name(&REVIEWS)).await;
    assert_eq!(left.iter().filter(is_of_first_edition).count(), 0);
    assert_migrated(&stack, &model, &mut rng, "at the end").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_sets_have_trees_of_facet_keys_after_the_migration() {
    let (stack, model, mut rng) = (stack().await, stored_reviews(), rng("migration with facet keys"));
    let limits = FoldLimits { facets_from: 100, ..FoldLimits::default() };
    let store = stack.stores().reviews.clone().with_fold_limits(limits);
    store.migrate_ledger(false).await.expect("the store answers");
    let of_facet = stack.items(&stack.stores().database.name(&REVIEWS)).await;
    let roots = of_facet.iter().filter(|item| item.contains("ROOT#")).count();
    assert_eq!(roots, 3 * 90, "the organisation and its two cities");
    assert_migrated(&stack, &model, &mut rng, "with facet keys").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_that_the_index_does_not_list_yet_are_migrated_too() {
    let (stack, model, mut rng) = (TestStack::start().await, stored_reviews(), rng("migration with a lagging index"));
    let lag = LagConnector::new(0);
    let lagging = stack.stores_through(lag.over(plain_http()), long_timeouts(), stack.table_prefix());
    lagging.reviews.register_org_with_reviews(org_id()).await.expect("the store answers");
    lagging.reviews.rebuild_reviews(org_id()).await.expect("there is nothing to rebuild");
    reset(&stack).await;
    put(&stack, &FILES[0].0, &items(FILES[0].1)).await;
    // From this write on the index is as it was before: empty.
    lag.set_reads(u64::MAX);
    let refused = lagging.reviews.register_org_with_reviews(org_id()).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    assert_eq!(migrate(&lagging).await, (0, 1));
    assert!(lag.stale_answers() > 0, "the index did lag");
    assert_migrated(&stack, &model, &mut rng, "after").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migration_that_dies_at_any_call_is_completed_by_another_one() {
    let (stack, model, mut rng) = (stack().await, stored_reviews(), rng("crashed migrations"));
    let crash = CrashConnector::new();
    let stores = stack.stores_through(crash.over(plain_http()), long_timeouts(), stack.table_prefix());
    for point in [CrashPoint::Before, CrashPoint::After] {
        let mut call = 1;
        while crash.run(Some((call, point)), stores.reviews.migrate_ledger(false)).await.is_none() {
            let what = format!("died {point:?} call {call}");
            right_searches(&stack, &model, &mut rng, &what).await;
            migrate(stack.stores()).await;
            assert_migrated(&stack, &model, &mut rng, &what).await;
            reset(&stack).await;
            call += 1;
        }
        assert!(call > 30, "{call} calls");
        assert_migrated(&stack, &model, &mut rng, "not died").await;
        reset(&stack).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deletion_of_the_first_edition_that_dies_at_any_call_is_completed_by_another_one() {
    let (stack, model, mut rng) = (stack().await, stored_reviews(), rng("crashed deletions"));
    migrate(stack.stores()).await;
    let crash = CrashConnector::new();
    let stores = stack.stores_through(crash.over(plain_http()), long_timeouts(), stack.table_prefix());
    for point in [CrashPoint::Before, CrashPoint::After] {
        let mut call = 1;
        while crash.run(Some((call, point)), stores.reviews.delete_first_edition(false)).await.is_none() {
            stack.stores().reviews.delete_first_edition(false).await.expect("the store answers");
            assert_eq!(right_searches(&stack, &model, &mut rng, "died").await, SEARCHES);
            let left = stack.items(&stack.stores().database.name(&REVIEWS)).await;
            assert!(!left.iter().any(|item| item.contains("\"T#") || item.contains("\"L#")), "{point:?} call {call}");
            let is_first = |item: &Item| item["pk"].as_s().is_ok_and(|pk| pk.starts_with("T#") || pk.starts_with("L#"));
            let first: Vec<Item> = items(FILES[1].1).into_iter().filter(is_first).collect();
            put(&stack, &REVIEWS, &first).await;
            // Each batch of deletes is a call. Some of them show it as well as all.
            call += if call < 6 { 1 } else { 7 };
        }
        assert!(call > 20, "{call} calls");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn search_during_a_migration_is_right_or_refused() {
    let (stack, model, mut rng) = (stack().await, stored_reviews(), rng("searches during migrations"));
    let migrating = stack.stores().clone();
    let migration = tokio::spawn(async move { migrate(&migrating).await });
    while !migration.is_finished() {
        right_searches(&stack, &model, &mut rng, "meanwhile").await;
    }
    assert_eq!(migration.await.expect("the migration ends"), (0, 1));
    assert_migrated(&stack, &model, &mut rng, "after").await;
}
