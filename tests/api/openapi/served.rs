//! Description and its page, as they are served: without a key, and from the stack alone.

use presence_local::Options;
use presence_tests::{Reply, TestStack, long_timeouts, send};

use crate::api::SERVICE_HEADERS;

#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_served_without_a_key_in_both_versions() {
    let stack = TestStack::start().await;
    for (path, text, version) in [
        ("/openapi.json", presence_categories::OPENAPI.to_owned(), "3.1.0"),
        ("/openapi-3.0.json", presence_categories::openapi_3_0(), "3.0.3"),
    ] {
        let reply = send(stack.request("GET", path)).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.text, text);
        assert_eq!(reply.json()["openapi"], version);
        for (name, value) in SERVICE_HEADERS.into_iter().chain([("cache-control", "public, max-age=300")]) {
            assert_eq!(reply.header(name), value, "{name} of {path}");
        }
        assert_eq!(reply.logged_cost().calls, 0, "a document needs no database");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_cannot_be_changed() {
    let stack = TestStack::start().await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let reply = send(stack.request(method, "/openapi.json")).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"), "{method}");
    }
}

async fn fetch(stack: &TestStack, path: &str) -> Reply {
    let origin = stack.local.base_url().trim_end_matches("/api/v2").to_owned();
    send(reqwest::Client::new().get(format!("{origin}{path}"))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_its_parts_come_from_the_stack_alone() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let page = send(reqwest::Client::new().get(stack.local.docs_url())).await;
    assert_eq!(page.status, 200);
    for key in stack.local.keys().values() {
        assert!(page.text.contains(key), "the page offers every key");
    }
    let parts: Vec<&str> = page.text.split('"').filter(|text| text.starts_with('/')).collect();
    assert!(parts.len() > 4, "{parts:?}");
    for part in parts {
        assert_eq!(fetch(&stack, part).await.status, 200, "{part}");
    }
    assert!(!page.text.contains("https://") && !page.text.contains("http://"), "nothing comes from other hosts");
    assert!(page.header("content-security-policy").starts_with("default-src 'none'; script-src 'self';"));
    for data in ["/docs/openapi.json", "/docs/examples.json"] {
        assert_eq!(fetch(&stack, data).await.header("content-type"), "application/json", "{data}");
    }
    assert_eq!(fetch(&stack, "/docs/elsewhere.js").await.status, 404);
}
