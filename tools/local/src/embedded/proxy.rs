//! Proxy in front of the emulator: accepts only local hosts, and removes the emulator's CORS headers.
//!
//! The emulator's own server accepts any `Host` and allows every origin. Its only entry is a TCP listener. So the proxy opens
//! that listener only while it makes one connection, then drops it and keeps the connection. Requests use such connections,
//! which no other process can reach.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, anyhow};
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use dynoxide::Database;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::direct;
use crate::local_only::local_hosts_only;

/// Largest number of connections to the emulator. It handles one request at a time, so more would not be faster.
const MAX_CONNECTIONS: usize = 32;
/// Largest body in bytes: the limit of the emulator and of `DynamoDB`, 16 MB.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Headers that are not forwarded: they belong to one connection, are written again, or name the origin of a page.
const REMOVED_HEADERS: [HeaderName; 10] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::ORIGIN,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// Connection to the emulator without a request in flight.
type Connection = SendRequest<Full<Bytes>>;

/// Builds a router that forwards every request to the emulator.
pub(super) fn router(pool: Arc<Pool>) -> Router {
    local_hosts_only(Router::new().fallback(move |request| forward(Arc::clone(&pool), request)))
}

async fn forward(pool: Arc<Pool>, request: Request<Body>) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let body = match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return empty_response(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return empty_response(StatusCode::BAD_REQUEST),
    };
    remove_headers(&mut head.headers);
    match pool.send(Request::from_parts(head, Full::new(body))).await {
        Ok(response) => response.map(Body::from),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "DynamoDB did not answer");
            empty_response(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// Pool of connections to the emulator.
pub(super) struct Pool {
    database: Database,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Pool {
    pub(super) fn of(database: Database) -> Self {
        Self { database, idle: Mutex::default(), permits: Semaphore::new(MAX_CONNECTIONS) }
    }

    /// Runs a request without HTTP, if it is one of those that [`direct::run`] takes.
    pub(super) fn run(&self, headers: &HeaderMap, body: &[u8]) -> Option<Response<Bytes>> {
        let (_, operation) = headers.get("x-amz-target")?.to_str().ok()?.split_once('.')?;
        let (status, answer) = direct::run(&self.database, operation, std::str::from_utf8(body).ok()?)?;
        let mut response = Response::new(Bytes::from(answer));
        *response.status_mut() = StatusCode::from_u16(status).ok()?;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-amz-json-1.0"));
        Some(response)
    }

    pub(super) async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Bytes>> {
        let _permit = self.permits.acquire().await?;
        let mut connection = match self.take_idle().await {
            Some(connection) => connection,
            None => connect(self.database.clone()).await.context("no connection to the emulator")?,
        };
        let (mut head, body) = connection.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        self.idle().push(connection);
        remove_headers(&mut head.headers);
        Ok(Response::from_parts(head, body))
    }

    /// Takes an idle connection that is still open.
    async fn take_idle(&self) -> Option<Connection> {
        loop {
            let mut connection = self.idle().pop()?;
            if connection.ready().await.is_ok() {
                return Some(connection);
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a listener of the emulator, connects to it and closes it. The emulator keeps serving an accepted connection.
async fn connect(database: Database) -> anyhow::Result<Connection> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let never = std::future::pending();
    tokio::select! {
        ended = dynoxide::server::serve_with_shutdown(listener, database, never) => Err(anyhow!("it stopped: {ended:?}")),
        connection = open_connection(address) => connection,
    }
}

async fn open_connection(address: SocketAddr) -> anyhow::Result<Connection> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut connection, driver) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        if let Err(error) = driver.await {
            tracing::debug!(%error, "a connection to the emulator ended early");
        }
    });
    // The response shows that the connection is accepted. A connection that is not would end with the listener.
    let response = connection.send_request(Request::get("/").body(Full::default())?).await?;
    response.into_body().collect().await?;
    Ok(connection)
}

pub(super) fn remove_headers(headers: &mut HeaderMap) {
    for name in &REMOVED_HEADERS {
        headers.remove(name);
    }
}

fn empty_response(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
