//! Writes of one item, of a batch, and transactions.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::conflicts::CallKind;
use super::item::{Item, size};
use super::layer::{Call, Layer};
use super::reads::{add_unprocessed, with};
use super::response::{CancellationReason, DynamoDbResponse};
use super::state::Cost;
use super::tables::{ItemName, TableInfo};
use super::token_buckets::{CapacityKind, CapacityScope};
use super::upstream::UpstreamError;
use super::{lag, sizes};

/// An item that a call names.
#[derive(Clone, Debug)]
struct ItemAction {
    table: Arc<TableInfo>,
    name: ItemName,
    key: Item,
    body: Value,
    put: Option<Item>,
    is_write: bool,
}

/// Items by name, as they are before a write.
type OldItems = HashMap<ItemName, Item>;

impl Layer {
    /// Returns the item that an object names, which stands under this kind; nothing where it names none.
    async fn action(
        &self,
        call: &Call,
        kind: &str,
        table: &str,
        body: &Value,
    ) -> Result<Option<ItemAction>, UpstreamError> {
        let Some(table) = self.table(call, table).await? else { return Ok(None) };
        let put = body["Item"].as_object().cloned();
        let Some(key) = put.as_ref().or(body["Key"].as_object()).and_then(|item| table.key_of(item)) else {
            return Ok(None);
        };
        let Some(name) = table.item_name(&key) else { return Ok(None) };
        let is_write = !matches!(kind, "Get" | "ConditionCheck");
        Ok(Some(ItemAction { table, name, key, body: body.clone(), put, is_write }))
    }

    /// Returns the items of a single write or of a transaction; nothing where DynamoDB will refuse the call anyway.
    async fn actions(&self, call: &Call) -> Result<Option<Vec<ItemAction>>, UpstreamError> {
        let items = call.body["TransactItems"].as_array().cloned();
        let items = items.unwrap_or_else(|| vec![json!({ "Single": call.body })]);
        let mut actions = Vec::new();
        for item in &items {
            let Some((kind, body)) = item.as_object().and_then(|item| item.iter().next()) else { return Ok(None) };
            let table = body["TableName"].as_str().unwrap_or_default();
            let Some(action) = self.action(call, kind, table, body).await? else { return Ok(None) };
            actions.push(action);
        }
        Ok(Some(actions))
    }

    pub(super) async fn write_one(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        let Some(actions) = self.actions(&call).await? else { return self.refused(&call).await };
        let (conflicts, _held) = self.enter(&call, CallKind::SingleWrite, &actions);
        self.pause(&mut call).await;
        if !conflicts.is_empty() {
            self.state().counts.conflicted += 1;
            return Ok(DynamoDbResponse::conflict());
        }
        let _turn = self.turn.write().await;
        let old = self.old(&call, &actions).await?;
        let costs = costs(&actions[0], &old, 1.0);
        if let Some(refusal) = self.refusal(&mut call, &scopes(&costs), 1) {
            return Ok(refusal);
        }
        let answer = self.upstream.call(&call.headers, &call.operation, &call.body).await?;
        self.done(&mut call, &actions, old, &costs, &answer);
        Ok(answer)
    }

    /// DynamoDB says what is wrong with a call that names no item.
    async fn refused(&self, call: &Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.upstream.call(&call.headers, &call.operation, &call.body).await
    }

    /// Locks the items of a call. Returns the positions of those that conflict with another call; then it locks none.
    fn enter(&self, call: &Call, kind: CallKind, actions: &[ItemAction]) -> (Vec<usize>, Option<Hold<'_>>) {
        let Some(window) = call.settings.conflicts else { return (Vec::new(), None) };
        let items: Vec<ItemName> = actions.iter().map(|action| action.name.clone()).collect();
        let token = call.body["ClientRequestToken"].as_str();
        let now = self.now();
        let mut state = self.state();
        let conflicts = state.conflicts.conflicting_positions(now, window, kind, &items, token);
        if !conflicts.is_empty() {
            return (conflicts, None);
        }
        state.conflicts.begin(call.number, kind, items, token.map(str::to_owned));
        (conflicts, Some(Hold { layer: self, number: call.number }))
    }

