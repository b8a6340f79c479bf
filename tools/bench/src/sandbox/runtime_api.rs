//! The runtime API of AWS Lambda, as far as a function needs it, for one function at a time.
//!
//! Shape: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>.

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
use presence::clock::{Clock as _, Stopwatch, SystemClock};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// Longest wait for a function: hundreds of times what the slowest takes.
const PATIENCE: Duration = Duration::from_mins(1);
/// The time that the template gives a function of the API.
pub(crate) const FUNCTION_TIME: Duration = Duration::from_secs(10);

/// What a function did.
#[derive(Debug)]
enum Step {
    /// It asked for the next event.
    Polled,
    /// It answered.
    Answered(Bytes),
    /// It said that it failed.
    Failed(Bytes),
}

struct Shared {
    since: Stopwatch,
    function_time: Duration,
    steps: mpsc::UnboundedSender<(Duration, Step)>,
    events: Mutex<mpsc::UnboundedReceiver<String>>,
}

/// A running runtime API. Times are counted from its start.
pub(crate) struct RuntimeApi {
    address: SocketAddr,
    shared: Arc<Shared>,
    steps: mpsc::UnboundedReceiver<(Duration, Step)>,
    events: mpsc::UnboundedSender<String>,
    server: JoinHandle<()>,
}

impl RuntimeApi {
    /// Starts one for a function that may take so long for an event.
    pub(crate) async fn start(function_time: Duration) -> anyhow::Result<Self> {
        let (steps, all_steps) = mpsc::unbounded_channel();
        let (events, all_events) = mpsc::unbounded_channel();
        let shared =
            Arc::new(Shared { since: Stopwatch::start(), function_time, steps, events: Mutex::new(all_events) });
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
        Ok(Self { address, shared, steps: all_steps, events, server })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The time now.
    pub(crate) fn now(&self) -> Duration {
        self.shared.since.elapsed()
    }

    /// Hands out an event. The time.
    pub(crate) fn send(&self, event: &str) -> anyhow::Result<Duration> {
        let now = self.now();
        self.events.send(event.to_owned())?;
        Ok(now)
    }

    /// When the function asked for an event.
    pub(crate) async fn polled(&mut self) -> anyhow::Result<Duration> {
        match self.step().await? {
            (at, Step::Polled) => Ok(at),
            (_, Step::Answered(text) | Step::Failed(text)) => bail!("not a poll: {}", String::from_utf8_lossy(&text)),
        }
    }

    /// When the function answered, and what.
    pub(crate) async fn answered(&mut self) -> anyhow::Result<(Duration, Bytes)> {
        match self.step().await? {
            (at, Step::Answered(text)) => Ok((at, text)),
            (_, Step::Failed(text)) => bail!("the function failed: {}", String::from_utf8_lossy(&text)),
            (_, Step::Polled) => bail!("a poll in the place of an answer"),
        }
    }

    async fn step(&mut self) -> anyhow::Result<(Duration, Step)> {
        let step = tokio::time::timeout(PATIENCE, self.steps.recv()).await.context("the function does nothing")?;
        step.context("the server has ended")
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn saw(&self, step: Step) -> StatusCode {
        let _ = self.steps.send((self.since.elapsed(), step));
        StatusCode::ACCEPTED
    }
}

async fn next(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    shared.saw(Step::Polled);
    let event = shared.events.lock().await.recv().await.unwrap_or_default();
    let deadline =
        SystemClock.now().as_millisecond() + i64::try_from(shared.function_time.as_millis()).unwrap_or_default();
    let headers = [
        ("lambda-runtime-aws-request-id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned()),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:eu-west-1:123456789012:function:bench".to_owned()),
        ("lambda-runtime-trace-id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0".to_owned()),
        ("content-type", "application/json".to_owned()),
    ];
    (headers, event)
}

async fn answered(State(shared): State<Arc<Shared>>, Path(_): Path<String>, body: Bytes) -> StatusCode {
    shared.saw(Step::Answered(body))
}

async fn failed(State(shared): State<Arc<Shared>>, Path(_): Path<String>, body: Bytes) -> StatusCode {
    shared.saw(Step::Failed(body))
}

async fn failed_to_start(State(shared): State<Arc<Shared>>, body: Bytes) -> StatusCode {
    shared.saw(Step::Failed(body))
}
