//! Search and statistics of reviews, and one review: parameters, scope, bodies, hostile values, cost, and comparisons with brute force.

mod acting;
mod budget;
mod dates;
mod extreme_dates;
mod filters;
pub(crate) mod fixtures;
mod get;
mod index_lag;
mod lists;
pub(crate) mod oracle;
mod paging;
mod response_body;
mod scope;
mod stats;

use fixtures::Case;

/// Lower bound of the number of cases, so that no table is lost.
const MIN_CASES: usize = 60;

/// Returns the cases of all tables.
fn cases() -> Vec<Case> {
    [dates::cases(), filters::cases(), lists::cases(), paging::cases(), scope::cases()].concat()
}

#[test]
fn there_are_at_least_60_cases_each_with_its_reason() {
    let cases = cases();
    assert!(cases.iter().all(|case| !case.reason.is_empty()));
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_search_gets_its_answer() {
    let review_fixtures = fixtures::ReviewFixtures::new().await;
    let mut failures = Vec::new();
    for case in cases() {
        failures.extend(review_fixtures.run(&case).await);
    }
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}