    /// Reads the items as they are before a write.
    async fn old(&self, call: &Call, actions: &[ItemAction]) -> Result<OldItems, UpstreamError> {
        let (settings, mut old) = (&call.settings, OldItems::new());
        if settings.throttling.is_none() && settings.lag.is_none() && !settings.sizes {
            return Ok(old);
        }
        let mut wanted: HashMap<&str, (&TableInfo, HashMap<&ItemName, &Item>)> = HashMap::new();
        for action in actions {
            let of_table = wanted.entry(&action.table.name).or_insert_with(|| (&action.table, HashMap::new()));
            of_table.1.insert(&action.name, &action.key);
        }
        for (name, (table, keys)) in wanted {
            let keys: Vec<&Item> = keys.into_values().collect();
            let mut request = json!({ name: { "Keys": keys, "ConsistentRead": true } });
            while request.as_object().is_some_and(|tables| !tables.is_empty()) {
                let read =
                    self.upstream.call(&call.headers, "BatchGetItem", &json!({ "RequestItems": request })).await?;
                let items = read.body["Responses"][name].as_array().into_iter().flatten().filter_map(Value::as_object);
                old.extend(items.filter_map(|item| Some((table.item_name(item)?, item.clone()))));
                request = read.body["UnprocessedKeys"].clone();
            }
        }
        Ok(old)
    }

    /// Pays for a write that was passed on, and has the indexes lag behind it.
    fn done(
        &self,
        call: &mut Call,
        actions: &[ItemAction],
        mut old: OldItems,
        costs: &[Cost],
        answer: &DynamoDbResponse,
    ) {
        let now = self.now();
        let mut state = self.state();
        state.spend(now, costs);
        let Some(usual) = call.settings.lag.filter(|_| answer.is_success()) else { return };
        for action in actions.iter().filter(|action| action.is_write && !action.table.indexes.is_empty()) {
            let lag = lag::draw(usual, &mut call.rng);
            state.changes.record(now, lag, action.name.clone(), old.remove(&action.name));
        }
    }

    pub(super) async fn transact(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        let token = call.body["ClientRequestToken"].as_str().map(str::to_owned);
        if token.as_ref().is_some_and(|token| self.state().was_done(token)) {
            // DynamoDB answers a retry of what was done from its record, whatever else goes on.
            return self.upstream.call(&call.headers, &call.operation, &call.body).await;
        }
        let Some(actions) = self.actions(&call).await? else { return self.refused(&call).await };
        let writes = call.operation == "TransactWriteItems";
        let kind = if writes { CallKind::WriteTransaction } else { CallKind::ReadTransaction };
        let (conflicts, _held) = self.enter(&call, kind, &actions);
        self.pause(&mut call).await;
        let turn = if writes { Some(self.turn.write().await) } else { None };
        let old = if writes { self.old(&call, &actions).await? } else { OldItems::new() };
        let bytes =
            actions.iter().map(|it| sizes::written(it.put.as_ref(), old.get(&it.name), &it.body)).sum::<usize>();
        if call.settings.sizes && bytes > sizes::TRANSACTION_BYTES {
            self.state().counts.too_large += 1;
            return Ok(DynamoDbResponse::validation("the items of the transaction exceed the 4 MB limit"));
        }
        let costs: Vec<Vec<Cost>> = actions
            .iter()
            .map(|action| if writes { costs(action, &old, 2.0) } else { vec![read_cost(action)] })
            .collect();
        let reasons = self.reasons(&mut call, &conflicts, &costs);
        if reasons.iter().any(|reason| *reason != CancellationReason::None) {
            let probe = if writes && call.rng.bool() { probe(&call.body, &actions[0]) } else { None };
            return self.cancel(&call, reasons, probe).await;
        }
        let (answer, spent) = self.metered(&call, call.body.clone()).await?;
        if let Some(token) = token.filter(|_| answer.is_success()) {
            self.state().note_done(&token);
        }
        if writes {
            self.done(&mut call, &actions, old, &costs.concat(), &answer);
        } else {
            let scopes: Vec<CapacityScope> = costs.concat().into_iter().map(|cost| cost.scope).collect();
            self.spend_reads(&scopes, spent.values().sum());
        }
        drop(turn);
        Ok(answer)
    }

