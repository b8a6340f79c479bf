//! Earlier values of items, for eventual reads.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::wire::Call;

/// Values of each item that was put, oldest first; `None` where it was deleted.
#[derive(Default)]
pub(super) struct History(BTreeMap<(String, String), Vec<Option<Value>>>);

impl History {
    /// Notes the puts and deletions of a call that succeeded.
    pub(super) fn note(&mut self, call: &Call) {
        match call.operation.as_str() {
            "PutItem" => self.note_put(&call.body["Item"]),
            "DeleteItem" => self.note_deletion(&call.body["Key"]),
            "TransactWriteItems" => {
                for action in call.actions() {
                    if action["Item"].is_object() {
                        self.note_put(&action["Item"]);
                    } else if action["UpdateExpression"].is_null() && action["ConditionExpression"].is_null() {
                        self.note_deletion(&action["Key"]);
                    }
                }
            }
            "BatchWriteItem" => {
                let tables = call.body["RequestItems"].as_object().into_iter().flatten();
                for request in tables.flat_map(|(_, requests)| requests.as_array().into_iter().flatten()) {
                    if request["PutRequest"].is_object() {
                        self.note_put(&request["PutRequest"]["Item"]);
                    } else {
                        self.note_deletion(&request["DeleteRequest"]["Key"]);
                    }
                }
            }
            _ => {}
        }
    }

    fn note_put(&mut self, item: &Value) {
        self.0.entry(key_of(item)).or_default().push(Some(item.clone()));
    }

    fn note_deletion(&mut self, key: &Value) {
        self.0.entry(key_of(key)).or_default().push(None);
    }

    /// Returns the answer of any age to an eventual read or a Query of `listing-index`; `None` for every other call.
    pub(super) fn answer(&self, call: &Call, rng: &mut fastrand::Rng) -> Option<Value> {
        match call.operation.as_str() {
            "GetItem" if call.body["ConsistentRead"] != true => {
                let item = self.value(&key_of(&call.body["Key"]), rng);
                Some(item.map_or_else(|| json!({}), |item| json!({ "Item": item })))
            }
            "BatchGetItem" => self.answer_batch(&call.body["RequestItems"], rng),
            "Query" if call.body["IndexName"] == "listing-index" => Some(self.answer_index(&call.body, rng)),
            _ => None,
        }
    }

    fn answer_batch(&self, tables: &Value, rng: &mut fastrand::Rng) -> Option<Value> {
        let mut responses = json!({});
        for (table, request) in tables.as_object()? {
            if request["ConsistentRead"] == true || request["ProjectionExpression"].is_string() {
                return None;
            }
            let keys = request["Keys"].as_array()?;
            let found: Vec<Value> = keys.iter().filter_map(|key| self.value(&key_of(key), rng)).collect();
            responses[table] = json!(found);
        }
        Some(json!({ "Responses": responses, "UnprocessedKeys": {} }))
    }

    /// Returns the entries of a range of `listing-index`, each of its own age.
    fn answer_index(&self, request: &Value, rng: &mut fastrand::Rng) -> Value {
        let values = &request["ExpressionAttributeValues"];
        let bound = |name: &str| values[name]["S"].as_str().map(str::to_owned);
        let (from, to) = (bound(":from"), bound(":to"));
        let mut entries = Vec::new();
        for (key, _) in self.0.range(("R#".to_owned(), String::new())..("R$".to_owned(), String::new())) {
            let Some(item) = self.value(key, rng).filter(|item| item["org_id"] == values[":partition"]) else {
                continue;
            };
            let listing = item["effective_listing"]["S"].as_str().unwrap_or_default().to_owned();
            let is_in =
                from.as_ref().is_none_or(|from| *from <= listing) && to.as_ref().is_none_or(|to| listing <= *to);
            if is_in {
                entries.push((listing, item));
            }
        }
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        if request["ScanIndexForward"] == false {
            entries.reverse();
        }
        let limit = request["Limit"].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        entries.truncate(limit);
        let items: Vec<Value> = entries.into_iter().map(|(_, item)| item).collect();
        json!({ "Count": items.len(), "ScannedCount": items.len(), "Items": items })
    }

    /// Returns any value that the item ever had, most often the newest; `None` as if it was not there yet.
    fn value(&self, key: &(String, String), rng: &mut fastrand::Rng) -> Option<Value> {
        let values = self.0.get(key)?;
        let newest = values.len();
        let age = if rng.u8(..2) == 0 { newest } else { rng.usize(..=newest) };
        age.checked_sub(1).and_then(|index| values[index].clone())
    }
}

fn key_of(item: &Value) -> (String, String) {
    let text = |name: &str| item[name]["S"].as_str().unwrap_or_default().to_owned();
    (text("pk"), text("sk"))
}
