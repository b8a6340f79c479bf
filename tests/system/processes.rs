//! Processes of the functions of the API, behind their gateway.

use std::future::{Future, pending};
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use aws_lambda_events::encodings::Body;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use fastrand::Rng;
use http::{HeaderMap, HeaderValue, Method, Version};
use jiff::{SignedDuration, Timestamp};
use presence_local::Options;
use presence_local::gateway::event::{IncomingRequest, build, to_json};
use presence_local::gateway::{InvokeError, LocalFunction, RouteTable};
use presence_local::host::ApiHost;
use presence_runtime::clock::Clock;
use presence_store::Database;
use presence_tests::ConnectorLayer;
use presence_tests::connectors::{Answer, NetworkConnector, NetworkFault, Next};
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::pauses::Pauses;

/// Trace that all requests share.
const TRACE: &str = "Root=1-6b019b48-0123456789abcdef01234567";

/// Page of an invitation.
pub(crate) const PAGE: &str = "/invitation";
/// Calls of a process until it dies. All functions of the API together are a process here.
pub(crate) const LIFE: Range<i64> = 1..1_500;
/// Time from one jump of a clock to the next, in milliseconds.
const UNTIL_JUMP: u64 = 40_000;
/// Number of the errors of a clock that jumps.
const ERRORS: usize = 7;

/// Clock of a process: virtual time, with an error.
pub(crate) struct SimulatedClock {
    pub(crate) start: Instant,
    pub(crate) at_start: Timestamp,
    /// Errors in milliseconds. The clock jumps from one to the next.
    pub(crate) errors: Vec<i64>,
    /// Milliseconds of the first error that are over at the start.
    pub(crate) phase: u64,
}

impl SimulatedClock {
    /// Draws errors up to this one. Half of the clocks jump.
    pub(crate) fn draw(start: Instant, at_start: Timestamp, largest: i64, rng: &mut Rng) -> Self {
        let count = if rng.bool() { ERRORS } else { 1 };
        let errors = (0..count).map(|_| rng.i64(-largest..=largest)).collect();
        Self { start, at_start, errors, phase: rng.u64(..UNTIL_JUMP) }
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        let elapsed = u64::try_from(self.start.elapsed().as_millis()).expect("a short time");
        let jumps = usize::try_from((elapsed + self.phase) / UNTIL_JUMP).expect("few");
        let error = self.errors[jumps % self.errors.len()];
        self.at_start + SignedDuration::from_millis(elapsed.cast_signed() + error)
    }
}

/// Life of a process. It ends at one of its calls, before the call or after it. At some calls the process stands still. Clones are of one process.
#[derive(Clone)]
pub(crate) struct Life {
    network: NetworkConnector,
    pauses: Arc<Pauses>,
    still_until: Arc<Mutex<Instant>>,
    calls_left: Arc<AtomicI64>,
    /// True if the last call is carried out.
    ends_after: bool,
    is_over: Arc<AtomicBool>,
    /// Tells of the end. A `watch` would tell in a random order.
    end: Arc<Notify>,
}

impl Life {
    /// Returns a life without an end.
    pub(crate) fn start(network: &NetworkConnector, pauses: &Arc<Pauses>, ends_after: bool) -> Self {
        let (calls_left, is_over, end) = (Arc::new(AtomicI64::new(i64::MAX)), Arc::default(), Arc::default());
        let (pauses, still_until) = (Arc::clone(pauses), Arc::new(Mutex::new(Instant::now())));
        Self { network: network.clone(), pauses, still_until, calls_left, ends_after, is_over, end }
    }

    /// Sets the call at which this life ends, unless there are no faults then.
    pub(crate) fn end_at(&self, call: i64) {
        self.calls_left.store(call, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.end.notify_waiters();
    }

    /// Waits while the process stands still, which may begin now. So no call of it begins, and no answer reaches it.
    async fn stand_still(&self) {
        let until = {
            let mut until = self.still_until.lock().expect("no panic");
            if let Some(pause) = self.pauses.draw(&self.network) {
                *until = (*until).max(Instant::now() + pause);
            }
            *until
        };
        if Instant::now() < until {
            tokio::time::sleep_until(until).await;
        }
    }

    /// Does work of the process. Returns none if the process dies meanwhile.
    async fn work<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut end = pin!(self.end.notified());
        end.as_mut().enable();
        if self.is_over() {
            return None;
        }
        tokio::select! {
            biased;
            () = end => None,
            output = work => Some(output),
        }
    }
}

