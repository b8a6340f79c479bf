//! Tests of the limits in front of the embedded `DynamoDB`, over its HTTP protocol.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use super::{AwsLimits, LimitCounts, LimitsProxy, PageTruncation, Throttling};
use crate::embedded::EmbeddedDynamo;

const HOUR: Duration = Duration::from_hours(1);
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

/// Returns calls of every kind, valid and invalid.
fn calls_of_every_kind() -> Vec<(&'static str, Value)> {
    let update = json!({
        "TableName": "things", "Key": key("a", "1"), "UpdateExpression": "SET v = :v ADD n :one", "ReturnValues": "ALL_NEW",
        "ExpressionAttributeValues": { ":v": { "S": "w" }, ":one": { "N": "1" } },
    });
    let once = json!({ "Put": { "TableName": "things", "Item": item("a", "1", 9), "ConditionExpression": "attribute_not_exists(pk)" } });
    let projected = json!({ "ProjectionExpression": "#v, sk", "ExpressionAttributeNames": { "#v": "v" }, "Limit": 2 });
    let mut limited = query_index();
    for (name, value) in projected.as_object().expect("an object") {
        limited[name] = value.clone();
    }
    vec![
        ("PutItem", put("a", "1")),
        ("UpdateItem", update.clone()),
        (
            "BatchWriteItem",
            json!({ "RequestItems": { "things": [
            { "PutRequest": { "Item": item("a", "2", 5) } }, { "PutRequest": { "Item": item("b", "1", 3) } },
            { "DeleteRequest": { "Key": key("c", "1") } },
        ] }, "ReturnConsumedCapacity": "INDEXES" }),
        ),
        ("GetItem", json!({ "TableName": "things", "Key": key("a", "1"), "ReturnConsumedCapacity": "TOTAL" })),
        ("GetItem", json!({ "TableName": "things", "Key": key("z", "1") })),
        ("GetItem", json!({ "TableName": "none", "Key": key("z", "1") })),
        ("GetItem", json!({ "TableName": "things", "Key": { "pk": { "S": "z" } } })),
        (
            "BatchGetItem",
            json!({ "RequestItems": { "things": { "Keys": [key("a", "1"), key("b", "1")], "ProjectionExpression": "v" } } }),
        ),
        ("Query", query_index()),
        ("Query", limited),
        ("Query", json!({ "TableName": "things", "KeyConditionExpression": "nonsense" })),
        (
            "Scan",
            json!({ "TableName": "things", "FilterExpression": "v = :v", "ExpressionAttributeValues": { ":v": { "S": "w" } } }),
        ),
        (
            "TransactWriteItems",
            json!({ "TransactItems": [
            { "Delete": { "TableName": "things", "Key": key("a", "2") } },
            { "Put": { "TableName": "things", "Item": item("d", "1", 2) } },
        ], "ClientRequestToken": "one" }),
        ),
        (
            "TransactWriteItems",
            json!({ "TransactItems": [once, { "Delete": { "TableName": "things", "Key": key("d", "1") } }] }),
        ),
        ("TransactGetItems", json!({ "TransactItems": [{ "Get": { "TableName": "things", "Key": key("d", "1") } }] })),
        ("DeleteItem", json!({ "TableName": "things", "Key": key("b", "1"), "ReturnValues": "ALL_OLD" })),
        (
            "PutItem",
            json!({ "TableName": "things", "Item": item("a", "1", 1), "ConditionExpression": "attribute_not_exists(pk)" }),
        ),
        ("Query", query_index()),
        ("ListTables", json!({})),
        ("Nonsense", json!({})),
    ]
}

#[tokio::test]
async fn without_limits_responses_are_those_of_the_database() {
    let (limited, plain) = (LimitedTable::new(AwsLimits::off()).await, LimitedTable::new(AwsLimits::off()).await);
    for (operation, body) in calls_of_every_kind() {
        let expected = plain.call_directly(operation, body.clone()).await;
        assert_eq!(limited.call(operation, body.clone()).await, expected, "{operation} {body}");
    }
    let calls = limited.counts().calls;
    assert_eq!(limited.counts(), LimitCounts { calls, ..LimitCounts::default() }, "no limit had an effect");
}

