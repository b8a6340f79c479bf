//! HTML pages for people, without scripts, cookies or resources of other sites.

use std::future::Future;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambda_http::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use lambda_http::http::{HeaderMap, HeaderValue, Response, StatusCode};
use lambda_http::{Body, Request};
use sha2::{Digest, Sha256};

use super::accept_encoding::ContentCoding;
use super::content::{ALWAYS_HTTPS, AnswerForm, Content};
use super::invocation::{Invocation, Outcome};
use super::request_ids;
use presence_domain::error::Error;
use presence_runtime::telemetry::RequestIds;

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
    error_kind: Option<&'static str>,
    bad_fields: Vec<&'static str>,
    /// True if the document has a secret.
    has_secret: bool,
}

impl HtmlPage {
    /// Returns a page. `style` is the exact content of its one `<style>` element. Browsers refuse any other style.
    pub fn new(status: StatusCode, html: String, style: &'static str) -> Self {
        Self { status, html, style, headers: Vec::new(), error_kind: None, bad_fields: Vec::new(), has_secret: false }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// Marks the page as the answer to an error of this kind, for the log.
    #[must_use]
    pub fn of_error(mut self, kind: &'static str) -> Self {
        self.error_kind = Some(kind);
        self
    }

    /// Marks the page as a form with errors in these fields, for the log.
    #[must_use]
    pub fn with_bad_fields(mut self, names: Vec<&'static str>) -> Self {
        self.bad_fields = names;
        self
    }

    /// Marks the page as one with a secret, which is never compressed. Its size would tell an observer of the connection how much of the
    /// secret another text of the page repeats.
    #[must_use]
    pub fn with_secret(mut self) -> Self {
        self.has_secret = true;
        self
    }

    fn into_response(self, form: AnswerForm, ids: &RequestIds) -> Response<Body> {
        let mut headers = HeaderMap::from_iter(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
        let policy = HeaderValue::try_from(content_security_policy(self.style));
        headers.extend(policy.ok().map(|policy| (CONTENT_SECURITY_POLICY, policy)));
        let coding = if self.has_secret { ContentCoding::Identity } else { form.coding };
        if !self.has_secret {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        headers.extend(form.is_https.then_some(ALWAYS_HTTPS));
        request_ids::add_headers(ids, &mut headers);
        headers.extend(self.headers);
        Content::Text(self.html).encoded(coding).into_response(self.status, headers, form.is_head)
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
    let mut page = invocation.run(Box::pin(operation)).await.unwrap_or_else(|error| {
        invocation.log_error(name, &error);
        error_page(&error).of_error(error.kind())
    });
    let (error_kind, bad_fields) = (page.error_kind, page.bad_fields.clone());
    page.headers.extend(error_kind.into_iter().flat_map(|kind| invocation.error_headers(kind)));
    invocation.log_request(&Outcome { error_kind, bad_fields, ..Outcome::success(name, page.status) });
    page.into_response(invocation.form, &invocation.ids)
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
