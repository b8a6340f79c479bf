//! An embedded `DynamoDB` of its own for each test, and SDK clients that reach it through a connector under test.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, Put, ScalarAttributeType, TransactWriteItem,
};
use aws_smithy_runtime_api::client::http::HttpClient;
use presence_tests::{TestStack, in_process_client, sdk_config};

pub(super) const TABLE: &str = "things";
pub(super) const INDEX: &str = "by-colour";

/// Long enough for a debug build on a busy machine, and far below a test's patience.
const ATTEMPT_TIMEOUT: Duration = Duration::from_mins(1);

/// Embedded database with the table `things` (`pk`, `sk`) and its index `by-colour`.
pub(super) struct Embedded(TestStack);

impl Embedded {
    pub(super) async fn start() -> Self {
        let embedded = Self(TestStack::start().await);
        create_table(&embedded.client(in_process_client())).await;
        embedded
    }

    /// Returns a client without retries, so that a test sees each attempt.
    pub(super) fn client(&self, http: impl HttpClient + 'static) -> Client {
        self.client_with(http, RetryConfig::disabled(), ATTEMPT_TIMEOUT)
    }

    pub(super) fn client_with(&self, http: impl HttpClient + 'static, retry: RetryConfig, attempt: Duration) -> Client {
        let config = sdk_config(self.0.local.database_url()).to_builder().retry_config(retry);
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(attempt).build();
        Client::from_conf(config.timeout_config(timeouts).http_client(http).build())
    }
}

async fn create_table(client: &Client) {
    let index = GlobalSecondaryIndex::builder()
        .index_name(INDEX)
        .key_schema(key("colour", KeyType::Hash))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .expect("a whole index");
    client
        .create_table()
        .table_name(TABLE)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key("pk", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .set_attribute_definitions(Some(["pk", "sk", "colour"].map(text_attribute).to_vec()))
        .global_secondary_indexes(index)
        .send()
        .await
        .expect("a table");
}

fn key(name: &str, kind: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("a whole key")
}

fn text_attribute(name: &str) -> AttributeDefinition {
    let builder = AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S);
    builder.build().expect("a whole attribute")
}

pub(super) fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// One action of a transaction: puts the red thing `pk`.
pub(super) fn put_action(pk: &str) -> TransactWriteItem {
    let put = Put::builder().table_name(TABLE).item("pk", text(pk)).item("sk", text("-")).item("colour", text("red"));
    TransactWriteItem::builder().put(put.build().expect("a whole put")).build()
}

pub(super) fn put(client: &Client, pk: &str) -> aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder {
    client.put_item().table_name(TABLE).item("pk", text(pk)).item("sk", text("-")).item("colour", text("red"))
}

pub(super) fn get(client: &Client, pk: &str) -> aws_sdk_dynamodb::operation::get_item::builders::GetItemFluentBuilder {
    client.get_item().table_name(TABLE).key("pk", text(pk)).key("sk", text("-")).consistent_read(true)
}

/// True if the item is in the table, read past the connector under test.
pub(super) async fn exists(embedded: &Embedded, pk: &str) -> bool {
    let direct = embedded.client(in_process_client());
    get(&direct, pk).send().await.expect("a direct read").item.is_some()
}
