//! Answer of the gateway, and its cost.

use presence_local::gateway::WAVES_HEADER;
use reqwest::StatusCode;
use serde_json::Value;

use crate::logs::{self, LoggedCost};

/// Answer of the gateway.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: reqwest::header::HeaderMap,
    /// Body.
    pub text: String,
}

/// Cost of a request: its calls, their round trips and their capacity units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of `DynamoDB` operations.
    pub calls: u64,
    /// Number of operations on the longest chain in which each waits for the one before.
    pub waves: u64,
    /// Read request units.
    pub read_units: f64,
    /// Write request units.
    pub write_units: f64,
}

impl Reply {
    /// Returns the body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Returns a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Asserts that each error of the service, and nothing else, has a code that the guide explains, and a link to it.
    fn check_help(&self) {
        let (code, link) = (self.header("x-error-code"), self.header("link"));
        let is_error = self.status >= 400 && !self.header("x-request-id").is_empty();
        assert_eq!(is_error, !code.is_empty(), "{} {code}", self.status);
        if is_error {
            let section = format!("\n## `{code}`\n\nStatus {}", self.status);
            assert!(ERRORS_PAGE.contains(&section), "errors.md explains {code} with status {}", self.status);
            let end = format!("/guide/errors#{code}>; rel=\"help\"");
            assert!(link.starts_with("<http://") && link.ends_with(&end), "{code}: {link}");
        }
    }

    /// Returns the calls and units of the request, by its line in the log.
    pub fn logged_cost(&self) -> LoggedCost {
        logs::cost(self.header("x-request-id"))
    }

    /// Returns the whole cost of the request.
    ///
    /// # Panics
    /// Panics if the stack does not count round trips: see [`TestStack::counting_waves`](crate::TestStack::counting_waves). Panics if the
    /// line of the request has another number.
    pub fn cost(&self) -> Cost {
        let LoggedCost { calls, read_units, write_units } = self.logged_cost();
        let waves: u64 = self.header(WAVES_HEADER).parse().expect("a stack that counts waves");
        let measured = &logs::request_line(self.header("x-request-id"))["waves"];
        assert_eq!(measured, waves, "the function measures the waves that virtual time shows");
        Cost { calls, waves, read_units, write_units }
    }
}

/// Page that explains the codes of errors.
const ERRORS_PAGE: &str = include_str!("../../shared/docs/errors.md");

/// Sends a request.
///
/// # Panics
/// Panics if the gateway does not answer, or if the answer helps with an error in another way than the guide says.
pub async fn send(request: reqwest::RequestBuilder) -> Reply {
    let response = request.send().await.expect("the gateway answers");
    let (status, headers) = (response.status(), response.headers().clone());
    let reply = Reply { status: StatusCode::as_u16(&status), headers, text: response.text().await.expect("a body") };
    reply.check_help();
    reply
}
