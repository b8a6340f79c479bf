//! HTTP client with a delay for every call: the network inside a region, which the embedded `DynamoDB` does not have.

use std::fmt;
use std::time::Duration;

use aws_smithy_http_client::Builder;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;

/// Delay of a call. The own time of the emulator comes on top.
pub(super) const CALL_DELAY: Duration = Duration::from_micros(2_500);

/// Returns an HTTP client that waits before every call.
pub(super) fn delayed_client() -> SharedHttpClient {
    SharedHttpClient::new(DelayedClient { inner: SharedHttpClient::new(Builder::new().build_http()) })
}

struct DelayedClient {
    inner: SharedHttpClient,
}

struct DelayedConnector {
    inner: SharedHttpConnector,
}

impl HttpClient for DelayedClient {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(DelayedConnector { inner: self.inner.http_connector(settings, components) })
    }
}

impl HttpConnector for DelayedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let inner = self.inner.clone();
        HttpConnectorFuture::new(async move {
            // The timer of the runtime has a resolution of a millisecond: 2.5 would become 3.5.
            let sleep = tokio::task::spawn_blocking(|| std::thread::sleep(CALL_DELAY)).await;
            sleep.map_err(|error| ConnectorError::other(error.into(), None))?;
            inner.call(request).await
        })
    }
}

impl fmt::Debug for DelayedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayedClient").finish_non_exhaustive()
    }
}

impl fmt::Debug for DelayedConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayedConnector").finish_non_exhaustive()
    }
}
