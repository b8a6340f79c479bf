//! A connector that breaks calls on their way to `DynamoDB`, by seed and number, and writes down what it saw.
//!
//! [`Faults`] is an `HttpClient` over another one; clones share one plan, one count and one record, so a test keeps a clone
//! and steers the client that has the other. What each fault does to the data is said at [`FaultKind`].
//!
//! [`Plan::OverlapConflicts`] models when `DynamoDB` refuses for a conflict: a write transaction in flight (or ended less
//! than the window ago, since AWS holds items somewhat longer than the caller sees) holds each item it names, conditions
//! included. A transaction, for reading or writing, that names one of them is cancelled with `TransactionConflict` at its
//! places, and a single write of one is refused. A retry with the same `ClientRequestToken` is no conflict. Not modelled:
//! single writes never hold items, and batch writes neither hold nor conflict.

mod connector;
mod overlap;
mod plan;
mod replies;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::config::{ConfigBag, RuntimeComponents};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{HttpClient, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use serde_json::Value;

use self::connector::Connector;
use self::overlap::{Found, Hold, Overlaps};
pub use self::overlap::{KeyNames, key_names};
pub use self::plan::{FaultKind, Plan};
use crate::wire::Call;

/// Attempts kept in the record; the oldest go first. A race of 20 rounds of 100 callers makes some 10,000.
const MAX_OBSERVED: usize = 50_000;

/// What became of an attempt on its way to the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Sent on as it was.
    Passed,
    /// Broken as the plan said.
    Broken(FaultKind),
    /// Refused by [`Plan::OverlapConflicts`]: the places of the items, from 0.
    Conflicted(Vec<usize>),
}

/// One HTTP attempt, as it was asked.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// From 1, since the last reset.
    pub number: u64,
    /// `PutItem`, `Query`, …
    pub operation: String,
    /// The tables it names, once each.
    pub tables: Vec<String>,
    /// The request's document.
    pub request: Value,
    /// What the plan made of it.
    pub done: Done,
}

/// The breaking connector, and the handle that steers it. Clones share everything.
#[derive(Clone)]
pub struct Faults {
    inner: SharedHttpClient,
    shared: Arc<Shared>,
}

struct Shared {
    keys: KeyNames,
    overlaps: Overlaps,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    plan: Plan,
    attempts: u64,
    observed: VecDeque<Attempt>,
}

/// What is done with one attempt, decided before anything is sent.
enum Step {
    Pass(Option<Hold>),
    Break(FaultKind, u64),
    Conflict(Vec<usize>),
}

impl Faults {
    /// Breaks nothing until a plan is set.
    pub fn over(inner: impl HttpClient + 'static) -> Self {
        Self::with_keys(inner, KeyNames::new())
    }

    /// As [`Faults::over`], with the key attributes of each table, which [`Plan::OverlapConflicts`] needs.
    pub fn with_keys(inner: impl HttpClient + 'static, keys: KeyNames) -> Self {
        let shared = Shared { keys, overlaps: Overlaps::default(), state: Mutex::default() };
        Self { inner: SharedHttpClient::new(inner), shared: Arc::new(shared) }
    }

    /// Swaps the plan; the count and the record go on. Attempts under way keep what was decided for them.
    pub fn set_plan(&self, plan: Plan) {
        self.shared.state().plan = plan;
    }

    /// Counts from 1 again, with an empty record and no item held; the plan stays.
    pub fn reset(&self) {
        let mut state = self.shared.state();
        state.attempts = 0;
        state.observed.clear();
        self.shared.overlaps.clear();
    }

    /// [`Faults::reset`] and [`Faults::set_plan`].
    pub fn restart(&self, plan: Plan) {
        self.reset();
        self.set_plan(plan);
    }

    /// Attempts since the last reset.
    pub fn attempts(&self) -> u64 {
        self.shared.state().attempts
    }

    /// The attempts since the last reset, oldest first, at most the last 50,000.
    pub fn observed(&self) -> Vec<Attempt> {
        self.shared.state().observed.iter().cloned().collect()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers the attempt, decides about it and records both. One lock, so that numbers and record agree.
    fn decide(&self, call: &Call) -> Result<Step, ConnectorError> {
        let mut state = self.state();
        state.attempts += 1;
        let number = state.attempts;
        let step = match (&state.plan, state.plan.fault(number, call)) {
            (_, Some(kind)) => Step::Break(kind, number),
            (Plan::OverlapConflicts { window }, None) => self.overlap(number, call, *window)?,
            (_, None) => Step::Pass(None),
        };
        let done = match &step {
            Step::Pass(_) => Done::Passed,
            Step::Break(kind, _) => Done::Broken(*kind),
            Step::Conflict(items) => Done::Conflicted(items.clone()),
        };
        if state.observed.len() == MAX_OBSERVED {
            state.observed.pop_front();
        }
        let (operation, request) = (call.operation.clone(), call.body.clone());
        state.observed.push_back(Attempt { number, operation, tables: call.tables(), request, done });
        Ok(step)
    }

    fn overlap(&self, number: u64, call: &Call, window: Duration) -> Result<Step, ConnectorError> {
        match self.overlaps.enter(number, call, window, &self.keys) {
            Ok(Found::Free(hold)) => Ok(Step::Pass(hold)),
            Ok(Found::Taken(items)) => Ok(Step::Conflict(items)),
            Err(reason) => Err(ConnectorError::user(reason.into())),
        }
    }
}

/// Prints nothing of what passed: the SDK logs its connector, and requests hold secrets.
impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faults").finish_non_exhaustive()
    }
}

impl HttpClient for Faults {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        // Genuine answers have all the time that they need: on a busy machine none is taken for one that was made late.
        let connect = settings.connect_timeout().map(|time| HttpConnectorSettings::builder().connect_timeout(time));
        let genuine = connect.unwrap_or_default().build();
        SharedHttpConnector::new(Connector {
            inner: self.inner.http_connector(&genuine, components),
            shared: self.shared.clone(),
            read_timeout: settings.read_timeout(),
        })
    }

    fn validate_base_client_config(
        &self,
        components: &RuntimeComponentsBuilder,
        config: &ConfigBag,
    ) -> Result<(), BoxError> {
        HttpClient::validate_base_client_config(&self.inner, components, config)
    }

    fn validate_final_config(&self, components: &RuntimeComponents, config: &ConfigBag) -> Result<(), BoxError> {
        HttpClient::validate_final_config(&self.inner, components, config)
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.inner.connector_metadata()
    }
}
