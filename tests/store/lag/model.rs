//! Model of the users, and of a search of them.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_tests::{Fixtures, TestStack, TestUser, address};
use serde_json::{Value, json};

/// Fields of a user that the tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    org: Option<u64>,
    last_name: String,
    status: String,
}

impl Listed {
    pub(crate) fn new(org: Option<u64>, last_name: &str, status: &str) -> Self {
        Self { org, last_name: last_name.to_owned(), status: status.to_owned() }
    }
}

/// Result of a search: id → last name and status.
pub(crate) type List = BTreeMap<String, (String, String)>;

/// Expected users by id.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    users: BTreeMap<String, Listed>,
    created: u32,
    /// Ids that random steps do not change, since tests use their keys.
    kept: Vec<String>,
}

impl Model {
    /// Returns the model of fresh fixtures.
    pub(crate) fn of(fixtures: &Fixtures) -> Self {
        let people: [(&TestUser, Option<u64>, &str, &str); 10] = [
            (&fixtures.provider, None, "provider", "active"),
            (&fixtures.provider_in_1, Some(1), "provider-in-1", "active"),
            (&fixtures.admin_1, Some(1), "admin-1", "active"),
            (&fixtures.other_admin_1, Some(1), "other-admin-1", "active"),
            (&fixtures.manager_1, Some(1), "manager-1", "active"),
            (&fixtures.other_manager_1, Some(1), "other-manager-1", "active"),
            (&fixtures.invited_1, Some(1), "invited-1", "invited"),
            (&fixtures.admin_2, Some(2), "admin-2", "active"),
            (&fixtures.manager_2, Some(2), "manager-2", "active"),
            (&fixtures.invited_2, Some(2), "invited-2", "invited"),
        ];
        let users = people.map(|(person, org, name, status)| (person.id.clone(), Listed::new(org, name, status)));
        Self { users: users.into(), created: 0, kept: vec![fixtures.provider.id.clone()] }
    }

    pub(crate) fn put(&mut self, id: &str, user: Listed) {
        self.users.insert(id.to_owned(), user);
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.users.remove(id);
    }

    /// Returns the users that a provider's search lists: of one organisation, or of all.
    pub(crate) fn listed(&self, org: Option<u64>) -> List {
        let seen = self.users.iter().filter(|(_, user)| org.is_none() || user.org == org);
        seen.map(|(id, user)| (id.clone(), (user.last_name.clone(), user.status.clone()))).collect()
    }

    /// Returns the counts that a provider reads.
    pub(crate) fn stats(&self) -> Value {
        let active = self.users.values().filter(|user| user.status == "active").count();
        json!({"count": self.users.len(), "invited_count": self.users.len() - active, "activate_count": active})
    }

    /// Creates, renames, moves, disables or deletes a random user, in the stack and in the model.
    pub(crate) async fn change(&mut self, stack: &TestStack, key: &str, rng: &mut Rng) {
        let ids: Vec<String> = self.users.keys().filter(|id| !self.kept.contains(id)).cloned().collect();
        let id = rng.choice(&ids).filter(|_| rng.u8(0..4) > 0).cloned();
        let Some(id) = id else { return self.create(stack, key, rng).await };
        let before = self.users[&id].clone();
        let name = format!("Name {}", rng.u8(..));
        let (body, after) = match rng.u8(0..4) {
            0 => {
                assert_eq!(stack.delete(&format!("/user/{id}"), key).await.status, 200);
                return self.remove(&id);
            }
            1 => (json!({"last_name": name}), Listed { last_name: name, ..before }),
            2 => (json!({"status": "invited"}), Listed { status: "invited".to_owned(), ..before }),
            _ => {
                let org = rng.u64(1..3);
                (json!({"org_id": org}), Listed { org: Some(org), ..before })
            }
        };
        let updated = stack.post(&format!("/user/{id}"), key, &body).await;
        assert_eq!(updated.status, 200, "{}", updated.text);
        self.put(&id, after);
    }

    async fn create(&mut self, stack: &TestStack, key: &str, rng: &mut Rng) {
        self.created += 1;
        let (name, org) = (format!("New {}", self.created), rng.u64(1..3));
        let email = address(&format!("new-{}", self.created));
        let body = json!({"email": email, "first_name": "Ada", "last_name": name, "org_id": org});
        let created = stack.post("/user", key, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        self.put(created.json()["id"].as_str().expect("an id"), Listed::new(Some(org), &name, "active"));
    }
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
    let listed = users.iter().map(|user| (text(user, "id"), (text(user, "last_name"), text(user, "status"))));
    Some(listed.collect())
}
