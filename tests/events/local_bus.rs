//! Local bus: it refuses what `EventBridge` refuses, and what a page of another site could send.

use presence_tests::{TestStack, send};
use serde_json::{Value, json};

fn entry() -> Value {
    json!({ "Source": "presence", "DetailType": "user.created", "Detail": "{}", "EventBusName": "presence", "Time": 1_772_366_400 })
}

/// Sends a call, and returns status and code.
async fn put(stack: &TestStack, target: &str, kind: &str, body: &Value) -> (u16, String) {
    let request = stack.request_at("POST", &format!("{}/", stack.local.event_bridge_url()));
    let request = request.header("x-amz-target", target).header("content-type", kind).body(body.to_string());
    let reply = send(request).await;
    let answer: Value = serde_json::from_str(&reply.text).expect("JSON");
    (reply.status, answer["__type"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_local_bus_takes_calls_of_its_protocol_only() {
    let stack = TestStack::start().await;
    let (target, kind) = ("AWSEvents.PutEvents", "application/x-amz-json-1.1");
    let without = |name: &str| {
        let mut entry = entry();
        entry[name] = json!("");
        json!({ "Entries": [entry] })
    };
    for (target, kind, body, code) in [
        ("AWSEvents.ListRules", kind, json!({ "Entries": [entry()] }), "UnknownOperationException"),
        (target, "text/plain", json!({ "Entries": [entry()] }), "UnknownOperationException"),
        (target, kind, json!({ "Entries": [] }), "ValidationException"),
        (target, kind, json!({ "Entries": vec![entry(); 11] }), "ValidationException"),
        (target, kind, without("Detail"), "ValidationException"),
        (target, kind, without("Source"), "ValidationException"),
        (target, kind, without("EventBusName"), "ValidationException"),
    ] {
        assert_eq!(put(&stack, target, kind, &body).await, (400, code.to_owned()), "{body}");
    }
    assert_eq!(stack.local.events().events(), Vec::<Value>::new());
    let taken = put(&stack, target, kind, &json!({ "Entries": vec![entry(); 10] })).await;
    assert_eq!((taken, stack.local.events().events().len()), ((200, String::new()), 10));
}
