//! HTTP clients for an SDK client that do something with each call, and forward it to another HTTP client.
//!
//! A [`ConnectorLayer`] says what happens to one call. [`ConnectorLayer::over`] makes an HTTP client of it, so layers compose:
//! `faults.over(lag.over(in_process_client()))`. The value that made the client stays the handle that steers it.

mod waves;

use std::fmt;
use std::future::Future;

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::{RuntimeComponents, RuntimeComponentsBuilder};
use aws_smithy_types::config_bag::ConfigBag;

pub use waves::{WavesConnector, count_waves};

/// Answer to a call, or the reason why there is none.
pub type Answer = Result<HttpResponse, ConnectorError>;

/// Behaviour around each HTTP call of an SDK client. Clones share one state.
pub trait ConnectorLayer: Clone + Send + Sync + 'static {
    /// Answers a call, in most cases with the answer of `next`.
    fn call(&self, request: HttpRequest, next: Next) -> impl Future<Output = Answer> + Send;

    /// Returns the settings of the next connector: those of this one.
    fn next_settings(&self, settings: &HttpConnectorSettings) -> HttpConnectorSettings {
        settings.clone()
    }

    /// Returns an HTTP client that passes each call through this layer to `inner`.
    fn over(&self, inner: impl HttpClient + 'static) -> SharedHttpClient {
        SharedHttpClient::new(LayeredClient { layer: self.clone(), inner: SharedHttpClient::new(inner) })
    }
}

/// Rest of the way of a call, behind a layer.
#[derive(Clone)]
pub struct Next {
    connector: SharedHttpConnector,
    settings: HttpConnectorSettings,
}

impl Next {
    /// Forwards a request.
    pub async fn call(&self, request: HttpRequest) -> Answer {
        self.connector.call(request).await
    }

    /// Returns the settings that the SDK gave to this layer.
    pub fn settings(&self) -> &HttpConnectorSettings {
        &self.settings
    }
}

/// HTTP client of a layer over another HTTP client.
struct LayeredClient<L> {
    layer: L,
    inner: SharedHttpClient,
}

impl<L: ConnectorLayer> HttpClient for LayeredClient<L> {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let connector = self.inner.http_connector(&self.layer.next_settings(settings), components);
        let next = Next { connector, settings: settings.clone() };
        SharedHttpConnector::new(LayeredConnector { layer: self.layer.clone(), next })
    }

    fn validate_base_client_config(
        &self,
        components: &RuntimeComponentsBuilder,
        config: &ConfigBag,
    ) -> Result<(), BoxError> {
        HttpClient::validate_base_client_config(&self.inner, components, config)
    }

    fn validate_final_config(&self, components: &RuntimeComponents, config: &ConfigBag) -> Result<(), BoxError> {
        HttpClient::validate_final_config(&self.inner, components, config)
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.inner.connector_metadata()
    }
}

/// Connector of a [`LayeredClient`].
struct LayeredConnector<L> {
    layer: L,
    next: Next,
}

impl<L: ConnectorLayer> HttpConnector for LayeredConnector<L> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (layer, next) = (self.layer.clone(), self.next.clone());
        HttpConnectorFuture::new(async move { layer.call(request, next).await })
    }
}

/// Prints no state: the SDK logs its connector, and requests hold secrets.
impl<L> fmt::Debug for LayeredClient<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayeredClient").finish_non_exhaustive()
    }
}

/// Prints no state, for the same reason.
impl<L> fmt::Debug for LayeredConnector<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayeredConnector").finish_non_exhaustive()
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").finish_non_exhaustive()
    }
}
