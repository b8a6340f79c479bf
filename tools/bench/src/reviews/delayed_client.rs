//! The way to `DynamoDB` and back inside a region, which an embedded one does not have: a fixed time for every call.

use std::fmt;
use std::time::Duration;

use aws_smithy_http_client::Builder;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;

/// What a call takes beside the emulator's own work.
pub(super) const CALL_DELAY: Duration = Duration::from_micros(2_500);

/// An HTTP client whose every call waits first.
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
            // The runtime's own timer counts whole milliseconds: it would make 3.5 of 2.5.
            let slept = tokio::task::spawn_blocking(|| std::thread::sleep(CALL_DELAY)).await;
            slept.map_err(|error| ConnectorError::other(error.into(), None))?;
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
