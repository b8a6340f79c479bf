//! HTTP client with a delay for every call: the network inside a region, which the embedded `DynamoDB` does not have.

use std::time::Duration;

use aws_smithy_http_client::Builder;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use presence_local::connectors::{Answer, ConnectorLayer, Next};

/// Delay of a call. The own time of the emulator comes on top.
pub(super) const CALL_DELAY: Duration = Duration::from_micros(2_500);

/// Returns an HTTP client that waits before every call.
pub(super) fn delayed_client() -> SharedHttpClient {
    DelayConnector.over(Builder::new().build_http())
}

/// Connector that waits before every call.
#[derive(Clone, Copy)]
struct DelayConnector;

impl ConnectorLayer for DelayConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        // The timer of the runtime has a resolution of a millisecond: 2.5 would become 3.5.
        let sleep = tokio::task::spawn_blocking(|| std::thread::sleep(CALL_DELAY)).await;
        sleep.map_err(|error| ConnectorError::other(error.into(), None))?;
        next.call(request).await
    }
}
