//! An embedded `DynamoDB` of its own for each test, and SDK clients that reach it through a connector under test.

use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, Put, ScalarAttributeType, TransactWriteItem,
};
use aws_smithy_runtime_api::client::http::HttpClient;
use dynoxide::Database;
use presence_tests::{KeyNames, plain_http};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub(super) const TABLE: &str = "things";
pub(super) const INDEX: &str = "by-colour";

/// Long enough for a debug build on a busy machine, and far below a test's patience.
const ATTEMPT_TIMEOUT: Duration = Duration::from_mins(1);

/// Stops its server when dropped.
pub(super) struct Embedded {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Embedded {
    /// Started, with the table `things` (`pk`, `sk`) and its index `by-colour`.
    pub(super) async fn start() -> Self {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        socket.set_nonblocking(true).expect("a socket that tokio can take");
        let address = socket.local_addr().expect("a bound socket has an address");
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || serve(socket, stopped));
        let embedded = Self { address, stop: Some(stop), thread: Some(thread) };
        create_table(&embedded.client(plain_http())).await;
        embedded
    }

    /// A client without retries, so that a test sees each attempt.
    pub(super) fn client(&self, http: impl HttpClient + 'static) -> Client {
        self.client_with(http, RetryConfig::disabled(), ATTEMPT_TIMEOUT)
    }

    pub(super) fn client_with(&self, http: impl HttpClient + 'static, retry: RetryConfig, attempt: Duration) -> Client {
        let config = Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "tests"))
            .endpoint_url(format!("http://{}", self.address))
            .retry_config(retry)
            .timeout_config(TimeoutConfig::builder().operation_attempt_timeout(attempt).build())
            .http_client(http)
            .build();
        Client::from_conf(config)
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the server's thread has failed the test already.
            let _ = thread.join();
        }
    }
}

/// The server blocks while it answers, hence a thread and a runtime of its own.
fn serve(socket: std::net::TcpListener, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::from_std(socket).expect("a listener from the socket");
        let database = Database::memory().expect("a database in memory");
        tokio::select! {
            served = dynoxide::server::serve_on(listener, database) => served,
            _ = stopped => (),
        }
    });
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

pub(super) fn key_names() -> KeyNames {
    KeyNames::from([(TABLE.to_owned(), vec!["pk".to_owned(), "sk".to_owned()])])
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
    let direct = embedded.client(plain_http());
    get(&direct, pk).send().await.expect("a direct read").item.is_some()
}
