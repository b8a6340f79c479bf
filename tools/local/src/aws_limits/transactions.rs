//! Cancelled transactions, with a reason for each item.

use serde_json::{Value, json};

use super::actions::ItemAction;
use super::item::Item;
use super::item_calls::{JudgedAction, push};
use super::layer::{Call, Layer};
use super::response::{CancellationReason, DynamoDbResponse};
use super::upstream::UpstreamError;

/// Largest number of items in a transaction.
const MAX_TRANSACTION_ITEMS: usize = 100;

impl Layer {
    /// Returns the response of a cancelled transaction; `None` if no item is throttled or conflicts.
    ///
    /// `conflicts` are the positions of the conflicting items. For half of the transactions that write, items whose condition
    /// fails get that reason, too.
    pub(super) async fn cancel(
        &self,
        call: &mut Call,
        actions: &[JudgedAction<'_>],
        conflicts: &[usize],
    ) -> Result<Option<DynamoDbResponse>, UpstreamError> {
        let reason = |(position, action): (usize, &JudgedAction<'_>)| {
            if conflicts.contains(&position) {
                CancellationReason::Conflict
            } else if action.throttled.is_some() {
                CancellationReason::Throttled
            } else {
                CancellationReason::None
            }
        };
        let mut reasons: Vec<CancellationReason> = actions.iter().enumerate().map(reason).collect();
        if reasons.iter().all(|reason| *reason == CancellationReason::None) {
            return Ok(None);
        }
        let has_throttled = reasons.contains(&CancellationReason::Throttled);
        let has_conflict = reasons.contains(&CancellationReason::Conflict);
        if call.is_write() && call.rng.bool() {
            self.add_failed_conditions(call, actions[0].action, &mut reasons).await?;
        }
        let given = reasons.iter().filter(|reason| **reason != CancellationReason::None);
        let mut kinds: Vec<_> = given.map(std::mem::discriminant).collect();
        kinds.dedup();
        let mut state = self.state();
        state.counts.throttled += u64::from(has_throttled);
        state.counts.conflicted += u64::from(has_conflict);
        state.counts.mixed_cancellations += u64::from(kinds.len() > 1);
        Ok(Some(DynamoDbResponse::transaction_cancelled(&reasons)))
    }

    /// Sets the reasons of items whose own condition fails. DynamoDB judges a copy of the transaction, which writes nothing.
    async fn add_failed_conditions(
        &self,
        call: &Call,
        first: &ItemAction,
        reasons: &mut [CancellationReason],
    ) -> Result<(), UpstreamError> {
        let Some(copy) = failing_copy(&call.body, first) else { return Ok(()) };
        let response = self.upstream.call(&call.headers, &call.operation, &copy).await?;
        let judged = response.body["CancellationReasons"].as_array().cloned().unwrap_or_default();
        for (reason, judged) in reasons.iter_mut().zip(judged) {
            if *reason == CancellationReason::None && judged["Code"].as_str().is_some_and(|code| code != "None") {
                *reason = CancellationReason::FromDynamoDb(judged);
            }
        }
        Ok(())
    }
}

/// Returns the transaction with one more condition, which always fails.
///
/// DynamoDB then reports for each item if its own condition fails, and writes nothing. Returns `None` if the transaction has no
/// room for another item.
fn failing_copy(body: &Value, action: &ItemAction) -> Option<Value> {
    let mut copy = body.clone();
    if copy["TransactItems"].as_array()?.len() == MAX_TRANSACTION_ITEMS {
        return None;
    }
    let key: Item = action.key.iter().map(|(name, value)| (name.clone(), absent_key_value(value))).collect();
    let condition = json!({ "ConditionCheck": {
        "TableName": action.table.name, "Key": key, "ConditionExpression": "attribute_exists(#key)",
        "ExpressionAttributeNames": { "#key": action.table.key.partition },
    } });
    push(&mut copy["TransactItems"], condition);
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
