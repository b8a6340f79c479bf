//! The limits of size: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html>

use serde_json::Value;

use super::item::{Item, size, value_size};

/// Bytes of an item.
pub(super) const ITEM_BYTES: usize = 400 * 1024;
/// Bytes of all items of a transaction.
pub(super) const TRANSACTION_BYTES: usize = 4 * 1024 * 1024;
/// Items of a transaction.
pub(super) const TRANSACTION_ITEMS: usize = 100;
/// Bytes of a batch, written or read.
pub(super) const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Puts and deletes of a batch.
pub(super) const BATCH_WRITES: usize = 25;
/// Keys of a batch.
pub(super) const BATCH_KEYS: usize = 100;
/// Bytes of a page of Query or Scan, before a filter and a projection.
pub(super) const PAGE_BYTES: usize = 1024 * 1024;

/// Returns what is wrong with the sizes of a request by itself.
pub(super) fn broken(operation: &str, body: &Value) -> Option<&'static str> {
    match operation {
        "PutItem" => body["Item"].as_object().and_then(broken_item),
        "TransactWriteItems" | "TransactGetItems" => broken_transaction(body),
        "BatchWriteItem" => broken_batch(body),
        "BatchGetItem" => {
            let tables = body["RequestItems"].as_object().into_iter().flatten();
            let keys: usize = tables.map(|(_, table)| table["Keys"].as_array().map_or(0, Vec::len)).sum();
            (keys > BATCH_KEYS).then_some("Too many items requested for the BatchGetItem call")
        }
        _ => None,
    }
}

fn broken_item(item: &Item) -> Option<&'static str> {
    (size(item) > ITEM_BYTES).then_some("Item size has exceeded the maximum allowed size")
}

fn broken_transaction(body: &Value) -> Option<&'static str> {
    let actions = body["TransactItems"].as_array()?;
    if actions.len() > TRANSACTION_ITEMS {
        return Some("Member must have length less than or equal to 100");
    }
    actions.iter().filter_map(|action| action["Put"]["Item"].as_object()).find_map(broken_item)
}

fn broken_batch(body: &Value) -> Option<&'static str> {
    let writes: Vec<&Value> =
        body["RequestItems"].as_object()?.values().filter_map(Value::as_array).flatten().collect();
    if writes.len() > BATCH_WRITES {
        return Some("Too many items requested for the BatchWriteItem call");
    }
    let puts = || writes.iter().filter_map(|write| write["PutRequest"]["Item"].as_object());
    if puts().map(size).sum::<usize>() > BATCH_BYTES {
        return Some("Collection size of items exceeded: a batch has at most 16 MB");
    }
    puts().find_map(broken_item)
}

/// Returns the bytes of an item after an action, as far as they can be told before it: those of the item that is put; for an
/// update those that the item had, or those of its key and of the values that come, where these are more.
pub(super) fn written(put: Option<&Item>, old: Option<&Item>, action: &Value) -> usize {
    if let Some(item) = put {
        return size(item);
    }
    let values = action["ExpressionAttributeValues"].as_object().into_iter().flatten();
    let given: usize = values.map(|(_, value)| value_size(value)).sum();
    let key = action["Key"].as_object().map_or(0, size);
    old.map_or(0, size).max(key + given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(bytes: usize) -> Value {
        json!({ "pk": { "S": "x".repeat(bytes - 2) } })
    }

    #[test]
    fn what_is_larger_than_dynamodb_takes_is_named() {
        let put = |bytes| json!({ "Put": { "Item": item(bytes) } });
        let batch = |count: usize, bytes| {
            let writes = vec![json!({ "PutRequest": { "Item": item(bytes) } }); count];
            json!({ "RequestItems": { "t": writes } })
        };
        let keys = |count: usize| json!({ "RequestItems": { "t": { "Keys": vec![item(3); count] } } });
        for (operation, body, is_broken) in [
            ("PutItem", json!({ "Item": item(ITEM_BYTES) }), false),
            ("PutItem", json!({ "Item": item(ITEM_BYTES + 1) }), true),
            ("TransactWriteItems", json!({ "TransactItems": vec![put(9); 100] }), false),
            ("TransactWriteItems", json!({ "TransactItems": vec![put(9); 101] }), true),
            ("TransactWriteItems", json!({ "TransactItems": [put(ITEM_BYTES + 1)] }), true),
            ("BatchWriteItem", batch(25, 9), false),
            ("BatchWriteItem", batch(26, 9), true),
            ("BatchWriteItem", batch(1, ITEM_BYTES + 1), true),
            ("BatchGetItem", keys(100), false),
            ("BatchGetItem", keys(101), true),
            ("Query", json!({}), false),
        ] {
            assert_eq!(broken(operation, &body).is_some(), is_broken, "{operation}");
        }
    }

    #[test]
    fn an_update_counts_as_much_as_its_item_or_what_it_brings() {
        let old = item(500);
        let update = json!({ "Key": item(10), "ExpressionAttributeValues": { ":v": { "S": "12345" } } });
        assert_eq!(written(None, old.as_object(), &update), 500);
        assert_eq!(written(None, None, &update), 15);
        assert_eq!(written(item(7).as_object(), old.as_object(), &update), 7);
    }
}
