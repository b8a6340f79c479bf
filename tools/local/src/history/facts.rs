//! Facts that a function logs about a request: operation, caller, error and cost.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use presence_runtime::telemetry::{self, RequestLog};
use serde::Serialize;

tokio::task_local! {
    static FACTS: Arc<OnceLock<RequestFacts>>;
}

/// Facts that the log of a function has about a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestFacts {
    /// Name of the operation.
    pub operation: &'static str,
    /// Role of the caller; `None` before a key gave access.
    pub role: Option<&'static str>,
    /// Kind of the error; `None` if there is none.
    pub error: Option<&'static str>,
    /// Names of the bad fields.
    pub bad_fields: Vec<&'static str>,
    /// Number of calls of DynamoDB.
    pub calls: u32,
    /// Number of round trips to DynamoDB that the request waited for.
    pub waves: u32,
    /// Number of read units.
    pub read_units: f64,
    /// Number of write units.
    pub write_units: f64,
}

impl From<&RequestLog<'_>> for RequestFacts {
    fn from(request: &RequestLog<'_>) -> Self {
        Self {
            operation: request.operation,
            role: request.caller.map(|caller| caller.role.as_str()),
            error: request.error_kind,
            bad_fields: request.bad_fields.to_vec(),
            calls: request.cost.calls,
            waves: request.cost.waves,
            read_units: request.cost.read_units,
            write_units: request.cost.write_units,
        }
    }
}

/// Runs a future and returns the facts that a function logs in it; `None` if none logs a request.
pub async fn observe<F: Future>(future: F) -> (F::Output, Option<RequestFacts>) {
    telemetry::observe_requests(|request| {
        let _ = FACTS.try_with(|facts| facts.set(request.into()));
    });
    let facts = Arc::new(OnceLock::new());
    let output = FACTS.scope(Arc::clone(&facts), future).await;
    (output, facts.get().cloned())
}

/// Returns the future as a part of what is observed now, also if it runs in another task.
pub fn carry<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let facts = FACTS.try_with(Arc::clone).ok();
    async move {
        match facts {
            Some(facts) => FACTS.scope(facts, future).await,
            None => future.await,
        }
    }
}
