//! Batches: the items of throttled partitions stay unprocessed.

use serde_json::{Value, json};

use super::actions::ItemAction;
use super::item_calls::{JudgedAction, OldItems, push};
use super::layer::{Call, Layer};
use super::response::DynamoDbResponse;
use super::upstream::UpstreamError;

impl Layer {
    /// Forwards the actions of a batch that are not throttled, and returns the others as unprocessed.
    ///
    /// If all are throttled, half of the batches get an error, as DynamoDB may answer.
    pub(super) async fn run_batch(
        &self,
        call: &mut Call,
        actions: Vec<JudgedAction<'_>>,
        old_items: OldItems,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let (unprocessed, forwarded): (Vec<_>, Vec<_>) =
            actions.into_iter().partition(|action| action.throttled.is_some());
        let last_throttled = unprocessed.last().and_then(|action| action.throttled.as_ref());
        if let Some(throttled) = last_throttled.filter(|_| forwarded.is_empty() && call.rng.bool()) {
            return Ok(self.refuse(throttled));
        }
        self.state().counts.unprocessed += unprocessed.len() as u64;
        let mut body = call.body.clone();
        body["RequestItems"] = request_items(Value::Null, &call.body, &forwarded);
        let mut response = match (forwarded.is_empty(), call.is_write()) {
            (true, true) => DynamoDbResponse::success(json!({})),
            (true, false) => DynamoDbResponse::success(json!({ "Responses": {} })),
            (false, _) => self.run(call, &forwarded, old_items, body).await?,
        };
        if response.is_success() && !unprocessed.is_empty() {
            let field = if call.is_write() { "UnprocessedItems" } else { "UnprocessedKeys" };
            let present = response.body[field].take();
            response.body[field] = request_items(present, &call.body, &unprocessed);
        }
        Ok(response)
    }
}

/// Adds actions of a batch to `RequestItems`, in the form that they have in the batch.
fn request_items(mut tables: Value, batch: &Value, actions: &[JudgedAction<'_>]) -> Value {
    for ItemAction { table, element, .. } in actions.iter().map(|action| action.action) {
        let (table, whole) = (&mut tables[&table.name], &batch["RequestItems"][&table.name]);
        if whole.is_array() {
            push(table, element.clone());
            continue;
        }
        if table.is_null() {
            *table = whole.clone();
            table["Keys"] = json!([]);
        }
        push(&mut table["Keys"], element.clone());
    }
    tables
}
