//! Unknown paths and methods below the version of the API: they get an answer of the API.

use presence_tests::{TestStack, send};
use serde_json::json;

use crate::api::SERVICE_HEADERS;

const PATHS: [&str; 15] = [
    "",
    "/elsewhere",
    "/elsewhere/and/further",
    "/users",
    "/user/",
    "/user//invite",
    "/user/7/elsewhere",
    "/category",
    "/category/",
    "/reviews/7/elsewhere",
    "/business",
    "/business/7",
    "/openapi",
    "/openapi.json/",
    "/a%20b%2Fc",
];

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_path_is_not_found_with_any_method_and_without_a_key() {
    let stack = TestStack::start().await;
    for path in PATHS {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PURGE"] {
            let reply = send(stack.request(method, path)).await;
            let expected = json!({"errors": {"json": "not found"}});
            assert_eq!((reply.status, reply.json()), (404, expected), "{method} {path}");
            assert!(!reply.header("x-request-id").is_empty(), "{method} {path}");
            for (name, value) in SERVICE_HEADERS.into_iter().chain([("cache-control", "no-store")]) {
                assert_eq!(reply.header(name), value, "{method} {path}: {name}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_path_with_another_method_is_answered_with_the_allowed_ones() {
    let stack = TestStack::start().await;
    for (method, path, allowed) in [
        ("GET", "/user", "POST"),
        ("PUT", "/user/me", "GET, HEAD"),
        ("PATCH", "/user/7", "GET, HEAD, POST, DELETE"),
        ("GET", "/user/7/invite", "POST"),
        ("POST", "/category/search", "GET, HEAD"),
        ("DELETE", "/category/7", "GET, HEAD"),
        ("POST", "/reviews", "GET, HEAD"),
        ("POST", "/business/search", "GET, HEAD"),
        ("DELETE", "/reviews/7", "GET, HEAD, PUT"),
    ] {
        let reply = send(stack.request(method, path)).await;
        let expected = json!({"errors": {"json": "method not allowed"}});
        assert_eq!((reply.status, reply.json()), (405, expected), "{method} {path}");
        assert_eq!(reply.header("allow"), allowed, "{method} {path}");
    }
}
