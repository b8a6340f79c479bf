//! Ids in the line of a request, and the client's id in its answer.

use presence_tests::{Fixtures, Reply, TestStack, send};
use serde_json::{Value, json};

use super::line;

/// Sends a request with an id of the client.
async fn send_with_id(stack: &TestStack, method: &str, url: &str, key: &str, id: &str) -> Reply {
    let url = format!("{}{url}", stack.local.base_url().trim_end_matches("/api/v2"));
    let request = stack.request_at(method, &url).header("x-api-key", key);
    send(request.header("x-client-request-id", id)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn valid_client_id_is_logged_and_echoed_by_every_kind_of_answer() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let id = "job-7:step_2.retry";
    for (method, path, key, status) in [
        ("GET", "/api/v2/user/me", key.as_str(), 200),
        ("GET", "/api/v2/user/me", "", 401),
        ("GET", "/api/v2/user/me?x=1", key, 400),
        ("GET", "/api/v2/user/7", key, 404),
        ("GET", "/api/v2/nothing/here", key, 404),
        ("GET", "/api/v2/user/a/b/c", key, 404),
        ("PUT", "/api/v2/user/me", key, 405),
        ("GET", "/api/v2/openapi.json", "", 200),
        ("DELETE", "/api/v2/openapi.json", "", 405),
        ("GET", "/invitation?user=7&token=x", "", 404),
        ("PUT", "/invitation", "", 405),
    ] {
        let reply = send_with_id(&stack, method, path, key, id).await;
        assert_eq!((reply.status, reply.header("x-client-request-id")), (status, id), "{method} {path}");
        assert_eq!(line(&reply)["client_request_id"], id, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_client_id_is_ignored() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let long = "x".repeat(129);
    for id in ["", "a b", "a/b", "canary-name@example", "{\"a\":1}", "é", &long, key, &format!("x.{key}")] {
        let reply = send_with_id(&stack, "GET", "/api/v2/user/me", key, id).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.headers.get("x-client-request-id"), None, "{id}");
        assert_eq!(line(&reply)["client_request_id"], Value::Null, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn line_has_the_ids_of_the_gateway_and_of_the_trace_and_the_version() {
    let (stack, fixtures) = Fixtures::start().await;
    let request = stack.request("GET", "/user/me").header("x-api-key", &fixtures.admin_1.key);
    let reply = send(request.header("x-amzn-trace-id", "Root=canary-name")).await;
    let line = line(&reply);
    assert_eq!(line["gateway_request_id"], reply.header("apigw-requestid"));
    assert_eq!(line["request_id"], reply.header("x-request-id"));
    let trace = line["trace_id"].as_str().expect("a trace");
    assert!(trace.starts_with("1-") && trace.len() == 35, "{trace}");
    assert_eq!((&line["version"], &line["function_version"]), (&json!(env!("CARGO_PKG_VERSION")), &json!("$LATEST")));
    let milliseconds = line["duration_ms"].as_f64().expect("a duration");
    assert!(milliseconds > 0.0 && ((milliseconds * 10.0).round() / 10.0 - milliseconds).abs() < 1e-9, "{milliseconds}");
}
