//! Transactions: conflicts, throttled items and cancellation reasons.

use serde_json::{Value, json};

use super::batches::with_field;
use super::conflicts::CallKind;
use super::item::Item;
use super::layer::{Call, Layer};
use super::response::{CancellationReason, DynamoDbResponse};
use super::sizes;
use super::state::Cost;
use super::token_buckets::{CapacityKind, CapacityScope};
use super::upstream::UpstreamError;
use super::write_costs::write_costs;
use super::writes::{ItemAction, OldItems};

/// Factor of the write units in a transaction, which writes each item twice.
const TRANSACTION_FACTOR: f64 = 2.0;

impl Layer {
    pub(super) async fn transact(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        let token = call.body["ClientRequestToken"].as_str().map(str::to_owned);
        if token.as_ref().is_some_and(|token| self.state().is_completed(token)) {
            // DynamoDB answers the retry of a completed transaction from its record, whatever the load is.
            return self.forward(&call).await;
        }
        let Some(actions) = self.parse_transaction(&call).await? else { return self.forward(&call).await };
        let is_write = call.operation == "TransactWriteItems";
        let kind = if is_write { CallKind::WriteTransaction } else { CallKind::ReadTransaction };
        let tracking = self.track(&call, kind, &actions);
        self.pause(&mut call).await;
        let _write_lock = if is_write { Some(self.write_lock.write().await) } else { None };
        let action_refs: Vec<&ItemAction> = actions.iter().collect();
        let old_items = if is_write { self.read_old_items(&call, &action_refs).await? } else { OldItems::new() };
        if call.settings.sizes && transaction_bytes(&actions, &old_items) > sizes::MAX_TRANSACTION_BYTES {
            self.state().counts.too_large += 1;
            return Ok(DynamoDbResponse::validation_error("the items of the transaction exceed the 4 MB limit"));
        }
        let costs: Vec<Vec<Cost>> = actions.iter().map(|action| action_costs(action, &old_items, is_write)).collect();
        let reasons = self.draw_reasons(&mut call, &tracking.conflicts, &costs);
        if reasons.iter().any(|reason| *reason != CancellationReason::None) {
            let probe = if is_write && call.rng.bool() { failing_copy(&call.body, &actions[0]) } else { None };
            return self.cancel(&call, reasons, probe).await;
        }
        let (response, units_by_table) = self.forward_metered(&call, call.body.clone()).await?;
        if let Some(token) = token.filter(|_| response.is_success()) {
            self.state().record_completed(&token);
        }
        let costs = costs.concat();
        if is_write {
            self.record_writes(&mut call, &action_refs, old_items, &costs, &response);
        } else {
            let scopes: Vec<CapacityScope> = costs.into_iter().map(|cost| cost.scope).collect();
            self.spend_reads(&scopes, units_by_table.values().sum());
        }
        Ok(response)
    }

    /// Parses the actions of a transaction. Returns `None` if DynamoDB will refuse the call.
    async fn parse_transaction(&self, call: &Call) -> Result<Option<Vec<ItemAction>>, UpstreamError> {
        let Some(items) = call.body["TransactItems"].as_array() else { return Ok(None) };
        let mut actions = Vec::new();
        for item in items {
            let Some((kind, body)) = item.as_object().and_then(|item| item.iter().next()) else { return Ok(None) };
            let table = body["TableName"].as_str().unwrap_or_default();
            let Some(action) = self.parse_action(call, kind, table, body).await? else { return Ok(None) };
            actions.push(action);
        }
        Ok(Some(actions))
    }

    /// Returns the cancellation reason of each item. `conflicts` are the positions of the conflicting items.
    fn draw_reasons(&self, call: &mut Call, conflicts: &[usize], costs: &[Vec<Cost>]) -> Vec<CancellationReason> {
        let mut reasons = Vec::new();
        for (position, item_costs) in costs.iter().enumerate() {
            let scopes: Vec<CapacityScope> = item_costs.iter().map(|cost| cost.scope.clone()).collect();
            // Drawn for each item, so that later draws do not depend on conflicts.
            let is_throttled = self.throttle(call, &scopes, costs.len()).is_some();
            reasons.push(if conflicts.contains(&position) {
                CancellationReason::Conflict
            } else if is_throttled {
                CancellationReason::Throttled
            } else {
                CancellationReason::None
            });
        }
        reasons
    }

    /// Cancels a transaction for these reasons. With a probe, items whose condition fails get that reason, too.
    async fn cancel(
        &self,
        call: &Call,
        mut reasons: Vec<CancellationReason>,
        probe: Option<Value>,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let has_throttled = reasons.contains(&CancellationReason::Throttled);
        let has_conflict = reasons.contains(&CancellationReason::Conflict);
        if let Some(probe) = probe {
            let response = self.upstream.call(&call.headers, &call.operation, &probe).await?;
            let judged = response.body["CancellationReasons"].as_array().cloned().unwrap_or_default();
            for (reason, judged) in reasons.iter_mut().zip(judged) {
                if *reason == CancellationReason::None && judged["Code"].as_str().is_some_and(|code| code != "None") {
                    *reason = CancellationReason::FromDynamoDb(judged);
                }
            }
        }
        let given = reasons.iter().filter(|reason| **reason != CancellationReason::None);
        let mut kinds: Vec<_> = given.map(std::mem::discriminant).collect();
        kinds.dedup();
        let mut state = self.state();
        state.counts.throttled += u64::from(has_throttled);
        state.counts.conflicted += u64::from(has_conflict);
        state.counts.mixed_cancellations += u64::from(kinds.len() > 1);
        Ok(DynamoDbResponse::transaction_cancelled(&reasons))
    }
}

fn transaction_bytes(actions: &[ItemAction], old_items: &OldItems) -> usize {
    let sizes = actions.iter().map(|it| sizes::size_after(it.put.as_ref(), old_items.get(&it.name), &it.body));
    sizes.sum()
}

fn action_costs(action: &ItemAction, old_items: &OldItems, is_write: bool) -> Vec<Cost> {
    if is_write {
        return write_costs(action, old_items, TRANSACTION_FACTOR);
    }
    let partition = action.table.partition_of(&action.key);
    let scope = CapacityScope::new(CapacityKind::Read, &action.table.name, None, partition);
    vec![Cost { scope, units: 1.0 }]
}

/// Returns the transaction with one more condition, which always fails.
///
/// DynamoDB then reports for each item if its own condition fails, and writes nothing. Returns `None` if the transaction has no
/// room for another item.
fn failing_copy(body: &Value, action: &ItemAction) -> Option<Value> {
    let mut items = body["TransactItems"].as_array()?.clone();
    if items.len() == sizes::MAX_TRANSACTION_ITEMS {
        return None;
    }
    let key: Item = action.key.iter().map(|(name, value)| (name.clone(), absent_key_value(value))).collect();
    items.push(json!({ "ConditionCheck": {
        "TableName": action.table.name, "Key": key, "ConditionExpression": "attribute_exists(#key)",
        "ExpressionAttributeNames": { "#key": action.table.key.partition },
    } }));
    let mut copy = with_field(body, "TransactItems", items.into());
    copy.as_object_mut()?.remove("ClientRequestToken");
    Some(copy)
}

/// Returns a key value of the same type that no item has.
fn absent_key_value(value: &Value) -> Value {
    if value["N"].is_string() {
        json!({ "N": "-987654321987654321" })
    } else {
        json!({ "S": "\u{1}no item has this key" })
    }
}
