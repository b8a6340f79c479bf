//! Processes of the functions of the API, behind their gateway.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use aws_lambda_events::encodings::Body;
use http::{HeaderMap, HeaderValue, Method, Version};
use jiff::{SignedDuration, Timestamp};
use presence_local::Options;
use presence_local::gateway::event::{IncomingRequest, build, to_json};
use presence_local::gateway::{InvokeError, LocalFunction, RouteTable};
use presence_local::host::ApiHost;
use presence_runtime::clock::Clock;
use presence_store::Database;
use serde_json::Value;
use tokio::time::Instant;

/// Trace that all requests share.
const TRACE: &str = "Root=1-6b019b48-0123456789abcdef01234567";

/// Page of an invitation.
pub(crate) const PAGE: &str = "/invitation";

/// Clock of a process: virtual time, with an error.
pub(crate) struct SimulatedClock {
    pub(crate) start: Instant,
    pub(crate) at_start: Timestamp,
    pub(crate) error: SignedDuration,
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        self.at_start + SignedDuration::try_from(self.start.elapsed()).expect("a short time") + self.error
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
}

/// A process of each function of the API.
pub(crate) struct Api {
    routes: RouteTable<LocalFunction>,
    host: ApiHost,
}

impl Api {
    /// Starts the processes with caches of their own.
    pub(crate) async fn start(database: &Database, clock: Arc<dyn Clock>) -> Self {
        let options = Options { clock, ..Options::default() };
        let routes = presence_local::start_functions(database, &options).await.expect("the functions start");
        let routes = RouteTable::new(routes).expect("the routes of the template");
        Self { routes, host: ApiHost::parse("api.example").expect("a host") }
    }

    /// Invokes the function of a request. Returns status and body: 503 after its time limit, and 500 if it panics.
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
            source_ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
            request_id: "simulation=",
            trace_id: TRACE,
            received_at: Timestamp::UNIX_EPOCH,
        };
        let route = self.routes.find(&request.method, incoming.path()).expect("a route of the API");
        let event = to_json(&build(&incoming, &route)).expect("JSON");
        match route.function.invoke(event, TRACE).await {
            Ok(response) => {
                let status = u16::try_from(response.status_code).expect("a status");
                let body = match response.body {
                    Some(Body::Text(text)) => serde_json::from_str(&text).unwrap_or_default(),
                    _ => Value::Null,
                };
                (status, body)
            }
            Err(InvokeError::TimedOut) => (503, Value::Null),
            Err(error) => (500, error.to_string().into()),
        }
    }
}
