//! A stack of its own for each test, and a client that speaks HTTP to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::timeout::TimeoutConfig;
use jiff::Timestamp;
use presence::access::Scope;
use presence::clock::ManualClock;
use presence::domain::ids::UserId;
use presence::domain::user::User;
use presence::store::{Finding, NewApiKey, OutboxRow, Store};
use presence_local::{Options, Stack};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::{logs, plain_http};

/// A running stack, and the means to call it.
#[derive(Debug)]
pub struct World {
    /// The stack.
    pub stack: Stack,
    /// The time of the functions: stands still until a test moves it.
    pub clock: Arc<ManualClock>,
    client: reqwest::Client,
}

/// A user as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The user.
    pub user: User,
    /// Its mails in the outbox, oldest first.
    pub mails: Vec<OutboxRow>,
}

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

impl World {
    /// An empty stack: tables, nobody in them.
    pub async fn start() -> Self {
        Self::with(patient()).await
    }

    /// A stack with other options; its clock is the world's.
    ///
    /// # Panics
    /// When the stack does not start.
    pub async fn with(options: Options) -> Self {
        logs::capture();
        let noon: Timestamp = "2026-03-01T12:00:00Z".parse().expect("an instant");
        let clock = Arc::new(ManualClock::at(noon));
        let stack = Stack::start(Options { clock: Arc::clone(&clock) as _, ..options }).await.expect("a free port");
        Self { stack, clock, client: reqwest::Client::new() }
    }

    /// The tables, past the HTTP client of the functions.
    pub fn store(&self) -> &Store {
        self.stack.store()
    }

    /// Starts a request of a path such as `/user/me`.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.request_at(method, &format!("{}{path}", self.stack.base_url()))
    }

    /// Starts a request of a whole address.
    pub(crate) fn request_at(&self, method: &str, url: &str) -> reqwest::RequestBuilder {
        self.client.request(Method::from_bytes(method.as_bytes()).expect("a method"), url)
    }

    /// GETs a path with a key.
    pub async fn get(&self, path: &str, key: &str) -> Reply {
        send(self.request("GET", path).header("x-api-key", key)).await
    }

    /// POSTs a JSON body to a path with a key.
    pub async fn post(&self, path: &str, key: &str, body: &Value) -> Reply {
        let request = self.request("POST", path).header("x-api-key", key);
        send(request.header("content-type", "application/json").body(body.to_string())).await
    }

    /// DELETEs a path with a key.
    pub async fn delete(&self, path: &str, key: &str) -> Reply {
        send(self.request("DELETE", path).header("x-api-key", key)).await
    }

    /// Re-invites a user.
    pub async fn invite(&self, id: &str, key: &str) -> Reply {
        send(self.request("POST", &format!("/user/{id}/invite")).header("x-api-key", key)).await
    }

    /// A fresh key of an active user.
    ///
    /// # Panics
    /// When the user cannot have one.
    pub async fn issue_key(&self, id: &str) -> String {
        let id = UserId::parse(id).expect("an id");
        let now = presence::clock::Clock::now(self.clock.as_ref());
        let issued = self.store().issue_key(id, &NewApiKey::default(), now).await.expect("an active user");
        issued.key.expose().to_owned()
    }

    /// A user as it is stored, with its mails in the outbox.
    ///
    /// # Panics
    /// When the store does not answer.
    pub async fn stored(&self, id: &str) -> Option<Stored> {
        let id = UserId::parse(id).expect("an id");
        let user = self.store().user(Scope::for_operator(), id).await.expect("the store answers")?;
        Some(Stored { user, mails: self.store().mails_of(id).await.expect("the store answers") })
    }

    /// What `ops users audit` finds.
    ///
    /// # Panics
    /// When the store does not answer.
    pub async fn audit(&self) -> Vec<Finding> {
        self.store().audit_users().await.expect("the store answers").findings
    }

    /// Every item of the users and api-keys tables, ordered: to show that nothing changed. The hour at which a key was
    /// last used is left out: a refused call is a use of its key.
    ///
    /// # Panics
    /// When `DynamoDB` does not answer.
    pub async fn snapshot(&self) -> Vec<String> {
        let mut items = self.items("presence-users").await;
        items.extend(self.items("presence-api-keys").await);
        items.sort();
        items
    }

    /// Every item of a table, but for the time at which a key was used; in no order.
    pub async fn items(&self, table: &str) -> Vec<String> {
        let config = crate::wire::sdk_config(self.stack.dynamodb_url());
        let client = aws_sdk_dynamodb::Client::from_conf(config);
        let mut pages = client.scan().table_name(table).into_paginator().items().send();
        let mut items = Vec::new();
        while let Some(item) = pages.next().await {
            let mut item = item.expect("DynamoDB answers");
            item.remove("last_used_at");
            items.push(in_order(&AttributeValue::M(item)));
        }
        items
    }
}

/// A value with the names of its maps in order.
fn in_order(value: &AttributeValue) -> String {
    match value {
        AttributeValue::M(map) => {
            let map: BTreeMap<_, _> = map.iter().map(|(name, value)| (name, in_order(value))).collect();
            format!("{map:?}")
        }
        AttributeValue::L(list) => format!("{:?}", list.iter().map(in_order).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

impl Drop for World {
    /// Whatever a test did: no key, password, name, address or invitation is in the log.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(logs::leaks(), Vec::<String>::new());
        }
    }
}

/// Options of an empty stack that waits long for `DynamoDB`: a busy machine must not fail a test.
pub fn patient() -> Options {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(30))
        .operation_timeout(Duration::from_mins(1))
        .build();
    Options {
        http_client: Some(plain_http()),
        timeouts: Some(timeouts),
        function_timeout: Duration::from_mins(2),
        ..Options::default()
    }
}

/// Options of a stack that gives up soon on a `DynamoDB` that does not answer: for faults that hang.
pub fn impatient() -> Options {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(300))
        .operation_timeout(Duration::from_secs(1))
        .build();
    Options { timeouts: Some(timeouts), ..patient() }
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
