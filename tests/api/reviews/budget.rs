//! What a search costs.

use presence_domain::review::{Review, ReviewId};
use presence_store::ReviewWrite;
use presence_tests::Cost;

use super::fixtures::{ReviewFixtures, post, posted};
use crate::imports::large_dataset::second;

/// More than a month that is read whole: a search takes its longest way.
const CROWD: u64 = 2_100;
/// The data model's bounds of a search by book, and one wave and one unit for the key.
const WAVES: u64 = 4 + 1;
const READ_UNITS: f64 = 151.0 + 1.0;

/// A crowd of reviews on one day, one second apart.
async fn crowd(review_fixtures: &ReviewFixtures) {
    let template = posted("a");
    let reviews = (0..CROWD).map(|number| {
        let id = ReviewId::derive(&template.business_id, template.partner, &format!("crowd {number}"), 0);
        let date = second("2025-07-14") + i64::try_from(number).expect("small");
        Review { id, date, partner_id: format!("crowd {number}"), ..template.clone() }
    });
    post(&review_fixtures.stack, reviews.map(|new| ReviewWrite { old: None, new }).collect()).await;
}

async fn cost(review_fixtures: &ReviewFixtures, by: &str, query: &str, count: u64) -> Cost {
    let reply = review_fixtures.ask(by, query).await;
    assert_eq!((reply.status, reply.json()["count"].as_u64()), (200, Some(count)), "{query}: {}", reply.text);
    reply.cost()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_keeps_its_budget_whatever_it_asks_for() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    crowd(&review_fixtures).await;
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
        assert!(spent.waves <= WAVES && spent.read_units <= READ_UNITS, "{by} {query}: {spent:?}");
        assert!(spent.write_units < 0.1, "{spent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_match_costs_nothing_but_the_key_and_a_business_three_waves() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    review_fixtures.ask("admin_1", "").await;
    let key = Cost { calls: 1, waves: 1, read_units: 1.0, write_units: 0.0 };
    for query in
        ["rating=5&rating__in=4", "update_date__gte=2025-02-01&update_date__lte=2025-01-01", "business__in=a%20b"]
    {
        assert_eq!(cost(&review_fixtures, "admin_1", query, 0).await, key, "{query}");
    }
    let one = cost(&review_fixtures, "admin_1", "business__in=lyon-1", 2).await;
    // The key, the business, its entries (an index is read at half a unit), two reviews.
    assert_eq!(one, Cost { calls: 4, waves: 3, read_units: 1.0 + 1.0 + 0.5 + 2.0, write_units: 0.0 });
    let foreign = cost(&review_fixtures, "admin_1", "business__in=lyon-9", 0).await;
    assert_eq!(foreign, Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 0.0 });
    let small = cost(&review_fixtures, "admin_1", "", 8).await;
    assert_eq!(small.calls, 7, "the key, months, the slips of four of them, reviews: {small:?}");
}
