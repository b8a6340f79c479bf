//! Gate that each request of a function passes. It protects the API against requests that come around its edge, and gives answers the URL
//! of the documentation.
//!
//! With `EdgeProtection`, a `CloudFront` distribution with a firewall stands before the API. It adds a secret to each request. A function
//! with that secret answers all other requests as it answers an unknown path.

use std::convert::Infallible;
use std::future::Future;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use sha2::{Digest, Sha256};

use super::error_help::DocsUrl;
use super::invocation::Invocation;
use super::page_links::CalledHost;
use super::serve::end;
use super::source_address::ViewerAddress;
use presence_domain::error::Error;
use presence_runtime::config::{ConfigError, docs_url_from_env, edge_secret_from_env};

/// Header with the secret of the edge. `CloudFront` refuses to add headers that begin with `x-edge-`.
pub const EDGE_SECRET_HEADER: &str = "x-origin-secret";
/// Header with the host of the edge, which the client called. The gateway sees another one.
pub const EDGE_HOST_HEADER: &str = "x-forwarded-host";

/// Header with the address of the client. The edge sets it in each request, whatever the client sent. The gateway sees an address of the
/// edge.
pub const EDGE_VIEWER_HEADER: &str = "x-viewer-address";

/// Gate of a function: it lets requests through that come from the edge.
#[derive(Clone, Copy)]
pub struct EdgeGate {
    /// Digest of the secret, if there is an edge.
    secret: Option<[u8; 32]>,
    docs_url: DocsUrl,
}

impl EdgeGate {
    /// Returns the gate for a secret. Without one, every request comes through.
    pub fn new(secret: Option<&str>) -> Self {
        Self { secret: secret.map(digest), docs_url: DocsUrl::None }
    }

    /// Reads the secret and the URL of the documentation from the environment.
    ///
    /// # Errors
    /// Returns an error if the URL is not valid.
    pub fn from_env() -> Result<Self, ConfigError> {
        // A process reads its settings once, and keeps them as long as it lives.
        let docs_url = docs_url_from_env()?.map_or(DocsUrl::None, |url| DocsUrl::Fixed(url.leak()));
        Ok(Self::new(edge_secret_from_env().as_deref()).with_docs_url(docs_url))
    }

    /// Returns the gate with the URL of the documentation, to which errors link.
    #[must_use]
    pub fn with_docs_url(self, docs_url: DocsUrl) -> Self {
        Self { docs_url, ..self }
    }

    /// Handles a request that comes from the edge. Others are answered with 404, and logged.
    ///
    /// # Errors
    /// Never.
    pub async fn handle<Handling>(
        self,
        mut request: Request,
        handler: impl FnOnce(Request) -> Handling,
    ) -> Result<Response<Body>, Infallible>
    where
        Handling: Future<Output = Result<Response<Body>, Infallible>>,
    {
        request.extensions_mut().insert(self.docs_url);
        if self.is_open_to(&request) {
            // Without an edge, a client may send these headers itself.
            if self.secret.is_some() {
                let header = |name| request.headers().get(name)?.to_str().ok();
                let host = header(EDGE_HOST_HEADER).map(|host| CalledHost(host.to_owned()));
                let viewer = ViewerAddress(header(EDGE_VIEWER_HEADER).and_then(|address| address.parse().ok()));
                request.extensions_mut().insert(viewer);
                if let Some(host) = host {
                    request.extensions_mut().insert(host);
                }
            }
            return handler(request).await;
        }
        Ok(end(&Invocation::start(&request), "around_edge", Err(Error::NotFound.into())))
    }

    /// True if the request has the secret. Digests are compared, so that the time tells nothing about the secret.
    fn is_open_to(self, request: &Request) -> bool {
        let Some(expected) = self.secret else { return true };
        let given = request.headers().get(EDGE_SECRET_HEADER).and_then(|value| value.to_str().ok());
        given.is_some_and(|given| digest(given) == expected)
    }
}

