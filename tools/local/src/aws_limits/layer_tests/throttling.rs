//! Tests of throttling.

use serde_json::{Value, json};

use super::{LimitedTable, NO_LIMIT, NO_REFILL, code, key, put, rates};

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
