//! HTTP server of the limits: a `DynamoDB` endpoint in front of another one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::body::{Body, to_bytes};
use bytes::Bytes;
use dynoxide::Database;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use serde_json::json;
use tokio::task::JoinSet;

use super::layer::Layer;
use super::response::DynamoDbResponse;
use super::settings::AwsLimits;
use super::state::LimitCounts;
use super::upstream::{TARGET_HEADER, TARGET_PREFIX, Upstream, UpstreamError};
use crate::listen::listen;
use crate::local_only::local_hosts_only;

/// Largest request. It exceeds the 16 MB of `DynamoDB`, so that `DynamoDB` itself refuses what is too large.
const MAX_BODY_BYTES: usize = 17 * 1024 * 1024;
/// Media type of `DynamoDB`'s responses.
const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
/// Interval at which a wait for the indexes checks their lag.
const LAG_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Number of seeds to draw from. They are short, because developers type them.
const DRAWN_SEEDS: u64 = 1_000_000;

/// `DynamoDB` endpoint with the limits of AWS. Dropping it stops it.
#[derive(Debug)]
pub struct LimitsProxy {
    address: SocketAddr,
    layer: Arc<Layer>,
    _server: JoinSet<()>,
}

impl LimitsProxy {
    /// Starts the proxy on 127.0.0.1 at `port` (0 picks a free one), in front of `upstream_url`.
    ///
    /// # Errors
    /// Returns an error if the port is taken, or if no tokio runtime is running.
    pub fn start(port: u16, upstream_url: &str, settings: AwsLimits) -> anyhow::Result<Self> {
        let listener = listen(port, "the limits of DynamoDB", "--dynamodb-port")?;
        let address = listener.local_addr().context("cannot read the address of the limits")?;
        let listener = tokio::net::TcpListener::from_std(listener).context("cannot serve the socket of the limits")?;
        let seed = settings.seed.unwrap_or_else(|| fastrand::u64(..DRAWN_SEEDS));
        let scratch = Database::memory().context("cannot open a database for the lag of indexes")?;
        let layer = Arc::new(Layer::new(settings, seed, Upstream::new(upstream_url), scratch));
        let served_layer = Arc::clone(&layer);
        let router = local_hosts_only(Router::new().fallback(move |request| serve(Arc::clone(&served_layer), request)));
        let mut server = JoinSet::new();
        server.spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the limits of DynamoDB stopped");
            }
        });
        Ok(Self { address, layer, _server: server })
    }

    /// Returns the endpoint URL for SDK clients.
    pub fn endpoint_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the settings, with the seed of the random decisions. A run with the same seed repeats them.
    pub fn settings(&self) -> AwsLimits {
        let state = self.layer.state();
        AwsLimits { seed: Some(state.seed), ..state.settings.clone() }
    }

    /// Returns the counts of the effects so far.
    pub fn counts(&self) -> LimitCounts {
        self.layer.state().counts
    }

    /// Waits until the indexes show all writes so far.
    pub async fn wait_for_indexes(&self) {
        while self.layer.has_pending_changes() {
            tokio::time::sleep(LAG_POLL_INTERVAL).await;
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

async fn serve(layer: Arc<Layer>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        return json_response(
            StatusCode::PAYLOAD_TOO_LARGE,
            &json!({ "message": "the request is too large" }).to_string(),
        );
    };
    // In its own task: as on AWS, a call runs to its end even if the client disconnects.
    let result = tokio::spawn(async move { answer(&layer, &head.headers, body).await }).await;
    result.unwrap_or(Err(UpstreamError)).unwrap_or_else(|error| {
        let document =
            json!({ "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": error.to_string() });
        json_response(StatusCode::INTERNAL_SERVER_ERROR, &document.to_string())
    })
}

async fn answer(layer: &Layer, headers: &HeaderMap, body: Bytes) -> Result<Response<Body>, UpstreamError> {
    let target = headers.get(TARGET_HEADER).and_then(|target| target.to_str().ok());
    let operation = target.and_then(|target| target.strip_prefix(TARGET_PREFIX));
    let (Some(operation), Ok(document)) = (operation, serde_json::from_slice(&body)) else {
        // Calls of streams, and calls that DynamoDB will refuse.
        let (status, headers, body) = layer.upstream.forward(headers, body).await?;
        let mut forwarded = Response::new(Body::from(body));
        *forwarded.status_mut() = StatusCode::from_u16(status).map_err(|_| UpstreamError)?;
        if let Some(kind) = headers.get(CONTENT_TYPE) {
            forwarded.headers_mut().insert(CONTENT_TYPE, kind.clone());
        }
        return Ok(forwarded);
    };
    let DynamoDbResponse { status, body } = layer.handle(operation, headers, document).await?;
    Ok(json_response(StatusCode::from_u16(status).map_err(|_| UpstreamError)?, &body.to_string()))
}

fn json_response(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}
