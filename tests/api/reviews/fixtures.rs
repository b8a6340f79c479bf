//! Reviews, each named by a letter, and the cases that search them.

use presence_domain::review::{Partner, Rating, Review, ReviewState};
use presence_domain::text::city_key;
use presence_store::ReviewWrite;
use presence_tests::reviews::{self, org_id, test_review};
use presence_tests::{Fixtures, Reply, SavedFixtures, TestStack};
use tokio::sync::OnceCell;

use crate::imports::large_dataset::second;

use Partner::{Partner1 as P1, Partner8 as P8, Partner9 as P9};
use ReviewState::{Deleted, NotTreated, Treated};

/// Businesses: id, organisation, city.
const BUSINESSES: [(&str, u64, &str); 8] = [
    ("lyon-1", 1, "Lyon"),
    ("lyon-2", 1, "LYON"),
    ("etienne", 1, "Saint-Étienne"),
    ("paris", 1, "Paris"),
    ("cormeilles", 1, "Cormeilles-en-Parisis"),
    ("hay", 1, "L’Haÿ-les-Roses"),
    ("lyon-9", 2, "Lyon"),
    ("paris-9", 2, "Paris"),
];

/// Tables that have the fixtures, the businesses and the reviews.
static SAVED: SavedFixtures = OnceCell::const_new();

type ReviewRow =
    (&'static str, &'static str, Partner, u8, ReviewState, Option<&'static str>, &'static str, Option<&'static str>);

/// Reviews: name, business, partner, rating, state, content, date, date of the last change.
const REVIEWS: [ReviewRow; 10] = [
    ("a", "lyon-1", P8, 5, Treated, Some("Parfait"), "2025-01-01T00:00:00", None),
    ("b", "lyon-1", P1, 4, NotTreated, None, "2025-01-31T23:59:59", None),
    ("c", "lyon-2", P9, 3, Deleted, Some("  "), "2025-02-01T00:00:00", None),
    ("d", "lyon-2", P8, 2, Treated, Some(""), "2024-12-31T23:59:59", Some("2025-03-01T12:00:00")),
    ("e", "etienne", P1, 1, NotTreated, Some("Nul"), "2025-03-01T12:00:00", None),
    ("f", "paris", P9, 5, Deleted, Some("Bien"), "2025-03-01T12:00:01", None),
    ("g", "cormeilles", P8, 4, Treated, Some("Bon"), "2025-06-01T00:00:00", Some("2025-03-31T23:59:59")),
    ("h", "hay", P1, 3, NotTreated, Some("Moyen"), "2025-04-01T00:00:00", None),
    ("x", "lyon-9", P8, 5, Treated, Some("Parfait"), "2025-02-15T08:00:00", None),
    ("y", "paris-9", P9, 1, Deleted, Some("Nul"), "2025-05-01T00:00:00", None),
];

/// Expected answer.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// Page with these reviews, by name, in this order.
    Page { page: u64, max_page: u64, count: usize, names: &'static str },
    /// Status 400 with these invalid fields, as JSON.
    Bad(String),
}

/// Search with its expected answer.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Rule that the case shows.
    pub(super) reason: &'static str,
    pub(super) by: &'static str,
    pub(super) query: String,
    pub(super) expected: Expected,
}

/// Stack with users, businesses and reviews.
#[derive(Debug)]
pub(super) struct ReviewFixtures {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
}

/// Returns a search by an administrator of organisation 1 that finds these reviews, all on one page.
pub(super) fn finds(reason: &'static str, query: &str, names: &'static str) -> Case {
    let count = names.split_whitespace().count();
    page(reason, query, (1, 1, count), names)
}

/// Returns a search that finds this page: number, number of the last page, count of all.
pub(super) fn page(
    reason: &'static str,
    query: &str,
    (page, max_page, count): (u64, u64, usize),
    names: &'static str,
) -> Case {
    Case { reason, by: "admin_1", query: query.to_owned(), expected: Expected::Page { page, max_page, count, names } }
}

/// Returns a search that is refused, with the invalid fields as a JSON object.
pub(super) fn bad(reason: &'static str, query: &str, fields: &str) -> Case {
    Case { reason, by: "admin_1", query: query.to_owned(), expected: Expected::Bad(fields.to_owned()) }
}

async fn write(stack: &TestStack) -> Fixtures {
    let fixtures = Fixtures::create(stack).await;
    seed(stack).await;
    fixtures
}

impl Case {
    pub(super) fn by(self, by: &'static str) -> Self {
        Self { by, ..self }
    }
}

