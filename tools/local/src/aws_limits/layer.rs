//! Layer that applies the limits to a call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dynoxide::Database;
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::RwLock;
use tokio::time::Instant;

use super::latency;
use super::response::DynamoDbResponse;
use super::settings::AwsLimits;
use super::state::{Cost, State, Throttled};
use super::tables::TableInfo;
use super::upstream::{Upstream, UpstreamError};

/// Capacity units that DynamoDB reports for a call, by table.
pub(super) type Units = HashMap<String, f64>;

/// Limits in front of a `DynamoDB`.
pub(super) struct Layer {
    pub(super) upstream: Upstream,
    /// Database that has a table for each page of an index while the page is read with its lag.
    pub(super) scratch: Database,
    /// Lock that writes take exclusively, and index reads share. So the item before a write is known exactly, and no page of
    /// an index is read while the index changes.
    pub(super) write_lock: RwLock<()>,
    state: Mutex<State>,
    tables: Mutex<HashMap<String, Arc<TableInfo>>>,
    started_at: Instant,
}

/// Call in progress.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) number: u64,
    pub(super) operation: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
    pub(super) rng: fastrand::Rng,
    /// Limits when the call began. They may change while it runs.
    pub(super) settings: AwsLimits,
}

impl std::fmt::Debug for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layer").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl Layer {
    pub(super) fn new(settings: AwsLimits, seed: u64, upstream: Upstream, scratch: Database) -> Self {
        let state = Mutex::new(State::new(settings, seed));
        Self {
            upstream,
            scratch,
            write_lock: RwLock::new(()),
            state,
            tables: Mutex::default(),
            started_at: Instant::now(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since the start.
    pub(super) fn now(&self) -> Duration {
        self.started_at.elapsed()
    }

    /// True while an index does not show all writes.
    pub(super) fn has_pending_changes(&self) -> bool {
        let now = self.now();
        self.state().changes.are_pending(now)
    }

    /// Answers a call as AWS would.
    pub(super) async fn handle(
        &self,
        operation: &str,
        headers: &HeaderMap,
        body: Value,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let call = self.begin_call(operation, headers, body);
        match operation {
            "Query" | "Scan" => self.read_page(call).await,
            "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "BatchGetItem" | "BatchWriteItem"
            | "TransactGetItems" | "TransactWriteItems" => self.call_items(call).await,
            _ => self.forward(&call).await,
        }
    }

    fn begin_call(&self, operation: &str, headers: &HeaderMap, body: Value) -> Call {
        let mut state = self.state();
        let (number, rng) = state.begin_call();
        let settings = state.settings.clone();
        Call { number, operation: operation.to_owned(), headers: headers.clone(), body, rng, settings }
    }

    /// Sleeps for the latency of a call.
    pub(super) async fn pause(&self, call: &mut Call) {
        if let Some(usual) = call.settings.latency {
            tokio::time::sleep(latency::draw(usual, &mut call.rng)).await;
        }
    }

    /// Returns the keys and indexes of a table, or `None` if it does not exist.
    pub(super) async fn table_info(&self, call: &Call, name: &str) -> Result<Option<Arc<TableInfo>>, UpstreamError> {
        let cached = self.tables().get(name).cloned();
        if cached.is_some() {
            return Ok(cached);
        }
        let described = self.upstream.call(&call.headers, "DescribeTable", &json!({ "TableName": name })).await?;
        let Some(table) = TableInfo::parse(&described.body).map(Arc::new) else { return Ok(None) };
        self.tables().insert(name.to_owned(), Arc::clone(&table));
        Ok(Some(table))
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<String, Arc<TableInfo>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forwards a call unchanged.
    pub(super) async fn forward(&self, call: &Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.upstream.call(&call.headers, &call.operation, &call.body).await
    }

    /// Forwards a call with this body. Returns the response and the capacity units that it consumed, by table.
    pub(super) async fn forward_metered(
        &self,
        call: &Call,
        mut body: Value,
    ) -> Result<(DynamoDbResponse, Units), UpstreamError> {
        let is_requested = body["ReturnConsumedCapacity"].as_str().is_some_and(|mode| mode != "NONE");
        if !is_requested && body.is_object() {
            body["ReturnConsumedCapacity"] = json!("TOTAL");
        }
        let mut response = self.upstream.call(&call.headers, &call.operation, &body).await?;
        let units = match &response.body["ConsumedCapacity"] {
            Value::Array(tables) => tables.iter().filter_map(consumed_units).collect(),
            table => consumed_units(table).into_iter().collect(),
        };
        if !is_requested && let Some(fields) = response.body.as_object_mut() {
            fields.remove("ConsumedCapacity");
        }
        Ok((response, units))
    }

    /// Returns the limit that throttles an item with these costs, one of `item_count` of its call, if one does.
    pub(super) fn throttle(&self, call: &mut Call, costs: &[Cost], item_count: usize) -> Option<Throttled> {
        let now = self.now();
        self.state().throttle(now, costs, item_count, &mut call.rng)
    }

    /// Returns the error of a throttled call that is not a transaction, and counts it.
    pub(super) fn refuse(&self, throttled: &Throttled) -> DynamoDbResponse {
        self.state().counts.throttled += 1;
        DynamoDbResponse::throttled(throttled)
    }
}

/// Reads the table name and the units of an entry of `ConsumedCapacity`.
fn consumed_units(capacity: &Value) -> Option<(String, f64)> {
    Some((capacity["TableName"].as_str()?.to_owned(), capacity["CapacityUnits"].as_f64()?))
}
