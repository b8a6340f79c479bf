//! Connector with the write throughput of a table, by the time of the runtime, which may stand still.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde_json::Value;
use tokio::time::Instant;

use super::fault::replies;
use super::{Answer, ConnectorLayer, Next};
use crate::wire::{Call, RecordedReply};

/// Connector that throttles writes. Clones share one table.
///
/// The table holds the units of one second. A write is allowed while units are left, and takes its units afterwards, as in `DynamoDB`.
#[derive(Clone)]
pub struct ThroughputConnector(Arc<Mutex<Units>>);

struct Units {
    a_second: f64,
    left: f64,
    counted_at: Instant,
    throttled: u64,
}

impl ThroughputConnector {
    /// Returns the connector of a table that takes so many write units a second.
    pub fn new(a_second: f64) -> Self {
        Self(Arc::new(Mutex::new(Units { a_second, left: a_second, counted_at: Instant::now(), throttled: 0 })))
    }

    /// Returns the number of throttled writes.
    pub fn throttled(&self) -> u64 {
        self.units().throttled
    }

    fn units(&self) -> MutexGuard<'_, Units> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Units {
    fn allow_write(&mut self) -> bool {
        let now = Instant::now();
        let filled = now.duration_since(self.counted_at).as_secs_f64() * self.a_second;
        (self.left, self.counted_at) = ((self.left + filled).min(self.a_second), now);
        let is_allowed = self.left > 0.0;
        self.throttled += u64::from(!is_allowed);
        is_allowed
    }
}

impl ConnectorLayer for ThroughputConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let call = Call::read(&request);
        if !call.is_write() {
            return next.call(request).await;
        }
        if !self.units().allow_write() {
            let is_transaction = call.is_transaction();
            let reply = if is_transaction { replies::throttled_transaction(&call, 0, 0) } else { replies::throttled() };
            return reply.into_response();
        }
        let reply = RecordedReply::of(&next, request).await?;
        self.units().left -= units_of(&reply.body);
        reply.into_response()
    }
}

/// Returns the capacity units in an answer, which every client of the service asks for.
fn units_of(answer: &[u8]) -> f64 {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let units = |capacity: &Value| capacity["CapacityUnits"].as_f64().unwrap_or_default();
    match &answer["ConsumedCapacity"] {
        Value::Array(tables) => tables.iter().map(units).sum(),
        table => units(table),
    }
}
