//! First and last second, day and month of a review: an import writes them, every search finds, counts and sorts them, and
//! the audit has no findings.

use presence_ops::Exit;
use presence_tests::{Fixtures, TestStack, calls_apart};
use serde_json::{Value, json};

/// Effective dates in order, at the limits of the first and the last day, month and year.
const DATES: [&str; 18] = [
    "0001-01-01T00:00:00",
    "0001-01-01T00:00:01",
    "0001-01-01T23:59:59",
    "0001-01-02T00:00:00",
    "0001-01-31T23:59:59",
    "0001-02-01T00:00:00",
    "0001-12-31T23:59:59",
    "0002-01-01T00:00:00",
    "1970-01-01T00:00:00",
    "9998-12-31T23:59:59",
    "9999-11-30T23:59:59",
    "9999-12-01T00:00:00",
    "9999-12-30T21:59:59",
    "9999-12-30T22:00:01",
    "9999-12-30T23:59:59",
    "9999-12-31T00:00:00",
    "9999-12-31T23:59:58",
    "9999-12-31T23:59:59",
];

/// Numbers of reviews on a page: a boundary behind each, some boundaries, and none.
const PAGE_SIZES: [u64; 3] = [1, 7, 100];

struct ExtremeDates {
    stack: TestStack,
    fixtures: Fixtures,
}

impl ExtremeDates {
    async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        stack.create_business(1, "shop", "Lyon").await;
        Self { stack, fixtures }
    }

    /// Imports rows with the operator's tool.
    async fn import(&self, rows: impl IntoIterator<Item = Value>) -> Exit {
        let rows = rows.into_iter().fold(String::new(), |rows, row| rows + &row.to_string() + "\n");
        self.stack.import("reviews", &rows).await.exit
    }

    /// Returns the count of a search and the dates on its pages, which are the same for pages of all sizes. The length of the query
    /// chooses one size; `PRESENCE_ROUNDS` takes all of them.
    async fn found(&self, query: &str) -> (u64, Vec<String>) {
        let (mut found, apart) = (None, calls_apart(PAGE_SIZES.len()));
        for size in PAGE_SIZES.into_iter().skip(query.len() % apart).step_by(apart) {
            let (mut shown, mut page) = (Vec::new(), 1);
            let count = loop {
                let path = format!("/reviews?{query}&per_page={size}&page={page}");
                let reply = self.stack.get(&path, &self.fixtures.admin_1.key).await;
                assert_eq!(reply.status, 200, "{path}: {}", reply.text);
                let body = reply.json();
                let dates = body["reviews"].as_array().expect("a list").iter();
                shown.extend(dates.map(|review| review["date"].as_str().expect("a date")[..19].to_owned()));
                if body["max_page"].as_u64() <= Some(page) {
                    break body["count"].as_u64().expect("a count");
                }
                page += 1;
            };
            let one = (count, shown);
            assert_eq!(*found.get_or_insert_with(|| one.clone()), one, "{query}, {size} a page");
        }
        found.expect("it was searched")
    }
}

fn row(at: &str) -> Value {
    json!({
        "business_id": "shop", "partner": "partner_8", "partner_id": at, "date": at, "rating": 5, "state": "treated",
    })
}

/// Returns the dates between two texts, both included. An empty text is no limit.
fn between(from: &str, to: &str) -> Vec<String> {
    let within = |at: &&str| (from.is_empty() || from <= *at) && (to.is_empty() || *at <= to);
    DATES.into_iter().filter(|at| within(at)).map(str::to_owned).collect()
}

/// Asserts that every kind of search finds these dates, in both orders.
async fn assert_finds(env: &ExtremeDates, dates: &str, expected: &[String]) {
    for filters in ["", "business_city=lyon&", "business__in=shop&"] {
        let query = format!("{filters}{dates}");
        let count = expected.len() as u64;
        let newest: Vec<_> = expected.iter().rev().cloned().collect();
        assert_eq!(env.found(&query).await, (count, newest), "{query}");
        let oldest = format!("{query}&order_by=update_date");
        assert_eq!(env.found(&oldest).await, (count, expected.to_vec()), "{oldest}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_and_the_last_dates_are_written_counted_found_and_sorted() {
    let env = ExtremeDates::new().await;
    assert_eq!(env.import(DATES.map(row)).await, Exit::Done);
    assert_finds(&env, "", &between("", "")).await;
    for at in DATES {
        assert_finds(&env, &format!("update_date__gte={at}&update_date__lte={at}"), &between(at, at)).await;
    }
    for (from, to) in [
        ("0001-01-01", "9999-12-31"),
        ("0001-01-01", "0001-01-01"),
        ("0001-01-02", "0001-01-31"),
        ("0001-01-01", "0001-12-31"),
        ("9999-12-31", "9999-12-31"),
        ("9999-12-30", "9999-12-30"),
        ("9999-12-01", "9999-12-31"),
        ("9999-12-31", "9999-12-30"),
    ] {
        let expected = between(from, &format!("{to}T23:59:59"));
        assert_finds(&env, &format!("update_date__gte={from}&update_date__lte={to}"), &expected).await;
    }
    assert_finds(&env, "update_date__gte=9999-12-30T22:00:01", &between("9999-12-30T22:00:01", "")).await;
    assert_finds(&env, "update_date__lte=0001-01-01T00:00:00", &between("", "0001-01-01T00:00:00")).await;
    assert_eq!(env.stack.stores().reviews.audit_reviews(None).await.expect("the store answers").findings, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_date_outside_the_years_1_to_9999_is_before_or_after_everything() {
    let env = ExtremeDates::new().await;
    assert_eq!(env.import(DATES.map(row)).await, Exit::Done);
    for after in ["9999-12-31T23:59-05:00", "9999-12-31T23:59:59.5-00:01"] {
        assert_finds(&env, &format!("update_date__gte={after}"), &[]).await;
        assert_finds(&env, &format!("update_date__lte={after}"), &between("", "")).await;
    }
    for before in ["0001-01-01T00:00%2B00:01", "0000-12-31", "0000-01-01T00:00%2B23:59", "0000-12-31T23:59:59.999"] {
        assert_finds(&env, &format!("update_date__gte={before}"), &between("", "")).await;
        assert_finds(&env, &format!("update_date__lte={before}"), &[]).await;
    }
    let (before, after) = ("0000-06-01", "9999-12-31T23:59-05:00");
    assert_finds(&env, &format!("update_date__gte={before}&update_date__lte={after}"), &between("", "")).await;
    assert_finds(&env, &format!("update_date__gte={after}&update_date__lte={before}"), &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_rejects_a_date_that_an_offset_moves_outside() {
    let env = ExtremeDates::new().await;
    for at in ["9999-12-31T23:59-00:01", "0001-01-01T00:00+00:01", "0000-12-31", "0000-12-31T23:59:59"] {
        assert_eq!(env.import([row(at)]).await, Exit::SomeRejected, "{at}");
        let mut updated = row("2024-01-01");
        updated["update_date"] = json!(at);
        assert_eq!(env.import([updated]).await, Exit::SomeRejected, "{at}");
    }
    assert_finds(&env, "", &[]).await;
}
