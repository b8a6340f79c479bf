//! Local stack of a test, with a client that speaks HTTP to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveSpecification};
use aws_smithy_runtime_api::client::http::{HttpClient, SharedHttpClient};
use aws_smithy_types::timeout::TimeoutConfig;
use jiff::Timestamp;
use presence_domain::api_key::ApiKeyId;
use presence_domain::audit::{Actor, AuditRecord, WebhookAction};
use presence_domain::feed::EventFilter;
use presence_domain::ids::UserId;
use presence_domain::invitation::OutboxMessage;
use presence_domain::review::Review;
use presence_domain::user::User;
use presence_domain::webhook::{Progress, SigningSecrets, Webhook, WebhookId, WebhookSecret, WebhookUrl};
use presence_ledger::tree::FACETS_FROM;
use presence_local::{DynamoDb, Options, Stack};
use presence_runtime::clock::{Clock as _, ManualClock};
use presence_runtime::config::Config;
use presence_store::{AuditSource, Database, Finding, NewApiKey, Stores, WebhookWrite, bulk_review_items, schema};
use reqwest::Method;
use serde_json::Value;

use crate::options::external_dynamodb;
use crate::wire::{Item, put_all, sdk_config};
use crate::{Reply, SEEDED_WEBHOOK, counting_waves, logs, long_timeouts, send};

/// Time for which the client keeps an idle connection. The gateway closes it after 30 s, which would fail a request that is
/// on its way.
const MAX_IDLE_TIME: Duration = Duration::from_secs(10);

/// Running local stack, and a client of its API.
#[derive(Debug)]
pub struct TestStack {
    /// Local stack.
    pub local: Box<Stack>,
    /// Clock of the functions. It stands still until a test moves it.
    pub clock: Arc<ManualClock>,
    table_prefix: String,
    /// True if its tables may be replaced by saved ones: no background reader follows their streams, and their names are the usual ones.
    pub(crate) is_restorable: bool,
    client: reqwest::Client,
}

/// True if the tables of the stack are in memory, with the names that every stack has, and only the test reads their streams.
fn is_restorable(options: &Options) -> bool {
    let is_in_memory = matches!(options.dynamodb, DynamoDb::Embedded { data: None, .. });
    let has_usual_names = options.table_prefix == Config::DEFAULT_TABLE_PREFIX
        && options.audit_table.is_none()
        && options.reviews_table.is_none();
    is_in_memory && has_usual_names && !options.mailer && !options.publisher
}

/// User as it is stored, with its mails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredUser {
    /// User.
    pub user: User,
    /// Mails of the user in the outbox, oldest first.
    pub mails: Vec<OutboxMessage>,
    /// Number of its keys that were revoked.
    pub revoked_keys: usize,
}

impl TestStack {
    /// Starts an empty stack: tables without items.
    pub async fn start() -> Self {
        Self::with(long_timeouts()).await
    }

    /// Starts a stack with these options and a clock of its own.
    ///
    /// # Panics
    /// Panics if the stack does not start.
    pub async fn with(options: Options) -> Self {
        logs::capture();
        let noon: Timestamp = "2026-03-01T12:00:00Z".parse().expect("an instant");
        let clock = Arc::new(ManualClock::at(noon));
        let table_prefix = options.table_prefix.clone();
        let is_restorable = is_restorable(&options);
        // On the heap: the futures of the SDK are large, and that of every test has these in it.
        let start = Stack::start(Options { clock: Arc::clone(&clock) as _, ..options });
        let local = Box::new(Box::pin(start).await.expect("a free port"));
        if external_dynamodb().is_some() {
            Box::pin(keep_expired_items(&local)).await;
        }
        let client = reqwest::Client::builder().pool_idle_timeout(MAX_IDLE_TIME).build();
        Self { local, clock, table_prefix, is_restorable, client: client.expect("a client without TLS") }
    }

    /// Starts an empty stack whose functions count their round trips, for [`Reply::cost`].
    pub async fn counting_waves() -> Self {
        Self::with(counting_waves(long_timeouts())).await
    }

