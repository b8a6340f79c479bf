//! Cost of a search.

use presence_domain::review::{Review, ReviewId};
use presence_store::ReviewWrite;
use presence_tests::Cost;

use super::fixtures::{ReviewFixtures, seeded_review, write_reviews};
use crate::imports::large_dataset::second;

/// Number of reviews on a day. Their month is too large to be read as a whole, so a search needs all its steps.
const CROWD: u64 = 2_100;
/// Bounds of a search of a review set in the data model, and one wave and one unit for the key.
const MAX_WAVES: u64 = 4 + 1;
const MAX_READ_UNITS: f64 = 151.0 + 1.0;

/// Stores reviews of one day, one second apart.
async fn store_crowd(review_fixtures: &ReviewFixtures) {
    let template = seeded_review("a");
    let reviews = (0..CROWD).map(|number| {
        let id = ReviewId::derive(&template.business_id, template.partner, &format!("crowd {number}"), 0);
        let date = second("2025-07-14") + i64::try_from(number).expect("small");
        Review { id, date, partner_id: format!("crowd {number}"), ..template.clone() }
    });
    write_reviews(&review_fixtures.stack, reviews.map(|new| ReviewWrite { old: None, new }).collect()).await;
}

async fn cost(review_fixtures: &ReviewFixtures, by: &str, query: &str, count: u64) -> Cost {
    let reply = review_fixtures.ask(by, query).await;
    assert_eq!((reply.status, reply.json()["count"].as_u64()), (200, Some(count)), "{query}: {}", reply.text);
    reply.cost()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_search_keeps_its_budget() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    store_crowd(&review_fixtures).await;
    for by in ["admin_1", "provider", "admin_2"] {
        review_fixtures.ask(by, "").await;
    }
    for (by, query, count) in [
        ("admin_1", "", CROWD + 8),
        ("admin_1", "page=70", CROWD + 8),
        ("admin_1", "order_by=update_date", CROWD + 8),
        ("admin_1", "rating=5", CROWD + 2),
        ("admin_1", "rating__in=1,3&state=not_treated", 2),
        ("admin_1", "business_city=lyon", CROWD + 4),
        ("admin_1", "update_date__gte=2025-07-14T00:00:30", CROWD - 30),
        ("admin_1", "update_date__lte=2025-07-31", CROWD + 8),
        ("admin_2", "", 2),
        ("provider", "", CROWD + 10),
        ("provider", "business_city=lyon", CROWD + 5),
    ] {
        let spent = cost(&review_fixtures, by, query, count).await;
        assert!(spent.waves <= MAX_WAVES && spent.read_units <= MAX_READ_UNITS, "{by} {query}: {spent:?}");
        assert!(spent.write_units < 0.1, "{spent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_possible_matches_reads_only_the_key_and_one_of_a_business_takes_three_waves() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    review_fixtures.ask("admin_1", "").await;
    let key = Cost { calls: 1, waves: 1, read_units: 1.0, write_units: 0.0 };
    for query in
        ["rating=5&rating__in=4", "update_date__gte=2025-02-01&update_date__lte=2025-01-01", "business__in=a%20b"]
    {
        assert_eq!(cost(&review_fixtures, "admin_1", query, 0).await, key, "{query}");
    }
    let one = cost(&review_fixtures, "admin_1", "business__in=lyon-1", 2).await;
    // One unit for the key, one for the business, a half for its entries in the index, two for the reviews.
    assert_eq!(one, Cost { calls: 4, waves: 3, read_units: 1.0 + 1.0 + 0.5 + 2.0, write_units: 0.0 });
    let foreign = cost(&review_fixtures, "admin_1", "business__in=lyon-9", 0).await;
    assert_eq!(foreign, Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 0.0 });
    let small = cost(&review_fixtures, "admin_1", "", 8).await;
    assert_eq!(small.calls, 7, "the key, months, the slips of four of them, reviews: {small:?}");
}