#[tokio::test]
async fn limits_that_are_not_exceeded_and_lag_that_has_passed_change_no_response() {
    let never = PageTruncation { short: 0.0, empty: 0.0 };
    let calm = Throttling { spurious: 0.0, ..Throttling::default() };
    let settings = AwsLimits {
        page_truncation: Some(never),
        throttling: Some(calm),
        conflicts: Some(Duration::ZERO),
        lag: Some(Duration::ZERO),
        ..AwsLimits::default()
    };
    let (limited, plain) = (LimitedTable::new(settings).await, LimitedTable::new(AwsLimits::off()).await);
    for (operation, body) in calls_of_every_kind() {
        let expected = plain.call_directly(operation, body.clone()).await;
        assert_eq!(limited.call(operation, body.clone()).await, expected, "{operation} {body}");
    }
}

#[tokio::test]
async fn truncated_and_empty_pages_together_show_each_item_once() {
    const ITEMS: u32 = 40;
    let pages = PageTruncation { short: 0.5, empty: 0.3 };
    let table = LimitedTable::new(AwsLimits { page_truncation: Some(pages), seed: Some(1), ..AwsLimits::off() }).await;
    for number in 0..ITEMS {
        table.put_directly(item("a", &format!("k{number:02}"), number / 3)).await;
    }
    let query_table = json!({
        "TableName": "things", "KeyConditionExpression": "pk = :p AND sk BETWEEN :a AND :z",
        "ExpressionAttributeValues": { ":p": { "S": "a" }, ":a": { "S": "k" }, ":z": { "S": "l" } },
    });
    for (operation, body) in
        [("Query", query_index()), ("Query", query_table), ("Scan", json!({ "TableName": "things" }))]
    {
        for forward in [true, false] {
            for limit in [None, Some(5), Some(1_000)] {
                let mut body = body.clone();
                if operation == "Query" {
                    body["ScanIndexForward"] = json!(forward);
                }
                body["Limit"] = limit.map_or(json!(100), |limit| json!(limit));
                let (mut found, mut pages) = (Vec::new(), 0);
                loop {
                    let (status, page) = table.call(operation, body.clone()).await;
                    assert_eq!(status, 200, "{page}");
                    let items = page["Items"].as_array().expect("items");
                    assert_eq!(page["Count"], items.len());
                    found.extend(items.iter().map(|item| item["sk"]["S"].as_str().expect("a key").to_owned()));
                    pages += 1;
                    if !page["LastEvaluatedKey"].is_object() {
                        break;
                    }
                    body["ExclusiveStartKey"] = page["LastEvaluatedKey"].clone();
                }
                let mut expected: Vec<_> = (0..ITEMS).map(|number| format!("k{number:02}")).collect();
                if operation == "Query" && !forward {
                    expected.reverse();
                }
                assert_eq!(found, expected, "{operation} {forward} {limit:?} in {pages} pages");
            }
        }
    }
    let counts = table.counts();
    assert!(counts.truncated_pages > 50 && counts.empty_pages > 10, "{counts:?}");
}

#[tokio::test]
async fn first_page_may_be_empty_before_more_items() {
    let pages = PageTruncation { short: 0.0, empty: 1.0 };
    let table = LimitedTable::new(AwsLimits { page_truncation: Some(pages), ..AwsLimits::off() }).await;
    table.put_directly(item("a", "k1", 5)).await;
    let (_, page) = table.call("Query", query_index()).await;
    assert_eq!((&page["Items"], &page["Count"]), (&json!([]), &json!(0)));
    assert_eq!(page["LastEvaluatedKey"]["s"]["N"], "4", "a key before the first item");
    let mut next = query_index();
    next["ExclusiveStartKey"] = page["LastEvaluatedKey"].clone();
    assert_eq!(table.call_directly("Query", next).await.1["Count"], 1, "the database continues after that key");
}

#[tokio::test]
async fn page_ends_at_one_megabyte_before_projection() {
    let table = LimitedTable::new(AwsLimits::off()).await;
    for number in 0..4 {
        let mut large = item("a", &format!("k{number}"), number);
        large["v"] = json!({ "S": "x".repeat(399 * 1024) });
        table.put_directly(large).await;
    }
    for mut body in [query_index(), json!({ "TableName": "things" })] {
        let operation = if body["IndexName"].is_string() { "Query" } else { "Scan" };
        body["ProjectionExpression"] = json!("sk");
        let (_, page) = table.call(operation, body).await;
        assert_eq!(page["Count"], 2, "{operation}: three would be 1.17 MB");
        assert!(page["LastEvaluatedKey"].is_object());
    }
}

