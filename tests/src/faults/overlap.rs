//! Who holds which item: the part of `DynamoDB`'s transactions that the embedded one lacks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use presence::store::schema::{self, Table};
use serde_json::Value;
use tokio::time::Instant;

use crate::wire::Call;

/// Names of the key attributes by table: a `Put` carries a whole item, and nothing in it says which attributes are its key.
pub type KeyNames = BTreeMap<String, Vec<String>>;

/// The key attributes of the service's tables, whose names start with the prefix.
pub fn key_names(prefix: &str) -> KeyNames {
    let names = |table: &Table| table.key.attributes().map(|(name, _)| name.to_owned()).collect();
    schema::TABLES.iter().map(|table| (format!("{prefix}{}", table.name), names(table))).collect()
}

/// An item: its table, and its key attributes with their values.
type ItemKey = (String, Vec<(String, Value)>);

/// The write transactions in flight, and those that ended within the window.
#[derive(Clone, Default)]
pub(super) struct Overlaps(Arc<Mutex<HashMap<u64, Held>>>);

struct Held {
    items: Vec<ItemKey>,
    /// `ClientRequestToken`: the retry of a transaction does not conflict with itself.
    token: Value,
    ended: Option<Instant>,
}

/// What [`Overlaps::enter`] found.
pub(super) enum Entry {
    /// Nobody else holds an item of the call; a write transaction holds them itself from now on.
    Free(Option<Hold>),
    /// The places in the call, from 0, of the items that another transaction holds.
    Taken(Vec<usize>),
}

/// Holds the items of one write transaction until it is dropped, which is also what an abandoned call does.
pub(super) struct Hold {
    book: Overlaps,
    number: u64,
}

impl Overlaps {
    /// Lets the call in unless it conflicts. `Err` names a table whose key is unknown.
    pub(super) fn enter(&self, number: u64, call: &Call, window: Duration, keys: &KeyNames) -> Result<Entry, String> {
        let items = touched(call, keys)?;
        let token = call.body["ClientRequestToken"].clone();
        let now = Instant::now();
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.retain(|_, held| held.ended.is_none_or(|ended| now - ended < window));
        let others = || book.values().filter(|held| token.is_null() || held.token != token);
        let is_held = |item: &ItemKey| others().any(|held| held.items.contains(item));
        let conflicts: Vec<usize> = (0..items.len()).filter(|&at| is_held(&items[at])).collect();
        if !conflicts.is_empty() {
            return Ok(Entry::Taken(conflicts));
        }
        if call.operation != "TransactWriteItems" {
            return Ok(Entry::Free(None));
        }
        book.insert(number, Held { items, token, ended: None });
        Ok(Entry::Free(Some(Hold { book: self.clone(), number })))
    }

    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut book = self.book.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = book.get_mut(&self.number) {
            held.ended = Some(Instant::now());
        }
    }
}

/// The items that conflict with a write transaction: those of a transaction (conditions included) and of a single write.
fn touched(call: &Call, keys: &KeyNames) -> Result<Vec<ItemKey>, String> {
    if call.is_transaction() {
        call.actions().into_iter().map(|action| item_key(action, keys)).collect()
    } else if call.is_single_write() {
        Ok(vec![item_key(&call.body, keys)?])
    } else {
        Ok(Vec::new())
    }
}

fn item_key(action: &Value, keys: &KeyNames) -> Result<ItemKey, String> {
    let table = action["TableName"].as_str().unwrap_or_default().to_owned();
    let names = keys.get(&table).ok_or_else(|| format!("no key names were given for the table {table}"))?;
    let attributes = if action["Key"].is_object() { &action["Key"] } else { &action["Item"] };
    let key = names.iter().map(|name| (name.clone(), attributes[name.as_str()].clone())).collect();
    Ok((table, key))
}
