//! The limits as an endpoint: HTTP in, HTTP out.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::body::{Body, to_bytes};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use serde_json::json;
use tokio::task::JoinHandle;

use super::counts::LimitCounts;
use super::layer::Layer;
use super::settings::AwsLimits;
use super::upstream::{SERVICE, TARGET, Upstream, UpstreamError};
use crate::local_only::local_hosts_only;

/// A request of DynamoDB has 16 MB at the most.
const BODY_BYTES: usize = 17 * 1024 * 1024;
/// The media type of DynamoDB's answers.
const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
/// The pause between two looks at a lag.
const LAG_LOOK: Duration = Duration::from_millis(2);
/// Seeds that are drawn are short, to be typed again.
const DRAWN_SEEDS: u64 = 1_000_000;

/// An endpoint of DynamoDB that has the limits of AWS. Dropped, it stops.
#[derive(Debug)]
pub struct LimitsProxy {
    address: SocketAddr,
    layer: Arc<Layer>,
    server: JoinHandle<()>,
}

impl LimitsProxy {
    /// Starts on 127.0.0.1 at `port` (0 picks a free one), in front of another endpoint.
    ///
    /// # Errors
    /// The port is taken, or there is no tokio runtime to run on.
    pub fn start(port: u16, upstream_url: &str, settings: AwsLimits) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot listen on 127.0.0.1:{port} for the limits of DynamoDB"))?;
        listener.set_nonblocking(true).context("cannot prepare the socket of the limits")?;
        let address = listener.local_addr().context("cannot read the address of the limits")?;
        let listener = tokio::net::TcpListener::from_std(listener).context("cannot serve the socket of the limits")?;
        let seed = settings.seed.unwrap_or_else(|| fastrand::u64(..DRAWN_SEEDS));
        let layer = Arc::new(Layer::new(settings, seed, Upstream::new(upstream_url)));
        let shared = Arc::clone(&layer);
        let router = local_hosts_only(Router::new().fallback(move |request| serve(Arc::clone(&shared), request)));
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the limits of DynamoDB stopped");
            }
        });
        Ok(Self { address, layer, server })
    }

    /// Where an SDK client finds it.
    #[must_use]
    pub fn endpoint_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the seed of the random decisions: with it, a run can be repeated.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.layer.state().seed
    }

    /// Returns the counts of the limits so far.
    #[must_use]
    pub fn counts(&self) -> LimitCounts {
        self.layer.state().counts
    }

    /// Waits until indexes show everything that was written so far.
    pub async fn wait_for_indexes(&self) {
        while self.layer.lags() {
            tokio::time::sleep(LAG_LOOK).await;
        }
    }

    /// Replaces the limits for the next calls and keeps the seed. If `settings` has no lag, indexes are current at once.
    pub fn set(&self, settings: AwsLimits) {
        let mut state = self.layer.state();
        if settings.lag.is_none() {
            state.changes.clear();
        }
        state.settings = settings;
    }
}

impl Drop for LimitsProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(layer: Arc<Layer>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_BYTES).await else {
        return response(StatusCode::PAYLOAD_TOO_LARGE, &json!({ "message": "the request is too large" }).to_string());
    };
    // On a task of its own: a call goes on to its end when the caller leaves, as on AWS.
    let answered = tokio::spawn(async move { answer(&layer, &head.headers, body).await }).await;
    answered.unwrap_or(Err(UpstreamError)).unwrap_or_else(|unreachable| {
        let document = json!({ "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": unreachable.to_string() });
        response(StatusCode::INTERNAL_SERVER_ERROR, &document.to_string())
    })
}

async fn answer(layer: &Layer, headers: &HeaderMap, body: Bytes) -> Result<Response<Body>, UpstreamError> {
    let target = headers.get(TARGET).and_then(|target| target.to_str().ok());
    let operation = target.and_then(|target| target.strip_prefix(SERVICE));
    let (Some(operation), Ok(document)) = (operation, serde_json::from_slice(&body)) else {
        // Streams, and what DynamoDB will refuse.
        let (status, headers, body) = layer.upstream.pass(headers, body).await?;
        let mut passed = Response::new(Body::from(body));
        *passed.status_mut() = StatusCode::from_u16(status).map_err(|_| UpstreamError)?;
        if let Some(kind) = headers.get(CONTENT_TYPE) {
            passed.headers_mut().insert(CONTENT_TYPE, kind.clone());
        }
        return Ok(passed);
    };
    let answer = layer.answer(operation, headers, document).await?;
    let status = StatusCode::from_u16(answer.status).map_err(|_| UpstreamError)?;
    Ok(response(status, &answer.body.to_string()))
}

fn response(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}
