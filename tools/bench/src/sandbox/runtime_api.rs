//! Runtime API of AWS Lambda for one function: the routes that a function needs.
//!
//! Reference: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use presence_runtime::clock::{Clock as _, Stopwatch, SystemClock};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// Longest wait for a call of the function: hundreds of times the slowest request.
const STEP_TIMEOUT: Duration = Duration::from_mins(1);
/// Timeout of the API functions in the template.
pub(crate) const API_FUNCTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Call of the function to the runtime API.
#[derive(Debug)]
enum FunctionCall {
    /// Poll for the next event.
    Poll,
    /// Answer to an event.
    Answer(Bytes),
    /// Report of a failure.
    Failure(Bytes),
}

/// State that the routes share with the API.
struct ServerState {
    since: Stopwatch,
    function_timeout: Duration,
    calls: mpsc::UnboundedSender<(Duration, FunctionCall)>,
    events: Mutex<mpsc::UnboundedReceiver<String>>,
}

/// Running runtime API. Times are durations since its start.
pub(crate) struct RuntimeApi {
    pub(crate) address: SocketAddr,
    shared: Arc<ServerState>,
    calls: mpsc::UnboundedReceiver<(Duration, FunctionCall)>,
    events: mpsc::UnboundedSender<String>,
    server: JoinHandle<()>,
}

impl RuntimeApi {
    /// Starts the API for a function with this timeout.
    pub(crate) async fn start(function_timeout: Duration) -> anyhow::Result<Self> {
        let (calls, received_calls) = mpsc::unbounded_channel();
        let (events, queued_events) = mpsc::unbounded_channel();
        let shared = Arc::new(ServerState {
            since: Stopwatch::start(),
            function_timeout,
            calls,
            events: Mutex::new(queued_events),
        });
        let routes = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/response", post(answered))
            .route("/2018-06-01/runtime/invocation/{id}/error", post(failed))
            .route("/2018-06-01/runtime/init/error", post(failed_to_start))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, routes).await;
        });
        Ok(Self { address, shared, calls: received_calls, events, server })
    }

    /// Returns the time now.
    pub(crate) fn now(&self) -> Duration {
        self.shared.since.elapsed()
    }

    /// Sends an event to the function. Returns the time.
    pub(crate) fn send(&self, event: &str) -> anyhow::Result<Duration> {
        let now = self.now();
        self.events.send(event.to_owned())?;
        Ok(now)
    }

    /// Waits until the function polls for an event. Returns the time.
    pub(crate) async fn wait_for_poll(&mut self) -> anyhow::Result<Duration> {
        match self.next_call().await? {
            (at, FunctionCall::Poll) => Ok(at),
            (_, FunctionCall::Answer(text) | FunctionCall::Failure(text)) => {
                bail!("expected a poll, not an answer: {}", String::from_utf8_lossy(&text))
            }
        }
    }

    /// Waits until the function answers. Returns the time and the answer.
    pub(crate) async fn wait_for_answer(&mut self) -> anyhow::Result<(Duration, Bytes)> {
        match self.next_call().await? {
            (at, FunctionCall::Answer(text)) => Ok((at, text)),
            (_, FunctionCall::Failure(text)) => bail!("the function failed: {}", String::from_utf8_lossy(&text)),
            (_, FunctionCall::Poll) => bail!("expected an answer, not a poll"),
        }
    }

    async fn next_call(&mut self) -> anyhow::Result<(Duration, FunctionCall)> {
        let next_call =
            tokio::time::timeout(STEP_TIMEOUT, self.calls.recv()).await.context("the function makes no call")?;
        next_call.context("the server has ended")
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl ServerState {
    fn record(&self, next_call: FunctionCall) -> StatusCode {
        let _ = self.calls.send((self.since.elapsed(), next_call));
        StatusCode::ACCEPTED
    }
}

async fn next(State(shared): State<Arc<ServerState>>) -> impl IntoResponse {
    shared.record(FunctionCall::Poll);
    let event = shared.events.lock().await.recv().await.unwrap_or_default();
    let deadline =
        SystemClock.now().as_millisecond() + i64::try_from(shared.function_timeout.as_millis()).unwrap_or_default();
    let headers = [
        ("lambda-runtime-aws-request-id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned()),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:eu-west-1:123456789012:function:bench".to_owned()),
        ("lambda-runtime-trace-id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0".to_owned()),
        ("content-type", "application/json".to_owned()),
    ];
    (headers, event)
}

async fn answered(State(shared): State<Arc<ServerState>>, Path(_): Path<String>, body: Bytes) -> StatusCode {
    shared.record(FunctionCall::Answer(body))
}

async fn failed(State(shared): State<Arc<ServerState>>, Path(_): Path<String>, body: Bytes) -> StatusCode {
    shared.record(FunctionCall::Failure(body))
}

async fn failed_to_start(State(shared): State<Arc<ServerState>>, body: Bytes) -> StatusCode {
    shared.record(FunctionCall::Failure(body))
}
