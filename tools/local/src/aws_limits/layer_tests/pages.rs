//! Tests of truncated pages, and of the lag of indexes.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::{AwsLimits, PageTruncation};
use super::{LimitedTable, Reply, code, item, key, query_index};

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
                let found = read_all_pages(&table, operation, body).await;
                let mut expected: Vec<_> = (0..ITEMS).map(|number| format!("k{number:02}")).collect();
                if operation == "Query" && !forward {
                    expected.reverse();
                }
                assert_eq!(found, expected, "{operation} {forward} {limit:?}");
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

#[tokio::test]
async fn pages_of_a_frozen_index_show_each_old_item_once_also_with_filters_and_projections() {
    for seed in 0..8 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let table = LimitedTable::new(AwsLimits { lag: Some(Duration::MAX), ..AwsLimits::off() }).await;
        let mut old = Vec::new();
        for number in 0..rng.u32(1..30) {
            let sk = format!("k{number:02}");
            if rng.u8(..4) > 0 {
                let sort = rng.u32(..100);
                table.put_directly(item("a", &sk, sort)).await;
                old.push((sort, sk.clone()));
            }
            match rng.u8(..4) {
                0 => assert_eq!(
                    table.call("DeleteItem", json!({ "TableName": "things", "Key": key("a", &sk) })).await.0,
                    200
                ),
                1 => {
                    let moved = item("a", &sk, rng.u32(..100));
                    assert_eq!(table.call("PutItem", json!({ "TableName": "things", "Item": moved })).await.0, 200);
                }
                _ => {}
            }
        }
        old.sort_unstable();
        let mut ranged = query_index();
        ranged["KeyConditionExpression"] = json!("p = :p AND s BETWEEN :a AND :b");
        ranged["ExpressionAttributeValues"] =
            json!({ ":p": { "S": "p" }, ":a": { "N": "10" }, ":b": { "N": "89" }, ":v": { "S": "v" } });
        ranged["FilterExpression"] = json!("v = :v");
        ranged["ProjectionExpression"] = json!("sk");
        let in_range: Vec<_> =
            old.iter().filter(|(sort, _)| (10..90).contains(sort)).map(|(_, sk)| sk.clone()).collect();
        let all: Vec<_> = old.into_iter().map(|(_, sk)| sk).collect();
        let mut scan = json!({ "TableName": "things", "IndexName": "by-p" });
        for (operation, body, expected) in [("Query", &mut ranged, &in_range), ("Scan", &mut scan, &all)] {
            for forward in [true, false] {
                if operation == "Query" {
                    body["ScanIndexForward"] = json!(forward);
                }
                body["Limit"] = json!(rng.u32(1..12));
                let mut found = read_all_pages(&table, operation, body.clone()).await;
                if operation == "Query" && !forward {
                    found.reverse();
                }
                assert_eq!(&found, expected, "seed {seed}, {operation}, forward {forward}");
            }
        }
    }
}

/// Returns the sort keys of all items of a result, page by page.
async fn read_all_pages(table: &LimitedTable, operation: &str, mut body: Value) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        let (status, page) = table.call(operation, body.clone()).await;
        assert_eq!(status, 200, "{page}");
        let items = page["Items"].as_array().expect("items");
        assert_eq!(page["Count"], items.len());
        found.extend(items.iter().map(|item| item["sk"]["S"].as_str().expect("a key").to_owned()));
        if !page["LastEvaluatedKey"].is_object() {
            return found;
        }
        body["ExclusiveStartKey"] = page["LastEvaluatedKey"].clone();
    }
}
