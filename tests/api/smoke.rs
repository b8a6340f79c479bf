//! Shortest tests of the whole API: the functions start, and a user is created, found, changed and deleted.

use presence_local::Options;
use presence_local::connectors::ConnectorLayer as _;
use presence_tests::{FaultConnector, Fixtures, TestStack, address, in_process_client, long_timeouts};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_user_is_created_found_changed_and_deleted() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;

    let body =
        json!({"email": address("ada"), "first_name": "Ada", "last_name": "Lovelace", "password": "canary-pass-1"});
    let created = stack.post("/user", key, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let id = created.json()["id"].as_str().expect("an id").to_owned();

    let found = stack.get("/user/search?query=lovelace", key).await;
    assert_eq!(found.json()["users"][0]["id"], id.as_str());
    let updated = stack.post(&format!("/user/{id}"), key, &json!({"last_name": "King"})).await;
    assert_eq!(updated.json(), json!({"status": "success", "id": id}));
    assert_eq!(stack.get("/user/search?query=lovelace", key).await.json()["count"], 0);
    assert_eq!(stack.get("/user/search?last_name=king", key).await.json()["count"], 1);

    let deleted = stack.delete(&format!("/user/{id}"), key).await;
    assert_eq!(deleted.json(), json!({"status": "success", "id": id}));
    assert_eq!(stack.get(&format!("/user/{id}"), key).await.status, 404);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_functions_of_the_local_stack_read_what_those_on_lambda_read_in_init() {
    let calls = FaultConnector::new();
    let options = Options { http_client: Some(calls.over(in_process_client())), ..long_timeouts() };
    let _stack = TestStack::with(options).await;
    let mut operations: Vec<_> = calls.observed().into_iter().map(|attempt| attempt.operation).collect();
    operations.sort();
    // The users and the categories function look for a key, the reviews function lists the organisations and reads the moves, and the feed
    // function looks for an event.
    assert_eq!(operations, ["GetItem", "GetItem", "GetItem", "GetItem", "Query"]);
}
