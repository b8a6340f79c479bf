//! Protection of the local stack's ports against web sites: only this machine's names are accepted as `Host`.
//!
//! A page of any web site may send requests to this machine. With DNS rebinding it can also read the responses: demo keys,
//! mails, tables. Its requests still carry the site's name as `Host`, because no page can change that header. So each port
//! refuses other hosts, and no response has a CORS header.

use axum::Router;
use axum::body::Body;
use axum::middleware::{Next, from_fn};
use http::header::{CONTENT_TYPE, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Version};

use crate::host::{ApiHost, InvalidHostError};

/// Names of this machine.
const LOCAL_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// Header in which a browser states the origin of a request: <https://www.w3.org/TR/fetch-metadata/>.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Prefix of the CORS headers, which let other sites read a response.
const CORS_PREFIX: &str = "access-control-";

const OTHER_HOST: &str = "This stack answers to localhost, 127.0.0.1 and [::1] only, not to another Host.\n";
const INVALID_HOST: &str = "The request names no host, or one that is not valid.\n";
const OTHER_ORIGIN: &str = "A page of another site may not change anything here.\n";

/// Makes a router refuse requests to other hosts: 403, or 400 without a valid `Host`. Removes CORS headers from responses.
pub fn local_hosts_only(router: Router) -> Router {
    router.layer(from_fn(refuse_other_hosts))
}

/// Makes a router refuse requests of other sites, except safe methods: 403.
pub(crate) fn same_origin_only(router: Router) -> Router {
    router.layer(from_fn(refuse_other_origins))
}

async fn refuse_other_hosts(request: Request<Body>, next: Next) -> Response<Body> {
    match is_local(&request) {
        Ok(true) => {
            let mut response = next.run(request).await;
            remove_cors_headers(response.headers_mut());
            response
        }
        Ok(false) => plain_response(StatusCode::FORBIDDEN, OTHER_HOST),
        Err(InvalidHostError) => plain_response(StatusCode::BAD_REQUEST, INVALID_HOST),
    }
}

async fn refuse_other_origins(request: Request<Body>, next: Next) -> Response<Body> {
    if request.method().is_safe() || is_same_origin(request.headers()) {
        next.run(request).await
    } else {
        plain_response(StatusCode::FORBIDDEN, OTHER_ORIGIN)
    }
}

/// True if the request names this machine as its host. A host in the request target must be local, too.
fn is_local(request: &Request<Body>) -> Result<bool, InvalidHostError> {
    let has_host = request.headers().contains_key(http::header::HOST);
    if !has_host && request.version() == Version::HTTP_11 {
        return Err(InvalidHostError);
    }
    let host = ApiHost::from_headers(request.headers())?;
    let target = request.uri().authority().map(Authority::as_str);
    Ok(is_local_name(host.authority()) && target.is_none_or(is_local_name))
}

fn is_local_name(authority: &str) -> bool {
    let end = if authority.starts_with('[') { authority.find(']').map(|end| end + 1) } else { authority.find(':') };
    let name = &authority[..end.unwrap_or(authority.len())];
    LOCAL_NAMES.iter().any(|local| local.eq_ignore_ascii_case(name))
}

/// True unless a browser states that the request comes from another origin. Other clients send none of these headers.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let is_own_site = headers.get(SEC_FETCH_SITE).is_none_or(|site| site == "same-origin" || site == "none");
    let own_origin = ApiHost::from_headers(headers).map(|host| format!("http://{}", host.authority()));
    is_own_site && headers.get(ORIGIN).is_none_or(|origin| own_origin.is_ok_and(|own| origin == own.as_str()))
}

/// True if a browser states that a page of a site elsewhere asks for a change. The sample's keys are known to everyone, so that such a page
/// could send one. A page at another port of this machine is the front end of a developer.
pub(crate) fn is_change_of_another_site(head: &Parts) -> bool {
    let is_cross_site = head.headers.get(SEC_FETCH_SITE).is_some_and(|site| site == "cross-site");
    let is_elsewhere = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or_default();
        origin != "null" && !origin.split_once("://").is_some_and(|(_, authority)| is_local_name(authority))
    };
    !head.method.is_safe() && (is_cross_site || head.headers.get(ORIGIN).is_some_and(is_elsewhere))
}

fn remove_cors_headers(headers: &mut HeaderMap) {
    let names: Vec<_> = headers.keys().filter(|name| name.as_str().starts_with(CORS_PREFIX)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

fn plain_response(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for local in ["localhost", "localhost:3000", "LocalHost:80", "127.0.0.1", "127.0.0.1:8000", "[::1]", "[::1]:1"]
        {
            assert!(is_local_name(local), "{local}");
        }
        for other in [
            "",
            "evil.example",
            "evil.example:3000",
            "localhost.evil.example",
            "evil-localhost",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "127.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "[::2]:3000",
            "::1",
            "localhost.",
            "192.168.0.1:3000",
        ] {
            assert!(!is_local_name(other), "{other}");
        }
    }

    #[test]
    fn requests_of_other_origins_are_recognised() {
        let is_same = |headers: &[(&'static str, &'static str)]| {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_same_origin(&headers.iter().map(pair).collect())
        };
        let host = ("host", "localhost:3000");
        assert!(is_same(&[host]), "no browser");
        assert!(is_same(&[host, ("origin", "http://localhost:3000"), ("sec-fetch-site", "same-origin")]));
        assert!(is_same(&[host, ("sec-fetch-site", "none")]));
        for other in
            ["http://evil.example", "http://localhost:4000", "https://localhost:3000", "http://127.0.0.1:3000", "null"]
        {
            assert!(!is_same(&[host, ("origin", other)]), "{other}");
        }
        for site in ["cross-site", "same-site", ""] {
            assert!(!is_same(&[host, ("sec-fetch-site", site)]), "{site}");
        }
    }
}