#[tokio::test]
async fn frozen_index_shows_old_items_until_the_lag_is_switched_off() {
    let frozen = AwsLimits { lag: Some(Duration::MAX), ..AwsLimits::off() };
    let table = LimitedTable::new(frozen).await;
    for (sk, sort) in [("k1", 1), ("k2", 2), ("k3", 3)] {
        table.put_directly(item("a", sk, sort)).await;
    }
    let moved = json!({ "Update": { "TableName": "things", "Key": key("a", "k2"), "UpdateExpression": "SET s = :s, v = :v",
        "ExpressionAttributeValues": { ":s": { "N": "9" }, ":v": { "S": "new" } } } });
    let deleted = json!({ "Delete": { "TableName": "things", "Key": key("a", "k1") } });
    let transaction = json!({ "TransactItems": [moved, deleted] });
    assert_eq!(table.call("TransactWriteItems", transaction).await.0, 200);
    assert_eq!(table.call("PutItem", json!({ "TableName": "things", "Item": item("a", "k0", 0) })).await.0, 200);
    let shown = |reply: Reply| -> Vec<String> {
        let items = reply.1["Items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| format!("{} {} {}", item["sk"]["S"], item["s"]["N"], item["v"]["S"])).collect()
    };
    let old = [r#""k1" "1" "v""#, r#""k2" "2" "v""#, r#""k3" "3" "v""#];
    assert_eq!(shown(table.call("Query", query_index()).await), old);
    assert_eq!(table.counts().stale_pages, 1);
    let (_, read) =
        table.call("GetItem", json!({ "TableName": "things", "Key": key("a", "k1"), "ConsistentRead": true })).await;
    assert!(read["Item"].is_null(), "the table never lags");
    table.limits.set(AwsLimits::off());
    let new = [r#""k0" "0" "v""#, r#""k3" "3" "v""#, r#""k2" "9" "new""#];
    assert_eq!(shown(table.call("Query", query_index()).await), new);
}

#[tokio::test]
async fn refused_write_leaves_the_index_unchanged() {
    let table = LimitedTable::new(AwsLimits { lag: Some(Duration::MAX), ..AwsLimits::off() }).await;
    let refused =
        json!({ "TableName": "things", "Item": item("a", "k1", 1), "ConditionExpression": "attribute_exists(pk)" });
    assert_eq!(code(&table.call("PutItem", refused).await), "ConditionalCheckFailedException");
    table.put_directly(item("a", "k1", 1)).await;
    assert_eq!(table.call("Query", query_index()).await.1["Count"], 1, "the refused write is not pending");
    assert_eq!(table.counts().stale_pages, 0);
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

#[tokio::test]
async fn single_call_gets_the_throttling_error_of_the_exceeded_limit() {
    for (settings, expected, reason) in [
        (rates(NO_REFILL, NO_LIMIT), "ThrottlingException", "TableReadAccountLimitExceeded"),
        (rates(NO_LIMIT, NO_REFILL), "ProvisionedThroughputExceededException", "TableReadKeyRangeThroughputExceeded"),
    ] {
        let table = LimitedTable::new(settings).await;
        let get =
            || table.call("GetItem", json!({ "TableName": "things", "Key": key("a", "1"), "ConsistentRead": true }));
        assert_eq!(get().await.0, 200, "the first call is allowed");
        let throttled = get().await;
        assert_eq!((throttled.0, code(&throttled)), (400, expected));
        assert_eq!(throttled.1["throttlingReasons"][0]["reason"], reason);
        assert_eq!(table.counts().throttled, 1);
        let other = table.call("GetItem", json!({ "TableName": "things", "Key": key("b", "1") })).await;
        assert_eq!(
            other.0 == 200,
            expected.starts_with("Provisioned"),
            "a throttled partition does not throttle the others"
        );
    }
}

#[tokio::test]
async fn throttled_index_throttles_the_writes_of_its_table() {
    let table = LimitedTable::new(rates(NO_LIMIT, NO_REFILL)).await;
    assert_eq!(table.call("PutItem", put("a", "1")).await.0, 200);
    let throttled = table.call("PutItem", put("b", "1")).await;
    assert_eq!(throttled.1["throttlingReasons"][0]["reason"], "IndexWriteKeyRangeThroughputExceeded");
    let no_entry = json!({ "TableName": "things", "Item": key("c", "1") });
    assert_eq!(table.call("PutItem", no_entry).await.0, 200, "an item outside the index needs no units of it");
}

#[tokio::test]
async fn throttled_transaction_has_a_reason_for_each_item() {
    let table = LimitedTable::new(rates(NO_LIMIT, NO_REFILL)).await;
    let bare = |pk: &str| json!({ "Put": { "TableName": "things", "Item": key(pk, "1") } });
    let transaction = |items: Value| table.call("TransactWriteItems", json!({ "TransactItems": items }));
    assert_eq!(transaction(json!([bare("a")])).await.0, 200);
    let cancelled = transaction(json!([bare("b"), bare("a"), bare("c")])).await;
    assert_eq!((cancelled.0, code(&cancelled)), (400, "TransactionCanceledException"));
    assert_eq!(cancellation_codes(&cancelled), ["None", "ThrottlingError", "None"]);
    let (_, read) = table.call_directly("GetItem", json!({ "TableName": "things", "Key": key("b", "1") })).await;
    assert!(read["Item"].is_null(), "nothing was written");
}

#[tokio::test]
async fn batch_leaves_the_items_of_throttled_partitions_unprocessed() {
    let table = LimitedTable::new(rates(NO_LIMIT, NO_REFILL)).await;
    let get = |keys: Value| {
        table.call("BatchGetItem", json!({ "RequestItems": { "things": { "Keys": keys, "ConsistentRead": true } } }))
    };
    assert_eq!(get(json!([key("a", "1")])).await.1["UnprocessedKeys"], json!({}));
    let (status, some) = get(json!([key("a", "1"), key("b", "1")])).await;
    assert_eq!((status, &some["UnprocessedKeys"]["things"]["Keys"]), (200, &json!([key("a", "1")])));
    assert_eq!(some["UnprocessedKeys"]["things"]["ConsistentRead"], true);
    let mut answers = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let all = get(json!([key("a", "1"), key("b", "1")])).await;
        let keys = all.1["UnprocessedKeys"]["things"]["Keys"].as_array().map(Vec::len);
        answers.insert((all.0, code(&all).to_owned(), keys));
    }
    let exceeded = (400, "ProvisionedThroughputExceededException".to_owned(), None);
    assert_eq!(answers.into_iter().collect::<Vec<_>>(), [(200, String::new(), Some(2)), exceeded]);

    let bare = |pk: &str| json!({ "PutRequest": { "Item": key(pk, "1") } });
    let write = |items: Value| table.call("BatchWriteItem", json!({ "RequestItems": { "things": items } }));
    assert_eq!(write(json!([bare("a")])).await.0, 200);
    let (status, some) = write(json!([bare("a"), bare("b")])).await;
    assert_eq!((status, &some["UnprocessedItems"]["things"]), (200, &json!([bare("a")])));
    assert!(table.counts().unprocessed >= 2);
}

#[tokio::test]
async fn conflicting_transactions_are_cancelled_and_retries_are_not() {
    let table = LimitedTable::new(AwsLimits { conflicts: Some(HOUR), ..AwsLimits::off() }).await;
    let transaction = |pks: &[&str], token: &str| {
        let puts: Vec<_> = pks.iter().map(|pk| json!({ "Put": put(pk, "1") })).collect();
        table.call("TransactWriteItems", json!({ "TransactItems": puts, "ClientRequestToken": token }))
    };
    assert_eq!(transaction(&["a", "b"], "one").await.0, 200);
    assert_eq!(transaction(&["a", "b"], "one").await.0, 200, "a retry");
    assert_eq!(cancellation_codes(&transaction(&["c", "b"], "two").await), ["None", "TransactionConflict"]);
    assert_eq!(code(&table.call("PutItem", put("a", "1")).await), "TransactionConflictException");
    assert_eq!(transaction(&["c"], "three").await.0, 200, "a cancelled transaction causes no conflict");
    let get = json!({ "TransactItems": [{ "Get": { "TableName": "things", "Key": key("a", "1") } }] });
    assert_eq!(cancellation_codes(&table.call("TransactGetItems", get).await), ["TransactionConflict"]);
    assert_eq!(table.counts().conflicted, 3);
}

#[tokio::test]
async fn retry_of_a_completed_transaction_succeeds_despite_throttling() {
    let table = LimitedTable::new(rates(NO_LIMIT, NO_REFILL)).await;
    let put = json!({ "Put": { "TableName": "things", "Item": key("a", "1"), "ConditionExpression": "attribute_not_exists(pk)" } });
    let body = |token: &str| json!({ "TransactItems": [put], "ClientRequestToken": token });
    for _ in 0..5 {
        assert_eq!(table.call("TransactWriteItems", body("one")).await.0, 200);
    }
    let other = table.call("TransactWriteItems", body("two")).await;
    assert_eq!(cancellation_codes(&other), ["ThrottlingError"]);
}

#[tokio::test]
async fn cancellation_may_have_different_reasons() {
    let table = LimitedTable::new(AwsLimits { conflicts: Some(HOUR), ..AwsLimits::off() }).await;
    table.put_directly(item("there", "1", 1)).await;
    let held = json!({ "TransactItems": [{ "Put": put("a", "1") }] });
    assert_eq!(table.call("TransactWriteItems", held).await.0, 200);
    let once = json!({ "Put": { "TableName": "things", "Item": item("there", "1", 2), "ConditionExpression": "attribute_not_exists(pk)" } });
    let both = json!({ "TransactItems": [once, { "Put": put("a", "1") }, { "Put": put("new", "1") }] });
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..20 {
        seen.insert(cancellation_codes(&table.call("TransactWriteItems", both.clone()).await).join(" "));
    }
    let expected = ["ConditionalCheckFailed TransactionConflict None", "None TransactionConflict None"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
    let (_, read) = table.call_directly("GetItem", json!({ "TableName": "things", "Key": key("new", "1") })).await;
    assert!(read["Item"].is_null(), "nothing was written");
    assert!(table.counts().mixed_cancellations > 0);
}

#[tokio::test]
async fn transaction_over_4_mb_is_refused_although_the_embedded_database_accepts_it() {
    let table = LimitedTable::new(AwsLimits { sizes: true, ..AwsLimits::off() }).await;
    let mut items = Vec::new();
    for number in 0..12 {
        let mut large = item("a", &number.to_string(), 1);
        large["v"] = json!({ "S": "x".repeat(390 * 1024) });
        table.put_directly(large).await;
        items.push(json!({ "Update": { "TableName": "things", "Key": key("a", &number.to_string()), "UpdateExpression": "SET w = :w",
            "ExpressionAttributeValues": { ":w": { "N": "1" } } } }));
    }
    let body = json!({ "TransactItems": items });
    let refused = table.call("TransactWriteItems", body.clone()).await;
    assert_eq!((refused.0, code(&refused)), (400, "ValidationException"), "4.6 MB of items");
    assert_eq!(table.counts().too_large, 1);
    assert_eq!(
        table.call_directly("TransactWriteItems", body).await.0,
        200,
        "the embedded database counts only the given values"
    );
}

#[tokio::test]
async fn same_seed_and_calls_give_the_same_responses() {
    let mut runs = Vec::new();
    for seed in [7, 7, 8] {
        let throttling = Throttling {
            table_writes: NO_LIMIT,
            table_reads: NO_LIMIT,
            partition_writes: NO_LIMIT,
            partition_reads: NO_LIMIT,
            spurious: 0.2,
        };
        let settings = AwsLimits {
            seed: Some(seed),
            throttling: Some(throttling),
            page_truncation: Some(PageTruncation { short: 0.5, empty: 0.2 }),
            latency: None,
            lag: Some(Duration::MAX),
            conflicts: None,
            sizes: true,
        };
        let table = LimitedTable::new(settings).await;
        assert_eq!(table.limits.seed(), seed);
        let mut replies = Vec::new();
        for (operation, body) in calls_of_every_kind().into_iter().chain(calls_of_every_kind()) {
            let (status, body) = table.call(operation, body).await;
            replies.push((status, body["__type"].clone(), body["Count"].clone()));
        }
        runs.push((replies, table.counts()));
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test]
async fn request_to_another_host_is_refused_and_responses_have_no_cors_header() {
    let table = LimitedTable::new(AwsLimits::off()).await;
    let send =
        |host: &'static str| table.client.post(table.limits.endpoint_url()).header("host", host).body("{}").send();
    assert_eq!(send("evil.example").await.expect("an answer").status(), StatusCode::FORBIDDEN);
    let answer = send("localhost:8000").await.expect("an answer");
    assert_ne!(answer.status(), StatusCode::FORBIDDEN);
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn calls_run_to_their_end_when_the_client_disconnects() {
    let latency = Some(Duration::from_millis(50));
    let table = LimitedTable::new(AwsLimits { latency, ..AwsLimits::off() }).await;
    let disconnected = tokio::time::timeout(Duration::from_millis(25), table.call("PutItem", put("a", "1"))).await;
    let read = || table.call_directly("GetItem", json!({ "TableName": "things", "Key": key("a", "1") }));
    for _ in 0..200 {
        if read().await.1["Item"].is_object() {
            return;
        }
        // On a busy machine, the client may disconnect before it has sent the request.
        if disconnected.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let _ = tokio::time::timeout(Duration::from_millis(25), table.call("PutItem", put("a", "1"))).await;
    }
    panic!("no call ran to its end");
}
