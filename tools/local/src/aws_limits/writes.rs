//! Writes of one item, and the steps that all writes share.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::conflicts::CallKind;
use super::item::Item;
use super::lag;
use super::layer::{Call, Layer};
use super::response::DynamoDbResponse;
use super::state::Cost;
use super::tables::{ItemName, TableInfo};
use super::token_buckets::CapacityScope;
use super::upstream::UpstreamError;
use super::write_costs::write_costs;

/// Action on one item: a write, or a read or condition of a transaction.
#[derive(Clone, Debug)]
pub(super) struct ItemAction {
    pub(super) table: Arc<TableInfo>,
    pub(super) name: ItemName,
    pub(super) key: Item,
    pub(super) body: Value,
    /// Whole item of a put.
    pub(super) put: Option<Item>,
    pub(super) is_write: bool,
}

/// Items before a write, by name. An item that did not exist is missing.
pub(super) type OldItems = HashMap<ItemName, Item>;

/// Conflicts of a call with others. While this value lives, others conflict with the call.
pub(super) struct Tracking<'a> {
    /// Positions of the items that conflict.
    pub(super) conflicts: Vec<usize>,
    _guard: Option<TrackingGuard<'a>>,
}

/// Marks the end of a tracked call when it is dropped.
struct TrackingGuard<'a> {
    layer: &'a Layer,
    number: u64,
}

impl Drop for TrackingGuard<'_> {
    fn drop(&mut self) {
        let now = self.layer.now();
        self.layer.state().conflicts.end(self.number, now);
    }
}

impl Layer {
    pub(super) async fn write_item(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        let table = call.body["TableName"].as_str().unwrap_or_default();
        let Some(action) = self.parse_action(&call, &call.operation, table, &call.body).await? else {
            return self.forward(&call).await;
        };
        let tracking = self.track(&call, CallKind::SingleWrite, std::slice::from_ref(&action));
        self.pause(&mut call).await;
        if !tracking.conflicts.is_empty() {
            self.state().counts.conflicted += 1;
            return Ok(DynamoDbResponse::transaction_conflict());
        }
        let _write_lock = self.write_lock.write().await;
        let old_items = self.read_old_items(&call, &[&action]).await?;
        let costs = write_costs(&action, &old_items, 1.0);
        let scopes: Vec<CapacityScope> = costs.iter().map(|cost| cost.scope.clone()).collect();
        if let Some(error) = self.throttle_call(&mut call, &scopes) {
            return Ok(error);
        }
        let response = self.forward(&call).await?;
        self.record_writes(&mut call, &[&action], old_items, &costs, &response);
        Ok(response)
    }

    /// Parses an action on an item. Returns `None` if DynamoDB will refuse it: without a table, or without a key.
    pub(super) async fn parse_action(
        &self,
        call: &Call,
        kind: &str,
        table: &str,
        body: &Value,
    ) -> Result<Option<ItemAction>, UpstreamError> {
        let Some(table) = self.table_info(call, table).await? else { return Ok(None) };
        let put = body["Item"].as_object().cloned();
        let Some(key) = put.as_ref().or(body["Key"].as_object()).and_then(|item| table.key_of(item)) else {
            return Ok(None);
        };
        let Some(name) = table.item_name(&key) else { return Ok(None) };
        let is_write = !matches!(kind, "Get" | "ConditionCheck");
        Ok(Some(ItemAction { table, name, key, body: body.clone(), put, is_write }))
    }

    /// Returns the conflicts of a call. A call without conflicts is tracked from now on.
    pub(super) fn track(&self, call: &Call, kind: CallKind, actions: &[ItemAction]) -> Tracking<'_> {
        let Some(window) = call.settings.conflicts else { return Tracking { conflicts: Vec::new(), _guard: None } };
        let items: Vec<ItemName> = actions.iter().map(|action| action.name.clone()).collect();
        let token = call.body["ClientRequestToken"].as_str();
        let now = self.now();
        let mut state = self.state();
        let conflicts = state.conflicts.conflicting_positions(now, window, kind, &items, token);
        if !conflicts.is_empty() {
            return Tracking { conflicts, _guard: None };
        }
        state.conflicts.begin(call.number, kind, items, token.map(str::to_owned));
        Tracking { conflicts, _guard: Some(TrackingGuard { layer: self, number: call.number }) }
    }

    /// Reads the items of these actions before they are written. Returns none of them if no limit needs them.
    pub(super) async fn read_old_items(&self, call: &Call, actions: &[&ItemAction]) -> Result<OldItems, UpstreamError> {
        let mut old_items = OldItems::new();
        if call.settings.throttling.is_none() && call.settings.lag.is_none() && !call.settings.sizes {
            return Ok(old_items);
        }
        let mut keys_by_table: HashMap<&str, (&TableInfo, HashMap<&ItemName, &Item>)> = HashMap::new();
        for action in actions {
            let (_, keys) = keys_by_table.entry(&action.table.name).or_insert_with(|| (&action.table, HashMap::new()));
            keys.insert(&action.name, &action.key);
        }
        for (table, keys) in keys_by_table.into_values() {
            let keys: Vec<&Item> = keys.into_values().collect();
            old_items.extend(self.read_items(call, table, &keys).await?);
        }
        Ok(old_items)
    }

    /// Reads the items with these keys from a table, by name.
    async fn read_items(&self, call: &Call, table: &TableInfo, keys: &[&Item]) -> Result<OldItems, UpstreamError> {
        let name = table.name.as_str();
        let mut found = OldItems::new();
        let mut unread = json!({ name: { "Keys": keys, "ConsistentRead": true } });
        while unread.as_object().is_some_and(|tables| !tables.is_empty()) {
            let request = json!({ "RequestItems": unread });
            let response = self.upstream.call(&call.headers, "BatchGetItem", &request).await?;
            let items = response.body["Responses"][name].as_array().into_iter().flatten().filter_map(Value::as_object);
            found.extend(items.filter_map(|item| Some((table.item_name(item)?, item.clone()))));
            unread = response.body["UnprocessedKeys"].clone();
        }
        Ok(found)
    }

    /// Takes the units of a forwarded write. If it succeeded, its indexes lag behind it.
    pub(super) fn record_writes(
        &self,
        call: &mut Call,
        actions: &[&ItemAction],
        mut old_items: OldItems,
        costs: &[Cost],
        response: &DynamoDbResponse,
    ) {
        let now = self.now();
        let mut state = self.state();
        state.spend(now, costs);
        let Some(usual_lag) = call.settings.lag.filter(|_| response.is_success()) else { return };
        for action in actions.iter().filter(|action| action.is_write && !action.table.indexes.is_empty()) {
            let lag = lag::draw(usual_lag, &mut call.rng);
            state.changes.record(now, lag, action.name.clone(), old_items.remove(&action.name));
        }
    }
}
