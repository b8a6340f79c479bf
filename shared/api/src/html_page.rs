//! Pages for people: HTML without script, cookie or anything from elsewhere.

use std::future::Future;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambda_http::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use lambda_http::http::{HeaderValue, Method, Response, StatusCode};
use lambda_http::{Body, Request};
use sha2::{Digest, Sha256};

use super::answer::REQUEST_ID;
use super::invocation::Invocation;
use presence_domain::error::Error;

/// What every page is sent with, besides its policy and its id.
const HEADERS: [(HeaderName, &str); 9] = [
    (CONTENT_TYPE, "text/html; charset=utf-8"),
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
];

/// Status, HTML and the headers that only this page has.
#[derive(Clone, Debug)]
pub struct HtmlPage {
    status: StatusCode,
    html: String,
    style: &'static str,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl HtmlPage {
    /// A page. `style` is what its one `<style>` element holds, to the byte; nothing else may style it.
    pub fn new(status: StatusCode, html: String, style: &'static str) -> Self {
        Self { status, html, style, headers: Vec::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    fn into_response(self, with_body: bool, request_id: &str) -> Response<Body> {
        let mut response = Response::new(if with_body { Body::Text(self.html) } else { Body::Empty });
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
        let own = [(CONTENT_SECURITY_POLICY, policy(self.style)), (REQUEST_ID, request_id.to_owned())];
        headers.extend(own.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?))));
        headers.extend(self.headers);
        response
    }
}

/// Allows the style and a form that comes back here; nothing else.
fn policy(style: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(style));
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
}

/// Serves one request for a page: never fails, and is never later than the runtime's deadline. `name` is what it is called
/// in the log; `failed` makes the page of an error.
pub async fn serve_page(
    request: &Request,
    name: &'static str,
    acting: impl Future<Output = Result<HtmlPage, Error>>,
    failed: impl FnOnce(&Error) -> HtmlPage,
) -> Response<Body> {
    let invocation = Invocation::of(request);
    // On the heap: the SDK's futures are large.
    let page = invocation.run(Box::pin(acting)).await.unwrap_or_else(|error| {
        invocation.log_error(name, &error);
        failed(&error)
    });
    invocation.log_request(name, page.status);
    page.into_response(request.method() != Method::HEAD, invocation.request_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_style_by_its_digest() {
        // SHA-256 of nothing, as everyone knows it.
        assert!(policy("").contains("style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';"));
        assert_ne!(policy(" "), policy(""));
    }
}
