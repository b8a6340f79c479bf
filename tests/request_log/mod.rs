//! The line that each request writes to the log, on the way of a client through the gateway.

mod callers;
mod errors;
mod ids;
mod metrics;

use presence_tests::{Reply, logs};
use serde_json::Value;

use crate::canary::{LOGGED_FIELDS, OPTIONAL_FIELDS};

/// Returns the line of the request with this answer.
fn line(reply: &Reply) -> Value {
    logs::request_line(reply.header("x-request-id"))
}

#[test]
fn every_field_of_the_line_has_a_row_in_the_documentation() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/docs/logging.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, section) = page.split_once("## Line of a request\n").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("a next section");
    for name in LOGGED_FIELDS.iter().chain(&OPTIONAL_FIELDS) {
        let has_row = section.lines().any(|line| {
            line.split('|').nth(1).is_some_and(|column| column.split('`').skip(1).step_by(2).any(|one| one == *name))
        });
        assert!(has_row, "{name}");
    }
}
