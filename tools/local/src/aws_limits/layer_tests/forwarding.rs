//! Tests of calls that the limits forward: without effects, with a seed, and as an HTTP server.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use super::super::{AwsLimits, LimitCounts, PageTruncation, Throttling};
use super::{LimitedTable, NO_LIMIT, item, key, put, query_index};

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
        assert_eq!(table.limits.settings().seed, Some(seed));
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
