//! Unusual headers, methods and targets, and the limits of the gateway.

use std::collections::BTreeSet;

use presence_tests::{Fixtures, path_of, routes};

use super::raw_http::{RawRequest, host};
use super::{Origin, check_envelope};

/// Largest request line with the values of all headers that the gateway accepts, in bytes.
const MAX_HEAD_BYTES: usize = 10_240;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_bytes_that_are_no_text_gives_no_access() {
    let (stack, fixtures) = Fixtures::start().await;
    for key in [b"\xff\xfe".to_vec(), [fixtures.admin_1.key.as_bytes(), b"\xff"].concat()] {
        let reply = RawRequest::new("GET", "/user/me").with("x-api-key", key).send(&stack).await;
        assert_eq!((check_envelope(&reply, "a key"), reply.status), (Origin::Service, 401), "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_refused_with_the_allowed_ones() {
    const METHODS: [&str; 11] =
        ["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH", "PUT", "TRACE", "get", "Post", "BREW"];
    let (stack, fixtures) = Fixtures::start().await;
    let before = stack.snapshot().await;
    let routes = routes();
    let mut seen = BTreeSet::new();
    for route in routes.iter().filter(|route| seen.insert(route.path)) {
        let path = route.path;
        let methods = routes.iter().filter(|route| route.path == path).map(|route| route.method);
        let allowed: Vec<_> =
            methods.flat_map(|method| if method == "GET" { vec!["GET", "HEAD"] } else { vec![method] }).collect();
        for method in METHODS.into_iter().filter(|method| !allowed.contains(method)) {
            let what = format!("{method} {path}");
            let target = path_of(route, &fixtures.invited_1.id, "c-bank");
            let raw =
                RawRequest::new(method, target).with("x-api-key", &fixtures.admin_1.key).json(r#"{"last_name":"X"}"#);
            let reply = raw.send(&stack).await;
            assert_eq!((reply.status, reply.header("allow")), (405, allowed.join(", ").as_str()), "{what}");
            if method == "HEAD" {
                assert_eq!(reply.text, "", "{what}");
            } else {
                assert_eq!(check_envelope(&reply, &what), Origin::Service);
                assert_eq!(reply.text, r#"{"errors":{"json":"method not allowed"}}"#, "{what}");
            }
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_of_more_than_10240_bytes_is_refused() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let line = "GET /api/v2/user/me HTTP/1.1".len();
    let rest = line + host(&stack).len() + "close".len() + "0".len() + key.len();
    for (bytes, status, origin) in [
        (MAX_HEAD_BYTES, 200, Origin::Service),
        (MAX_HEAD_BYTES + 1, 431, Origin::Gateway),
        (MAX_HEAD_BYTES * 10, 431, Origin::Gateway),
    ] {
        let raw = RawRequest::new("GET", "/user/me").with("x-api-key", key).with("x-pad", "a".repeat(bytes - rest));
        let reply = raw.send(&stack).await;
        assert_eq!((reply.status, check_envelope(&reply, "a long head")), (status, origin), "{bytes} bytes");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unusual_targets_cause_no_error() {
    let (stack, fixtures) = Fixtures::start().await;
    let whole = format!("http://{}/api/v2/user/me", host(&stack));
    for (method, target, status) in [
        ("OPTIONS", "*", 404),
        ("GET", "/nothing", 404),
        ("GET", "//api/v2/user/me", 404),
        ("GET", "/api/v2//user/me", 404),
        ("GET", "/api/v2/user/../user/me", 404),
        ("GET", "/api/V2/user/me", 404),
        ("GET", "/api/v2/user/me?", 200),
        ("GET", "/api/v2/user/me?&&", 200),
        ("GET", "/api/v2/user/me??", 400),
        ("GET", &whole, 200),
    ] {
        let raw = RawRequest { method: method.to_owned(), target: target.as_bytes().to_vec(), ..RawRequest::default() };
        let reply = raw.with("x-api-key", &fixtures.admin_1.key).send(&stack).await;
        check_envelope(&reply, target);
        assert_eq!(reply.status, status, "{method} {target}: {}", reply.text);
    }
}
