//! TLS in front of the embedded DynamoDB, with a certificate of its own: connections cost what they cost on AWS.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use presence::aws::AMAZON_ROOTS;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// A running proxy.
pub(super) struct TlsProxy {
    address: SocketAddr,
    roots: PathBuf,
    server: JoinHandle<()>,
}

impl TlsProxy {
    /// Starts one in front of an address. Writes the certificates to be trusted into the folder.
    pub(super) async fn start(upstream: SocketAddr, folder: &Path) -> anyhow::Result<Self> {
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
                tokio::spawn(serve(acceptor.clone(), stream, upstream));
            }
        });
        Ok(Self { address, roots, server })
    }

    /// The endpoint.
    pub(super) fn url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    /// A file with the certificates that a client must trust.
    pub(super) fn roots(&self) -> anyhow::Result<&str> {
        self.roots.to_str().context("a temporary folder of text")
    }
}

impl Drop for TlsProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, upstream: SocketAddr) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut inside = TcpStream::connect(upstream).await?;
    inside.set_nodelay(true)?;
    let mut outside = acceptor.accept(stream).await?;
    copy_bidirectional(&mut outside, &mut inside).await?;
    Ok(())
}
