//! Moves of businesses: each review is in the place of its business in the end and in one place meanwhile, by any writer, and wherever a
//! move was interrupted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::UserId;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetMask, Partner, Rating, Review};
use presence_domain::review_stats::GroupBy;
use presence_domain::text::city_key;
use presence_domain::user::Role;
use presence_ledger::ReviewSet;
use presence_ledger::moves::MAX_MOVES;
use presence_local::Options;
use presence_ops::Exit;
use presence_store::meter::measured;
use presence_store::{
    AuditSettings, Business, FoldLimits, PutOutcome, RetryPolicy, ReviewFilter, ReviewQuery, ReviewStore, Stores,
};
use presence_store::{keys, schema};
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::reviews::{business_id, org_id, test_review};
use presence_tests::{
    ConnectorLayer as _, FaultConnector, FaultKind, Plan, TestStack, calls_apart, in_process_client, key_names,
    long_timeouts, operator_scope, rng, sdk_config,
};

/// Organisation and city.
type Place = (u64, &'static str);

const HOME: Place = (1, "Lyon");
/// Number of reviews of a business.
const REVIEWS: u64 = 12;
/// Number of calls that no process of these tests makes.
const MAX_CALLS: u64 = 300;

fn business(id: &str, (org, city): Place) -> Business {
    Business { id: business_id(id), org_id: org_id(org), name: "Shop".to_owned(), city: city.to_owned() }
}

/// Returns reviews of a business, with the place where it may have been long ago.
fn reviews(id: &str, numbers: std::ops::Range<u64>, (org, city): Place) -> Vec<Review> {
    let review = |number: u64| Review {
        date: i64::try_from(number).expect("small") * 100_000,
        ..test_review(Partner::Partner8, &format!("review {number}"), (id, org, &city_key(city)))
    };
    numbers.map(review).collect()
}

/// Returns a process of its own, which folds after each write.
fn process(stack: &TestStack) -> Stores {
    folding(Stores::new(stack.stores().database.clone()))
}

fn folding(stores: Stores) -> Stores {
    let limits = FoldLimits { fold_from: 1, ..FoldLimits::default() };
    Stores { reviews: stores.reviews.with_fold_limits(limits), ..stores }
}

async fn put(stores: &Stores, business: &Business) {
    stores.reviews.put_business(business).await.expect("the store answers");
}

/// Puts a business at home with its reviews, some of them in trees and some in the log.
async fn found_business(stack: &TestStack, id: &str) {
    put(stack.stores(), &business(id, HOME)).await;
    process(stack).reviews.upsert_reviews(&reviews(id, 0..REVIEWS / 2, HOME)).await.expect("new reviews");
    let rest = reviews(id, REVIEWS / 2..REVIEWS, HOME);
    Stores::new(stack.stores().database.clone()).reviews.upsert_reviews(&rest).await.expect("new reviews");
}

fn scope_of(org: Option<u64>) -> Scope {
    let role = if org.is_some() { Role::OrgAdmin } else { Role::Provider };
    Principal { user_id: UserId::random(), org_id: org.map(org_id), role }.scope()
}

fn of_business(id: &str) -> ReviewFilter {
    ReviewFilter { businesses: Some(vec![business_id(id)]), ..ReviewFilter::ALL }
}

async fn count(store: &ReviewStore, org: Option<u64>, filter: &ReviewFilter) -> u64 {
    let page = PageRequest { page: 1, size: 100 };
    let found = store.search_reviews(scope_of(org), filter, page).await.expect("the store answers");
    assert_eq!(found.count.min(page.size), found.items.len() as u64, "{filter:?}");
    found.count
}

/// Asserts that each review is counted once, wherever it is.
async fn assert_each_is_counted_once(stack: &TestStack, id: &str, all: u64, what: &str) {
    let store = ReviewStore::new(&stack.stores().database);
    let of_business = of_business(id);
    assert_eq!(count(&store, None, &of_business).await, REVIEWS, "{what}");
    assert_eq!(count(&store, None, &ReviewFilter::ALL).await, all, "{what}");
    let mut sums = [0; 2];
    for org in 1..=3 {
        sums[0] += count(&store, Some(org), &of_business).await;
        sums[1] += count(&store, Some(org), &ReviewFilter::ALL).await;
    }
    assert_eq!(sums, [REVIEWS, all], "{what}");
    for (org, group_by) in [None, Some(1), Some(2)]
        .into_iter()
        .flat_map(|org| [GroupBy::Business, GroupBy::City].map(|group_by| (org, group_by)))
    {
        let stats = store.review_stats(scope_of(org), &ReviewFilter::ALL, Some(group_by)).await.expect("statistics");
        let of_groups = stats.groups.expect("groups").iter().map(|group| group.counts.total()).sum::<i64>();
        assert_eq!(of_groups, stats.counts.total(), "{what}: {org:?} {group_by:?}");
    }
}

/// Asserts that a business and all its reviews are in a place, and nowhere else.
async fn assert_is_in(stack: &TestStack, id: &str, (org, city): Place, reviews: u64, what: &str) {
    let store = ReviewStore::new(&stack.stores().database);
    for other in 1..=3 {
        let in_org = count(&store, Some(other), &of_business(id)).await;
        assert_eq!(in_org, if other == org { reviews } else { 0 }, "{what}: organisation {other}");
    }
    let page = PageRequest { page: 1, size: 100 };
    let found = store.search_reviews(operator_scope(), &of_business(id), page).await.expect("the store answers");
    let is_here = |review: &Review| (review.org_id, &review.city_key) == (org_id(org), &city_key(city));
    assert!(found.items.iter().all(is_here), "{what}: {:?}", found.items);
    let register = store.unfinished_moves().await.expect("the store answers");
    assert!(!register.moves.contains_key(&business_id(id)), "{what}: {register:?}");
    let client = aws_sdk_dynamodb::Client::from_conf(sdk_config(stack.local.dynamodb_url()));
    let get = client.get_item().table_name(stack.stores().database.name(&schema::BUSINESSES));
    let get = get.key("pk", AttributeValue::S(keys::business_pk(&business_id(id)))).consistent_read(true);
    let item = get.send().await.expect("DynamoDB answers").item.expect("the business");
    assert!(!item.contains_key("leaving"), "{what}: {item:?}");
}

async fn assert_has_no_findings(stack: &TestStack) {
    let audit = stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!(audit.findings, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_written_with_a_place_from_before_a_move_are_where_their_business_is() {
    let stack = TestStack::start().await;
    let (mut interruptions, first) = (0, rng("old places").u64(1..=calls_apart(9) as u64));
    // The business moves, is corrected, or goes there and back, just before each call of the writer.
    let journeys: [&[Place]; 3] = [&[(2, "Paris")], &[(1, "Paris")], &[(2, "Lyon"), HOME]];
    for (journey, places) in journeys.into_iter().enumerate() {
        for call in (first..MAX_CALLS).step_by(calls_apart(9)) {
            let id = format!("b{journey}-{call}");
            put(stack.stores(), &business(&id, HOME)).await;
            let old = reviews(&id, 0..3, HOME);
            process(&stack).reviews.upsert_reviews(&old).await.expect("new reviews");
            let connector = InterleavingConnector::new();
            let client = connector.over(in_process_client());
            let writer = folding(stack.stores_through(client, long_timeouts(), stack.table_prefix()));
            writer.reviews.locate_businesses(&[business_id(&id)]).await.expect("the store answers");
            let (stores, moves) =
                (process(&stack), places.iter().map(|place| business(&id, *place)).collect::<Vec<_>>());
            let event: Event = Box::pin(async move {
                for business in &moves {
                    put(&stores, business).await;
                }
            });
            connector.before(call, event).await;
            let changed = old.into_iter().map(|review| Review { rating: Rating::ALL[0], ..review });
            let rows: Vec<Review> = changed.chain(reviews(&id, 3..6, HOME)).collect();
            let before = writer.reviews.upsert_reviews(&rows).await.expect("no fault");
            assert_eq!(before.iter().filter(|before| before.is_none()).count(), 3, "{id}");
            let (_, pending) = connector.end().await;
            if pending.is_some() {
                break;
            }
            interruptions += 1;
            assert_is_in(&stack, &id, *places.last().expect("a place"), 6, &id).await;
        }
    }
    assert!(interruptions * calls_apart(9) > 30, "{interruptions} interruptions");
    assert_has_no_findings(&stack).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_dies_anywhere_counts_each_review_once_and_is_finished_or_corrected_by_the_next_import() {
    let stack = TestStack::start().await;
    let faults = FaultConnector::with_keys(key_names(stack.table_prefix()));
    let options = || Options { retry_policy: RetryPolicy::For(Duration::from_millis(1)), ..long_timeouts() };
    let (mut all, mut interruptions, first) = (0, 0, rng("dying moves").u64(..calls_apart(9) as u64));
    // The same row again, back, on to a third organisation, and another city of the old one.
    let corrections: [Place; 4] = [(2, "Paris"), HOME, (3, "Lyon"), (1, "Nice")];
    for number in (first..MAX_CALLS).step_by(calls_apart(9)) {
        let id = format!("b{number}");
        found_business(&stack, &id).await;
        all += REVIEWS;
        let mover = stack.stores_through(faults.over(in_process_client()), options(), stack.table_prefix());
        faults.restart(Plan::At { call: number + 1, kind: FaultKind::RefuseConnection, times: u64::MAX });
        let outcome = mover.reviews.put_business(&business(&id, (2, "Paris"))).await;
        if faults.attempts() <= number {
            assert_eq!(outcome.expect("no fault"), PutOutcome::Updated);
            break;
        }
        interruptions += 1;
        assert_each_is_counted_once(&stack, &id, all, &id).await;
        let place = corrections[interruptions % corrections.len()];
        put(&process(&stack), &business(&id, place)).await;
        assert_is_in(&stack, &id, place, REVIEWS, &id).await;
    }
    assert!(interruptions * calls_apart(9) > 21, "{interruptions} interruptions");
    assert_has_no_findings(&stack).await;
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
async fn searches_of_all_organisations_count_each_review_once_while_businesses_move_one_after_the_other() {
    let stack = TestStack::start().await;
    let ids: Vec<String> = (0..25).map(|number| format!("b{number}")).collect();
    for id in &ids {
        found_business(&stack, id).await;
    }
    let all = REVIEWS * ids.len() as u64;
    let is_over = AtomicBool::new(false);
    let moves = async {
        let mover = process(&stack);
        for (number, id) in ids.iter().enumerate() {
            put(&mover, &business(id, (2 + number as u64 % 2, "Lyon"))).await;
        }
        is_over.store(true, Ordering::SeqCst);
    };
    let searches = async {
        let store = ReviewStore::new(&stack.stores().database);
        let mut costs = Vec::new();
        while !is_over.load(Ordering::SeqCst) {
            let page = PageRequest { page: 1, size: 10 };
            let search = store.search_reviews(operator_scope(), &ReviewFilter::ALL, page);
            let (found, cost) = measured(search).await;
            assert_eq!(found.expect("no search fails").count, all);
            costs.push(cost);
        }
        costs
    };
    let ((), mut costs) = futures::join!(moves, searches);
    assert!(costs.len() > 10, "{} searches", costs.len());
    costs.sort_by(|one, other| one.read_units.total_cmp(&other.read_units));
    let highest = costs[costs.len() * 99 / 100];
    println!("{} searches while {} businesses moved; 99 % cost at most {highest:?}", costs.len(), ids.len());
    for (number, id) in ids.iter().enumerate() {
        assert_is_in(&stack, id, (2 + number as u64 % 2, "Lyon"), REVIEWS, id).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_that_were_left_are_named_by_the_doctor_and_finished_by_an_operator_the_auditor_or_another_move() {
    let stack = TestStack::start().await;
    let ids: Vec<String> = (0..=MAX_MOVES).map(|number| format!("b{number}")).collect();
    for id in &ids {
        found_business(&stack, id).await;
    }
    // The first call of a move only: as if the import was killed after it.
    for id in &ids[..MAX_MOVES] {
        stack.stores().businesses.put(&business(id, (2, "Lyon"))).await.expect("the store answers");
    }
    let one_more = &ids[MAX_MOVES];
    stack.stores().businesses.put(&business(one_more, (2, "Lyon"))).await.expect_err("too many moves");
    put(&process(&stack), &business(one_more, (2, "Lyon"))).await;
    assert_is_in(&stack, one_more, (2, "Lyon"), REVIEWS, one_more).await;
    let left = async || stack.stores().reviews.unfinished_moves().await.expect("the store answers").moves;
    assert_eq!(left().await.len(), MAX_MOVES - 1);

    let id = left().await.into_keys().next().expect("a move");
    let doctor = stack.ops("doctor").await.expect(Exit::Failed);
    let finding = format!(
        "business {0}: has not finished its move to another city or organisation\n    ops businesses move --finish {0}",
        id.as_str()
    );
    assert!(doctor.stdout.contains(&finding), "{}", doctor.stdout);
    let finished = stack.ops(&format!("--json businesses move --finish {}", id.as_str())).await.expect(Exit::Done);
    assert_eq!(finished.json(), serde_json::json!({ "id": id.as_str(), "reviews": REVIEWS }));
    assert_is_in(&stack, id.as_str(), (2, "Lyon"), REVIEWS, "by an operator").await;
    let none = stack.ops("businesses move --finish unknown").await.expect(Exit::Done);
    assert!(none.stderr.contains("moves finished: 0"), "{}", none.stderr);

    let (settings, deadline) =
        (AuditSettings::new(1_000_000.0, true), presence_runtime::clock::deadline_in(Duration::from_hours(1)));
    presence_auditor::handle(&stack.stores().reviews, stack.clock.as_ref(), settings, deadline).await.expect("a run");
    assert_eq!(left().await.len(), 0);
    for id in &ids {
        assert_is_in(&stack, id, (2, "Lyon"), REVIEWS, "by the auditor").await;
    }
    assert_has_no_findings(&stack).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_business_that_moves_within_a_search_of_named_sets_is_found_in_one_of_them() {
    let stack = TestStack::start().await;
    // The logs are read in the order of their organisations: a move against it would hide the reviews from both.
    for (from, to) in [(1, 2), (2, 1)] {
        for call in (1..).step_by(calls_apart(5)) {
            assert!(call < MAX_CALLS, "a search makes fewer calls");
            let id = format!("b{from}-{call}");
            found_business(&stack, &id).await;
            put(&process(&stack), &business(&id, (from, "Lyon"))).await;
            let connector = InterleavingConnector::new();
            let stores =
                stack.stores_through(connector.over(in_process_client()), long_timeouts(), stack.table_prefix());
            // It folds nothing: a root that is newer than the log would make the search begin again.
            let (mover, there) = (Stores::new(stack.stores().database.clone()), business(&id, (to, "Lyon")));
            connector.before(call, Box::pin(async move { put(&mover, &there).await })).await;
            let query = ReviewQuery {
                sets: [1, 2].map(|org| ReviewSet::Business(org_id(org), business_id(&id))).to_vec(),
                mask: FacetMask::ALL,
                from: None,
                to: None,
                newest_first: true,
                page: PageRequest { page: 1, size: 100 },
            };
            let found = stores.reviews.find_reviews(operator_scope(), &query).await.expect("the store answers");
            let what = format!("moved from {from} to {to} before call {call}");
            assert_eq!((found.count, found.items.len() as u64), (REVIEWS, REVIEWS), "{what}");
            if connector.end().await.1.is_some() {
                assert!(call > 5, "{call} calls");
                break;
            }
        }
    }
}