impl ConnectorLayer for Life {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let left = self.calls_left.fetch_sub(1, Ordering::Relaxed);
        let is_last = left <= 1 && self.network.has(NetworkFault::Kill);
        if is_last && !self.ends_after {
            self.end();
        }
        let call = async {
            self.stand_still().await;
            let answer = next.call(request).await;
            self.stand_still().await;
            answer
        };
        let answer = self.work(call).await;
        if is_last {
            self.end();
        }
        match answer.filter(|_| !is_last) {
            Some(answer) => answer,
            None => pending().await,
        }
    }
}

/// Request of the API, or of the page of invitations.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Path behind `/api/v2`, or that of the page, with the query.
    pub(crate) path: String,
    pub(crate) key: String,
    pub(crate) idempotency_key: Option<String>,
    /// JSON; a text is a form, and null is none.
    pub(crate) body: Value,
    /// Address of the caller.
    pub(crate) source: Ipv4Addr,
}

impl Request {
    /// Returns a request to read, without a body.
    pub(crate) fn get(path: String, key: &str) -> Self {
        let (method, key) = (Method::GET, key.to_owned());
        Self { method, path, key, idempotency_key: None, body: Value::Null, source: Ipv4Addr::LOCALHOST }
    }
}

/// A process of each function of the API.
pub(crate) struct Api {
    routes: RouteTable<LocalFunction>,
    host: ApiHost,
    pub(crate) life: Life,
}

impl Api {
    /// Starts the processes with caches of their own.
    pub(crate) async fn start(database: &Database, clock: Arc<dyn Clock>, life: Life) -> Self {
        let options = Options { clock, ..Options::default() };
        let routes = presence_local::start_functions(database, &options).await.expect("the functions start");
        let routes = RouteTable::new(routes).expect("the routes of the template");
        Self { routes, host: ApiHost::parse("api.example").expect("a host"), life }
    }

    /// Invokes the function of a request. Returns status and body: 503 after its time limit or if the process dies, and 500 if it panics.
    pub(crate) async fn answer(&self, request: &Request) -> (u16, Value) {
        let is_page = request.path.starts_with(PAGE);
        let target = if is_page { request.path.clone() } else { format!("/api/v2{}", request.path) };
        let mut headers = HeaderMap::new();
        if !is_page {
            headers.insert("x-api-key", HeaderValue::from_str(&request.key).expect("a key"));
        }
        if let Some(key) = &request.idempotency_key {
            headers.insert("idempotency-key", HeaderValue::from_str(key).expect("a key"));
        }
        let (kind, body) = match &request.body {
            Value::Null => (None, String::new()),
            Value::String(form) => (Some("application/x-www-form-urlencoded"), form.clone()),
            json => (Some("application/json"), json.to_string()),
        };
        if let Some(kind) = kind {
            headers.insert("content-type", HeaderValue::from_static(kind));
        }
        let incoming = IncomingRequest {
            method: &request.method,
            target: target.as_bytes(),
            version: Version::HTTP_11,
            headers: &headers,
            body: body.as_bytes(),
            host: &self.host,
            source_ip: IpAddr::V4(request.source),
            request_id: "simulation=",
            trace_id: TRACE,
            received_at: Timestamp::UNIX_EPOCH,
        };
        let route = self.routes.find(&request.method, incoming.path()).expect("a route of the API");
        let event = to_json(&build(&incoming, &route)).expect("JSON");
        match self.life.work(route.function.invoke(event, TRACE)).await {
            Some(Ok(response)) => {
                let status = u16::try_from(response.status_code).expect("a status");
                let body = match response.body {
                    Some(Body::Text(text)) => serde_json::from_str(&text).unwrap_or_default(),
                    _ => Value::Null,
                };
                (status, body)
            }
            Some(Err(InvokeError::TimedOut)) | None => (503, Value::Null),
            Some(Err(error)) => (500, error.to_string().into()),
        }
    }
}
