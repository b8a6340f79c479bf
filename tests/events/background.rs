//! Local stack as `cargo run` starts it: events arrive by themselves, on the page and as JSON.

use std::time::Duration;

use presence_local::Options;
use presence_tests::{Fixtures, TestStack, address, long_timeouts, send};
use serde_json::{Value, json};

/// Longest wait for an event: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn the_local_stack_lists_each_event_by_itself() {
    let stack = TestStack::with(Options { publisher: true, ..long_timeouts() }).await;
    let fixtures = Fixtures::create(&stack).await;
    let body =
        json!({ "email": address("guest"), "first_name": "Ada", "last_name": "Roy", "password": "canary-pass-1" });
    let created = stack.post("/user", &fixtures.admin_1.key, &body).await;
    let id = created.json()["id"].clone();
    let listed = async {
        loop {
            let reply = send(stack.request_at("GET", &format!("{}.json", stack.local.events_url()))).await;
            let events: Vec<Value> = serde_json::from_str(&reply.text).expect("JSON");
            if let Some(event) = events.into_iter().find(|event| event["detail"]["id"] == id) {
                return event;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let event = tokio::time::timeout(PATIENCE, listed).await.expect("the event comes");
    let members: Vec<_> = event.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(members.len(), 5, "{members:?}");
    assert!(["id", "time", "source", "detail-type", "detail"].iter().all(|name| members.contains(name)));
    assert_eq!((&event["source"], &event["detail-type"]), (&json!("presence"), &json!("user.created")));
    let page = send(stack.request_at("GET", &stack.local.events_url())).await;
    assert_eq!((page.status, page.text.contains("<h1>Events</h1>")), (200, true));
}
