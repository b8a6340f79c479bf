//! What the gateway answers.

use reqwest::StatusCode;
use serde_json::Value;

use crate::logs;

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: reqwest::header::HeaderMap,
    /// Its body.
    pub text: String,
}

impl Reply {
    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// A header; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// What it cost, by the log.
    pub fn cost(&self) -> logs::LoggedCost {
        logs::cost(self.header("x-request-id"))
    }
}

/// Sends a request.
///
/// # Panics
/// When the gateway does not answer.
pub async fn send(request: reqwest::RequestBuilder) -> Reply {
    let response = request.send().await.expect("the gateway answers");
    let (status, headers) = (response.status(), response.headers().clone());
    Reply { status: StatusCode::as_u16(&status), headers, text: response.text().await.expect("a body") }
}
