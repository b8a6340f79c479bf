//! Random changes of users, in a stack and in its model, and what a search lists.

use fastrand::Rng;
use presence_domain::user::Status;
use presence_tests::{TestStack, address};
use serde_json::{Value, json};

use crate::properties::model::{List, Member, Model};

/// Creates, renames, moves, disables or deletes a random user, in the stack and in the model. The owner of the key stays as it is.
pub(crate) async fn change(model: &mut Model, stack: &TestStack, key: &str, rng: &mut Rng) {
    let ids: Vec<String> = model.users.keys().filter(|id| model.live_keys.get(key) != Some(*id)).cloned().collect();
    let id = rng.choice(&ids).filter(|_| rng.u8(0..4) > 0).cloned();
    let Some(id) = id else { return create(model, stack, key, rng).await };
    let before = model.users[&id].clone();
    let name = format!("Name {}", rng.u8(..));
    let (body, after) = match rng.u8(0..4) {
        0 => {
            assert_eq!(stack.delete(&format!("/user/{id}"), key).await.status, 200);
            return model.remove(&id);
        }
        1 => (json!({"last_name": name}), Member { last_name: name, ..before }),
        2 => (json!({"status": "invited"}), Member { status: Status::Invited, ..before }),
        _ => {
            let org = rng.u64(1..3);
            (json!({"org_id": org}), Member { org: Some(org), ..before })
        }
    };
    let updated = stack.post(&format!("/user/{id}"), key, &body).await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    model.put(&id, after);
}

async fn create(model: &mut Model, stack: &TestStack, key: &str, rng: &mut Rng) {
    let (number, org) = (rng.u64(..), rng.u64(1..3));
    let (name, email) = (format!("New {number}"), address(&format!("new-{number}")));
    let body = json!({"email": email, "first_name": "Ada", "last_name": name, "org_id": org});
    let created = stack.post("/user", key, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    model.put(created.json()["id"].as_str().expect("an id"), Member::new(Some(org), &name, Status::Active));
}

/// Searches on one page. Returns the users found; `None` if the answer is 503.
pub(crate) async fn list(stack: &TestStack, key: &str, search: &str) -> Option<List> {
    let mark = if search.is_empty() { '?' } else { '&' };
    let reply = stack.get(&format!("/user/search{search}{mark}per_page=100"), key).await;
    if reply.status == 503 {
        assert_eq!(reply.header("retry-after"), "1");
        return None;
    }
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = reply.json();
    let users = body["users"].as_array().expect("a list");
    assert_eq!(body["count"], users.len(), "everybody is on the page");
    let text = |user: &Value, name: &str| user[name].as_str().expect("text").to_owned();
    let status = |user: &Value| Status::ALL.into_iter().find(|one| user["status"] == one.as_str()).expect("a status");
    Some(users.iter().map(|user| (text(user, "id"), (text(user, "last_name"), status(user)))).collect())
}
