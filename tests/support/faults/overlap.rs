//! Who holds which item: the part of `DynamoDB`'s transactions that the embedded one lacks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use presence_local::aws_limits::{CallKind, ConflictTracker};
use presence_store::schema::{self, Table};
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
#[derive(Clone)]
pub(super) struct Overlaps {
    holds: Arc<Mutex<ConflictTracker<ItemKey>>>,
    started: Instant,
}

/// What [`Overlaps::enter`] found.
pub(super) enum Found {
    /// Nobody else holds an item of the call; a write transaction holds them itself from now on.
    Free(Option<Hold>),
    /// The places in the call, from 0, of the items that another transaction holds.
    Taken(Vec<usize>),
}

/// Holds the items of one write transaction until it is dropped, which is also what an abandoned call does.
pub(super) struct Hold {
    overlaps: Overlaps,
    number: u64,
}

impl Default for Overlaps {
    fn default() -> Self {
        Self { holds: Arc::default(), started: Instant::now() }
    }
}

impl Overlaps {
    fn holds(&self) -> MutexGuard<'_, ConflictTracker<ItemKey>> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the call in unless it conflicts. `Err` names a table whose key is unknown.
    pub(super) fn enter(&self, number: u64, call: &Call, window: Duration, keys: &KeyNames) -> Result<Found, String> {
        let items = touched(call, keys)?;
        let token = call.body["ClientRequestToken"].as_str();
        let kind = match call.operation.as_str() {
            "TransactWriteItems" => CallKind::WriteTransaction,
            "TransactGetItems" => CallKind::ReadTransaction,
            _ => CallKind::SingleWrite,
        };
        let mut holds = self.holds();
        let conflicts = holds.conflicting_positions(self.started.elapsed(), window, kind, &items, token);
        if !conflicts.is_empty() {
            return Ok(Found::Taken(conflicts));
        }
        if kind != CallKind::WriteTransaction {
            return Ok(Found::Free(None));
        }
        holds.begin(number, kind, items, token.map(str::to_owned));
        Ok(Found::Free(Some(Hold { overlaps: self.clone(), number })))
    }

    pub(super) fn clear(&self) {
        self.holds().clear();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let now = self.overlaps.started.elapsed();
        self.overlaps.holds().end(self.number, now);
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
