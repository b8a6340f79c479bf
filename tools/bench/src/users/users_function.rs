//! Users function in this process, on the thread of the caller.

use std::sync::Arc;

use anyhow::ensure;
use aws_smithy_http_client::Builder;
use lambda_http::http::{Method, Request};
use lambda_http::{Body, RequestExt as _};
use presence_local::connectors::{ConnectorLayer as _, WavesConnector, count_waves};
use presence_local::sdk_config;
use presence_runtime::clock::SystemClock;
use presence_store::Database;
use presence_users::App;
use serde_json::Value;

use crate::{cpu_clock, request_log};

/// Cost and result of one request.
#[derive(Clone, Debug)]
pub(crate) struct RequestCost {
    /// Read units.
    pub(crate) units: f64,
    pub(crate) calls: u32,
    pub(crate) waves: u32,
    /// Number of matching users.
    pub(crate) found: u64,
    pub(crate) cpu_ms: f64,
}

/// Users function with the key of a caller: two instances that get the same requests.
pub(crate) struct UsersFunction {
    /// Instance whose processor time is measured.
    timed: Arc<App>,
    /// Instance whose waves are counted.
    counted: Arc<App>,
    key: String,
}

impl UsersFunction {
    /// Returns a cold function: nothing is in memory.
    pub(crate) fn start(url: &str, key: &str) -> Self {
        request_log::capture();
        let config = sdk_config(url);
        let client = WavesConnector.over(Builder::new().build_http());
        let counting_config = config.to_builder().http_client(client).build();
        let app = |config| Arc::new(App::new(&Database::new(config, "presence-"), Arc::new(SystemClock)));
        Self { timed: app(&config), counted: app(&counting_config), key: key.to_owned() }
    }

    /// Sends a GET request.
    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<RequestCost> {
        let counted = presence_users::handle(Arc::clone(&self.counted), self.request(path)?);
        let (counted, waves) = tokio::task::spawn_blocking(|| count_waves(counted)).await?;
        ensure!(counted?.status() == 200, "the counted request for {path} fails");
        let request = self.request(path)?;
        let before = thread_cpu_ms();
        let response = presence_users::handle(Arc::clone(&self.timed), request).await?;
        let cpu_ms = thread_cpu_ms() - before;
        ensure!(response.status() == 200, "{} for {path}", response.status());
        let body: Value = serde_json::from_slice(response.body())?;
        let (_, cost) = request_log::last_cost(waves);
        Ok(RequestCost {
            units: cost.read_units,
            calls: cost.calls,
            waves: cost.waves,
            found: body["count"].as_u64().unwrap_or_default(),
            cpu_ms,
        })
    }

    fn request(&self, path: &str) -> anyhow::Result<Request<Body>> {
        let request = Request::builder().method(Method::GET).uri(path).header("x-api-key", &self.key);
        let path_without_query = path.split('?').next().unwrap_or_default();
        Ok(request.body(Body::Empty)?.with_raw_http_path(path_without_query))
    }
}

/// Returns the processor time of this thread. The runtime has no other thread, so it is all that the function uses.
fn thread_cpu_ms() -> f64 {
    cpu_clock::thread_time().as_secs_f64() * 1e3
}
