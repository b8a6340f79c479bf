//! Tests of the limits in front of the embedded `DynamoDB`, over its HTTP protocol.

mod forwarding;
mod pages;
mod throttling;
mod transactions;

use serde_json::{Value, json};

use super::{AwsLimits, LimitCounts, LimitsProxy, Throttling};
use crate::embedded::EmbeddedDynamo;

const NO_LIMIT: f64 = 1e9;

/// Embedded DynamoDB behind limits, with a table `things` (`pk`, `sk`) and its index `by-p` (`p`, `s`).
struct LimitedTable {
    limits: LimitsProxy,
    embedded: EmbeddedDynamo,
    client: reqwest::Client,
}

/// Status and body of a response.
type Reply = (u16, Value);

impl LimitedTable {
    async fn new(settings: AwsLimits) -> Self {
        let embedded = EmbeddedDynamo::start(0, None).expect("starts");
        let limits = LimitsProxy::start(0, &embedded.endpoint_url(), settings).expect("starts");
        let limited = Self { limits, embedded, client: reqwest::Client::new() };
        let attribute = |name: &str, kind: &str| json!({ "AttributeName": name, "AttributeType": kind });
        let key = |hash: &str, range: &str| json!([{ "AttributeName": hash, "KeyType": "HASH" }, { "AttributeName": range, "KeyType": "RANGE" }]);
        let table = json!({
            "TableName": "things", "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("pk", "sk"),
            "AttributeDefinitions":
                [attribute("pk", "S"), attribute("sk", "S"), attribute("p", "S"), attribute("s", "N")],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by-p", "KeySchema": key("p", "s"),
                "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["v"] },
            }],
        });
        let created = limited.call_directly("CreateTable", table).await;
        assert_eq!(created.0, 200, "{}", created.1);
        limited
    }

    async fn send(&self, url: &str, operation: &str, body: &Value) -> Reply {
        let request = self.client.post(url).header("x-amz-target", format!("DynamoDB_20120810.{operation}"));
        let credential = "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, \
            SignedHeaders=host;x-amz-date, Signature=00";
        let request = request.header("authorization", credential).header("x-amz-date", "20260101T000000Z");
        let answer = request.header("content-type", "application/x-amz-json-1.0").body(body.to_string()).send().await;
        let answer = answer.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// Calls the database without the limits.
    async fn call_directly(&self, operation: &str, body: Value) -> Reply {
        self.send(&self.embedded.endpoint_url(), operation, &body).await
    }

    async fn call(&self, operation: &str, body: Value) -> Reply {
        self.send(&self.limits.endpoint_url(), operation, &body).await
    }

    async fn put_directly(&self, item: Value) {
        assert_eq!(self.call_directly("PutItem", json!({ "TableName": "things", "Item": item })).await.0, 200);
    }

    fn counts(&self) -> LimitCounts {
        self.limits.counts()
    }
}

fn item(pk: &str, sk: &str, sort: u32) -> Value {
    json!({ "pk": { "S": pk }, "sk": { "S": sk }, "p": { "S": "p" }, "s": { "N": sort.to_string() }, "v": { "S": "v" } })
}

fn key(pk: &str, sk: &str) -> Value {
    json!({ "pk": { "S": pk }, "sk": { "S": sk } })
}

fn put(pk: &str, sk: &str) -> Value {
    json!({ "TableName": "things", "Item": item(pk, sk, 1) })
}

fn query_index() -> Value {
    json!({
        "TableName": "things", "IndexName": "by-p", "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": { ":p": { "S": "p" } },
    })
}

fn code(reply: &Reply) -> &str {
    reply.1["__type"].as_str().and_then(|kind| kind.rsplit('#').next()).unwrap_or_default()
}

fn cancellation_codes(reply: &Reply) -> Vec<&str> {
    reply.1["CancellationReasons"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|reason| reason["Code"].as_str())
        .collect()
}

fn rates(table: f64, partition: f64) -> AwsLimits {
    let throttling = Throttling {
        table_writes: table,
        table_reads: table,
        partition_writes: partition,
        partition_reads: partition,
        spurious: 0.0,
    };
    AwsLimits { throttling: Some(throttling), ..AwsLimits::off() }
}

/// Rate that refills nothing during a test: half a unit a day.
const NO_REFILL: f64 = 0.5 / 86_400.0;
