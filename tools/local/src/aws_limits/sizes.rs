//! Size limits: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html>

use serde_json::Value;

use super::item::{Item, size, value_size};

/// Largest item in bytes.
pub(super) const MAX_ITEM_BYTES: usize = 400 * 1024;
/// Largest sum of the items in a transaction, in bytes.
pub(super) const MAX_TRANSACTION_BYTES: usize = 4 * 1024 * 1024;
/// Largest number of items in a transaction.
pub(super) const MAX_TRANSACTION_ITEMS: usize = 100;
/// Largest sum of the items in a batch of writes, in bytes.
pub(super) const MAX_BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Largest number of puts and deletes in a batch.
pub(super) const MAX_BATCH_WRITES: usize = 25;
/// Largest number of keys in a batch of reads.
pub(super) const MAX_BATCH_KEYS: usize = 100;
/// Largest page of Query or Scan in bytes, before filter and projection.
pub(super) const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// Returns the error message for a request that exceeds a limit by itself, whatever the table holds.
pub(super) fn violation(operation: &str, body: &Value) -> Option<&'static str> {
    match operation {
        "PutItem" => body["Item"].as_object().and_then(item_violation),
        "TransactWriteItems" | "TransactGetItems" => transaction_violation(body),
        "BatchWriteItem" => batch_write_violation(body),
        "BatchGetItem" => batch_get_violation(body),
        _ => None,
    }
}

fn item_violation(item: &Item) -> Option<&'static str> {
    (size(item) > MAX_ITEM_BYTES).then_some("Item size has exceeded the maximum allowed size")
}

fn transaction_violation(body: &Value) -> Option<&'static str> {
    let actions = body["TransactItems"].as_array()?;
    if actions.len() > MAX_TRANSACTION_ITEMS {
        return Some("Member must have length less than or equal to 100");
    }
    actions.iter().filter_map(|action| action["Put"]["Item"].as_object()).find_map(item_violation)
}

fn batch_write_violation(body: &Value) -> Option<&'static str> {
    let tables = body["RequestItems"].as_object()?;
    let writes: Vec<&Value> = tables.values().filter_map(Value::as_array).flatten().collect();
    if writes.len() > MAX_BATCH_WRITES {
        return Some("Too many items requested for the BatchWriteItem call");
    }
    let items: Vec<&Item> = writes.iter().filter_map(|write| write["PutRequest"]["Item"].as_object()).collect();
    if items.iter().map(|item| size(item)).sum::<usize>() > MAX_BATCH_BYTES {
        return Some("Collection size of items exceeded: a batch has at most 16 MB");
    }
    items.into_iter().find_map(item_violation)
}

fn batch_get_violation(body: &Value) -> Option<&'static str> {
    let tables = body["RequestItems"].as_object()?;
    let keys: usize = tables.values().map(|table| table["Keys"].as_array().map_or(0, Vec::len)).sum();
    (keys > MAX_BATCH_KEYS).then_some("Too many items requested for the BatchGetItem call")
}

/// Estimates the size of an item after an action, in bytes.
///
/// For a put, this is the size of the item. For an update, it is the larger of the old size and the size of the key with the
/// given values.
pub(super) fn size_after(put: Option<&Item>, old_item: Option<&Item>, action: &Value) -> usize {
    if let Some(item) = put {
        return size(item);
    }
    let values = action["ExpressionAttributeValues"].as_object().into_iter().flatten();
    let given: usize = values.map(|(_, value)| value_size(value)).sum();
    let key = action["Key"].as_object().map_or(0, size);
    old_item.map_or(0, size).max(key + given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(bytes: usize) -> Value {
        json!({ "pk": { "S": "x".repeat(bytes - 2) } })
    }

    #[test]
    fn requests_over_a_size_limit_are_violations() {
        let put = |bytes| json!({ "Put": { "Item": item(bytes) } });
        let batch = |count: usize, bytes| {
            let writes = vec![json!({ "PutRequest": { "Item": item(bytes) } }); count];
            json!({ "RequestItems": { "t": writes } })
        };
        let keys = |count: usize| json!({ "RequestItems": { "t": { "Keys": vec![item(3); count] } } });
        for (operation, body, is_violation) in [
            ("PutItem", json!({ "Item": item(MAX_ITEM_BYTES) }), false),
            ("PutItem", json!({ "Item": item(MAX_ITEM_BYTES + 1) }), true),
            ("TransactWriteItems", json!({ "TransactItems": vec![put(9); 100] }), false),
            ("TransactWriteItems", json!({ "TransactItems": vec![put(9); 101] }), true),
            ("TransactWriteItems", json!({ "TransactItems": [put(MAX_ITEM_BYTES + 1)] }), true),
            ("BatchWriteItem", batch(25, 9), false),
            ("BatchWriteItem", batch(26, 9), true),
            ("BatchWriteItem", batch(1, MAX_ITEM_BYTES + 1), true),
            ("BatchGetItem", keys(100), false),
            ("BatchGetItem", keys(101), true),
            ("Query", json!({}), false),
        ] {
            assert_eq!(violation(operation, &body).is_some(), is_violation, "{operation}");
        }
    }

    #[test]
    fn size_after_an_update_is_at_least_the_old_one_and_the_given_values() {
        let old = item(500);
        let update = json!({ "Key": item(10), "ExpressionAttributeValues": { ":v": { "S": "12345" } } });
        assert_eq!(size_after(None, old.as_object(), &update), 500);
        assert_eq!(size_after(None, None, &update), 15);
        assert_eq!(size_after(item(7).as_object(), old.as_object(), &update), 7);
    }
}
