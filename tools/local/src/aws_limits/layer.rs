//! The limits around one call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::RwLock;
use tokio::time::Instant;

use super::answers::Answer;
use super::buckets::{Kind, Place, Reached};
use super::core::Core;
use super::settings::AwsLimits;
use super::tables::TableInfo;
use super::upstream::{Unreachable, Upstream};
use super::{latency, sizes};

/// The limits, in front of a DynamoDB.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) upstream: Upstream,
    /// Writes are done one after the other, and index reads not beside them: so the item before a write is known for certain,
    /// and a page of an index is not read while the index changes.
    pub(super) turn: RwLock<()>,
    core: Mutex<Core>,
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
        let core = Mutex::new(Core::new(settings, seed));
        Self { upstream, turn: RwLock::new(()), core, tables: Mutex::default(), started: Instant::now() }
    }

    pub(super) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the start.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// True while an index does not show something yet.
    pub(super) fn lags(&self) -> bool {
        let now = self.now();
        self.core().changes.are_pending(now)
    }

    /// Answers a call as AWS would.
    pub(super) async fn answer(
        &self,
        operation: &str,
        headers: &HeaderMap,
        body: Value,
    ) -> Result<Answer, Unreachable> {
        let (number, rng, settings) = {
            let mut core = self.core();
            let (number, rng) = core.begin();
            (number, rng, core.settings.clone())
        };
        let call = Call { number, operation: operation.to_owned(), headers: headers.clone(), body, rng, settings };
        if let Some(broken) = sizes::broken(operation, &call.body).filter(|_| call.settings.sizes) {
            self.core().counts.too_large += 1;
            return Ok(Answer::validation(broken));
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
    pub(super) async fn table(&self, call: &Call, name: &str) -> Result<Option<Arc<TableInfo>>, Unreachable> {
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
    ) -> Result<(Answer, HashMap<String, f64>), Unreachable> {
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

    /// Refuses an item or page, one of so many of its call, when one of these places is spent.
    pub(super) fn refusal(&self, call: &mut Call, places: &[(Place, Kind)], items: usize) -> Option<Answer> {
        let now = self.now();
        let mut core = self.core();
        let (reached, place, kind) = core.reached(now, places, items, &mut call.rng)?;
        core.counts.throttled += 1;
        Some(throttled(reached, &place, kind))
    }
}

/// The answer of a single call that met a limit of throughput.
fn throttled(reached: Reached, place: &Place, kind: Kind) -> Answer {
    let of = if place.index.is_some() { "Index" } else { "Table" };
    let what = match kind {
        Kind::Read => "Read",
        Kind::Write => "Write",
    };
    let index = place.index.as_ref().map(|index| format!("/index/{index}")).unwrap_or_default();
    let resource = format!("arn:aws:dynamodb:local:000000000000:table/{}{index}", place.table);
    Answer::throttled(reached, &resource, &format!("{of}{what}"))
}

fn units(capacity: &Value) -> Option<(String, f64)> {
    Some((capacity["TableName"].as_str()?.to_owned(), capacity["CapacityUnits"].as_f64()?))
}
