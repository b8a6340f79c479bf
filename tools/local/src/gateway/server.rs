//! HTTP server of the gateway, and its limits.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming as HyperBody;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use jiff::Timestamp;
use lambda_http::Service;
use presence_runtime::clock::{Clock as _, SystemClock};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::event::{self, IncomingRequest};
use super::response::{self, GatewayError};
use super::{LocalFunction, RouteTable};
use crate::history::{self, Exchange, ReceivedRequest, RequestHistory};
use crate::host::ApiHost;
use crate::listen::listen;
use crate::local_only::{is_change_of_another_site, local_hosts_only};

/// Prefix of the paths of the API. The page of invitations answers other sites itself.
const API_PREFIX: &str = "/api/";

/// Largest size of the request line and all header values: the quota of API Gateway.
pub const MAX_HEAD_BYTES: usize = 10_240;

/// Largest body: the payload quota of API Gateway.
const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// Number of bytes that are read of a body over the limit, and discarded. A client that is still sending would see a broken
/// connection instead of the response.
const MAX_DRAINED_BYTES: usize = 64 * 1024 * 1024;

/// Size of a connection's read buffer. It exceeds [`MAX_HEAD_BYTES`], so that the gateway answers and not the HTTP library.
const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Largest number of headers. With values of ten bytes, [`MAX_HEAD_BYTES`] is reached first.
const MAX_HEADERS: usize = 1_024;

/// Time limit for the headers of a request, and again for its body: the integration timeout of API Gateway.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for which a stop waits for running requests: the time limit of a function. An incomplete request would block it.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after a failed accept. The usual reason is a lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Running gateway. Dropping it stops it without waiting for requests.
#[derive(Debug)]
pub struct Gateway {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<()>,
}

impl Gateway {
    /// Serves `routes` on 127.0.0.1 at `port` (0 picks a free one). A route key is like `GET /api/v2/user/{user_id}`.
    ///
    /// `pages` are pages for developers. Their paths come before the routes, and the limits of the API do not apply to them.
    /// `history` gets every request to the API, if there is one.
    ///
    /// # Errors
    /// Returns an error if the port is taken, a route key is not valid or listed twice, or no tokio runtime is running.
    pub fn start(
        port: u16,
        routes: Vec<(String, LocalFunction)>,
        pages: Router,
        history: Option<Arc<RequestHistory>>,
    ) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Handle::try_current().context("the gateway runs inside a tokio runtime")?;
        let api = Arc::new(Api { routes: RouteTable::new(routes)?, history });
        let service = pages.fallback(move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request<Body>| {
            let api = Arc::clone(&api);
            async move { api.answer(peer, request).await }
        });
        let listener = listen(port, "the gateway", "--port")?;
        let address = listener.local_addr().context("cannot read the gateway's address")?;
        let listener = tokio::net::TcpListener::from_std(listener).context("cannot serve the gateway's socket")?;
        let (stop, stopped) = oneshot::channel();
        let server = runtime.spawn(serve(listener, local_hosts_only(service), stopped));
        Ok(Self { address, stop: Some(stop), server })
    }

    /// Returns the address on which the gateway listens.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting connections and waits for running requests, for some seconds at most.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        if let Err(error) = self.server.await {
            tracing::error!(%error, "the gateway's server panicked");
        }
    }
}

/// Serves until the sender of `stopped` is dropped, then waits for running requests until the timeout.
async fn serve(listener: tokio::net::TcpListener, router: Router, mut stopped: oneshot::Receiver<()>) {
    let connections = GracefulShutdown::new();
    let (abort, aborted) = watch::channel(());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut stopped => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let connection = connections.watch(serve_connection(stream, peer, router.clone()));
                tokio::spawn(run(connection, aborted.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, connections.shutdown()).await.is_err() {
        tracing::warn!("requests were cut off by the gateway's stop");
    }
    drop(abort);
}

fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
) -> impl GracefulConnection<Error = hyper::Error> {
    // Responses are small. Nagle's algorithm would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let service = hyper::service::service_fn(move |mut request: Request<HyperBody>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIMEOUT)
        .max_buf_size(READ_BUFFER_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service)
}

/// Serves a connection until it ends or the sender of `aborted` is dropped.
async fn run(connection: impl Future<Output = hyper::Result<()>>, mut aborted: watch::Receiver<()>) {
    tokio::select! {
        result = connection => if let Err(error) = result {
            tracing::debug!(%error, "a connection ended early");
        },
        _ = aborted.changed() => {}
    }
}

/// API: its routes, each with its function.
struct Api {
    routes: RouteTable<LocalFunction>,
    history: Option<Arc<RequestHistory>>,
}

/// Event of a request, and the function that gets it.
struct Invocation<'a> {
    method: http::Method,
    function: &'a LocalFunction,
    event: Vec<u8>,
    trace_id: String,
}