    fn reasons(&self, call: &mut Call, conflicts: &[usize], costs: &[Vec<Cost>]) -> Vec<CancellationReason> {
        let (now, items) = (self.now(), costs.len());
        let mut state = self.state();
        let mut reason = |(at, costs): (usize, &Vec<Cost>)| {
            // Drawn for each item, so that the later draws do not depend on conflicts.
            let is_throttled = state.exceeded(now, &scopes(costs), items, &mut call.rng).is_some();
            match (conflicts.contains(&at), is_throttled) {
                (true, _) => CancellationReason::Conflict,
                (_, true) => CancellationReason::Throttled,
                _ => CancellationReason::None,
            }
        };
        costs.iter().enumerate().map(&mut reason).collect()
    }

    /// Cancels a transaction for these reasons; with a probe also for the conditions that fail, as DynamoDB sees them.
    async fn cancel(
        &self,
        call: &Call,
        mut reasons: Vec<CancellationReason>,
        probe: Option<Value>,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        {
            let mut state = self.state();
            state.counts.throttled += u64::from(reasons.contains(&CancellationReason::Throttled));
            state.counts.conflicted += u64::from(reasons.contains(&CancellationReason::Conflict));
        }
        if let Some(probe) = probe {
            let judged = self.upstream.call(&call.headers, &call.operation, &probe).await?;
            let judged = judged.body["CancellationReasons"].as_array().cloned().unwrap_or_default();
            for (reason, judged) in reasons.iter_mut().zip(judged) {
                if *reason == CancellationReason::None && judged["Code"].as_str().is_some_and(|code| code != "None") {
                    *reason = CancellationReason::FromDynamoDb(judged);
                }
            }
        }
        let mut kinds: Vec<_> =
            reasons.iter().filter(|reason| **reason != CancellationReason::None).map(std::mem::discriminant).collect();
        kinds.dedup();
        self.state().counts.mixed_cancellations += u64::from(kinds.len() > 1);
        Ok(DynamoDbResponse::cancelled(&reasons))
    }

    /// Leaves the items of spent partitions unprocessed. Where that is all of them, half of the calls are refused as a whole.
    pub(super) async fn write_batch(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let Some(wanted) = call.body["RequestItems"].as_object().cloned() else { return self.refused(&call).await };
        let mut actions = Vec::new();
        for (table, writes) in &wanted {
            for write in writes.as_array().into_iter().flatten() {
                let Some((kind, body)) = write.as_object().and_then(|write| write.iter().next()) else {
                    return self.refused(&call).await;
                };
                let Some(action) = self.action(&call, kind, table, body).await? else {
                    return self.refused(&call).await;
                };
                actions.push((action, write.clone()));
            }
        }
        let _turn = self.turn.write().await;
        let all: Vec<ItemAction> = actions.iter().map(|(action, _)| action.clone()).collect();
        let old = self.old(&call, &all).await?;
        let (mut kept, mut left, mut refusal) = (Item::new(), Item::new(), None);
        let (mut done, mut spent) = (Vec::new(), Vec::new());
        for (action, write) in actions {
            let costs = costs(&action, &old, 1.0);
            let refused = self.refusal(&mut call, &scopes(&costs), all.len());
            let to = if refused.is_some() { &mut left } else { &mut kept };
            if let Value::Array(writes) = to.entry(action.table.name.clone()).or_insert_with(|| json!([])) {
                writes.push(write);
            }
            if let Some(answer) = refused {
                refusal = Some(answer);
            } else {
                spent.extend(costs);
                done.push(action);
            }
        }
        if let Some(refusal) = self.as_a_whole(&mut call, &kept, &left, refusal) {
            return Ok(refusal);
        }
        if kept.is_empty() {
            return Ok(DynamoDbResponse { status: 200, body: json!({ "UnprocessedItems": left }) });
        }
        let body = with(&call.body, "RequestItems", kept.into());
        let mut answer = self.upstream.call(&call.headers, &call.operation, &body).await?;
        self.done(&mut call, &done, old, &spent, &answer);
        add_unprocessed(&mut answer, "UnprocessedItems", left);
        Ok(answer)
    }
}

