//! Search of users beside a change: each row shows its user as it was at one moment, whatever call the change comes before.

use std::sync::Arc;

use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_tests::connectors::InterleavingConnector;
use presence_tests::{ConnectorLayer as _, Fixtures, TestStack, in_process_client, long_timeouts};
use serde_json::{Value, json};

/// Upper bound on the calls of a search.
const MAX_CALLS: u64 = 40;

/// Returns the last name and the businesses in each row of a user in the answer to a search.
async fn rows_of(stack: &TestStack, key: &str, id: &str) -> Vec<(Value, Value)> {
    let found = stack.get("/user/search?per_page=100", key).await;
    assert_eq!(found.status, 200, "{}", found.text);
    let users = found.json()["users"].as_array().expect("a list").clone();
    let rows = users.into_iter().filter(|user| user["id"] == id);
    rows.map(|row| (row["last_name"].clone(), row["business_ids"].clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_never_mixes_two_versions_of_its_user() {
    let interleaving = InterleavingConnector::new();
    let http_client = Some(interleaving.over(in_process_client()));
    let stack = TestStack::with(Options { http_client, ..long_timeouts() }).await;
    let Fixtures { admin_1, .. } = Fixtures::create(&stack).await;
    let other = Arc::new(TestStack::with(stack.second_stack_options()).await);
    let user = stack.create_user("changing", Role::BusinessManager, Some(1), Status::Active).await;
    let (key, path) = (admin_1.key.clone(), format!("/user/{}", user.id));
    let change = |number: u64| {
        let businesses = json!([format!("b1-{}", number % 3 + 1)]);
        (json!(format!("name {number}")), businesses)
    };
    let mut before = rows_of(&stack, &key, &user.id).await;
    for call in 1..=MAX_CALLS {
        let after = vec![change(call)];
        let body = json!({ "last_name": after[0].0, "business_ids": after[0].1 });
        let (other, path, by) = (Arc::clone(&other), path.clone(), key.clone());
        let event = async move {
            let changed = other.post(&path, &by, &body).await;
            assert_eq!(changed.status, 200, "{}", changed.text);
        };
        interleaving.before(call, Box::pin(event)).await;
        let found = rows_of(&stack, &key, &user.id).await;
        assert!(found == before || found == after, "before call {call}: {found:?} is neither {before:?} nor {after:?}");
        let (calls, event) = interleaving.end().await;
        if event.is_some() {
            assert!(call > 2, "a search makes {calls} calls");
            return;
        }
        before = rows_of(&stack, &key, &user.id).await;
        assert_eq!(before, after, "the search after it");
    }
    panic!("a search makes more than {MAX_CALLS} calls");
}
