//! Guards the ports of the local stack: they are for clients on this machine that call it by a name of this machine.
//!
//! A page of any web site may send requests to this machine. It may even read the answers, once its own name leads here (DNS
//! rebinding): the demo keys, the mails, every table. Its requests still carry the site's name as their `Host`, which no page
//! can change. So each port refuses other hosts, and no answer has a CORS header.

use axum::Router;
use axum::body::Body;
use axum::middleware::{Next, from_fn};
use http::header::{CONTENT_TYPE, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Version};

use crate::gateway::{ApiHost, InvalidHost};

/// The names of this machine, whatever the port.
const LOCAL_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// The header by which a browser says from which site a request comes.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The first part of the headers that open an answer to other sites.
const CORS: &str = "access-control-";

const OTHER_HOST: &str = "This stack answers to localhost, 127.0.0.1 and [::1] only, not to another Host.\n";
const NO_HOST: &str = "The request names no host, or one that is not valid.\n";
const OTHER_SITE: &str = "A page of another site may not change anything here.\n";

/// Has a router refuse every request that calls this machine by another name: 403, or 400 without a valid `Host`. Its answers
/// have no CORS header.
pub fn local_hosts_only(router: Router) -> Router {
    router.layer(from_fn(refuse_other_hosts))
}

/// Has a router refuse what a page of another site sends to change something: 403.
pub(crate) fn own_pages_only(router: Router) -> Router {
    router.layer(from_fn(refuse_other_sites))
}

async fn refuse_other_hosts(request: Request<Body>, next: Next) -> Response<Body> {
    match is_local(&request) {
        Ok(true) => {
            let mut response = next.run(request).await;
            remove_cors(response.headers_mut());
            response
        }
        Ok(false) => refusal(StatusCode::FORBIDDEN, OTHER_HOST),
        Err(InvalidHost) => refusal(StatusCode::BAD_REQUEST, NO_HOST),
    }
}

async fn refuse_other_sites(request: Request<Body>, next: Next) -> Response<Body> {
    if request.method().is_safe() || is_from_here(request.headers()) {
        next.run(request).await
    } else {
        refusal(StatusCode::FORBIDDEN, OTHER_SITE)
    }
}

/// True if the request calls this machine by one of its names. A target that names a host counts like the header.
fn is_local(request: &Request<Body>) -> Result<bool, InvalidHost> {
    let named = request.headers().contains_key(http::header::HOST);
    if !named && request.version() == Version::HTTP_11 {
        return Err(InvalidHost);
    }
    let host = ApiHost::of(request.headers())?;
    let target = request.uri().authority().map(Authority::as_str);
    Ok(is_local_name(host.authority()) && target.is_none_or(is_local_name))
}

fn is_local_name(authority: &str) -> bool {
    let end = if authority.starts_with('[') { authority.find(']').map(|end| end + 1) } else { authority.find(':') };
    let name = &authority[..end.unwrap_or(authority.len())];
    LOCAL_NAMES.iter().any(|local| local.eq_ignore_ascii_case(name))
}

/// True if no browser says that the request comes from another site. Clients that are no browsers say nothing.
fn is_from_here(headers: &HeaderMap) -> bool {
    let own_site = headers.get(FETCH_SITE).is_none_or(|site| site == "same-origin" || site == "none");
    let own_origin = ApiHost::of(headers).map(|host| format!("http://{}", host.authority()));
    own_site && headers.get(ORIGIN).is_none_or(|origin| own_origin.is_ok_and(|own| origin == own.as_str()))
}

fn remove_cors(headers: &mut HeaderMap) {
    let names: Vec<_> = headers.keys().filter(|name| name.as_str().starts_with(CORS)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_of_this_machine_are_local() {
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
    fn a_browser_says_where_a_request_comes_from() {
        let is_own = |headers: &[(&'static str, &'static str)]| {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_from_here(&headers.iter().map(pair).collect())
        };
        let host = ("host", "localhost:3000");
        assert!(is_own(&[host]), "no browser");
        assert!(is_own(&[host, ("origin", "http://localhost:3000"), ("sec-fetch-site", "same-origin")]));
        assert!(is_own(&[host, ("sec-fetch-site", "none")]));
        for other in
            ["http://evil.example", "http://localhost:4000", "https://localhost:3000", "http://127.0.0.1:3000", "null"]
        {
            assert!(!is_own(&[host, ("origin", other)]), "{other}");
        }
        for site in ["cross-site", "same-site", ""] {
            assert!(!is_own(&[host, ("sec-fetch-site", site)]), "{site}");
        }
    }
}