impl std::fmt::Debug for EdgeGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EdgeGate(..)")
    }
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_address::source_address;
    use lambda_http::RequestExt as _;
    use lambda_http::http::StatusCode;
    use lambda_http::request::RequestContext;

    async fn answer(gate: EdgeGate, secrets: &[&str]) -> (StatusCode, Body) {
        let mut request = lambda_http::http::Request::builder().uri("/api/v2/user/me");
        for secret in secrets {
            request = request.header(EDGE_SECRET_HEADER, *secret);
        }
        let request = request.body(Body::Empty).expect("a request");
        let response = gate.handle(request, |_| async { Ok(Response::new(Body::Text("handled".to_owned()))) }).await;
        let (parts, body) = response.unwrap_or_else(|never| match never {}).into_parts();
        (parts.status, body)
    }

    #[tokio::test]
    async fn host_of_the_edge_counts_only_behind_the_edge() {
        let request = || {
            let request = lambda_http::http::Request::builder().header(EDGE_SECRET_HEADER, "a-secret");
            request.header(EDGE_HOST_HEADER, "api.example.com").body(Body::Empty).expect("a request")
        };
        let host = |request: Request| request.extensions().get().map(|CalledHost(host): &CalledHost| host.clone());
        for (secret, expected) in [(Some("a-secret"), Some("api.example.com".to_owned())), (None, None)] {
            let handle = |request| async move {
                assert_eq!(host(request), expected);
                Ok(Response::new(Body::Empty))
            };
            let response = EdgeGate::new(secret).handle(request(), handle).await;
            assert_eq!(response.unwrap_or_else(|never| match never {}).status(), StatusCode::OK);
        }
    }

    #[tokio::test]
    async fn address_of_the_client_comes_from_the_edge_or_else_from_the_gateway() {
        let request = |viewer: &[&str]| {
            let request = lambda_http::http::Request::builder().header(EDGE_SECRET_HEADER, "a-secret");
            let request = viewer.iter().fold(request, |request, address| request.header(EDGE_VIEWER_HEADER, *address));
            let mut context = lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequestContext::default();
            context.http.source_ip = Some("192.0.2.1".to_owned());
            let request = request.body(Body::Empty).expect("a request");
            request.with_request_context(RequestContext::ApiGatewayV2(context))
        };
        for (secret, viewer, expected) in [
            (Some("a-secret"), &["203.0.113.9"][..], Some("203.0.113.9")),
            (Some("a-secret"), &["2001:db8::9"], Some("2001:db8::9")),
            (Some("a-secret"), &["203.0.113.9, 198.51.100.1"], None),
            (Some("a-secret"), &["unknown"], None),
            (Some("a-secret"), &[], None),
            (None, &["203.0.113.9"], Some("192.0.2.1")),
            (None, &[], Some("192.0.2.1")),
        ] {
            let handle = |request| async move {
                assert_eq!(source_address(&request), expected.map(|text| text.parse().expect("an address")));
                Ok(Response::new(Body::Empty))
            };
            let response = EdgeGate::new(secret).handle(request(viewer), handle).await;
            assert_eq!(response.unwrap_or_else(|never| match never {}).status(), StatusCode::OK);
        }
    }

    #[tokio::test]
    async fn only_requests_from_the_edge_are_handled() {
        let gate = EdgeGate::new(Some("a-secret"));
        let handled = (StatusCode::OK, Body::Text("handled".to_owned()));
        let refused = (StatusCode::NOT_FOUND, Body::Text(r#"{"errors":{"json":"not found"}}"#.to_owned()));
        assert_eq!(answer(gate, &["a-secret"]).await, handled);
        for secrets in [&[][..], &["another"], &[""], &["a-secret "], &["another", "a-secret"], &["a-secret,a-secret"]]
        {
            assert_eq!(answer(gate, secrets).await, refused, "{secrets:?}");
        }
        assert_eq!(answer(EdgeGate::new(None), &[]).await, handled, "without a secret there is no edge");
        assert_eq!(format!("{gate:?}"), "EdgeGate(..)");
    }
}
