//! TLS in front of the embedded DynamoDB, with a certificate of its own: connections cost what they cost on AWS.

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
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Bytes that are passed on at once.
const BUFFER: usize = 64 * 1024;

/// A running proxy.
pub(crate) struct TlsProxy {
    address: SocketAddr,
    roots: PathBuf,
    server: JoinHandle<()>,
}

impl TlsProxy {
    /// Starts one in front of an address. Each answer waits for the delay. Writes the certificates to be trusted into the folder.
    pub(crate) async fn start(upstream: SocketAddr, folder: &Path, delay: Duration) -> anyhow::Result<Self> {
        let rcgen::CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
        let roots = folder.join("roots.pem");
        // As many more as a function of ours trusts on AWS.
        std::fs::write(&roots, [AMAZON_ROOTS, cert.pem().as_bytes()].concat())?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
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

    /// The endpoint.
    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    /// A file with the certificates that a client must trust.
    pub(crate) fn roots(&self) -> anyhow::Result<&str> {
        self.roots.to_str().context("a temporary folder of text")
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
    let inside = TcpStream::connect(upstream).await?;
    inside.set_nodelay(true)?;
    let (from_client, to_client) = tokio::io::split(acceptor.accept(stream).await?);
    let (from_upstream, to_upstream) = inside.into_split();
    // HTTP/1.1 asks again only after an answer, so the first bytes after a request are those of its answer.
    let has_asked = AtomicBool::new(false);
    let requests = forward(from_client, to_upstream, || {
        has_asked.store(true, Ordering::Relaxed);
        Duration::ZERO
    });
    let answers = forward(from_upstream, to_client, || {
        if has_asked.swap(false, Ordering::Relaxed) { delay } else { Duration::ZERO }
    });
    tokio::try_join!(requests, answers).map(drop)
}

/// Passes bytes on until they end, each time after a pause.
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
