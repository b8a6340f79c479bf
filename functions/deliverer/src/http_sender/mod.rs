//! Sender of messages by HTTP, which finds no way inside.
//!
//! A name is resolved once for each attempt, every address is checked, and the connection goes to one that was checked. Redirects are not
//! followed. Connections are kept for some seconds, and serve again only if their address is among the checked ones.

mod connection;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT};
use http::{Method, Request};
use http_body_util::Full;
use hyper::body::Bytes;
use presence_domain::webhook::address::is_public;
use presence_domain::webhook::{WebhookReach, WebhookUrl};
use presence_runtime::clock::{Clock, Stopwatch};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use self::connection::{Connections, Target};
use crate::message::{Answer, Message, Sender};
use crate::retry_after;

/// Time of an attempt, from the lookup of the name to the head of the answer.
const ATTEMPT_TIME: Duration = Duration::from_secs(15);
/// Product in the header `User-Agent`.
const PRODUCT: &str = "presence-webhooks/1";

/// Lookup of the addresses of a name and port.
type Resolver = Arc<dyn Fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// Sender of messages by HTTP.
#[derive(Clone)]
pub struct HttpSender {
    reach: WebhookReach,
    resolve: Resolver,
    /// True if a connection may go to this address, by TLS or without it.
    may_connect: fn(IpAddr, bool) -> bool,
    connections: Connections,
    clock: Arc<dyn Clock>,
}

impl HttpSender {
    /// Builds a sender that trusts the certificates of this machine and asks its resolver. Makes no call. The first message by TLS loads the
    /// certificates.
    pub fn new(reach: WebhookReach, clock: Arc<dyn Clock>) -> Self {
        let resolve =
            |name: String, port| async move { Ok(tokio::net::lookup_host((name, port)).await?.collect()) }.boxed();
        Self::with_parts(reach, clock, native_roots, Arc::new(resolve))
    }

    /// Returns the receivers that it reaches.
    pub fn reach(&self) -> WebhookReach {
        self.reach
    }

    fn with_parts(
        reach: WebhookReach,
        clock: Arc<dyn Clock>,
        roots: impl FnOnce() -> RootCertStore + Send + 'static,
        resolve: Resolver,
    ) -> Self {
        let tls = || {
            let tls = ClientConfig::builder().with_root_certificates(roots()).with_no_client_auth();
            TlsConnector::from(Arc::new(tls))
        };
        Self { reach, resolve, may_connect, connections: Connections::new(tls), clock }
    }

    async fn try_send(&self, message: &Message) -> Result<Answer, &'static str> {
        let (target, addresses) = self.resolve_checked(&message.url).await?;
        let request = request(&target, message).ok_or("the address is not valid")?;
        let head = self.connections.send(&target, &addresses, request).await?;
        let retry_after = retry_after::read(&head.headers, self.clock.now());
        Ok(Answer { status: Some(head.status.as_u16()), retry_after, ..Answer::default() })
    }

    /// Returns the target of a URL, and those of its addresses to which a connection may go.
    async fn resolve_checked(&self, url: &WebhookUrl) -> Result<(Target, Vec<SocketAddr>), &'static str> {
        let target = Target::of(url).ok_or("the address is not valid")?;
        if !target.is_tls && self.reach != WebhookReach::ThisMachine {
            return Err("only https is allowed");
        }
        let addresses = match url.literal_address() {
            Some(address) => vec![SocketAddr::new(address, target.port)],
            None => {
                (self.resolve)(target.name.clone(), target.port).await.map_err(|_| "the name cannot be resolved")?
            }
        };
        let may_connect = |address: &SocketAddr| (self.may_connect)(address.ip(), target.is_tls);
        let checked: Vec<_> = addresses.into_iter().filter(may_connect).collect();
        if checked.is_empty() { Err("the address is not public") } else { Ok((target, checked)) }
    }
}

/// Returns the certificates that this machine trusts.
fn native_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// True if a connection may go to the address: to a public one by TLS. Without TLS it may only go to this machine, which only the local
/// stack reaches.
fn may_connect(address: IpAddr, is_tls: bool) -> bool {
    if is_tls { is_public(address) } else { address.is_loopback() }
}

impl Sender for HttpSender {
    async fn send(&self, message: &Message) -> Answer {
        let stopwatch = Stopwatch::start();
        let answer = tokio::time::timeout(ATTEMPT_TIME, self.try_send(message)).await;
        let answer = answer.unwrap_or(Err("no answer within 15 seconds")).unwrap_or_else(Answer::none);
        let milliseconds = u64::try_from(stopwatch.elapsed().as_millis()).unwrap_or(u64::MAX);
        Answer { milliseconds, ..answer }
    }
}

impl std::fmt::Debug for HttpSender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpSender").field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// Returns the request of a message; `None` if its address does not fit into one.
fn request(target: &Target, message: &Message) -> Option<Request<Full<Bytes>>> {
    let url = message.url.url();
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let request = Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(HOST, &target.host)
        .header(USER_AGENT, PRODUCT)
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, message.body.len())
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", message.timestamp)
        .header("webhook-signature", &message.signature);
    request.body(Full::new(Bytes::from(message.body.clone()))).ok()
}

#[cfg(test)]
mod tests;
