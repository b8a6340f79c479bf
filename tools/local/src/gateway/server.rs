//! The gateway's HTTP server and its limits.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
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

use super::event::{self, Incoming};
use super::reply::{self, Refusal};
use super::{ApiHost, LocalFunction, RouteTable};
use crate::local_only::local_hosts_only;

/// AWS: "total combined size of request line and header values".
const HEAD_BYTES: usize = 10_240;

/// AWS: "payload size".
const BODY_BYTES: usize = 10 * 1024 * 1024;

/// A body over the limit is read up to here and thrown away: a client that is still sending would see a broken
/// connection instead of the answer.
const DISCARDED_BYTES: usize = 64 * 1024 * 1024;

/// Well over [`HEAD_BYTES`], so that the gateway answers and not the HTTP library, and a bound on what one reads.
const READ_BUFFER_BYTES: usize = 256 * 1024;

/// As above: values of ten bytes reach [`HEAD_BYTES`] first.
const MAX_HEADERS: usize = 1_024;

/// How long a client may take for its headers, and again for its body: AWS's limit for a whole request.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a stop waits for running requests: as long as a function may take. Half a request would hold it for ever.
const STOP_GRACE: Duration = Duration::from_secs(10);

/// A pause where no connection can be accepted, for want of file descriptors as a rule.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A running gateway. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct Gateway {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<()>,
}

impl Gateway {
    /// Serves `routes` (a route key such as `GET /api/v2/user/{user_id}`, and its function) on 127.0.0.1 at `port`
    /// (0 picks a free one). A path that `extra` has goes there: pages for developers, outside the API's limits.
    ///
    /// # Errors
    /// The port is taken, a route key is not valid or stands twice, or there is no tokio runtime to run on.
    pub fn start(port: u16, routes: Vec<(String, LocalFunction)>, extra: Router) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Handle::try_current().context("the gateway runs inside a tokio runtime")?;
        let (keys, functions): (Vec<_>, Vec<_>) = routes.into_iter().unzip();
        let table = RouteTable::new(keys.into_iter().enumerate().map(|(index, key)| (key, index)))?;
        let api = Arc::new(Api { table, functions });
        let all = extra.fallback(move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request<Body>| {
            let api = Arc::clone(&api);
            async move { api.answer(peer, request).await }
        });
        let all = local_hosts_only(all);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot listen on 127.0.0.1:{port} for the gateway"))?;
        listener.set_nonblocking(true).context("cannot prepare the gateway's socket")?;
        let address = listener.local_addr().context("cannot read the gateway's address")?;
        let listener = tokio::net::TcpListener::from_std(listener).context("cannot serve the gateway's socket")?;
        let (stop, stopped) = oneshot::channel();
        let server = runtime.spawn(serve(listener, all, stopped));
        Ok(Self { address, stop: Some(stop), server })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting and lets running requests finish, for some seconds at the most.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        if let Err(error) = self.server.await {
            tracing::error!(%error, "the gateway's server broke");
        }
    }
}

/// Runs until the sender of `stopped` is gone.
async fn serve(listener: tokio::net::TcpListener, router: Router, mut stopped: oneshot::Receiver<()>) {
    let connections = GracefulShutdown::new();
    let (cut, cut_off) = watch::channel(());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut stopped => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let connection = connections.watch(connect(stream, peer, router.clone()));
                tokio::spawn(run(connection, cut_off.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(STOP_GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!("requests were cut off by the gateway's stop");
    }
    drop(cut);
}

fn connect(stream: TcpStream, peer: SocketAddr, router: Router) -> impl GracefulConnection<Error = hyper::Error> {
    // Answers are small: waiting for more to send would only delay them.
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

/// Serves a connection to its end, or until the sender of `cut_off` is gone.
async fn run(connection: impl Future<Output = hyper::Result<()>>, mut cut_off: watch::Receiver<()>) {
    tokio::select! {
        result = connection => if let Err(error) = result {
            tracing::debug!(%error, "a connection ended early");
        },
        _ = cut_off.changed() => {}
    }
}

/// The functions and the way to them.
struct Api {
    table: RouteTable,
    functions: Vec<LocalFunction>,
}

impl Api {
    async fn answer(&self, peer: SocketAddr, request: Request<Body>) -> Response<Body> {
        let request_id = request_id();
        let mut response = self.handle(peer, request, &request_id).await.unwrap_or_else(Refusal::into_http);
        if let Ok(value) = HeaderValue::try_from(request_id) {
            response.headers_mut().insert(reply::REQUEST_ID, value);
        }
        response
    }

    async fn handle(
        &self,
        peer: SocketAddr,
        request: Request<Body>,
        request_id: &str,
    ) -> Result<Response<Body>, Refusal> {
        let received_at = SystemClock.now();
        let (head, body) = request.into_parts();
        // Read before anything is refused: see `DISCARDED_BYTES`.
        let body = tokio::time::timeout(READ_TIMEOUT, read(body)).await.unwrap_or(Err(Refusal::RequestTimeout));
        if head_bytes(&head) > HEAD_BYTES {
            return Err(Refusal::HeadersTooLarge);
        }
        let host = ApiHost::of(&head.headers).map_err(|_| Refusal::BadRequest)?;
        let route = self.table.find(&head.method, head.uri.path().as_bytes()).ok_or(Refusal::NotFound)?;
        let function = self.functions.get(route.function).ok_or(Refusal::NotFound)?;
        let trace_id = trace_id(received_at);
        let incoming = Incoming {
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
        let event = event::to_json(&event::build(&incoming, &route)).map_err(|_| Refusal::Internal)?;
        reply::into_http(function.invoke(event, &trace_id).await?)
    }
}

/// The request line and the values of all headers, as AWS counts them.
fn head_bytes(head: &http::request::Parts) -> usize {
    let line = head.method.as_str().len() + head.uri.to_string().len() + "  HTTP/1.1".len();
    line + head.headers.values().map(HeaderValue::len).sum::<usize>()
}

async fn read(mut body: Body) -> Result<Bytes, Refusal> {
    let (mut kept, mut seen) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Refusal::BadRequest)?.into_data() else { continue };
        seen += data.len();
        if seen > DISCARDED_BYTES {
            break;
        }
        if seen <= BODY_BYTES {
            kept.extend_from_slice(&data);
        }
    }
    if seen > BODY_BYTES { Err(Refusal::BodyTooLarge) } else { Ok(kept.freeze()) }
}

/// In the form that AWS gives it: 11 bytes in base64.
fn request_id() -> String {
    let mut bytes = [0; 11];
    fastrand::fill(&mut bytes);
    BASE64_STANDARD.encode(bytes)
}

fn trace_id(at: Timestamp) -> String {
    format!("Root=1-{:08x}-{:024x}", at.as_second(), fastrand::u128(..) >> 32)
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
