//! Connector that stops before each call, so that a seed can choose which process goes on, and how its call ends.
//!
//! A process is a future inside [`StepConnector::scope`]. Its calls wait until [`StepConnector::release`] answers one of them.
//! Calls are made one at a time, so a seed decides everything. Eventual reads and reads of indexes are answered with values
//! of any age, from the puts that the connector saw.

mod history;

use std::collections::VecDeque;
use std::future::Future;
use std::io::{Error as IoError, ErrorKind as IoErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use self::history::History;
use super::fault::replies;
use super::{Answer, ConnectorLayer, Next};
use crate::wire::{Call, RecordedReply};

tokio::task_local! {
    static PROCESS: u64;
}

/// End of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// The call is made and answered.
    Answered,
    /// The call is made, and the caller gets no answer.
    ReplyLost,
    /// The call is made, and the process goes no further.
    Dead,
    /// The call is refused as throttled.
    Throttled,
    /// The call is refused because another transaction holds an item; other calls than transactions are answered.
    Conflicted,
}

/// Call that was made.
#[derive(Clone, Debug)]
pub struct MadeCall {
    /// Process that made it.
    pub process: u64,
    /// Operation: `PutItem`, `Query`, …
    pub operation: String,
    /// Document of the request.
    pub request: Value,
    /// Document of the answer.
    pub reply: Value,
    /// True if the process got the answer.
    pub is_answered: bool,
}

/// Connector that stops before each call, and the handle that steers it. Clones share one state.
#[derive(Clone)]
pub struct StepConnector {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Something arrived or ended.
    changed: Notify,
}

struct State {
    rng: fastrand::Rng,
    waiting: Vec<(u64, oneshot::Sender<CallEnd>)>,
    in_flight: usize,
    made: VecDeque<MadeCall>,
    history: History,
    /// False while every call is made at once, and every read is genuine.
    is_stepped: bool,
    stale_reads: u64,
}

impl StepConnector {
    /// Returns a connector that makes every call at once.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let state = State {
            rng: fastrand::Rng::with_seed(seed),
            waiting: Vec::new(),
            in_flight: 0,
            made: VecDeque::new(),
            history: History::default(),
            is_stepped: false,
            stale_reads: 0,
        };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), changed: Notify::new() }) }
    }

    /// Runs a process, whose calls have this number.
    pub async fn scope<T>(&self, process: u64, future: impl Future<Output = T>) -> T {
        PROCESS.scope(process, future).await
    }

    /// Stops before each call from now on, or makes all at once and genuinely.
    pub fn set_stepped(&self, is_stepped: bool) {
        self.state().is_stepped = is_stepped;
    }

    /// Returns the processes whose calls wait, each as often as it has calls.
    #[must_use]
    pub fn waiting(&self) -> Vec<u64> {
        let mut state = self.state();
        state.waiting.retain(|(_, sender)| !sender.is_closed());
        state.waiting.iter().map(|(process, _)| *process).collect()
    }

    /// True if a call that was released has not ended.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state().in_flight > 0
    }

    /// Makes one of the waiting calls, by its position among them.
    pub fn release(&self, position: usize, end: CallEnd) {
        let mut state = self.state();
        let (_, sender) = state.waiting.swap_remove(position);
        state.in_flight += usize::from(sender.send(end).is_ok());
    }

    /// Waits until a call arrives or ends.
    pub async fn changed(&self) {
        self.shared.changed.notified().await;
    }

    /// Takes the calls that were made since the last time.
    #[must_use]
    pub fn take_made(&self) -> Vec<MadeCall> {
        self.state().made.drain(..).collect()
    }

    /// Returns the number of reads that were answered with values that may be old.
    #[must_use]
    pub fn stale_reads(&self) -> u64 {
        self.state().stale_reads
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the call is released.
    async fn wait(&self, process: u64) -> CallEnd {
        let (sender, receiver) = oneshot::channel();
        self.state().waiting.push((process, sender));
        self.shared.changed.notify_one();
        receiver.await.unwrap_or(CallEnd::Answered)
    }

    /// Makes a call, or answers it from the history.
    async fn make(&self, process: u64, call: Call, mut request: HttpRequest, next: &Next, is_answered: bool) -> Answer {
        let old = {
            let state = &mut *self.state();
            if state.is_stepped { state.history.answer(&call, &mut state.rng) } else { None }
        };
        let is_old = old.is_some();
        let reply = if let Some(reply) = old {
            RecordedReply::success(&reply)
        } else {
            self.cut_page(&call, &mut request);
            RecordedReply::of(next, request).await?
        };
        if reply.is_success() {
            let mut state = self.state();
            state.stale_reads += u64::from(is_old);
            state.history.note(&call);
            let document = serde_json::from_slice(&reply.body).unwrap_or_default();
            let Call { operation, body } = call;
            state.made.push_back(MadeCall { process, operation, request: body, reply: document, is_answered });
        }
        reply.into_response()
    }

    /// Makes the Query of a log read few items a page: it is no snapshot.
    fn cut_page(&self, call: &Call, request: &mut HttpRequest) {
        let state = &mut *self.state();
        let partition = call.body["ExpressionAttributeValues"][":partition"]["S"].as_str().unwrap_or_default();
        if !state.is_stepped || call.operation != "Query" || !partition.starts_with("LOG#") || state.rng.bool() {
            return;
        }
        let mut body = call.body.clone();
        body["Limit"] = json!(state.rng.u8(2..6));
        let bytes = body.to_string().into_bytes();
        request.headers_mut().insert("content-length", bytes.len().to_string());
        *request.body_mut() = SdkBody::from(bytes);
    }
}

/// Call in flight, until it ends or is dropped.
struct InFlight<'a>(&'a StepConnector, bool);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if self.1 {
            self.0.state().in_flight -= 1;
        }
        self.0.shared.changed.notify_one();
    }
}

impl ConnectorLayer for StepConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let call = Call::read(&request);
        let process = PROCESS.try_with(|process| *process).unwrap_or_default();
        let is_stepped = self.state().is_stepped;
        let end = if is_stepped { self.wait(process).await } else { CallEnd::Answered };
        let flight = InFlight(self, is_stepped);
        match end {
            CallEnd::Throttled if call.is_transaction() => {
                replies::throttled_transaction(&call, process, 0).into_response()
            }
            CallEnd::Throttled => replies::throttled().into_response(),
            CallEnd::Conflicted if call.is_transaction() => replies::conflict(&call, &[0]).into_response(),
            CallEnd::Answered | CallEnd::Conflicted => self.make(process, call, request, &next, true).await,
            CallEnd::ReplyLost => {
                self.make(process, call, request, &next, false).await?;
                Err(ConnectorError::io(IoError::from(IoErrorKind::ConnectionReset).into()))
            }
            CallEnd::Dead => {
                let _ = self.make(process, call, request, &next, false).await;
                drop(flight);
                std::future::pending().await
            }
        }
    }
}
