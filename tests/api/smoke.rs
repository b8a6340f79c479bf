//! Shortest test of the whole API: a user is created, found, changed and deleted.

use presence_tests::{Fixtures, TestStack, address};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_user_is_created_found_changed_and_deleted() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
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
