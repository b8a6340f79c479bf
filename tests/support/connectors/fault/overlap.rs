//! Conflicts between transactions, which the embedded `DynamoDB` lacks.
//!
//! A write transaction holds each item that it names, conditions included. It holds them while it is in flight, and for the
//! window after it ended, since AWS holds items somewhat longer than the caller sees. Another transaction, for reading or
//! writing, that names one of them is cancelled with `TransactionConflict` at its places. A single write of one is refused.
//! A retry with the same `ClientRequestToken` is no conflict.
//!
//! Not modelled: single writes never hold items, and batch writes neither hold nor conflict.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use presence_local::aws_limits::{CallKind, ConflictTracker};
use presence_store::schema::{self, Table};
use serde_json::Value;
use tokio::time::Instant;

use crate::wire::Call;

/// Names of the key attributes, by table. A `Put` carries a whole item, and nothing in it says which attributes are its key.
pub type KeyNames = BTreeMap<String, Vec<String>>;

/// Returns the key attributes of the service's tables, whose names start with the prefix.
pub fn key_names(prefix: &str) -> KeyNames {
    let names = |table: &Table| table.key.attributes().map(|(name, _)| name.to_owned()).collect();
    schema::TABLES.iter().map(|table| (format!("{prefix}{}", table.name), names(table))).collect()
}

/// Table and key of an item.
type ItemKey = (String, Vec<(String, Value)>);

/// Write transactions in flight, and those that ended within the window.
#[derive(Clone)]
pub(super) struct Overlaps {
    holds: Arc<Mutex<ConflictTracker<ItemKey>>>,
    started: Instant,
}

/// Result of [`Overlaps::admit`].
pub(super) enum Admission {
    /// No other transaction holds an item of the call. A write transaction holds them itself from now on.
    Admitted(Option<Hold>),
    /// Other transactions hold the items at these places in the call, from 0.
    Conflict(Vec<usize>),
}

/// Hold on the items of one write transaction. It ends when it is dropped, so also when the call is abandoned.
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

    /// Admits the call unless it conflicts. The error names a table whose key is unknown.
    pub(super) fn admit(
        &self,
        number: u64,
        call: &Call,
        window: Duration,
        keys: &KeyNames,
    ) -> Result<Admission, String> {
        let items = items_of(call, keys)?;
        let token = call.body["ClientRequestToken"].as_str();
        let kind = match call.operation.as_str() {
            "TransactWriteItems" => CallKind::WriteTransaction,
            "TransactGetItems" => CallKind::ReadTransaction,
            _ => CallKind::SingleWrite,
        };
        let mut holds = self.holds();
        let conflicts = holds.conflicting_positions(self.started.elapsed(), window, kind, &items, token);
        if !conflicts.is_empty() {
            return Ok(Admission::Conflict(conflicts));
        }
        if kind != CallKind::WriteTransaction {
            return Ok(Admission::Admitted(None));
        }
        holds.begin(number, kind, items, token.map(str::to_owned));
        Ok(Admission::Admitted(Some(Hold { overlaps: self.clone(), number })))
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

/// Returns the items that conflict with a write transaction: those of a transaction, and that of a single write.
fn items_of(call: &Call, keys: &KeyNames) -> Result<Vec<ItemKey>, String> {
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
