//! Connector that meters calls and capacity. It counts where calls leave the process, because an import makes them from many
//! tasks.

use std::sync::{Arc, Mutex, PoisonError};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use presence_local::connectors::{Answer, ConnectorLayer, Next};

use crate::capacity::read_consumed_units;

/// Operations whose capacity is write units.
const WRITE_OPERATIONS: [&str; 3] = ["TransactWriteItems", "PutItem", "UpdateItem"];

/// Number of calls, and their capacity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) calls: u64,
    /// Number of transactions among the calls.
    pub(crate) transactions: u64,
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
}

impl Usage {
    /// Returns the usage after an earlier reading.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            calls: self.calls - before.calls,
            transactions: self.transactions - before.transactions,
            read_units: self.read_units - before.read_units,
            write_units: self.write_units - before.write_units,
        }
    }

    /// Adds a call with its units.
    fn add(&mut self, target: &str, units: f64) {
        self.calls += 1;
        self.transactions += u64::from(target.ends_with("TransactWriteItems"));
        if WRITE_OPERATIONS.iter().any(|operation| target.ends_with(operation)) {
            self.write_units += units;
        } else {
            self.read_units += units;
        }
    }
}

/// Connector that meters. Clones share their usage.
#[derive(Clone, Default)]
pub(crate) struct MeteringConnector {
    usage: Arc<Mutex<Usage>>,
}

impl MeteringConnector {
    /// Returns the usage so far.
    pub(crate) fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectorLayer for MeteringConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
        let mut response = next.call(request).await?;
        let units = read_consumed_units(&mut response).await?;
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).add(&target, units);
        Ok(response)
    }
}
