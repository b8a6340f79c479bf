//! Unusual headers, methods and targets, and the limits of the gateway.

use std::collections::BTreeSet;

use presence_tests::{Fixtures, TestStack, path_of, routes};

use super::raw_http::{RawRequest, host};
use super::{Origin, check_envelope};

/// Largest request line with the values of all headers that the gateway accepts, in bytes.
const MAX_HEAD_BYTES: usize = 10_240;

fn me_with_headers(headers: &[(&str, &str)]) -> RawRequest {
    headers.iter().fold(RawRequest::new("GET", "/user/me"), |request, (name, value)| request.with(name, value))
}

fn me_with_query_key(key: &str) -> RawRequest {
    RawRequest::new("GET", format!("/user/me?api_key={key}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_gives_access_only_in_its_places_and_forms() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    let (key, other) = (fixtures.admin_1.key.as_str(), fixtures.manager_1.key.as_str());
    let bearer = format!("Bearer {key}");
    let cases: Vec<(&str, RawRequest, u16)> = vec![
        ("no key", me_with_headers(&[]), 401),
        ("the header", me_with_headers(&[("x-api-key", key)]), 200),
        ("its name in capitals", me_with_headers(&[("X-API-KEY", key)]), 200),
        ("blanks around the key", me_with_headers(&[("x-api-key", &format!("  {key}\t"))]), 200),
        ("the other header", me_with_headers(&[("x-apikey", key)]), 200),
        ("a bearer token", me_with_headers(&[("authorization", &bearer)]), 200),
        ("the scheme in any case, more blanks", me_with_headers(&[("authorization", &format!("bEARER   {key}"))]), 200),
        ("the query", me_with_query_key(key), 200),
        ("the query, escaped", me_with_query_key(&key.replace('_', "%5F")), 200),
        ("the same key everywhere", me_with_query_key(key).with("x-api-key", key).with("authorization", &bearer), 200),
        (
            "a key beside another scheme",
            me_with_headers(&[("x-api-key", key), ("authorization", "Basic cGs6cGs=")]),
            200,
        ),
        ("an empty header beside a key", me_with_query_key(key).with("x-api-key", ""), 200),
        ("another scheme", me_with_headers(&[("authorization", "Basic cGs6cGs=")]), 401),
        (
            "a key as the password of another scheme",
            me_with_headers(&[("authorization", &format!("Basic {key}"))]),
            401,
        ),
        ("no scheme", me_with_headers(&[("authorization", key)]), 401),
        ("no token", me_with_headers(&[("authorization", "Bearer")]), 401),
        ("a tab after the scheme", me_with_headers(&[("authorization", &format!("Bearer\t{key}"))]), 401),
        ("one token twice", me_with_headers(&[("authorization", &bearer), ("authorization", &bearer)]), 200),
        (
            "two tokens",
            me_with_headers(&[("authorization", &bearer), ("authorization", &format!("Bearer {other}"))]),
            400,
        ),
        ("the header twice, joined by the gateway", me_with_headers(&[("x-api-key", key), ("x-api-key", key)]), 200),
        ("two keys with a comma", me_with_headers(&[("x-api-key", &format!("{key},{other}"))]), 400),
        ("a list with one key", me_with_headers(&[("x-api-key", &format!("{key},"))]), 200),
        ("a list with no key", me_with_headers(&[("x-api-key", " , ,")]), 401),
        ("quotes", me_with_headers(&[("x-api-key", &format!("\"{key}\""))]), 401),
        ("lower case", me_with_headers(&[("x-api-key", &key.to_lowercase())]), 401),
        ("a very long key", me_with_headers(&[("x-api-key", &key.repeat(200))]), 401),
        ("bytes that are no text", RawRequest::new("GET", "/user/me").with("x-api-key", b"\xff\xfe"), 401),
        (
            "a byte after the key",
            RawRequest::new("GET", "/user/me").with("x-api-key", [key.as_bytes(), b"\xff"].concat()),
            401,
        ),
        ("a cookie", me_with_headers(&[("cookie", &format!("api_key={key}"))]), 401),
        ("a header that looks like one", me_with_headers(&[("api_key", key), ("x-api-key-id", key)]), 401),
        ("two headers that differ", me_with_headers(&[("x-api-key", key), ("x-apikey", other)]), 400),
        ("a header and a token that differ", me_with_headers(&[("x-api-key", other), ("authorization", &bearer)]), 400),
        ("a header and a query that differ", me_with_query_key(other).with("x-api-key", key), 400),
        ("the query twice, the same", me_with_query_key(&format!("{key}&api_key={key}")), 400),
        ("the query twice, different", me_with_query_key(&format!("{key}&api_key={other}")), 400),
    ];
    for (what, raw, status) in cases {
        let reply = raw.send(&stack).await;
        assert_eq!((check_envelope(&reply, what), reply.status), (Origin::Service, status), "{what}: {}", reply.text);
        assert!(!reply.text.contains("pk_"), "{what}: {}", reply.text);
        assert!(status != 200 || reply.json()["id"] == fixtures.admin_1.id.as_str(), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_the_body_counts_like_any_other() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    let (key, other) = (fixtures.admin_1.key.as_str(), fixtures.manager_1.key.as_str());
    let path = format!("/user/{}", fixtures.manager_1.id);
    for (what, in_body, header, status) in [
        ("the body alone", format!("{key:?}"), None, 200),
        ("the same in both", format!("{key:?}"), Some(key), 200),
        ("null beside a header", "null".to_owned(), Some(key), 200),
        ("two that differ", format!("{key:?}"), Some(other), 400),
        ("twice the same, as a repeated field", format!(r#"{key:?},"api_key":{key:?}"#), None, 400),
        ("a number", "7".to_owned(), None, 401),
        ("a list with the key", format!("[{key:?}]"), None, 401),
        ("empty text", r#""""#.to_owned(), None, 401),
        ("null", "null".to_owned(), None, 401),
    ] {
        let raw = RawRequest::new("POST", &path).json(format!(r#"{{"phone":"1","api_key":{in_body}}}"#));
        let raw = header.into_iter().fold(raw, |raw, key| raw.with("x-api-key", key));
        let reply = raw.send(&stack).await;
        assert_eq!((check_envelope(&reply, what), reply.status), (Origin::Service, status), "{what}: {}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_refused_with_the_allowed_ones() {
    const METHODS: [&str; 11] =
        ["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH", "PUT", "TRACE", "get", "Post", "BREW"];
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
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
            }
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_of_more_than_10240_bytes_is_refused() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
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
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
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
