//! Cost of statistics of 10,000 reviews, without the cost of the key.

use std::ops::Range;

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Review, ReviewId};
use presence_local::connectors::{ConnectorLayer as _, WavesConnector, count_waves};
use presence_store::{Business, ReviewFilter, ReviewStore, ReviewWrite};
use presence_tests::logs::{self, LoggedCost};
use presence_tests::{Cost, Reply, TestStack, in_process_client, long_timeouts, operator_scope};

use super::super::budget::{
    BUSINESSES, KEY, LARGE_CITY, NOTHING, businesses, cost_of_search, filled_stack, just_started,
};
use super::super::fixtures::{ReviewFixtures, seeded_review, write_reviews};
use crate::imports::large_dataset::second;

/// Most round trips of statistics by a function that was just started. The key is read beside the first one.
const MAX_WAVES: u64 = 3;
/// Dates that cut a day at each end.
const DATES: &str = "update_date__gte=2022-03-05T10:00:00&update_date__lte=2023-04-09T11:00:00";

/// Limits of statistics by a function that was just started, without the key.
struct Budget {
    query: String,
    calls: u64,
    units: f64,
}

/// Stores the businesses of the reviews, in the cities that the reviews name.
async fn put_businesses(stack: &TestStack) {
    put_numbered(stack, 0..BUSINESSES).await;
}

async fn put_numbered(stack: &TestStack, numbers: Range<usize>) {
    for number in numbers {
        let city = if number < 40 { LARGE_CITY.to_owned() } else { format!("city {}", number % 50) };
        let id = BusinessId::parse(&format!("b{number}")).expect("an id");
        let business = Business { id, org_id: OrgId::new(1).expect("an id"), name: "Name".to_owned(), city };
        stack.stores().businesses.put(&business).await.expect("the store answers");
    }
}

async fn ask(stack: &TestStack, key: &str, query: &str) -> Reply {
    let reply = stack.get(&format!("/reviews/stats?{query}"), key).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.text);
    reply
}

/// Returns the cost without that of the key, with the round trips that the function measures. Many parallel reads of roots queue, so that
/// virtual time shows more.
fn cost_of_places(reply: &Reply) -> Cost {
    let LoggedCost { calls, read_units, write_units } = reply.logged_cost();
    let line = logs::request_line(reply.header("x-request-id"));
    let waves = line["waves"].as_u64().expect("a number of waves");
    Cost { calls: calls - KEY.calls, waves, read_units: read_units - KEY.read_units, write_units }
}

