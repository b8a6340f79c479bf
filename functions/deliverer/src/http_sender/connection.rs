//! Connections to receivers, kept for the next messages.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use http::Request;
use http::response::Parts;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use presence_domain::webhook::WebhookUrl;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// Largest part of an answer that is read, so that its connection may serve again.
const MAX_ANSWER: usize = 16 * 1024;
/// Time in which that part must come.
const ANSWER_TIME: Duration = Duration::from_secs(1);
/// Time for a connection to one address.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Largest number of addresses of a name that are tried.
const MAX_ADDRESSES: usize = 3;
/// Largest number of connections that are kept for a receiver: those of its messages in flight.
const MAX_KEPT: usize = 16;
/// Largest number of receivers with kept connections.
const MAX_RECEIVERS: usize = 64;

type Requests = SendRequest<Full<Bytes>>;

/// Receiver: name or address, port and scheme.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) is_tls: bool,
    /// Name, or address without brackets.
    pub(super) name: String,
    pub(super) port: u16,
    /// Header `Host`.
    pub(super) host: String,
}

impl Target {
    pub(super) fn of(url: &WebhookUrl) -> Option<Self> {
        let parsed = url.url();
        let is_tls = parsed.scheme() == "https";
        let host = parsed.host_str()?;
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = parsed.port_or_known_default()?;
        let host = parsed.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Some(Self { is_tls, name, port, host })
    }
}

/// Connections that are kept, each with its address.
type Kept = HashMap<Target, Vec<(SocketAddr, Requests)>>;

/// TLS connector, which the first secure connection builds.
type LazyTls = LazyLock<TlsConnector, Box<dyn FnOnce() -> TlsConnector + Send>>;

/// Connections to receivers.
#[derive(Clone)]
pub(super) struct Connections {
    tls: Arc<LazyTls>,
    kept: Arc<Mutex<Kept>>,
}

impl Connections {
    pub(super) fn new(tls: impl FnOnce() -> TlsConnector + Send + 'static) -> Self {
        Self { tls: Arc::new(LazyLock::new(Box::new(tls))), kept: Arc::default() }
    }

    /// Sends a request to one of the addresses, and returns the head of the answer.
    pub(super) async fn send(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        request: Request<Full<Bytes>>,
    ) -> Result<Parts, &'static str> {
        if let Some((address, mut requests)) = self.take(target, addresses) {
            // A receiver may close a kept connection at any time. A message that was not written goes by another one.
            match requests.try_send_request(request).await {
                Ok(response) => return Ok(self.finish(target, address, requests, response)),
                Err(mut error) => match error.take_message() {
                    Some(request) => return self.send_anew(target, addresses, request).await,
                    None => return Err("the connection broke off"),
                },
            }
        }
        self.send_anew(target, addresses, request).await
    }

    async fn send_anew(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        request: Request<Full<Bytes>>,
    ) -> Result<Parts, &'static str> {
        let (address, mut requests) = self.connect(target, addresses).await?;
        let response = requests.send_request(request).await.map_err(|_| "the connection broke off")?;
        Ok(self.finish(target, address, requests, response))
    }

    async fn connect(&self, target: &Target, addresses: &[SocketAddr]) -> Result<(SocketAddr, Requests), &'static str> {
        for address in addresses.iter().take(MAX_ADDRESSES) {
            let Ok(Ok(stream)) = tokio::time::timeout(CONNECT_TIME, TcpStream::connect(address)).await else {
                continue;
            };
            let _ = stream.set_nodelay(true);
            if !target.is_tls {
                return Ok((*address, start(stream).await?));
            }
            let name = ServerName::try_from(target.name.clone()).map_err(|_| "the name is not valid")?;
            let stream = self.tls.connect(name, stream).await.map_err(|_| "no secure connection")?;
            return Ok((*address, start(stream).await?));
        }
        Err("no connection")
    }

    /// Takes a kept connection to one of the addresses that were checked for this attempt.
    fn take(&self, target: &Target, addresses: &[SocketAddr]) -> Option<(SocketAddr, Requests)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = kept.get_mut(target)?;
        connections.retain(|(address, requests)| requests.is_ready() && addresses.contains(address));
        connections.pop()
    }

    /// Reads a part of the body beside the next work, and keeps the connection if that was all of it.
    fn finish(
        &self,
        target: &Target,
        address: SocketAddr,
        requests: Requests,
        response: http::Response<Incoming>,
    ) -> Parts {
        let (head, body) = response.into_parts();
        let (connections, target) = (self.clone(), target.clone());
        tokio::spawn(async move {
            if tokio::time::timeout(ANSWER_TIME, is_short(body)).await == Ok(true) {
                connections.keep(target, address, requests);
            }
        });
        head
    }

    fn keep(&self, target: Target, address: SocketAddr, requests: Requests) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_RECEIVERS && !kept.contains_key(&target) {
            kept.clear();
        }
        let connections = kept.entry(target).or_default();
        if connections.len() < MAX_KEPT {
            connections.push((address, requests));
        }
    }
}

/// Starts to speak HTTP on a stream.
async fn start(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Result<Requests, &'static str> {
    let (requests, connection) = handshake(TokioIo::new(stream)).await.map_err(|_| "no connection")?;
    tokio::spawn(async move {
        // The next sender on it sees its end.
        let _ = connection.await;
    });
    Ok(requests)
}

/// True if the body ends before the limit.
async fn is_short(mut body: Incoming) -> bool {
    let mut read = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > MAX_ANSWER {
            return false;
        }
    }
    true
}
