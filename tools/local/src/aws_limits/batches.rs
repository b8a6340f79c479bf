//! Batches: the items of throttled partitions stay unprocessed.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::item::Item;
use super::layer::{Call, Layer};
use super::response::DynamoDbResponse;
use super::state::{Cost, Throttled};
use super::token_buckets::{CapacityKind, CapacityScope};
use super::upstream::UpstreamError;
use super::write_costs::write_costs;
use super::writes::ItemAction;

/// Batch, split by the limits.
#[derive(Default)]
struct BatchSplit {
    /// `RequestItems` to forward.
    forwarded: Item,
    /// `UnprocessedKeys` or `UnprocessedItems`.
    unprocessed: Item,
    unprocessed_count: u64,
    last_throttled: Option<Throttled>,
}

impl Layer {
    pub(super) async fn get_batch(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let Some(tables) = call.body["RequestItems"].as_object().cloned() else { return self.forward(&call).await };
        let (split, scopes) = self.split_get_batch(&mut call, tables).await?;
        if let Some(error) = self.throttle_whole_batch(&mut call, &split) {
            return Ok(error);
        }
        if split.forwarded.is_empty() {
            let body = json!({ "Responses": {}, "UnprocessedKeys": split.unprocessed });
            return Ok(DynamoDbResponse::success(body));
        }
        let body = with_field(&call.body, "RequestItems", split.forwarded.into());
        let (mut response, units_by_table) = self.forward_metered(&call, body).await?;
        for (table, units) in units_by_table {
            self.spend_reads(scopes.get(&table).map_or(&[], Vec::as_slice), units);
        }
        add_unprocessed(&mut response, "UnprocessedKeys", split.unprocessed);
        Ok(response)
    }

    /// Splits the keys of a batch. Also returns the scopes of the forwarded keys, by table.
    async fn split_get_batch(
        &self,
        call: &mut Call,
        tables: Item,
    ) -> Result<(BatchSplit, HashMap<String, Vec<CapacityScope>>), UpstreamError> {
        let key_count = tables.values().filter_map(|table| table["Keys"].as_array()).map(Vec::len).sum();
        let (mut split, mut scopes) = (BatchSplit::default(), HashMap::<String, Vec<CapacityScope>>::new());
        for (name, request) in tables {
            let table = self.table_info(call, &name).await?;
            let (mut forwarded, mut unprocessed) = (Vec::new(), Vec::new());
            for key in request["Keys"].as_array().cloned().unwrap_or_default() {
                let partition = table.as_ref().and_then(|table| table.partition_of(key.as_object()?));
                let scope = CapacityScope::new(CapacityKind::Read, &name, None, partition);
                if let Some(throttled) = self.throttle(call, std::slice::from_ref(&scope), key_count) {
                    split.last_throttled = Some(throttled);
                    split.unprocessed_count += 1;
                    unprocessed.push(key);
                } else {
                    scopes.entry(name.clone()).or_default().push(scope);
                    forwarded.push(key);
                }
            }
            if !unprocessed.is_empty() {
                split.unprocessed.insert(name.clone(), with_field(&request, "Keys", unprocessed.into()));
            }
            if !forwarded.is_empty() {
                split.forwarded.insert(name, with_field(&request, "Keys", forwarded.into()));
            }
        }
        Ok((split, scopes))
    }

    pub(super) async fn write_batch(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let Some(writes) = self.parse_batch_writes(&call).await? else { return self.forward(&call).await };
        let _write_lock = self.write_lock.write().await;
        let actions: Vec<&ItemAction> = writes.iter().map(|(action, _)| action).collect();
        let old_items = self.read_old_items(&call, &actions).await?;
        let (mut split, mut forwarded, mut costs) = (BatchSplit::default(), Vec::new(), Vec::<Cost>::new());
        for (action, write) in &writes {
            let action_costs = write_costs(action, &old_items, 1.0);
            let scopes: Vec<CapacityScope> = action_costs.iter().map(|cost| cost.scope.clone()).collect();
            if let Some(throttled) = self.throttle(&mut call, &scopes, writes.len()) {
                split.last_throttled = Some(throttled);
                split.unprocessed_count += 1;
                push_write(&mut split.unprocessed, &action.table.name, write);
            } else {
                push_write(&mut split.forwarded, &action.table.name, write);
                forwarded.push(action);
                costs.extend(action_costs);
            }
        }
        if let Some(error) = self.throttle_whole_batch(&mut call, &split) {
            return Ok(error);
        }
        if split.forwarded.is_empty() {
            return Ok(DynamoDbResponse::success(json!({ "UnprocessedItems": split.unprocessed })));
        }
        let body = with_field(&call.body, "RequestItems", split.forwarded.into());
        let mut response = self.upstream.call(&call.headers, &call.operation, &body).await?;
        self.record_writes(&mut call, &forwarded, old_items, &costs, &response);
        add_unprocessed(&mut response, "UnprocessedItems", split.unprocessed);
        Ok(response)
    }

    /// Parses the writes of a batch, each with its document. Returns `None` if DynamoDB will refuse the batch.
    async fn parse_batch_writes(&self, call: &Call) -> Result<Option<Vec<(ItemAction, Value)>>, UpstreamError> {
        let Some(tables) = call.body["RequestItems"].as_object() else { return Ok(None) };
        let mut parsed = Vec::new();
        for (table, writes) in tables {
            for write in writes.as_array().into_iter().flatten() {
                let entry = write.as_object().and_then(|write| write.iter().next());
                let Some((kind, body)) = entry else { return Ok(None) };
                let Some(action) = self.parse_action(call, kind, table, body).await? else { return Ok(None) };
                parsed.push((action, write.clone()));
            }
        }
        Ok(Some(parsed))
    }

    /// Returns an error for half of the batches without a forwarded item, as DynamoDB may do. Counts what stays unprocessed.
    fn throttle_whole_batch(&self, call: &mut Call, split: &BatchSplit) -> Option<DynamoDbResponse> {
        let throttled = split.last_throttled.as_ref()?;
        let is_refused = split.forwarded.is_empty() && call.rng.bool();
        let mut state = self.state();
        if is_refused {
            state.counts.throttled += 1;
            return Some(DynamoDbResponse::throttled(throttled));
        }
        state.counts.unprocessed += split.unprocessed_count;
        None
    }
}

/// Returns a document with one field replaced.
pub(super) fn with_field(body: &Value, field: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[field] = value;
    body
}

fn push_write(tables: &mut Item, table: &str, write: &Value) {
    if let Value::Array(writes) = tables.entry(table.to_owned()).or_insert_with(|| json!([])) {
        writes.push(write.clone());
    }
}

/// Adds the items that the limits left out to those that DynamoDB itself left out.
fn add_unprocessed(response: &mut DynamoDbResponse, field: &str, unprocessed: Item) {
    if !response.is_success() || unprocessed.is_empty() {
        return;
    }
    let tables = &mut response.body[field];
    if !tables.is_object() {
        *tables = json!({});
    }
    for (table, added) in unprocessed {
        let present = &mut tables[&table];
        let all: Vec<Value> = batch_items(present).into_iter().chain(batch_items(&added)).collect();
        *present = if added.is_array() { all.into() } else { with_field(&added, "Keys", all.into()) };
    }
}

/// Returns the keys or writes of a table in a batch.
fn batch_items(table: &Value) -> Vec<Value> {
    table["Keys"].as_array().or(table.as_array()).cloned().unwrap_or_default()
}