fn budgets() -> Vec<Budget> {
    let totals = (3, 8.0);
    let (cut, many) = ((10, 30.0), (20, 320.0));
    let both = |query: &str, (calls, units): (u64, f64)| Budget { query: query.into(), calls, units };
    vec![
        both("", totals),
        both("rating=5", totals),
        both("state=deleted&rating__in=1,2&partner__in=partner_1&content__isnull=true", totals),
        both("group_by=rating", totals),
        both("group_by=state&rating=5", totals),
        both("group_by=partner", totals),
        both("group_by=year", cut),
        both("group_by=month", cut),
        both("group_by=month&state=deleted", cut),
        both("group_by=day&update_date__gte=2025-06-01", cut),
        both(DATES, cut),
        both(&format!("group_by=month&{DATES}"), cut),
        both(&format!("business_city={LARGE_CITY}"), cut),
        both(&format!("business_city={LARGE_CITY}&group_by=month"), cut),
        both(&format!("group_by=business&business__in={}", businesses(0..20)), (15, 60.0)),
        both("group_by=city", (20, 120.0)),
        both("group_by=business", many),
        both(&format!("group_by=city&{DATES}"), (20, 150.0)),
        both(&format!("group_by=business&{DATES}"), (30, 520.0)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_of_a_function_that_was_just_started_keep_their_budgets_and_repeated_ones_take_one_wave() {
    let (stack, fixtures) = filled_stack().await;
    put_businesses(&stack).await;
    let key = &fixtures.admin_1.key;
    let mut exceeded = Vec::new();
    for Budget { query, calls, units } in budgets() {
        let started = just_started(&stack, key).await;
        let is_list = ["group_by=business", "group_by=city"].iter().any(|group| query.starts_with(group))
            && !query.contains("business__in");
        let cost: fn(&Reply) -> Cost = if is_list { cost_of_places } else { cost_of_search };
        let cold = cost(&ask(&started, key, &query).await);
        let warm = cost(&ask(&started, key, &query).await);
        let is_within = cold.waves <= MAX_WAVES
            && cold.calls <= calls
            && cold.read_units <= units
            && cold.write_units < 0.1
            && (warm.waves == 1 || is_list)
            && warm.read_units <= cold.read_units;
        if !is_within {
            exceeded.push(format!("{query}: {cold:?}, again {warm:?}"));
        }
    }
    assert!(exceeded.is_empty(), "{}", exceeded.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_root_of_a_business_without_reviews_is_not_read() {
    let (stack, fixtures) = filled_stack().await;
    put_businesses(&stack).await;
    let key = &fixtures.admin_1.key;
    let before = cost_of_places(&ask(&just_started(&stack, key).await, key, "group_by=business").await);
    put_numbered(&stack, BUSINESSES..2 * BUSINESSES).await;
    let after = cost_of_places(&ask(&just_started(&stack, key).await, key, "group_by=business").await);
    // 400 roots take 200 units at least. The longer list of businesses takes some.
    assert!(after.read_units < before.read_units + 100.0, "{before:?}, then {after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_without_possible_matches_read_only_the_key() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    review_fixtures.stats("admin_1", "").await;
    let reversed = "update_date__gte=2025-02-01&update_date__lte=2025-01-01&group_by=day";
    for query in [NOTHING, reversed, "business__in=a%20b&group_by=city"] {
        let reply = review_fixtures.stats("admin_1", query).await;
        let cost: Cost = reply.cost();
        assert_eq!((reply.json()["count"].as_u64(), cost), (Some(0), KEY), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn locations_of_named_businesses_are_read_beside_their_trees() {
    let (stack, fixtures) = filled_stack().await;
    put_businesses(&stack).await;
    let named = format!("business__in={}", businesses(30..50));
    for (path, filters, waves) in [
        // The locations, the log and the roots. The second round trip is that of leaves.
        ("/reviews/stats", "group_by=city".to_owned(), 1),
        ("/reviews/stats", format!("business_city={LARGE_CITY}"), 1),
        ("/reviews/stats", format!("business_city={LARGE_CITY}&group_by=city"), 1),
        ("/reviews/stats", format!("group_by=city&{DATES}"), 2),
        ("/reviews/stats", format!("business_city={LARGE_CITY}&{DATES}"), 2),
        ("/reviews/stats", format!("business_city={LARGE_CITY}&group_by=month&{DATES}"), 2),
        // The reviews take a round trip more.
        ("/reviews", format!("business_city={LARGE_CITY}"), 2),
        ("/reviews", format!("business_city={LARGE_CITY}&{DATES}"), 3),
    ] {
        let started = just_started(&stack, &fixtures.admin_1.key).await;
        let path = format!("{path}?{named}&{filters}");
        let reply = started.get(&path, &fixtures.admin_1.key).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        let cost = cost_of_search(&reply);
        assert_eq!(cost.waves, waves, "{path}: {cost:?}");
    }
}

/// Returns the number of reviews of all organisations, and the round trips of a store without caches that counts them.
async fn count_of_all(stack: &TestStack, filter: ReviewFilter, is_connected: bool) -> (i64, u32) {
    let stores = stack.stores_through(WavesConnector.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let count = move || {
        if is_connected {
            count_waves(stores.reviews.connect());
        }
        let (stats, waves) = count_waves(stores.reviews.review_stats(operator_scope(), &filter, None));
        (stats.expect("statistics").counts.total(), waves)
    };
    tokio::task::spawn_blocking(count).await.expect("the store answers")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_organisations_that_a_function_reads_when_it_starts_saves_a_wave() {
    let (stack, _) = filled_stack().await;
    let all = ReviewFilter::ALL;
    let cut = ReviewFilter { from: Some(second("2022-03-05T10:00:00")), ..all.clone() };
    for (filter, waves) in [(&all, 2), (&cut, 2)] {
        let (connected, unconnected) =
            (count_of_all(&stack, filter.clone(), true).await, count_of_all(&stack, filter.clone(), false).await);
        assert!(connected.0 > 0);
        assert_eq!((connected.1, unconnected), (waves, (connected.0, waves + 1)), "{filter:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_of_a_provider_uses_the_list_that_its_function_read_when_it_started() {
    let (stack, fixtures) = filled_stack().await;
    let key = &fixtures.provider.key;
    // The first use of a key in an hour is a write.
    ask(&stack, key, NOTHING).await;
    for (path, waves) in [("/reviews", 2), ("/reviews/stats", 2), (&format!("/reviews/stats?{DATES}"), 2)] {
        let started = just_started(&stack, key).await;
        let reply = started.get(path, key).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        assert_eq!(cost_of_search(&reply).waves, waves, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_that_a_starting_function_did_not_list_is_counted() {
    let review_fixtures = ReviewFixtures::new().await;
    let store = ReviewStore::new(&review_fixtures.stack.stores().database);
    store.connect().await;
    let seeded = review_fixtures.stats("provider", "").await.json()["count"].as_i64();
    let org_id = OrgId::new(7).expect("an id");
    store.register_org_with_reviews(org_id).await.expect("the store answers");
    let new = Review { org_id, ..seeded_review("a") };
    let new = Review { id: ReviewId::derive(&new.business_id, new.partner, "late", 0), version: 0, ..new };
    write_reviews(&review_fixtures.stack, vec![ReviewWrite { old: None, new }]).await;
    let stats = store.review_stats(operator_scope(), &ReviewFilter::ALL, None).await.expect("statistics");
    assert_eq!(Some(stats.counts.total()), seeded.map(|count| count + 1));
}
