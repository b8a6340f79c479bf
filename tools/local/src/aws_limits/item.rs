//! Items in the JSON of the `DynamoDB` protocol. The embedded `DynamoDB` knows their sizes.

use dynoxide::AttributeValue;
use serde_json::{Map, Value};

/// Item: names with typed values, such as `{"pk": {"S": "a"}}`.
pub(super) type Item = Map<String, Value>;

/// Returns the size of an item as `DynamoDB` counts it, in bytes:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
pub(super) fn size(item: &Item) -> usize {
    typed(item).map_or(0, |item| dynoxide::types::item_size(&item))
}

/// Returns the size of the values of an item without their names, in bytes.
pub(super) fn values_size(item: &Item) -> usize {
    typed(item).map_or(0, |item| item.values().map(AttributeValue::size).sum())
}

/// Returns an item in the type of the embedded `DynamoDB`; `None` if a value is not valid.
pub(super) fn typed(item: &Item) -> Option<dynoxide::Item> {
    serde_json::from_value(item.clone().into()).ok()
}

/// Returns the attributes of these names, or `None` if one is missing.
pub(super) fn attributes<'a>(item: &Item, names: impl IntoIterator<Item = &'a String>) -> Option<Item> {
    names.into_iter().map(|name| Some((name.clone(), item.get(name)?.clone()))).collect()
}
