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
