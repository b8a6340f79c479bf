//! The limits around one call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::RwLock;
use tokio::time::Instant;

use super::response::DynamoDbResponse;
use super::settings::AwsLimits;
use super::state::State;
use super::tables::TableInfo;
use super::token_buckets::{CapacityKind, CapacityScope, ExceededLimit};
use super::upstream::{Upstream, UpstreamError};
use super::{latency, sizes};

/// The limits, in front of a DynamoDB.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) upstream: Upstream,
    /// Writes are done one after the other, and index reads not beside them: so the item before a write is known for certain,
    /// and a page of an index is not read while the index changes.
    pub(super) turn: RwLock<()>,
    state: Mutex<State>,
    tables: Mutex<HashMap<String, Arc<TableInfo>>>,
    started: Instant,
}

/// A call on its way.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) number: u64,
    pub(super) operation: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
    pub(super) rng: fastrand::Rng,
    pub(super) settings: AwsLimits,
}

impl Layer {
    pub(super) fn new(settings: AwsLimits, seed: u64, upstream: Upstream) -> Self {
        let state = Mutex::new(State::new(settings, seed));
        Self { upstream, turn: RwLock::new(()), state, tables: Mutex::default(), started: Instant::now() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the start.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// True while an index does not show something yet.
    pub(super) fn lags(&self) -> bool {
        let now = self.now();
        self.state().changes.are_pending(now)
    }

    /// Answers a call as AWS would.
    pub(super) async fn answer(
        &self,
        operation: &str,
        headers: &HeaderMap,
        body: Value,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let (number, rng, settings) = {
            let mut state = self.state();
            let (number, rng) = state.begin();
            (number, rng, state.settings.clone())
        };
        let call = Call { number, operation: operation.to_owned(), headers: headers.clone(), body, rng, settings };
        if let Some(broken) = sizes::broken(operation, &call.body).filter(|_| call.settings.sizes) {
            self.state().counts.too_large += 1;
            return Ok(DynamoDbResponse::validation(broken));
        }
        match operation {
            "GetItem" => self.get(call).await,
            "BatchGetItem" => self.get_batch(call).await,
            "Query" | "Scan" => self.read_page(call).await,
            "PutItem" | "UpdateItem" | "DeleteItem" => self.write_one(call).await,
            "TransactWriteItems" | "TransactGetItems" => self.transact(call).await,
            "BatchWriteItem" => self.write_batch(call).await,
            _ => self.upstream.call(headers, operation, &call.body).await,
        }
    }

    /// Takes the time that a call takes.
    pub(super) async fn pause(&self, call: &mut Call) {
        if let Some(usual) = call.settings.latency {
            tokio::time::sleep(latency::draw(usual, &mut call.rng)).await;
        }
    }

    /// Returns what is known of a table; nothing of one that does not exist.
    pub(super) async fn table(&self, call: &Call, name: &str) -> Result<Option<Arc<TableInfo>>, UpstreamError> {
        let known = |layer: &Self| layer.tables.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(table) = known(self) {
            return Ok(Some(table));
        }
        let described = self.upstream.call(&call.headers, "DescribeTable", &json!({ "TableName": name })).await?;
        let Some(table) = TableInfo::read(&described.body).map(Arc::new) else { return Ok(None) };
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Arc::clone(&table));
        Ok(Some(table))
    }

    /// Passes a call on, and returns the units that it took by table.
    pub(super) async fn metered(
        &self,
        call: &Call,
        mut body: Value,
    ) -> Result<(DynamoDbResponse, HashMap<String, f64>), UpstreamError> {
        let is_asked = body["ReturnConsumedCapacity"].as_str().is_some_and(|mode| mode != "NONE");
        if !is_asked && body.is_object() {
            body["ReturnConsumedCapacity"] = json!("TOTAL");
        }
        let mut answer = self.upstream.call(&call.headers, &call.operation, &body).await?;
        let spent = match &answer.body["ConsumedCapacity"] {
            Value::Array(tables) => tables.iter().filter_map(units).collect(),
            one => units(one).into_iter().collect(),
        };
        if !is_asked && let Some(fields) = answer.body.as_object_mut() {
            fields.remove("ConsumedCapacity");
        }
        Ok((answer, spent))
    }

    /// Refuses an item or page, one of so many of its call, when one of these scopes is spent.
    pub(super) fn refusal(
        &self,
        call: &mut Call,
        scopes: &[(CapacityScope, CapacityKind)],
        items: usize,
    ) -> Option<DynamoDbResponse> {
        let now = self.now();
        let mut state = self.state();
        let (exceeded, scope, kind) = state.exceeded(now, scopes, items, &mut call.rng)?;
        state.counts.throttled += 1;
        Some(throttled(exceeded, &scope, kind))
    }
}

/// The answer of a single call that met a limit of throughput.
fn throttled(exceeded: ExceededLimit, scope: &CapacityScope, kind: CapacityKind) -> DynamoDbResponse {
    let of = if scope.index.is_some() { "Index" } else { "Table" };
    let what = match kind {
        CapacityKind::Read => "Read",
        CapacityKind::Write => "Write",
    };
    let index = scope.index.as_ref().map(|index| format!("/index/{index}")).unwrap_or_default();
    let resource = format!("arn:aws:dynamodb:local:000000000000:table/{}{index}", scope.table);
    DynamoDbResponse::throttled(exceeded, &resource, &format!("{of}{what}"))
}

fn units(capacity: &Value) -> Option<(String, f64)> {
    Some((capacity["TableName"].as_str()?.to_owned(), capacity["CapacityUnits"].as_f64()?))
}
