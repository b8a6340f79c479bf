//! HTML pages for people, without scripts, cookies or resources of other sites.

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

/// Headers of every page, besides its content security policy and the id of the request.
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

/// HTML page: status, document, and the headers that only this page has.
#[derive(Clone, Debug)]
pub struct HtmlPage {
    status: StatusCode,
    html: String,
    /// Content of the one `<style>` element.
    style: &'static str,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl HtmlPage {
    /// Returns a page. `style` is the exact content of its one `<style>` element. Browsers refuse any other style.
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
        let own = [(CONTENT_SECURITY_POLICY, content_security_policy(self.style)), (REQUEST_ID, request_id.to_owned())];
        headers.extend(own.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?))));
        headers.extend(self.headers);
        response
    }
}

/// Returns the content security policy. It allows the style, and a form that posts to this site. All else is forbidden.
fn content_security_policy(style: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(style));
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
}

/// Serves one request for a page. It never fails, and it answers before the runtime's deadline. `name` is the operation's name in
/// the log. `error_page` makes the page of an error.
pub async fn serve_page(
    request: &Request,
    name: &'static str,
    operation: impl Future<Output = Result<HtmlPage, Error>>,
    error_page: impl FnOnce(&Error) -> HtmlPage,
) -> Response<Body> {
    let invocation = Invocation::start(request);
    // The SDK's futures are large: on the heap, moving them costs nothing.
    let page = invocation.run(Box::pin(operation)).await.unwrap_or_else(|error| {
        invocation.log_error(name, &error);
        error_page(&error)
    });
    invocation.log_request(name, page.status);
    page.into_response(request.method() != Method::HEAD, invocation.request_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_security_policy_allows_the_style_by_its_digest() {
        // The well-known SHA-256 of the empty text.
        assert!(
            content_security_policy("").contains("style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';")
        );
        assert_ne!(content_security_policy(" "), content_security_policy(""));
    }
}
