//! Local stack that keeps its data: what happened before a kill reaches the feed after the next start, once.

use std::time::Duration;

use presence_local::{DynamoDb, Options};
use presence_tests::{Fixtures, TestStack, address, long_timeouts};
use serde_json::{Value, json};

/// Longest wait for an event: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(1);

async fn create(stack: &TestStack, key: &str, name: &str) -> Value {
    let body = json!({ "email": address(name), "first_name": "Ada", "last_name": "Roy", "password": "canary-pass-1" });
    let created = stack.post("/user", key, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    created.json()["id"].clone()
}

/// Waits until the feed tells of the creation of this user, and returns the ids of all created users.
async fn created_users(stack: &TestStack, key: &str, after: &str, last: &Value) -> Vec<Value> {
    let listed = async {
        loop {
            let page = stack.get(&format!("/events?type__in=user.created&after={after}"), key).await.json();
            let events = page["events"].as_array().cloned().unwrap_or_default();
            let ids: Vec<_> = events.iter().map(|event| event["data"]["id"].clone()).collect();
            if ids.contains(last) {
                return ids;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, listed).await.expect("the events come")
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_or_told_twice_over_a_stop_and_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = |publisher| {
        let dynamodb = DynamoDb::Embedded { port: 0, data: Some(folder.path().to_owned()) };
        Options { dynamodb, publisher, ..long_timeouts() }
    };
    let stack = TestStack::with(options(true)).await;
    let fixtures = Fixtures::create(&stack).await;
    let key = &fixtures.admin_1.key;
    let start = stack.get("/events?after=now", key).await.json()["next"].as_str().expect("a cursor").to_owned();
    let first = create(&stack, key, "first").await;
    let ids = created_users(&stack, key, &start, &first).await;
    drop(stack);
    // Without its publisher, the stack is one that was killed before it could append.
    let stack = TestStack::with(options(false)).await;
    let second = create(&stack, key, "second").await;
    drop(stack);
    let stack = TestStack::with(options(true)).await;
    let third = create(&stack, key, "third").await;
    let seen = created_users(&stack, key, &start, &third).await;
    assert_eq!(seen, [&ids[..], &[second, third]].concat());
    drop(stack);
}
