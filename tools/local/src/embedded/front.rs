//! The way to the emulator: only for clients of this machine, and without its CORS headers.
//!
//! The emulator's own server answers any `Host`, and every site's pages. It serves a port and nothing else, so its port is open
//! only while one connection to it is made: then the listener is dropped, and the connection stays. Requests go through such
//! connections, which nobody else has.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, anyhow};
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use dynoxide::Database;
use http::header::{self, HeaderName};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::local_only::local_hosts_only;

/// Connections to the emulator, which does one thing after the other: enough for requests to wait there.
const MAX_CONNECTIONS: usize = 32;
/// The largest body: the emulator's own limit and `DynamoDB`'s, 16 MB.
const BODY_BYTES: usize = 16 * 1024 * 1024;

/// Headers that belong to one connection, that are written anew, or that say which site a page is from.
const NOT_PASSED_ON: [HeaderName; 10] = [
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

/// A connection to the emulator that has no request under way.
type Connection = SendRequest<Full<Bytes>>;

/// Everything of the emulator's protocol, for clients of this machine.
pub(super) fn router(database: Database) -> Router {
    let emulator = Arc::new(Emulator { database, idle: Mutex::default(), free: Semaphore::new(MAX_CONNECTIONS) });
    local_hosts_only(Router::new().fallback(move |request| forward(Arc::clone(&emulator), request)))
}

/// The emulator, and the connections to it.
struct Emulator {
    database: Database,
    idle: Mutex<Vec<Connection>>,
    free: Semaphore,
}

async fn forward(emulator: Arc<Emulator>, request: Request<Body>) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let body = match Limited::new(body, BODY_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return failure(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return failure(StatusCode::BAD_REQUEST),
    };
    remove_all(&mut head.headers);
    match emulator.send(Request::from_parts(head, Full::new(body))).await {
        Ok(response) => response.map(Body::from),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "DynamoDB did not answer");
            failure(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

impl Emulator {
    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Bytes>> {
        let _one = self.free.acquire().await?;
        let mut connection = match self.take_idle().await {
            Some(connection) => connection,
            None => connect(self.database.clone()).await.context("no connection to the emulator")?,
        };
        let (mut head, body) = connection.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        self.idle().push(connection);
        remove_all(&mut head.headers);
        Ok(Response::from_parts(head, body))
    }

    /// A connection that is still open.
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

/// Opens a port of the emulator for as long as it takes to connect to it. What it has accepted it serves to the end.
async fn connect(database: Database) -> anyhow::Result<Connection> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let never = std::future::pending();
    tokio::select! {
        ended = dynoxide::server::serve_with_shutdown(listener, database, never) => Err(anyhow!("it stopped: {ended:?}")),
        connection = reach(address) => connection,
    }
}

async fn reach(address: SocketAddr) -> anyhow::Result<Connection> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut connection, driver) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        if let Err(error) = driver.await {
            tracing::debug!(%error, "a connection to the emulator ended early");
        }
    });
    // Its answer shows that the connection is accepted: until then it would end with the listener.
    let answer = connection.send_request(Request::get("/").body(Full::default())?).await?;
    answer.into_body().collect().await?;
    Ok(connection)
}

fn remove_all(headers: &mut HeaderMap) {
    for name in &NOT_PASSED_ON {
        headers.remove(name);
    }
}

fn failure(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
