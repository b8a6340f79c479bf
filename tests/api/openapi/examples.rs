//! Examples of the description: each is sent and gets the described answer.

use presence_docs::{Example, operations};
use presence_local::Options;
use presence_tests::{Reply, TestStack, long_timeouts};
use serde_json::Value;

use super::description::Description;

#[tokio::test(flavor = "multi_thread")]
async fn every_example_gets_its_described_answer() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let description = Description::read();
    let mut sent = 0;
    for operation in operations() {
        for example in &operation.examples {
            let what = format!("{} of {}", example.name, example.operation);
            if let Some(body) = example.body.as_ref().filter(|_| example.status == 200) {
                assert_eq!(description.objection_to_body(operation.name, body), None, "{what}");
            }
            let reply = send(&stack, example).await;
            assert_eq!((reply.status, answer(&reply, example)), (example.status, example.answer.clone()), "{what}");
            assert_eq!(description.objection_to_answer(operation.name, reply.status, &reply.json()), None, "{what}");
            sent += 1;
        }
    }
    assert!(sent > 40, "{sent}");
    assert_eq!(stack.audit().await, []);
}

#[test]
fn every_operation_has_examples_of_success_and_of_mistakes() {
    for operation in operations() {
        for status in [200, 400] {
            let examples = operation.examples.iter().filter(|example| example.status == status).count();
            assert!(examples > 0, "{status} of {}", operation.name);
        }
        let forbidden = operation.examples.iter().any(|example| example.status == 403);
        assert_eq!(forbidden, operation.statuses().contains(&403), "{}", operation.name);
    }
}

async fn send(stack: &TestStack, example: &Example) -> Reply {
    let key = &stack.local.keys()[example.role.as_str()];
    let (method, path) = example.request.split_once(' ').expect("a method and a target");
    match (method, &example.body) {
        ("GET", None) => stack.get(path, key).await,
        ("DELETE", None) => stack.delete(path, key).await,
        ("POST", Some(body)) => stack.post(path, key, body).await,
        ("PUT", Some(body)) => {
            presence_tests::send(stack.request("PUT", path).header("x-api-key", key).json(body)).await
        }
        ("POST", None) => presence_tests::send(stack.request("POST", path).header("x-api-key", key)).await,
        _ => panic!("no example is sent like {}", example.request),
    }
}

/// Returns the answer. What differs each time is replaced by that of the example: the id of a created user, a new key with its id, and
/// the instants of keys and replies.
fn answer(reply: &Reply, example: &Example) -> Value {
    let mut answer = reply.json();
    if reply.status != 200 {
        return answer;
    }
    match example.operation.as_str() {
        "create_user" => replace(&mut answer, &example.answer, &["id"]),
        "create_key" | "rotate_key" => {
            replace(&mut answer, &example.answer, &["id", "key", "created_at", "expires_at"]);
        }
        "create_webhook" | "rotate_webhook" => {
            replace(&mut answer, &example.answer, &["id", "secret", "created_at"]);
        }
        "list_webhooks" => replace(&mut answer["webhooks"][0], &example.answer["webhooks"][0], &["created_at"]),
        "test_webhook" => {
            replace(&mut answer, &example.answer, &["event_id"]);
            answer["attempts"][0] = example.answer["attempts"][0].clone();
        }
        name if name.ends_with("_webhook") => replace(&mut answer, &example.answer, &["created_at"]),
        "list_keys" => {
            let expected = example.answer["keys"].as_array().expect("keys");
            for (key, expected) in answer["keys"].as_array_mut().expect("keys").iter_mut().zip(expected) {
                replace(key, expected, &["created_at", "last_used_at"]);
            }
        }
        _ => {}
    }
    for name in ["requested_at", "settled_at"] {
        if answer[name].is_string() && example.answer[name].is_string() {
            answer[name] = example.answer[name].clone();
        }
    }
    answer
}

/// Replaces members by the expected ones, if both are texts.
fn replace(found: &mut Value, expected: &Value, names: &[&str]) {
    for name in names {
        if found[name].is_string() && expected[name].is_string() {
            found[name] = expected[name].clone();
        }
    }
}