impl ReviewFixtures {
    /// Starts a stack with the fixtures, the businesses and the reviews.
    pub(super) async fn new() -> Self {
        Self::of(TestStack::start().await).await
    }

    /// Creates the fixtures on a stack that counts round trips.
    pub(super) async fn counting_waves() -> Self {
        Self::of(TestStack::counting_waves().await).await
    }

    /// Adds fixtures, businesses and reviews to an empty stack.
    pub(super) async fn of(stack: TestStack) -> Self {
        let fixtures = Fixtures::copy(&stack, &SAVED, |stack| Box::pin(write(stack))).await;
        Self { stack, fixtures }
    }

    pub(super) fn key(&self, by: &str) -> &str {
        match by {
            "provider" => &self.fixtures.provider.key,
            "provider_in_1" => &self.fixtures.provider_in_1.key,
            "manager_1" => &self.fixtures.manager_1.key,
            "admin_2" => &self.fixtures.admin_2.key,
            "manager_2" => &self.fixtures.manager_2.key,
            _ => &self.fixtures.admin_1.key,
        }
    }

    pub(super) async fn ask(&self, by: &str, query: &str) -> Reply {
        self.stack.get(&format!("/reviews?{query}"), self.key(by)).await
    }

    /// Folds the logs of all organisations into their trees.
    pub(super) async fn fold(&self) {
        for org in [1, 2] {
            self.stack.stores().reviews.fold_reviews(org_id(org)).await.expect("the store answers");
        }
    }

    /// Asks for statistics.
    pub(super) async fn stats(&self, by: &str, query: &str) -> Reply {
        self.stack.get(&format!("/reviews/stats?{query}"), self.key(by)).await
    }

    /// Runs a case, and returns a message if it fails.
    pub(super) async fn run(&self, case: &Case) -> Option<String> {
        let reply = self.ask(case.by, &case.query).await;
        let (status, expected, actual) = match &case.expected {
            Expected::Page { page, max_page, count, names } => {
                (200, format!("page {page} of {max_page}, {count} in all: {names}"), describe_page(&reply))
            }
            Expected::Bad(fields) => (400, format!(r#"{{"errors":{{"json":{fields}}}}}"#), reply.text.clone()),
        };
        if reply.status == status && expected == actual {
            return None;
        }
        let (reason, query, actual_status) = (case.reason, &case.query, reply.status);
        Some(format!("{reason}: {query}\n    {actual_status} {actual}\n    instead of\n    {expected}"))
    }
}

/// Describes a page in the form in which cases are compared. Returns the text of an answer that is no page.
pub(super) fn describe_page(reply: &Reply) -> String {
    let page = reply.json();
    let Some(reviews) = page["reviews"].as_array() else { return reply.text.clone() };
    let names: Vec<_> = reviews.iter().map(|review| review["partner_id"].as_str().unwrap_or("?")).collect();
    format!("page {} of {}, {} in all: {}", page["page"], page["max_page"], page["count"], names.join(" "))
}

/// Stores the businesses and the reviews.
pub(crate) async fn seed(stack: &TestStack) {
    for (id, org, city) in BUSINESSES {
        stack.create_business(org, id, city).await;
    }
    for org in [1, 2] {
        stack.stores().reviews.register_org_with_reviews(org_id(org)).await.expect("the store answers");
    }
    write_reviews(stack, REVIEWS.iter().map(|row| ReviewWrite { old: None, new: review(row) }).collect()).await;
}

/// Writes reviews, in each transaction as many as fit.
pub(crate) async fn write_reviews(stack: &TestStack, writes: Vec<ReviewWrite>) {
    reviews::write_reviews(&stack.stores().reviews, &writes).await;
}

fn review(row: &ReviewRow) -> Review {
    let (name, business, partner, rating, state, content, date, update_date) = *row;
    let (_, org, city) = BUSINESSES.iter().find(|(id, ..)| *id == business).expect("a business");
    Review {
        key: format!("key of {name}"),
        date: second(date),
        update_date: update_date.map(second),
        rating: Rating::ALL[usize::from(rating - 1)],
        content: content.map(str::to_owned),
        // The partner's own reply, so that the route of replies finds one.
        reply_comment: (name == "a").then(|| "Merci".to_owned()),
        state,
        ..test_review(partner, name, (business, *org, &city_key(city)))
    }
}

/// Returns the review with this name as it was stored.
pub(crate) fn seeded_review(name: &str) -> Review {
    review(REVIEWS.iter().find(|row| row.0 == name).expect("a review"))
}
