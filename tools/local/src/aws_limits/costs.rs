//! Capacity units of the actions of a call.

use serde_json::Value;

use super::actions::{CallForm, ItemAction};
use super::item::{Item, size, values_size};
use super::item_calls::OldItems;
use super::layer::Call;
use super::state::Cost;
use super::tables::{IndexInfo, TableInfo};
use super::token_buckets::{CapacityKind, CapacityScope};

/// Factor of the write units in a transaction, which writes each item twice. It applies to tables, not to indexes.
const TRANSACTION_FACTOR: f64 = 2.0;
/// Bytes of a write unit.
const UNIT_BYTES: usize = 1_024;

/// Returns the costs of an action: at its table, and at each index that it changes.
///
/// Those of a read are known after it: DynamoDB reports them.
pub(super) fn action_costs(call: &Call, action: &ItemAction, old_items: &OldItems) -> Vec<Cost> {
    let (table, partition) = (&action.table, action.table.partition_of(&action.key));
    if !call.is_write() {
        return vec![Cost { scope: CapacityScope::new(CapacityKind::Read, &table.name, None, partition), units: 0.0 }];
    }
    let old_item = old_items.get(&action.name);
    let factor = if call.form() == CallForm::Transaction { TRANSACTION_FACTOR } else { 1.0 };
    let bytes = size_after(action, old_item).max(old_item.map_or(0, size));
    let scope = CapacityScope::new(CapacityKind::Write, &table.name, None, partition);
    let mut costs = vec![Cost { scope, units: factor * write_units(bytes) }];
    if action.is_write {
        costs.extend(table.indexes.iter().flat_map(|index| index_costs(action, index, old_item)));
    }
    costs
}

/// Estimates the size of an item after an action, in bytes.
///
/// For a put, this is the size of the item. For an update, it is the larger of the old size and the size of the key with the
/// given values.
pub(super) fn size_after(action: &ItemAction, old_item: Option<&Item>) -> usize {
    if let Some(item) = &action.put {
        return size(item);
    }
    let given = action.body["ExpressionAttributeValues"].as_object().map_or(0, values_size);
    old_item.map_or(0, size).max(size(&action.key) + given)
}

/// Returns the costs of an action at an index: one for each entry that is written or removed.
fn index_costs(action: &ItemAction, index: &IndexInfo, old_item: Option<&Item>) -> Vec<Cost> {
    let table = &action.table;
    let before = old_item.and_then(|item| index.entry(table, item));
    let entries = if action.body["UpdateExpression"].is_string() {
        // The item after an update is unknown. An update that names an attribute of the index rewrites its entry.
        let rewrites = named_attributes(&action.body).iter().any(|name| index.follows(name));
        before.into_iter().filter(|_| rewrites).collect()
    } else {
        let after = action.put.as_ref().and_then(|item| index.entry(table, item));
        changed_entries(index, before, after)
    };
    entries.iter().map(|entry| index_cost(table, index, entry)).collect()
}

/// Returns the entries that an index writes and removes when an entry changes. A changed key moves an entry, which is both.
fn changed_entries(index: &IndexInfo, before: Option<Item>, after: Option<Item>) -> Vec<Item> {
    match (before, after) {
        (Some(before), Some(after)) if before == after => Vec::new(),
        (Some(before), Some(after)) if index.key.names().all(|name| before.get(name) == after.get(name)) => vec![after],
        (before, after) => before.into_iter().chain(after).collect(),
    }
}

fn index_cost(table: &TableInfo, index: &IndexInfo, entry: &Item) -> Cost {
    let partition = entry.get(&index.key.partition).map(Value::to_string);
    let scope = CapacityScope::new(CapacityKind::Write, &table.name, Some(&index.name), partition);
    Cost { scope, units: write_units(size(entry)) }
}

/// Returns the write units of an item: one for each started kilobyte, and at least one.
fn write_units(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)).max(1.0)
}

/// Returns all words of an update expression, and its attribute names: a superset of the attributes that it changes.
fn named_attributes(body: &Value) -> Vec<String> {
    let text = body["UpdateExpression"].as_str().unwrap_or_default();
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
    let names = body["ExpressionAttributeNames"].as_object().into_iter().flatten();
    words.map(str::to_owned).chain(names.filter_map(|(_, name)| name.as_str().map(str::to_owned))).collect()
}
