//! TLS proxy in front of a local server. With it, a connection costs a function as much as on AWS.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use presence_runtime::aws::AMAZON_ROOTS;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Largest number of bytes that are forwarded at once.
const BUFFER: usize = 64 * 1024;

/// Running proxy with a certificate of its own.
pub(crate) struct TlsProxy {
    address: SocketAddr,
    roots: PathBuf,
    server: JoinHandle<()>,
}

impl TlsProxy {
    /// Starts a proxy in front of an address that delays each answer. Writes the certificates to trust into the folder.
    pub(crate) async fn start(upstream: SocketAddr, folder: &Path, delay: Duration) -> anyhow::Result<Self> {
        let rcgen::CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
        let roots = folder.join("roots.pem");
        // With the certificates that a function trusts on AWS, so that it parses as many.
        std::fs::write(&roots, [AMAZON_ROOTS, cert.pem().as_bytes()].concat())?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], PrivatePkcs8KeyDer::from(signing_key.serialize_der()).into())?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(proxy_connection(acceptor.clone(), stream, upstream, delay));
            }
        });
        Ok(Self { address, roots, server })
    }

    /// Returns the URL of the proxy.
    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    /// Returns the path of the file with the certificates to trust.
    pub(crate) fn roots(&self) -> anyhow::Result<&str> {
        self.roots.to_str().context("the path of the temporary folder is not UTF-8")
    }
}

impl Drop for TlsProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn proxy_connection(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    upstream: SocketAddr,
    delay: Duration,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let upstream = TcpStream::connect(upstream).await?;
    upstream.set_nodelay(true)?;
    let (from_client, to_client) = tokio::io::split(acceptor.accept(stream).await?);
    let (from_upstream, to_upstream) = upstream.into_split();
    // In HTTP/1.1 a client sends its next request after the answer. So the first bytes from upstream after a request begin its
    // answer, and only they are delayed.
    let has_requested = AtomicBool::new(false);
    let requests = forward(from_client, to_upstream, || {
        has_requested.store(true, Ordering::Relaxed);
        Duration::ZERO
    });
    let answers = forward(from_upstream, to_client, || {
        if has_requested.swap(false, Ordering::Relaxed) { delay } else { Duration::ZERO }
    });
    tokio::try_join!(requests, answers).map(drop)
}

/// Forwards bytes until the stream ends, with a pause before each chunk.
async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    pause: impl Fn() -> Duration,
) -> std::io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let bytes = from.read(&mut buffer).await?;
        if bytes == 0 {
            return to.shutdown().await;
        }
        let pause = pause();
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        to.write_all(&buffer[..bytes]).await?;
        to.flush().await?;
    }
}
