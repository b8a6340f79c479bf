//! Case of a table: a request and its whole answer. All cases run in one stack.

use presence_tests::{Fixtures, Reply, send};
use serde_json::json;

use super::{DIRECTORY, load, parse};
use crate::api::{SERVICE_HEADERS, cache_control};

/// Request with its expected answer.
pub(super) struct Case {
    /// Rule that the case shows.
    reason: &'static str,
    path: String,
    status: u16,
    expected: Expected,
}

enum Expected {
    /// Exact body.
    Text(String),
    /// Page, with its ids in order.
    Page { page: u64, max_page: u64, count: usize, ids: String },
    /// Category with this name.
    Name(&'static str),
}

/// Returns a GET that is answered 200 with an empty body.
pub(super) fn get(reason: &'static str, path: impl Into<String>) -> Case {
    Case { reason, path: path.into(), status: 200, expected: Expected::Text(String::new()) }
}

impl Case {
    pub(super) fn answers(self, status: u16, text: impl Into<String>) -> Self {
        Self { status, expected: Expected::Text(text.into()), ..self }
    }

    /// Expects 400 with the invalid fields as a JSON object.
    pub(super) fn bad_fields(self, fields: &str) -> Self {
        self.answers(400, format!(r#"{{"errors":{{"json":{fields}}}}}"#))
    }

    pub(super) fn not_found(self) -> Self {
        self.answers(404, json!({"errors": {"json": "not found"}}).to_string())
    }

    /// Expects exactly these categories, on one page.
    pub(super) fn finds(self, ids: &str) -> Self {
        let count = ids.split_whitespace().count();
        self.page(1, 1, count, ids)
    }

    pub(super) fn page(self, page: u64, max_page: u64, count: usize, ids: &str) -> Self {
        Self { expected: Expected::Page { page, max_page, count, ids: ids.to_owned() }, ..self }
    }

    pub(super) fn named(self, name: &'static str) -> Self {
        Self { expected: Expected::Name(name), ..self }
    }

    fn problems(&self, reply: &Reply) -> Vec<String> {
        let mut problems = Vec::new();
        if reply.status != self.status {
            problems.push(format!("status {} instead of {}: {}", reply.status, self.status, reply.text));
            return problems;
        }
        let answer = reply.json();
        let (expected, actual) = match &self.expected {
            Expected::Text(text) => (text.clone(), reply.text.clone()),
            Expected::Name(name) => (json!(name).to_string(), answer["name"].to_string()),
            Expected::Page { page, max_page, count, ids } => {
                let found = answer["categories"].as_array().map(Vec::as_slice).unwrap_or_default();
                let found: Vec<_> = found.iter().filter_map(|category| category["id"].as_str()).collect();
                let actual =
                    format!("{} of {}, {}: {}", answer["page"], answer["max_page"], answer["count"], found.join(" "));
                (format!("{page} of {max_page}, {count}: {ids}"), actual)
            }
        };
        if expected != actual {
            problems.push(format!("answer\n      {actual}\n    instead of\n      {expected}"));
        }
        let headers = SERVICE_HEADERS.into_iter().chain([("cache-control", cache_control(reply))]);
        problems.extend(
            headers.filter(|(name, value)| reply.header(name) != *value).map(|(name, _)| format!("header {name}")),
        );
        problems
    }
}

/// Runs the cases as a `BUSINESS_MANAGER`.
///
/// # Panics
/// If a case fails, with the reasons of all cases that do.
pub(super) async fn run(cases: &[Case]) {
    let (stack, fixtures) = Fixtures::start().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let mut failures = Vec::new();
    for case in cases {
        let reply = send(stack.request("GET", &case.path).header("x-api-key", &fixtures.manager_1.key)).await;
        let problems = case.problems(&reply);
        if !problems.is_empty() {
            failures.push(format!("{}: {}\n    {}", case.reason, case.path, problems.join("\n    ")));
        }
    }
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
