//! Calls on single items: one item, a batch, or a transaction.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::actions::{CallForm, ItemAction};
use super::costs::{action_costs, size_after};
use super::item::Item;
use super::lag;
use super::layer::{Call, Layer};
use super::response::DynamoDbResponse;
use super::state::{Cost, Throttled};
use super::tables::ItemName;
use super::upstream::UpstreamError;

/// Largest sum of the items in a transaction, in bytes. DynamoDB itself checks the other sizes. The embedded one counts an
/// update without the stored item: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html>
const MAX_TRANSACTION_BYTES: usize = 4 * 1024 * 1024;

/// Items before a write, by name. An item that did not exist is missing.
pub(super) type OldItems = HashMap<ItemName, Item>;

/// Action with its costs, and the limit that throttles it, if one does.
pub(super) struct JudgedAction<'a> {
    pub(super) action: &'a ItemAction,
    pub(super) costs: Vec<Cost>,
    pub(super) throttled: Option<Throttled>,
}

/// Conflicts of a call with others. While this value lives, others conflict with the call.
struct Tracking<'a> {
    /// Positions of the items that conflict.
    conflicts: Vec<usize>,
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
    /// Answers a call on single items.
    pub(super) async fn call_items(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        let token = call.body["ClientRequestToken"].as_str().map(str::to_owned);
        if token.as_ref().is_some_and(|token| self.state().is_completed(token)) {
            // DynamoDB answers the retry of a completed transaction from its record, whatever the load is.
            return self.forward(&call).await;
        }
        let Some(actions) = self.parse_actions(&call).await? else { return self.forward(&call).await };
        let response = self.call_actions(&mut call, &actions).await?;
        if let Some(token) = token.filter(|_| response.is_success()) {
            self.state().record_completed(&token);
        }
        Ok(response)
    }

    async fn call_actions(&self, call: &mut Call, actions: &[ItemAction]) -> Result<DynamoDbResponse, UpstreamError> {
        let tracking = self.track(call, actions);
        self.pause(call).await;
        if call.form() == CallForm::Single && !tracking.conflicts.is_empty() {
            self.state().counts.conflicted += 1;
            return Ok(DynamoDbResponse::transaction_conflict());
        }
        let _write_lock = if call.is_write() { Some(self.write_lock.write().await) } else { None };
        let old_items = self.read_old_items(call, actions).await?;
        if is_transaction_too_large(call, actions, &old_items) {
            self.state().counts.too_large += 1;
            return Ok(DynamoDbResponse::validation_error("the items of the transaction exceed the 4 MB limit"));
        }
        // Drawn for each item, so that later draws do not depend on conflicts.
        let mut judged = Vec::new();
        for action in actions {
            let costs = action_costs(call, action, &old_items);
            let throttled = self.throttle(call, &costs, actions.len());
            judged.push(JudgedAction { action, costs, throttled });
        }
        let body = call.body.clone();
        match call.form() {
            CallForm::Single => match judged.iter().find_map(|action| action.throttled.as_ref()) {
                Some(throttled) => Ok(self.refuse(throttled)),
                None => self.run(call, &judged, old_items, body).await,
            },
            CallForm::Transaction => match self.cancel(call, &judged, &tracking.conflicts).await? {
                Some(cancelled) => Ok(cancelled),
                None => self.run(call, &judged, old_items, body).await,
            },
            CallForm::Batch => self.run_batch(call, judged, old_items).await,
        }
    }

    /// Returns the conflicts of a call. A call without conflicts is tracked from now on.
    fn track(&self, call: &Call, actions: &[ItemAction]) -> Tracking<'_> {
        let (Some(window), Some(kind)) = (call.settings.conflicts, call.conflict_kind()) else {
            return Tracking { conflicts: Vec::new(), _guard: None };
        };
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

    /// Reads the items of these actions before a write. Returns none of them if no limit needs them.
    ///
    /// One batch holds them all, unless they exceed the limits of the write themselves.
    async fn read_old_items(&self, call: &Call, actions: &[ItemAction]) -> Result<OldItems, UpstreamError> {
        let settings = &call.settings;
        if !call.is_write() || (settings.throttling.is_none() && settings.lag.is_none() && !settings.sizes) {
            return Ok(OldItems::new());
        }
        let mut requested = json!({});
        for action in actions {
            let table = &mut requested[&action.table.name];
            table["ConsistentRead"] = json!(true);
            push(&mut table["Keys"], action.key.clone().into());
        }
        let request = json!({ "RequestItems": requested });
        let response = self.upstream.call(&call.headers, "BatchGetItem", &request).await?;
        let mut old_items = OldItems::new();
        for (name, items) in response.body["Responses"].as_object().into_iter().flatten() {
            let Some(table) = actions.iter().map(|action| &action.table).find(|table| table.name == *name) else {
                continue;
            };
            let items = items.as_array().into_iter().flatten().filter_map(Value::as_object);
            old_items.extend(items.filter_map(|item| Some((table.item_name(item)?, item.clone()))));
        }
        Ok(old_items)
    }

    /// Forwards a body of actions that are not throttled, and takes their units. If a write succeeds, its indexes lag behind it.
    pub(super) async fn run(
        &self,
        call: &mut Call,
        actions: &[JudgedAction<'_>],
        mut old_items: OldItems,
        body: Value,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let costs: Vec<Cost> = actions.iter().flat_map(|action| action.costs.iter().cloned()).collect();
        if !call.is_write() {
            let (response, units) = self.forward_metered(call, body).await?;
            self.spend_reads(&costs, &units);
            return Ok(response);
        }
        let response = self.upstream.call(&call.headers, &call.operation, &body).await?;
        let now = self.now();
        let mut state = self.state();
        state.spend(now, &costs);
        let Some(usual_lag) = call.settings.lag.filter(|_| response.is_success()) else { return Ok(response) };
        for action in actions.iter().map(|action| action.action) {
            if action.is_write && !action.table.indexes.is_empty() {
                let lag = lag::draw(usual_lag, &mut call.rng);
                state.changes.record(now, lag, action.name.clone(), old_items.remove(&action.name));
            }
        }
        drop(state);
        Ok(response)
    }
}

fn is_transaction_too_large(call: &Call, actions: &[ItemAction], old_items: &OldItems) -> bool {
    let is_checked = call.settings.sizes && call.is_write() && call.form() == CallForm::Transaction;
    let sizes = actions.iter().map(|action| size_after(action, old_items.get(&action.name)));
    is_checked && sizes.sum::<usize>() > MAX_TRANSACTION_BYTES
}

/// Adds a value to a list, which is made if it is missing.
pub(super) fn push(list: &mut Value, value: Value) {
    if list.is_null() {
        *list = json!([]);
    }
    if let Some(list) = list.as_array_mut() {
        list.push(value);
    }
}
