//! The search of reviews: contract, scope, wire, hostile values, a brute-force oracle, and its cost.

mod access;
mod budget;
mod dates;
mod extreme_dates;
mod filters;
pub(crate) mod fixtures;
mod hostile_values;
mod index_lag;
mod lists;
pub(crate) mod oracle;
mod paging;
mod response_body;
mod scope;

use fixtures::Row;

/// The issue asks for as many.
const FEWEST_ROWS: usize = 60;

/// Every row of the contract.
fn rows() -> Vec<Row> {
    [dates::rows(), filters::rows(), lists::rows(), paging::rows(), scope::rows()].concat()
}

#[test]
fn the_contract_has_at_least_60_rows_each_with_its_reason() {
    let rows = rows();
    assert!(rows.iter().all(|row| !row.why.is_empty()));
    assert!(rows.len() >= FEWEST_ROWS, "{} rows", rows.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_the_contract_holds() {
    let review_fixtures = fixtures::ReviewFixtures::new().await;
    let mut failures = Vec::new();
    for row in rows() {
        failures.extend(review_fixtures.run(&row).await);
    }
    assert!(failures.is_empty(), "{} rows:\n{}", failures.len(), failures.join("\n"));
}
