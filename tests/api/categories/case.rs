//! One row of the contract: a request and its whole answer. All rows are run in one stack.

use presence_tests::{Fixtures, Reply, TestStack, send};
use serde_json::json;

use super::{DIRECTORY, load, parse};
use crate::api::SERVICE_HEADERS;

/// One row.
pub(super) struct Row {
    /// The rule that the row shows.
    why: &'static str,
    method: &'static str,
    path: String,
    status: u16,
    expected: Expected,
    allow: &'static str,
}

enum Expected {
    /// These bytes.
    Text(String),
    /// A page: its number, the last one's, the count, and the ids in order.
    Page(u64, u64, usize, String),
    /// A category: its name in the answer.
    Name(&'static str),
}

/// A GET that finds nothing wrong.
pub(super) fn get(why: &'static str, path: impl Into<String>) -> Row {
    Row { why, method: "GET", path: path.into(), status: 200, expected: Expected::Text(String::new()), allow: "" }
}

impl Row {
    pub(super) fn method(self, method: &'static str) -> Self {
        Self { method, ..self }
    }

    pub(super) fn gives(self, status: u16, text: impl Into<String>) -> Self {
        Self { status, expected: Expected::Text(text.into()), ..self }
    }

    /// 400 with the bad fields as a JSON object.
    pub(super) fn bad(self, fields: &str) -> Self {
        self.gives(400, format!(r#"{{"errors":{{"json":{fields}}}}}"#))
    }

    pub(super) fn not_found(self) -> Self {
        self.gives(404, json!({"errors": {"json": "not found"}}).to_string())
    }

    pub(super) fn not_allowed(self, allow: &'static str) -> Self {
        Self { allow, ..self.gives(405, r#"{"errors":{"json":"method not allowed"}}"#) }
    }

    /// All of these and nothing else, on one page.
    pub(super) fn finds(self, ids: &str) -> Self {
        let count = ids.split_whitespace().count();
        self.page(1, 1, count, ids)
    }

    pub(super) fn page(self, page: u64, max_page: u64, count: usize, ids: &str) -> Self {
        Self { expected: Expected::Page(page, max_page, count, ids.to_owned()), ..self }
    }

    pub(super) fn named(self, name: &'static str) -> Self {
        Self { expected: Expected::Name(name), ..self }
    }

    fn wrong(&self, reply: &Reply) -> Vec<String> {
        let mut wrong = Vec::new();
        if reply.status != self.status {
            wrong.push(format!("status {} instead of {}: {}", reply.status, self.status, reply.text));
            return wrong;
        }
        let answer = reply.json();
        let (expected, actual) = match &self.expected {
            Expected::Text(text) => (text.clone(), reply.text.clone()),
            Expected::Name(name) => (json!(name).to_string(), answer["name"].to_string()),
            Expected::Page(page, max_page, count, ids) => {
                let found = answer["categories"].as_array().map(Vec::as_slice).unwrap_or_default();
                let found: Vec<_> = found.iter().filter_map(|category| category["id"].as_str()).collect();
                let actual =
                    format!("{} of {}, {}: {}", answer["page"], answer["max_page"], answer["count"], found.join(" "));
                (format!("{page} of {max_page}, {count}: {ids}"), actual)
            }
        };
        if expected != actual {
            wrong.push(format!("answer\n      {actual}\n    instead of\n      {expected}"));
        }
        let headers = SERVICE_HEADERS.into_iter().chain([("allow", self.allow)]);
        wrong.extend(
            headers.filter(|(name, value)| reply.header(name) != *value).map(|(name, _)| format!("header {name}")),
        );
        wrong
    }
}

/// Runs the rows as a business manager.
pub(super) async fn run(rows: &[Row]) {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let mut failures = Vec::new();
    for row in rows {
        let reply = send(stack.request(row.method, &row.path).header("x-api-key", &fixtures.manager_1.key)).await;
        let wrong = row.wrong(&reply);
        if !wrong.is_empty() {
            failures.push(format!("{}: {} {}\n    {}", row.why, row.method, row.path, wrong.join("\n    ")));
        }
    }
    assert!(failures.is_empty(), "{} of {} rows:\n{}", failures.len(), rows.len(), failures.join("\n"));
}