    /// Returns stores that bypass the HTTP client of the functions.
    pub fn stores(&self) -> &Stores {
        self.local.stores()
    }

    /// Returns a client of the database, past the service and the limits of AWS.
    pub fn dynamodb_client(&self) -> Client {
        Client::from_conf(sdk_config(self.local.database_url()))
    }

    /// Writes all reviews of some organisations past the service, with their trees and directories.
    pub async fn fill_reviews(&self, reviews: &[Review]) {
        self.fill_ledger(reviews, FACETS_FROM).await;
    }

    /// Writes reviews as [`TestStack::fill_reviews`]. Sets of at least `facets_from` reviews have facet trees.
    ///
    /// # Panics
    /// Panics if the database does not take them.
    pub async fn fill_ledger(&self, reviews: &[Review], facets_from: i64) {
        self.fill_items(bulk_review_items(reviews, facets_from).expect("items")).await;
    }

    /// Writes items of the reviews table past the service.
    ///
    /// # Panics
    /// Panics if the database does not take them.
    pub async fn fill_items(&self, items: Vec<Item>) {
        if external_dynamodb().is_none() {
            return self.local.fill_items(items).expect("an embedded database");
        }
        put_all(&self.dynamodb_client(), &self.stores().database.name(&schema::REVIEWS), items).await;
    }

    /// Returns the prefix of its table names.
    pub fn table_prefix(&self) -> &str {
        &self.table_prefix
    }

    /// Returns the options of a second stack over the same tables: of other instances of the functions.
    pub fn second_stack_options(&self) -> Options {
        let dynamodb = DynamoDb::Endpoint(self.local.dynamodb_url().to_owned());
        Options { dynamodb, table_prefix: self.table_prefix.clone(), ..long_timeouts() }
    }

    /// Returns stores over an HTTP client, with caches of their own and the timeouts and retries of the options. An operator
    /// reaches the tables like this, and so does a function that was just started.
    pub fn stores_through(&self, client: impl HttpClient + 'static, options: Options, prefix: &str) -> Stores {
        let config = presence_local::sdk_config(self.local.dynamodb_url()).into_builder();
        let config = config.http_client(SharedHttpClient::new(client));
        let config = config.timeout_config(options.timeouts.unwrap_or_else(TimeoutConfig::disabled)).build();
        let database = Database::new(&config, prefix).with_reviews_table(options.reviews_table.as_deref());
        let database = if options.aws_limits.is_some() { database.with_partition_pace() } else { database };
        Stores::new(database.with_retry_policy(options.retry_policy))
    }

    /// Waits until the indexes show every write, if the limits of AWS make them lag.
    pub async fn wait_for_indexes(&self) {
        if let Some(limits) = self.local.limits() {
            limits.wait_for_indexes().await;
        }
    }