/// Keeps the items of a call locked until it is dropped.
struct Hold<'a> {
    layer: &'a Layer,
    number: u64,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let now = self.layer.now();
        self.layer.state().conflicts.end(self.number, now);
    }
}

fn scopes(costs: &[Cost]) -> Vec<(CapacityScope, CapacityKind)> {
    costs.iter().map(|cost| (cost.scope.clone(), cost.kind)).collect()
}

/// A unit for a kilobyte, one at least.
fn write_units(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX)).max(1.0)
}

fn read_cost(action: &ItemAction) -> Cost {
    let scope = CapacityScope::new(&action.table.name, None, action.table.partition_of(&action.key));
    Cost { scope, kind: CapacityKind::Read, units: 1.0 }
}

/// Returns what a write costs at its table, so many times, and at each index that it changes.
fn costs(action: &ItemAction, old: &OldItems, times: f64) -> Vec<Cost> {
    let (table, old) = (&action.table, old.get(&action.name));
    let scope = CapacityScope::new(&table.name, None, table.partition_of(&action.key));
    let bytes = sizes::written(action.put.as_ref(), old, &action.body).max(old.map_or(0, size));
    let mut costs = vec![Cost { scope, kind: CapacityKind::Write, units: times * write_units(bytes) }];
    if !action.is_write {
        return costs;
    }
    for index in &table.indexes {
        let before = old.and_then(|old| index.entry(table, old));
        let after = match (&action.put, is_update(action)) {
            (Some(put), _) => index.entry(table, put),
            // The item after an update is not known: one that names an attribute of the index rewrites its entry.
            (None, true) if named(&action.body).iter().any(|name| index.follows(name)) => {
                costs.extend(before.iter().map(|entry| at_index(table, &index.name, &index.key.partition, entry)));
                continue;
            }
            (None, true) => continue,
            (None, false) => None,
        };
        let is_moved = |one: &Item, other: &Item| index.key.names().any(|name| one.get(name) != other.get(name));
        let entries: Vec<&Item> = match (&before, &after) {
            (Some(before), Some(after)) if before == after => Vec::new(),
            (Some(before), Some(after)) if !is_moved(before, after) => vec![after],
            (before, after) => before.iter().chain(after).collect(),
        };
        costs.extend(entries.into_iter().map(|entry| at_index(table, &index.name, &index.key.partition, entry)));
    }
    costs
}

fn at_index(table: &TableInfo, index: &str, partition: &str, entry: &Item) -> Cost {
    let scope = CapacityScope::new(&table.name, Some(index), entry.get(partition).map(Value::to_string));
    Cost { scope, kind: CapacityKind::Write, units: write_units(size(entry)) }
}

fn is_update(action: &ItemAction) -> bool {
    action.body["UpdateExpression"].is_string()
}

/// Returns every attribute that an update may name.
fn named(body: &Value) -> Vec<String> {
    let text = body["UpdateExpression"].as_str().unwrap_or_default();
    let names = body["ExpressionAttributeNames"].as_object().into_iter().flatten();
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
    words.map(str::to_owned).chain(names.filter_map(|(_, name)| name.as_str().map(str::to_owned))).collect()
}

/// Returns the transaction with one more condition, which fails: DynamoDB then says of each item whether its own condition
/// fails, and does nothing. Nothing where there is no room for it.
fn probe(body: &Value, action: &ItemAction) -> Option<Value> {
    let mut items = body["TransactItems"].as_array()?.clone();
    if items.len() == sizes::TRANSACTION_ITEMS {
        return None;
    }
    let absent = |value: &Value| {
        let is_number = value["N"].is_string();
        if is_number { json!({ "N": "-987654321987654321" }) } else { json!({ "S": "\u{1}no item has this key" }) }
    };
    let key: Item = action.key.iter().map(|(name, value)| (name.clone(), absent(value))).collect();
    items.push(json!({ "ConditionCheck": {
        "TableName": action.table.name, "Key": key, "ConditionExpression": "attribute_exists(#key)",
        "ExpressionAttributeNames": { "#key": action.table.key.partition },
    } }));
    let mut probe = with(body, "TransactItems", items.into());
    probe.as_object_mut()?.remove("ClientRequestToken");
    Some(probe)
}
