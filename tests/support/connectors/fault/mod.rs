//! Connector that breaks calls on their way to `DynamoDB`, by seed and number, and records what it saw.
//!
//! [`FaultKind`] says what each fault does to the data, and [`Plan`] which calls have one.

mod breaking;
mod plan;
pub(super) mod replies;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::http::HttpConnectorSettings;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde_json::Value;

pub use self::plan::{FaultKind, Plan};
use super::{Answer, ConnectorLayer, Next};
use crate::wire::Call;

/// Maximum number of recorded attempts; the oldest go first. A race of 20 rounds of 100 callers makes some 10,000.
const MAX_OBSERVED: usize = 50_000;

/// Result of the plan for one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The attempt was forwarded unchanged.
    Passed,
    /// The attempt was broken by this fault.
    Broken(FaultKind),
}

/// One HTTP attempt, as the SDK made it.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Number of the attempt since the last reset, from 1.
    pub number: u64,
    /// Operation: `PutItem`, `Query`, …
    pub operation: String,
    /// Names of the tables in the request, each once.
    pub tables: Vec<String>,
    /// Document of the request.
    pub request: Value,
    /// Result of the plan for it.
    pub outcome: AttemptOutcome,
}

impl Attempt {
    /// True if this fault could have broken the attempt.
    pub fn could_have(&self, kind: FaultKind) -> bool {
        kind.applies_to(&self.call())
    }

    /// True if the attempt writes.
    pub fn is_write(&self) -> bool {
        self.call().is_write()
    }

    fn call(&self) -> Call {
        Call { operation: self.operation.clone(), body: self.request.clone() }
    }
}

/// Connector that breaks calls by a [`Plan`], and the handle that steers it. Clones share one plan, count and record.
#[derive(Clone, Default)]
pub struct FaultConnector {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    plan: Plan,
    attempts: u64,
    attempts_of: HashMap<String, u64>,
    observed: VecDeque<Attempt>,
}

impl FaultConnector {
    /// Returns a connector that breaks nothing until a plan is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the plan; the count and the record go on. Attempts under way keep the decisions about them.
    pub fn set_plan(&self, plan: Plan) {
        self.state().plan = plan;
    }

    /// Counts from 1 again, with an empty record; the plan stays.
    pub fn reset(&self) {
        let mut state = self.state();
        state.attempts = 0;
        state.attempts_of.clear();
        state.observed.clear();
    }

    /// Calls [`FaultConnector::reset`] and [`FaultConnector::set_plan`].
    pub fn restart(&self, plan: Plan) {
        self.reset();
        self.set_plan(plan);
    }

    /// Returns the number of attempts since the last reset.
    pub fn attempts(&self) -> u64 {
        self.state().attempts
    }

    /// Returns the attempts since the last reset, oldest first: at most the last 50,000.
    pub fn observed(&self) -> Vec<Attempt> {
        self.state().observed.iter().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers the attempt, decides about it and records both. Returns the fault that breaks it, with the number. One lock, so that
    /// numbers and record agree.
    fn decide(&self, call: &Call) -> Option<(FaultKind, u64)> {
        let mut state = self.state();
        state.attempts += 1;
        let number = state.attempts;
        let of_operation = state.attempts_of.entry(call.operation.clone()).or_default();
        *of_operation += 1;
        let number_of_operation = *of_operation;
        let fault = state.plan.fault(number, number_of_operation, call);
        let outcome = fault.map_or(AttemptOutcome::Passed, AttemptOutcome::Broken);
        if state.observed.len() == MAX_OBSERVED {
            state.observed.pop_front();
        }
        let (operation, request) = (call.operation.clone(), call.body.clone());
        state.observed.push_back(Attempt { number, operation, tables: call.tables(), request, outcome });
        fault.map(|kind| (kind, number))
    }
}

impl ConnectorLayer for FaultConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let call = Call::read(&request);
        match self.decide(&call) {
            None => next.call(request).await,
            Some((kind, number)) => breaking::answer(kind, number, &call, request, &next).await,
        }
    }

    /// Keeps the read timeout from the next connector: genuine answers have all the time that they need. So on a busy
    /// machine no answer is late but those that a plan delays.
    fn next_settings(&self, settings: &HttpConnectorSettings) -> HttpConnectorSettings {
        let connect = settings.connect_timeout().map(|time| HttpConnectorSettings::builder().connect_timeout(time));
        connect.unwrap_or_default().build()
    }
}
