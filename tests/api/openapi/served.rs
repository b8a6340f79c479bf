//! The description is served to everyone, and to nobody otherwise than the file has it.

use presence_tests::{TestStack, send};

use crate::api::SERVICE_HEADERS;

#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_served_without_a_key_and_is_the_file() {
    let stack = TestStack::start().await;
    let reply = send(stack.request("GET", "/openapi.json")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.text, presence_categories::OPENAPI);
    assert_eq!(reply.json()["openapi"], "3.1.0");
    for (name, value) in SERVICE_HEADERS {
        assert_eq!(reply.header(name), value, "{name}");
    }
    assert_eq!(reply.logged_cost().calls, 0, "a document asks no database");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_cannot_be_changed() {
    let stack = TestStack::start().await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
        let reply = send(stack.request(method, "/openapi.json")).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET"), "{method}");
    }
}
