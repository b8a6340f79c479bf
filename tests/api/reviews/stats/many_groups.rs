//! Largest number of groups.

use presence_domain::review::{Review, ReviewId};
use presence_domain::review_stats::MAX_GROUPS;
use presence_store::ReviewWrite;

use super::super::fixtures::{ReviewFixtures, seeded_review, write_reviews};
use crate::imports::large_dataset::second;

const REFUSAL: &str = r#"{"errors":{"json":{"group_by":"more than 1000 groups: narrow the filters"}}}"#;

/// Returns a review of another organisation on each of so many days.
fn daily_reviews(days: usize) -> Vec<Review> {
    let template = seeded_review("x");
    let review = |day: usize| {
        let partner_id = format!("day {day}");
        let id = ReviewId::derive(&template.business_id, template.partner, &partner_id, 0);
        let date = second("2020-01-01") + 86_400 * i64::try_from(day).expect("small");
        Review { id, date, partner_id, ..template.clone() }
    };
    (0..days).map(review).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_groups_are_answered_and_one_more_is_refused() {
    let review_fixtures = ReviewFixtures::new().await;
    let writes = daily_reviews(MAX_GROUPS + 1).into_iter().map(|new| ReviewWrite { old: None, new });
    write_reviews(&review_fixtures.stack, writes.collect()).await;
    for folded in [false, true] {
        // One of the days is filtered away.
        let dates = "update_date__gte=2020-01-02&update_date__lte=2022-12-31";
        let of_business = format!("{dates}&business__in=lyon-9");
        for (by, filter) in [("admin_2", dates), ("admin_2", &of_business), ("provider", &of_business)] {
            let fits = review_fixtures.stats(by, &format!("group_by=day&{filter}")).await;
            assert_eq!(fits.status, 200, "{by}, {filter}, folded: {folded}: {}", fits.text);
            let body = fits.json();
            assert_eq!(body["groups"].as_array().map(Vec::len), Some(MAX_GROUPS), "{by}, {filter}");
            assert_eq!(body["count"], MAX_GROUPS, "{by}, {filter}");
        }
        for by in ["admin_2", "provider"] {
            let refused = review_fixtures.stats(by, "group_by=day").await;
            assert_eq!((refused.status, refused.text.as_str()), (400, REFUSAL), "{by}, folded: {folded}");
            assert_eq!(review_fixtures.stats(by, "group_by=month").await.status, 200, "{by}");
        }
        review_fixtures.fold().await;
    }
}