impl Api {
    async fn answer(&self, peer: SocketAddr, request: Request<Body>) -> Response<Body> {
        let request_id = request_id();
        let received_at = SystemClock.now();
        let received = self
            .history
            .as_ref()
            .map(|_| ReceivedRequest::new(request.method().to_string(), request.uri().to_string(), received_at));
        let invocation = self.invocation(peer, request, &request_id, received_at).await;
        let result = match (received, invocation) {
            (Some(received), invocation) => self.invoke_and_keep(received, invocation).await,
            (None, Ok(Invocation { method, function, event, trace_id })) => {
                let answer = function.invoke(event, &trace_id).await.map_err(Into::into);
                answer.and_then(|answer| response::from_function(&method, answer))
            }
            (None, Err(error)) => Err(error),
        };
        let mut response = result.unwrap_or_else(GatewayError::into_response);
        if let Ok(value) = HeaderValue::try_from(request_id) {
            response.headers_mut().insert(response::REQUEST_ID, value);
        }
        response
    }

    /// Invokes the function, and keeps the request, the event and the answer in the history.
    async fn invoke_and_keep(
        &self,
        received: ReceivedRequest,
        invocation: Result<Invocation<'_>, GatewayError>,
    ) -> Result<Response<Body>, GatewayError> {
        let (exchange, result) = match invocation {
            Ok(Invocation { method, function, event, trace_id }) => {
                let (answer, facts) = history::observe(function.invoke(event.clone(), &trace_id)).await;
                let kept = answer.as_ref().ok().cloned();
                let result = answer.map_err(Into::into).and_then(|answer| response::from_function(&method, answer));
                let status = result.as_ref().map_or_else(|error| error.status(), Response::status);
                let exchange = received.answered(&event, facts, status.as_u16(), kept.as_ref());
                (Exchange { function: Some(function.name().to_owned()), ..exchange }, result)
            }
            Err(error) => (received.without_function(error.status().as_u16()), Err(error)),
        };
        if let Some(history) = &self.history {
            history.add(exchange);
        }
        result
    }

    /// Finds the function of a request and builds its event.
    async fn invocation(
        &self,
        peer: SocketAddr,
        request: Request<Body>,
        request_id: &str,
        received_at: Timestamp,
    ) -> Result<Invocation<'_>, GatewayError> {
        let (head, body) = request.into_parts();
        // The body is read before any error is returned: see `MAX_DRAINED_BYTES`.
        let body =
            tokio::time::timeout(READ_TIMEOUT, read_body(body)).await.unwrap_or(Err(GatewayError::RequestTimeout));
        if count_head_bytes(&head) > MAX_HEAD_BYTES {
            return Err(GatewayError::HeadersTooLarge);
        }
        if head.uri.path().starts_with(API_PREFIX) && is_change_of_another_site(&head) {
            return Err(GatewayError::Forbidden);
        }
        let host = ApiHost::from_headers(&head.headers).map_err(|_| GatewayError::BadRequest)?;
        let route = self.routes.find(&head.method, head.uri.path().as_bytes()).ok_or(GatewayError::NotFound)?;
        let trace_id = trace_id(received_at);
        let incoming = IncomingRequest {
            method: &head.method,
            target: head.uri.path_and_query().map_or("/", |target| target.as_str()).as_bytes(),
            version: head.version,
            headers: &head.headers,
            body: &body?,
            host: &host,
            source_ip: peer.ip(),
            request_id,
            trace_id: &trace_id,
            received_at,
        };
        let event = event::to_json(&event::build(&incoming, &route)).map_err(|_| GatewayError::Internal)?;
        Ok(Invocation { method: head.method, function: route.function, event, trace_id })
    }
}

/// Counts the bytes of the request line and of all header values, as AWS does.
fn count_head_bytes(head: &http::request::Parts) -> usize {
    let line = head.method.as_str().len() + head.uri.to_string().len() + "  HTTP/1.1".len();
    line + head.headers.values().map(HeaderValue::len).sum::<usize>()
}

/// Reads a body. Drains one that is too large, see [`MAX_DRAINED_BYTES`].
async fn read_body(mut body: Body) -> Result<Bytes, GatewayError> {
    let (mut kept, mut received) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| GatewayError::BadRequest)?.into_data() else { continue };
        received += data.len();
        if received > MAX_DRAINED_BYTES {
            break;
        }
        if received <= MAX_BODY_BYTES {
            kept.extend_from_slice(&data);
        }
    }
    if received > MAX_BODY_BYTES { Err(GatewayError::BodyTooLarge) } else { Ok(kept.freeze()) }
}

/// Returns a random id in the format of API Gateway: 11 bytes in base64.
fn request_id() -> String {
    let mut bytes = [0; 11];
    fastrand::fill(&mut bytes);
    BASE64_STANDARD.encode(bytes)
}

/// Returns a random trace id in the format of X-Ray.
fn trace_id(received_at: Timestamp) -> String {
    format!("Root=1-{:08x}-{:024x}", received_at.as_second(), fastrand::u128(..) >> 32)
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
