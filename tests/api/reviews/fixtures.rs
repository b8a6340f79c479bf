//! A handful of reviews that the rows speak of by one letter each, and the runner of the rows.

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::text::city_key;
use presence_store::ReviewWrite;
use presence_tests::{Fixtures, Reply, TestStack};

use crate::imports::large_dataset::second;

use Partner::{Partner1 as P1, Partner8 as P8, Partner9 as P9};
use ReviewState::{Deleted, NotTreated, Treated};

/// Business, organisation, city.
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

type Said =
    (&'static str, &'static str, Partner, u8, ReviewState, Option<&'static str>, &'static str, Option<&'static str>);

/// Name, business, partner, rating, state, content, date, date of the last change.
const REVIEWS: [Said; 10] = [
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

/// What a request must give.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// A page with these reviews, by name, in this order.
    Page { page: u64, max_page: u64, count: usize, names: &'static str },
    /// 400 with these bad fields, as JSON.
    Bad(String),
}

/// A request of the search, and its whole answer.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The rule that the row shows.
    pub(super) why: &'static str,
    by: &'static str,
    query: String,
    expected: Expected,
}

/// The reviews in a stack.
#[derive(Debug)]
pub(super) struct ReviewFixtures {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
}

/// A search by an administrator of organisation 1 that finds these reviews, all on one page.
pub(super) fn finds(why: &'static str, query: &str, names: &'static str) -> Row {
    let count = names.split_whitespace().count();
    page(why, query, (1, 1, count), names)
}

/// One that gives this page: number, number of the last one, count of all.
pub(super) fn page(
    why: &'static str,
    query: &str,
    (page, max_page, count): (u64, u64, usize),
    names: &'static str,
) -> Row {
    Row { why, by: "admin_1", query: query.to_owned(), expected: Expected::Page { page, max_page, count, names } }
}

/// One that is refused, with the bad fields as a JSON object.
pub(super) fn bad(why: &'static str, query: &str, fields: &str) -> Row {
    Row { why, by: "admin_1", query: query.to_owned(), expected: Expected::Bad(fields.to_owned()) }
}

impl Row {
    pub(super) fn by(self, by: &'static str) -> Self {
        Self { by, ..self }
    }
}

impl ReviewFixtures {
    /// A stack with the fixtures, the businesses and the reviews.
    pub(super) async fn new() -> Self {
        Self::of(TestStack::start().await).await
    }

    /// Creates the fixtures on a stack that counts waves.
    pub(super) async fn counting_waves() -> Self {
        Self::of(TestStack::counting_waves().await).await
    }

    async fn of(stack: TestStack) -> Self {
        let fixtures = Fixtures::create(&stack).await;
        Self::seeded(stack, fixtures).await
    }

    /// The same, in a stack that has its fixtures.
    pub(super) async fn seeded(stack: TestStack, fixtures: Fixtures) -> Self {
        seed(&stack).await;
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

    /// What is wrong with a row's answer, if anything.
    pub(super) async fn run(&self, row: &Row) -> Option<String> {
        let reply = self.ask(row.by, &row.query).await;
        let (status, expected, actual) = match &row.expected {
            Expected::Page { page, max_page, count, names } => {
                (200, format!("page {page} of {max_page}, {count} in all: {names}"), found(&reply))
            }
            Expected::Bad(fields) => (400, format!(r#"{{"errors":{{"json":{fields}}}}}"#), reply.text.clone()),
        };
        let right = reply.status == status && expected == actual;
        let tale =
            || format!("{}: {}\n    {} {}\n    instead of\n    {expected}", row.why, row.query, reply.status, actual);
        (!right).then(tale)
    }
}

/// A page in the form that rows are compared in; the text of an answer that is none.
pub(super) fn found(reply: &Reply) -> String {
    let page = reply.json();
    let Some(reviews) = page["reviews"].as_array() else { return reply.text.clone() };
    let names: Vec<_> = reviews.iter().map(|review| review["partner_id"].as_str().unwrap_or("?")).collect();
    format!("page {} of {}, {} in all: {}", page["page"], page["max_page"], page["count"], names.join(" "))
}

/// Puts the businesses and the reviews into a stack.
pub(crate) async fn seed(stack: &TestStack) {
    for (id, org, city) in BUSINESSES {
        stack.create_business(org, id, city).await;
    }
    for org in [1, 2] {
        stack
            .stores()
            .reviews
            .register_org_with_reviews(OrgId::new(org).expect("an id"))
            .await
            .expect("the store answers");
    }
    post(stack, REVIEWS.iter().map(|said| ReviewWrite { old: None, new: review(said) }).collect()).await;
}

/// Posts as many at a time as fit.
pub(crate) async fn post(stack: &TestStack, writes: Vec<ReviewWrite>) {
    let mut rest = &writes[..];
    while !rest.is_empty() {
        let (now, later) = rest.split_at(ReviewWrite::count_fitting(rest));
        stack.stores().reviews.write_reviews(now).await.expect("nobody else writes");
        rest = later;
    }
}

fn review(said: &Said) -> Review {
    let (name, business, partner, rating, state, content, date, update_date) = *said;
    let (_, org, city) = BUSINESSES.iter().find(|(id, ..)| *id == business).expect("a business");
    let business_id = BusinessId::parse(business).expect("an id");
    Review {
        id: ReviewId::derive(&business_id, partner, name, 0),
        version: 1,
        org_id: OrgId::new(*org).expect("an id"),
        business_id,
        city_key: city_key(city),
        partner,
        partner_id: name.to_owned(),
        key: format!("key of {name}"),
        author_name: None,
        date: second(date),
        update_date: update_date.map(second),
        delete_date: None,
        rating: Rating::new(rating.into()).expect("a rating"),
        title: None,
        content: content.map(str::to_owned),
        reply_comment: None,
        state,
        link: None,
    }
}

/// The review of a name, as it was posted.
pub(crate) fn posted(name: &str) -> Review {
    review(REVIEWS.iter().find(|said| said.0 == name).expect("a review"))
}
