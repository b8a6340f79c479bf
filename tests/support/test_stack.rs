//! A stack of its own for each test, and a client that speaks HTTP to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::{HttpClient, SharedHttpClient};
use aws_smithy_types::timeout::TimeoutConfig;
use jiff::Timestamp;
use presence_domain::access::Scope;
use presence_domain::ids::{UserId, random_u64};
use presence_domain::user::User;
use presence_local::connectors::WavesConnector;
use presence_local::{DynamoDb, Options, Stack};
use presence_runtime::clock::ManualClock;
use presence_runtime::config::Config;
use presence_store::{Database, Finding, NewApiKey, OutboxRow, RetryPolicy, Stores, schema};
use reqwest::Method;
use serde_json::Value;

use crate::{Reply, logs, plain_http, send};

/// The environment variable with the endpoint of a DynamoDB to test against in the place of the embedded one. It should be
/// empty and nothing else's: stacks leave their tables there.
const EXTERNAL_DYNAMODB: &str = "PRESENCE_TEST_DYNAMODB_URL";

/// A connection may be idle for this time. The gateway closes them after 30 s.
const IDLE: Duration = Duration::from_secs(10);
/// When functions of [`short_retries`] stop trying again: long after the few faults that they are to outlast.
const SOON: Duration = Duration::from_secs(1);

/// A running stack, and the means to call it.
#[derive(Debug)]
pub struct TestStack {
    /// Local stack.
    pub local: Stack,
    /// The time of the functions: stands still until a test moves it.
    pub clock: Arc<ManualClock>,
    table_prefix: String,
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

impl TestStack {
    /// An empty stack: tables, nobody in them.
    pub async fn start() -> Self {
        Self::with(long_timeouts()).await
    }

    /// A stack with other options; its clock is that of the tests.
    ///
    /// # Panics
    /// When the stack does not start.
    pub async fn with(options: Options) -> Self {
        logs::capture();
        let noon: Timestamp = "2026-03-01T12:00:00Z".parse().expect("an instant");
        let clock = Arc::new(ManualClock::at(noon));
        let table_prefix = options.table_prefix.clone();
        let local = Stack::start(Options { clock: Arc::clone(&clock) as _, ..options }).await.expect("a free port");
        Self { local, clock, table_prefix, client: client() }
    }

    /// Starts an empty stack whose functions count their waves, for [`Reply::cost`].
    pub async fn counting_waves() -> Self {
        Self::with(counting_waves(long_timeouts())).await
    }

    /// The tables, past the HTTP client of the functions.
    pub fn stores(&self) -> &Stores {
        self.local.stores()
    }

    /// What the names of its tables start with.
    pub fn table_prefix(&self) -> &str {
        &self.table_prefix
    }

    /// Options of a second stack over the same tables: another warm function.
    pub fn beside(&self) -> Options {
        let dynamodb = DynamoDb::Endpoint(self.local.dynamodb_url().to_owned());
        Options { dynamodb, table_prefix: self.table_prefix.clone(), ..long_timeouts() }
    }

    /// Tables of this stack through a client, as an operator reaches them, or a function that was just started: with a
    /// memory of its own, waiting as the options say.
    pub fn stores_through(&self, client: impl HttpClient + 'static, options: Options, prefix: &str) -> Stores {
        let config = presence_local::sdk_config(self.local.dynamodb_url()).into_builder();
        let config = config.http_client(SharedHttpClient::new(client));
        let config = config.timeout_config(options.timeouts.unwrap_or_else(TimeoutConfig::disabled)).build();
        Stores::new(Database::new(&config, prefix).with_retry_policy(options.retry_policy))
    }

    /// Waits until indexes show everything, where they lag by the limits of AWS.
    pub async fn caught_up(&self) {
        if let Some(limits) = self.local.limits() {
            limits.wait_for_indexes().await;
        }
    }

    /// Starts a request of a path such as `/user/me`.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.request_at(method, &format!("{}{path}", self.local.base_url()))
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
        let now = presence_runtime::clock::Clock::now(self.clock.as_ref());
        let issued = self.stores().users.issue_key(id, &NewApiKey::default(), now).await.expect("an active user");
        issued.key.expose().to_owned()
    }

    /// A user as it is stored, with its mails in the outbox.
    ///
    /// # Panics
    /// When the store does not answer.
    pub async fn stored(&self, id: &str) -> Option<Stored> {
        let id = UserId::parse(id).expect("an id");
        let user = self.stores().users.get(Scope::for_operator(), id).await.expect("the store answers")?;
        Some(Stored { user, mails: self.stores().users.list_mails(id).await.expect("the store answers") })
    }