    /// Builds a request of a path such as `/user/me`.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.request_at(method, &format!("{}{path}", self.local.base_url()))
    }

    /// Builds a request of a whole URL.
    pub fn request_at(&self, method: &str, url: &str) -> reqwest::RequestBuilder {
        self.client.request(Method::from_bytes(method.as_bytes()).expect("a method"), url)
    }

    /// Sends a GET request with a key.
    pub async fn get(&self, path: &str, key: &str) -> Reply {
        send(self.request("GET", path).header("x-api-key", key)).await
    }

    /// Sends a POST request with a key and a JSON body.
    pub async fn post(&self, path: &str, key: &str, body: &Value) -> Reply {
        let request = self.request("POST", path).header("x-api-key", key);
        send(request.header("content-type", "application/json").body(body.to_string())).await
    }

    /// Sends a DELETE request with a key.
    pub async fn delete(&self, path: &str, key: &str) -> Reply {
        send(self.request("DELETE", path).header("x-api-key", key)).await
    }

    /// Stores the webhook [`SEEDED_WEBHOOK`] of organisation 1, if it is not there. Nothing listens at its address.
    pub async fn seed_webhook(&self) {
        self.put_silent_webhook(SEEDED_WEBHOOK).await;
    }

    async fn put_silent_webhook(&self, id: &str) {
        let now = self.clock.now();
        let progress = Progress::starting_after(0, now).disabled(now);
        self.put_webhook(id, "http://127.0.0.1:1024/secret-path", progress).await;
    }

    /// Stores a webhook for all events, past the API. Returns false if there is one with this id.
    ///
    /// # Panics
    /// Panics if the store does not answer.
    pub async fn put_webhook(&self, id: &str, url: &str, progress: Progress) -> bool {
        let webhook = Webhook {
            id: WebhookId::parse(id).expect("an id"),
            url: WebhookUrl::from_stored(url).expect("a URL"),
            types: EventFilter::default(),
            label: None,
            secrets: SigningSecrets::new(WebhookSecret::generate()),
            created_at: self.clock.now(),
            progress,
            version: 1,
        };
        let write = WebhookWrite { before: None, after: Some(&webhook), record: None, answer: None };
        self.stores().webhooks.write(write).await.expect("the store answers")
    }

    /// Writes a webhook as the deliverer writes one that it disables. Stores the webhook first, if there is none with this id.
    ///
    /// # Panics
    /// Panics if the store does not answer.
    pub async fn disable_webhook(&self, id: &str) {
        self.put_silent_webhook(id).await;
        let (webhooks, id) = (&self.stores().webhooks, WebhookId::parse(id).expect("an id"));
        let before = webhooks.get(id).await.expect("an answer").expect("the webhook");
        let after = Webhook { version: before.version + 1, ..before.clone() };
        let (actor, now) = (Actor::Service, self.clock.now());
        let record = AuditRecord::of_webhook(id, after.version, Vec::new(), actor, WebhookAction::Disable, now);
        let write = WebhookWrite { before: Some(&before), after: Some(&after), record: Some(&record), answer: None };
        assert!(webhooks.write(write).await.expect("an answer"));
    }

    /// Sends a request that invites a user again.
    pub async fn invite(&self, id: &str, key: &str) -> Reply {
        send(self.request("POST", &format!("/user/{id}/invite")).header("x-api-key", key)).await
    }

    /// Issues a key of an active user, past the API.
    ///
    /// # Panics
    /// Panics if the user cannot have one.
    pub async fn issue_key(&self, id: &str) -> String {
        let id = UserId::parse(id).expect("an id");
        let now = presence_runtime::clock::Clock::now(self.clock.as_ref());
        let issued = self
            .stores()
            .users
            .issue_key(id, &NewApiKey::default(), &crate::operator(), now)
            .await
            .expect("an active user");
        issued.key.expose().to_owned()
    }

    /// Returns the id of the key that a user was issued last; the id of no key if it has none, or cannot be read.
    pub async fn newest_key(&self, id: &str) -> String {
        let user = match UserId::parse(id) {
            Some(id) => self.stores().users.get(crate::operator_scope(), id).await.ok().flatten(),
            None => None,
        };
        let newest = user.and_then(|user| Some(ApiKeyId::new(user.id, user.keys.last()?)));
        newest.map_or_else(|| crate::no_key_of(id), |key| key.to_string())
    }

    /// Returns a stored user with its mails, or none if there is no such user.
    ///
    /// # Panics
    /// Panics if the store does not answer.
    pub async fn stored(&self, id: &str) -> Option<StoredUser> {
        let id = UserId::parse(id).expect("an id");
        let user = self.stores().users.get(crate::operator_scope(), id).await.expect("the store answers")?;
        let keys = self.stores().users.list_keys(id).await.expect("the store answers").unwrap_or_default();
        let revoked_keys = keys.iter().filter(|key| key.revoked_at.is_some()).count();
        let mails = self.stores().users.list_mails(id).await.expect("the store answers");
        Some(StoredUser { user, mails, revoked_keys })
    }

    /// Returns the findings of `ops users audit`.
    ///
    /// # Panics
    /// Panics if the store does not answer.
    pub async fn audit(&self) -> Vec<Finding> {
        self.stores().users.audit().await.expect("the store answers").findings
    }

    /// Returns the records of a source of the audit trail, newest first.
    ///
    /// # Panics
    /// Panics if the store does not answer.
    pub async fn records(&self, source: AuditSource) -> Vec<AuditRecord> {
        let mut pages = self.stores().audit_trail.pages(source, None);
        let mut records = Vec::new();
        while let Some(page) = pages.next_page().await.expect("the store answers") {
            records.extend(page);
        }
        records
    }

    /// Returns the records of a user and its keys, newest first.
    ///
    /// # Panics
    /// Panics if the store does not answer.
    pub async fn records_of(&self, id: &str) -> Vec<AuditRecord> {
        self.records(AuditSource::Target(UserId::parse(id).expect("an id"))).await
    }

    /// Returns every item of the users, api-keys and audit tables, ordered, so that a test can show that nothing changed. The time
    /// at which a key was last used is left out, because a refused call is a use of its key.
    ///
    /// # Panics
    /// Panics if `DynamoDB` does not answer.
    pub async fn snapshot(&self) -> Vec<String> {
        let mut items = self.items(&self.stores().database.name(&schema::USERS)).await;
        items.extend(self.items(&self.stores().database.name(&schema::API_KEYS)).await);
        items.extend(self.items(&self.stores().database.name(&schema::AUDIT)).await);
        items.sort();
        items
    }

    /// Makes a stored user unreadable: replaces its list of businesses by a text.
    ///
    /// # Panics
    /// Panics if `DynamoDB` does not answer.
    pub async fn corrupt(&self, id: &str, text: &str) {
        let client = self.dynamodb_client();
        let text_value = |text: &str| AttributeValue::S(text.to_owned());
        let update = client.update_item().table_name(self.stores().database.name(&schema::USERS));
        let update = update.key("pk", text_value(&format!("USER#{id}"))).key("sk", text_value("USER"));
        let update = update.update_expression("SET business_ids = :wrong");
        update.expression_attribute_values(":wrong", text_value(text)).send().await.expect("DynamoDB answers");
    }

    /// Returns every item of a table, in no order, without the time at which a key was last used. Takes the full table name.
    pub async fn items(&self, table: &str) -> Vec<String> {
        let text = |mut item: Item| {
            item.remove("last_used_at");
            sorted_text(&AttributeValue::M(item))
        };
        self.scan(table).await.into_iter().map(text).collect()
    }

    /// Returns every item of a table by strong reads, in no order. Takes the full table name.
    ///
    /// # Panics
    /// Panics if `DynamoDB` does not answer.
    pub async fn scan(&self, table: &str) -> Vec<Item> {
        let scan = self.dynamodb_client().scan().table_name(table).consistent_read(true);
        let items: Result<_, _> = scan.into_paginator().items().send().collect().await;
        items.expect("DynamoDB answers")
    }
}

/// Returns the text of a value, with the names of its maps in order.
fn sorted_text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::M(map) => {
            let map: BTreeMap<_, _> = map.iter().map(|(name, value)| (name, sorted_text(value))).collect();
            format!("{map:?}")
        }
        AttributeValue::L(list) => format!("{:?}", list.iter().map(sorted_text).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

impl Drop for TestStack {
    /// Fails the test if a key, a password, a name, an address or an invitation is in the log.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(logs::leaks(), Vec::<String>::new());
        }
    }
}

/// Turns the time to live of the tables off. A database outside of the stack deletes items by its own clock, and the clock of a test
/// stands in the past: it would delete what the functions have just written.
async fn keep_expired_items(local: &Stack) {
    let client = aws_sdk_dynamodb::Client::new(&presence_local::sdk_config(local.dynamodb_url()));
    for table in &schema::TABLES {
        let Some(attribute) = table.ttl else { continue };
        let off = TimeToLiveSpecification::builder().enabled(false).attribute_name(attribute).build();
        let update = client.update_time_to_live().table_name(local.stores().database.name(table));
        let updated = update.time_to_live_specification(off.expect("the required fields are set")).send().await;
        updated.expect("a database that can stop deleting items");
    }
}
