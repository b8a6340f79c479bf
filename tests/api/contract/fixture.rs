//! The runner: runs the rows of one table in one stack and tells of every row that fails.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use presence_runtime::clock::Clock as _;
use presence_tests::{Fixtures, Reply, TestStack, TestUser, address, send};

use super::facts::fact;
use super::row::{Expected, Row};

/// Headers of every answer of the service.
const ALWAYS: [(&str, &str); 4] = [
    ("content-type", "application/json; charset=utf-8"),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];
/// Headers whose values differ from answer to answer; the last three are the gateway's and HTTP's own.
const VARYING: [&str; 4] = ["x-request-id", "apigw-requestid", "content-length", "date"];

/// A stack with the fixtures in it, and what the rows call things.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) stack: TestStack,
    names: BTreeMap<String, String>,
}

impl Fixture {
    /// A fresh stack with the fixtures.
    pub(crate) async fn open() -> Self {
        let stack = TestStack::start().await;
        let fixtures = Fixtures::create(&stack).await;
        let mut fixture = Self { stack, names: BTreeMap::new() };
        let Fixtures { provider, provider_in_1, admin_1, other_admin_1, manager_1, other_manager_1, .. } = &fixtures;
        for (name, person) in [
            ("provider", provider),
            ("provider_in_1", provider_in_1),
            ("admin_1", admin_1),
            ("other_admin_1", other_admin_1),
            ("manager_1", manager_1),
            ("other_manager_1", other_manager_1),
            ("invited_1", &fixtures.invited_1),
            ("admin_2", &fixtures.admin_2),
            ("manager_2", &fixtures.manager_2),
            ("invited_2", &fixtures.invited_2),
        ] {
            fixture.introduce(name, person);
        }
        fixture
    }

    /// Rows may speak of this person from now on.
    pub(crate) fn introduce(&mut self, name: &str, person: &TestUser) {
        self.name(name, &person.id);
        self.name(&format!("{name}.email"), &person.email);
        self.name(&format!("{name}.key"), &person.key);
        self.name(&format!("{name}.rest"), person.key.trim_start_matches("pk_"));
    }

    /// Rows may say `<name>` for this text from now on.
    pub(crate) fn name(&mut self, name: &str, text: &str) {
        self.names.insert(name.to_owned(), text.to_owned());
    }

    /// What `<name>` stands for.
    pub(crate) fn named(&self, name: &str) -> &str {
        self.names.get(name).unwrap_or_else(|| panic!("nothing is called {name}"))
    }

    /// Runs the rows in their order.
    ///
    /// # Panics
    /// When a row fails, with the reason of every row that does; or when the audit finds something afterwards.
    pub(crate) async fn run(&mut self, rows: &[Row]) {
        let mut failures = Vec::new();
        let mut before = self.stack.snapshot().await;
        for (number, row) in rows.iter().enumerate() {
            self.name("new", &address(&format!("row-{number}")));
            self.stack.clock.advance(SignedDuration::from_millis(row.later));
            let reply = send(self.request(row)).await;
            if let (Some(name), Some(id)) = (row.name, reply.json()["id"].as_str()) {
                self.name(name, id);
                self.name(&format!("{name}.email"), &address(&format!("row-{number}")));
            }
            let mut wrong = self.compare(row, &reply);
            wrong.extend(self.compare_facts(row).await);
            let after = self.stack.snapshot().await;
            if (row.method == "GET" || reply.status >= 400) && before != after {
                wrong.push("the data has changed".to_owned());
            }
            before = after;
            if !wrong.is_empty() {
                failures.push(format!("{}: {} {}\n    {}", row.why, row.method, row.path, wrong.join("\n    ")));
            }
        }
        assert!(failures.is_empty(), "{} of {} rows:\n{}", failures.len(), rows.len(), failures.join("\n"));
        assert_eq!(self.stack.audit().await, []);
    }

    fn request(&self, row: &Row) -> reqwest::RequestBuilder {
        let mut request = self.stack.request(row.method, &self.fill(&row.path));
        if !row.by.is_empty() {
            request = request.header("x-api-key", self.named(&format!("{}.key", row.by)));
        }
        let is_typed = row.headers.iter().any(|(name, _)| *name == "content-type");
        if row.body.is_some() && !is_typed {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in row.headers.iter().filter(|(name, value)| *name != "content-type" || !value.is_empty()) {
            request = request.header(*name, self.fill(value));
        }
        match &row.body {
            None => request,
            Some(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => request.body(self.fill(text)),
                Err(_) => request.body(bytes.clone()),
            },
        }
    }

    fn fill(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        if filled.contains('<') {
            for (name, value) in &self.names {
                filled = filled.replace(&format!("<{name}>"), value);
            }
        }
        filled
    }

    fn compare(&self, row: &Row, reply: &Reply) -> Vec<String> {
        let mut wrong = Vec::new();
        if reply.status != row.status {
            wrong.push(format!("status {} instead of {}: {}", reply.status, row.status, reply.text));
            return wrong;
        }
        let (expected, actual) = match &row.expected {
            Expected::Text(text) => (self.fill(text), reply.text.clone()),
            Expected::Page { page, max_page, count, people } => {
                (format!("page {page} of {max_page}, {count} in all: {}", people.join(" ")), self.found(reply))
            }
        };
        if expected != actual {
            wrong.push(format!("answer\n      {actual}\n    instead of\n      {expected}"));
        }
        wrong.extend(wrong_headers(row, reply));
        wrong
    }

    /// A page of a search in the form of [`Expected::Page`].
    fn found(&self, reply: &Reply) -> String {
        let page = reply.json();
        let name_of =
            |id: &str| self.names.iter().find(|(_, text)| *text == id).map_or("?", |(name, _)| name).to_owned();
        let users = page["users"].as_array().map(Vec::as_slice).unwrap_or_default();
        let people: Vec<_> = users.iter().map(|user| name_of(user["id"].as_str().unwrap_or_default())).collect();
        format!("page {} of {}, {} in all: {}", page["page"], page["max_page"], page["count"], people.join(" "))
    }

    async fn compare_facts(&self, row: &Row) -> Vec<String> {
        let mut wrong = Vec::new();
        for (who, facts) in &row.facts {
            let Some(id) = self.names.get(*who) else {
                wrong.push(format!("nobody is called {who}"));
                continue;
            };
            let record = self.stack.stored(id).await;
            for pair in facts.split_whitespace() {
                let (name, expected) = pair.split_once('=').expect("a fact and its value");
                let now = self.stack.clock.now();
                let actual =
                    record.as_ref().map_or_else(|| "no_such_user".to_owned(), |record| fact(record, now, name));
                if actual != self.fill(expected) {
                    wrong.push(format!("{who}: {name} is {actual} instead of {expected}"));
                }
            }
        }
        wrong
    }
}

fn wrong_headers(row: &Row, reply: &Reply) -> Vec<String> {
    let special = row.answer_headers.iter().map(|(name, value)| (*name, value.as_str()));
    let expected: BTreeMap<&str, &str> = ALWAYS.into_iter().chain(special).collect();
    let mut wrong = Vec::new();
    for (name, value) in &expected {
        if reply.header(name) != *value {
            wrong.push(format!("header {name}: {:?} instead of {value:?}", reply.header(name)));
        }
    }
    for name in VARYING {
        if reply.header(name).is_empty() {
            wrong.push(format!("header {name} is missing"));
        }
    }
    for name in reply.headers.keys().map(reqwest::header::HeaderName::as_str) {
        if !expected.contains_key(name) && !VARYING.contains(&name) {
            wrong.push(format!("header {name} is too much"));
        }
    }
    wrong
}