    /// What `ops users audit` finds.
    ///
    /// # Panics
    /// When the store does not answer.
    pub async fn audit(&self) -> Vec<Finding> {
        self.stores().users.audit().await.expect("the store answers").findings
    }

    /// Every item of the users and api-keys tables, ordered: to show that nothing changed. The hour at which a key was
    /// last used is left out: a refused call is a use of its key.
    ///
    /// # Panics
    /// When `DynamoDB` does not answer.
    pub async fn snapshot(&self) -> Vec<String> {
        let mut items = self.items(&self.stores().database.name(&schema::USERS)).await;
        items.extend(self.items(&self.stores().database.name(&schema::API_KEYS)).await);
        items.sort();
        items
    }

    /// Puts a text where a stored user has its list of businesses: what no write of ours does.
    ///
    /// # Panics
    /// When `DynamoDB` does not answer.
    pub async fn corrupt(&self, id: &str, text: &str) {
        let client = aws_sdk_dynamodb::Client::from_conf(crate::wire::sdk_config(self.local.database_url()));
        let text_value = |text: &str| AttributeValue::S(text.to_owned());
        let update = client.update_item().table_name(self.stores().database.name(&schema::USERS));
        let update = update.key("pk", text_value(&format!("USER#{id}"))).key("sk", text_value("USER"));
        let update = update.update_expression("SET business_ids = :wrong");
        update.expression_attribute_values(":wrong", text_value(text)).send().await.expect("DynamoDB answers");
    }

    /// Every item of a table, by its full name, but for the time at which a key was used; in no order.
    pub async fn items(&self, table: &str) -> Vec<String> {
        let config = crate::wire::sdk_config(self.local.database_url());
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

/// A client that lets idle connections go before the gateway does: one that the gateway closes while a request is on its way
/// would fail that request.
fn client() -> reqwest::Client {
    reqwest::Client::builder().pool_idle_timeout(IDLE).build().expect("a client without TLS")
}

impl Drop for TestStack {
    /// Whatever a test did: no key, password, name, address or invitation is in the log.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(logs::leaks(), Vec::<String>::new());
        }
    }
}

/// Options of an empty stack that waits long for `DynamoDB`: a busy machine must not fail a test. On an external one, its
/// tables are its own.
pub fn long_timeouts() -> Options {
    let (dynamodb, table_prefix) = tables();
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(30))
        .operation_timeout(Duration::from_mins(1))
        .build();
    Options {
        dynamodb,
        table_prefix,
        http_client: Some(plain_http()),
        timeouts: Some(timeouts),
        function_timeout: Duration::from_mins(2),
        ..Options::default()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn external_dynamodb() -> Option<String> {
    std::env::var(EXTERNAL_DYNAMODB).ok()
}

/// How many rounds of a long test to do, of so many: a tenth on an external database, which is slower by as much. The whole
/// is done on the embedded one.
pub fn rounds(all: usize) -> usize {
    if external_dynamodb().is_some() { all / 10 } else { all }
}

/// Where the tables of a new stack are, and what their names start with.
fn tables() -> (DynamoDb, String) {
    match external_dynamodb() {
        Some(url) => (DynamoDb::Endpoint(url), format!("test-{:016x}-", random_u64())),
        None => (DynamoDb::Embedded { port: 0, data: None }, Config::DEFAULT_TABLE_PREFIX.to_owned()),
    }
}

/// Options of a stack whose functions soon stop trying again: for what `DynamoDB` refuses for ever, which would be tried again
/// until the deadline.
pub fn short_retries() -> Options {
    Options { retry_policy: RetryPolicy::For(SOON), ..long_timeouts() }
}

/// Options of a stack that gives up at once on an answer that [`FaultConnector`](crate::FaultConnector) holds back, and waits long for every
/// other one: what is late does not depend on the machine.
pub fn no_read_wait() -> Options {
    let timeouts = TimeoutConfig::builder()
        .read_timeout(Duration::from_millis(1))
        .operation_attempt_timeout(Duration::from_secs(30))
        .operation_timeout(Duration::from_mins(1))
        .build();
    Options { timeouts: Some(timeouts), ..short_retries() }
}

/// Returns the options with the count of waves on, for [`Reply::cost`].
pub fn counting_waves(options: Options) -> Options {
    let http_client = options.http_client.unwrap_or_else(plain_http);
    Options { waves: Some(WavesConnector), http_client: Some(http_client), ..options }
}

/// Options of a stack that gives up soon on a `DynamoDB` that does not answer: for faults that hang.
pub fn short_timeouts() -> Options {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(300))
        .operation_timeout(Duration::from_secs(1))
        .build();
    Options { timeouts: Some(timeouts), ..short_retries() }
}
