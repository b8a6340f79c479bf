//! Protection of the API against requests that come around its edge.
//!
//! With `EdgeProtection`, a `CloudFront` distribution with a firewall stands before the API. It adds a secret to each request. A function
//! with that secret answers all other requests as it answers an unknown path.

use std::convert::Infallible;
use std::future::Future;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use sha2::{Digest, Sha256};

use super::invocation::Invocation;
use super::serve::end;
use presence_domain::error::Error;
use presence_runtime::config::edge_secret_from_env;

/// Header with the secret of the edge.
pub const EDGE_SECRET_HEADER: &str = "x-edge-secret";

/// Gate of a function: it lets requests through that come from the edge. Holds the digest of the secret.
#[derive(Clone, Copy)]
pub struct EdgeGate(Option<[u8; 32]>);

impl EdgeGate {
    /// Returns the gate for a secret. Without one, every request comes through.
    #[must_use]
    pub fn new(secret: Option<&str>) -> Self {
        Self(secret.map(digest))
    }

    /// Reads the secret from the environment.
    #[must_use]
    pub fn from_env() -> Self {
        Self::new(edge_secret_from_env().as_deref())
    }

    /// Handles a request that comes from the edge. Others are answered with 404, and logged.
    ///
    /// # Errors
    /// Never.
    pub async fn handle<Handling>(
        self,
        request: Request,
        handler: impl FnOnce(Request) -> Handling,
    ) -> Result<Response<Body>, Infallible>
    where
        Handling: Future<Output = Result<Response<Body>, Infallible>>,
    {
        if self.is_open_to(&request) {
            return handler(request).await;
        }
        Ok(end(&Invocation::start(&request), "around_edge", Err(Error::NotFound.into())))
    }

    /// True if the request has the secret. Digests are compared, so that the time tells nothing about the secret.
    fn is_open_to(self, request: &Request) -> bool {
        let Some(expected) = self.0 else { return true };
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
    use lambda_http::http::StatusCode;

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
