//! Tests of transactions: conflicts, cancellation reasons and sizes.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::AwsLimits;
use super::{LimitedTable, NO_LIMIT, NO_REFILL, cancellation_codes, code, item, key, put, query_index, rates};

const HOUR: Duration = Duration::from_hours(1);

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
async fn requests_over_a_size_limit_are_refused_before_they_are_run() {
    const MAX_ITEM_BYTES: usize = 400 * 1024;
    let table = LimitedTable::new(AwsLimits { sizes: true, ..AwsLimits::off() }).await;
    let sized = |number: usize, bytes: usize| {
        let mut sized = key("a", &format!("{number:03}"));
        sized["v"] = json!({ "S": "x".repeat(bytes - "pkaskv".len() - 3) });
        sized
    };
    let action = |item: Value| json!({ "Put": { "TableName": "things", "Item": item } });
    let puts = |count: usize, bytes| (0..count).map(|number| action(sized(number, bytes))).collect::<Vec<_>>();
    let writes = |count: usize, bytes| {
        let writes = (0..count).map(|number| json!({ "PutRequest": { "Item": sized(number, bytes) } }));
        json!({ "RequestItems": { "things": writes.collect::<Vec<_>>() } })
    };
    let keys = |count: usize| {
        let keys: Vec<_> = (0..count).map(|number| key("a", &number.to_string())).collect();
        json!({ "RequestItems": { "things": { "Keys": keys } } })
    };
    for (operation, body, is_refused) in [
        ("PutItem", json!({ "TableName": "things", "Item": sized(0, MAX_ITEM_BYTES) }), false),
        ("PutItem", json!({ "TableName": "things", "Item": sized(0, MAX_ITEM_BYTES + 1) }), true),
        ("TransactWriteItems", json!({ "TransactItems": puts(100, 19) }), false),
        ("TransactWriteItems", json!({ "TransactItems": puts(101, 19) }), true),
        ("TransactWriteItems", json!({ "TransactItems": puts(1, MAX_ITEM_BYTES + 1) }), true),
        ("BatchWriteItem", writes(25, 19), false),
        ("BatchWriteItem", writes(26, 19), true),
        ("BatchWriteItem", writes(1, MAX_ITEM_BYTES + 1), true),
        ("BatchGetItem", keys(100), false),
        ("BatchGetItem", keys(101), true),
        ("Query", query_index(), false),
    ] {
        let reply = table.call(operation, body).await;
        let expected = if is_refused { (400, "ValidationException") } else { (200, "") };
        assert_eq!((reply.0, code(&reply)), expected, "{operation} {}", reply.1["message"]);
    }
}
