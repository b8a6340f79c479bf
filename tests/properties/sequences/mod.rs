//! Random operations of random callers. Each answer is compared with the model.

mod choices;

use fastrand::Rng;
use jiff::SignedDuration;
use presence_domain::user::{Role, Status};
use presence_tests::{Fixtures, Reply, TestStack, rng};

use self::choices::{body_of, create_body, update_body};
use super::model::{Change, Member, Model, New, Outcome};
use super::users::ids;

const STEPS: usize = 300;
/// Number of steps between two audits of the store.
const AUDIT_EVERY: usize = 60;

struct Run {
    stack: TestStack,
    model: Model,
    rng: Rng,
    /// Every issued key, dead ones too.
    keys: Vec<String>,
    /// Provider that no step changes, so that one caller may always do everything.
    provider: String,
    /// Ids of deleted users.
    gone: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn any_sequence_of_operations_answers_as_the_model_does() {
    let mut run = Run::start(TestStack::start().await, rng("sequences")).await;
    let mut answered = std::collections::BTreeMap::new();
    for step in 0..STEPS {
        let status = run.step(step).await;
        *answered.entry(status).or_insert(0) += 1;
        if step % AUDIT_EVERY == 0 {
            assert_eq!(run.stack.audit().await, [], "step {step}");
        }
    }
    // Dead keys are rare among so few steps: each key is tried once more at the end.
    for key in run.keys.clone() {
        let status = run.get(&key, "at the end").await;
        *answered.entry(status).or_insert(0) += 1;
    }
    for status in [200, 400, 401, 403, 404, 429] {
        assert!(answered.contains_key(&status), "{status} is among the answers: {answered:?}");
    }
    run.compare_all().await;
    assert_eq!(run.stack.audit().await, []);
}

/// Runs random operations in a stack, and compares each answer with the model.
pub(crate) async fn run(stack: TestStack, rng: Rng, steps: usize) -> TestStack {
    let mut run = Run::start(stack, rng).await;
    for step in 0..steps {
        run.step(step).await;
    }
    run.compare_all().await;
    assert_eq!(run.stack.audit().await, []);
    run.stack
}

impl Run {
    async fn start(stack: TestStack, rng: Rng) -> Self {
        let fixtures = Fixtures::create(&stack).await;
        let model = Model::of(&stack, &fixtures).await;
        let keys = fixtures.people().into_iter().map(|(_, person)| person.key.clone());
        let keys = keys.filter(|key| !key.is_empty()).collect();
        Self { stack, model, rng, keys, provider: fixtures.provider.id, gone: vec!["7".to_owned()] }
    }

    /// Runs one operation. Returns the status of its answer.
    async fn step(&mut self, step: usize) -> u16 {
        let key = self.pick_key();
        let what = format!("step {step}");
        match self.rng.u8(0..16) {
            0..=2 => self.create(&key, &what).await,
            3..=7 => self.update(&key, &what).await,
            8 => self.delete(&key, &what).await,
            9..=10 => self.invite(&key, &what).await,
            11 => self.get(&key, &what).await,
            12 => self.search(&key, &what).await,
            13 => self.stats(&key, &what).await,
            14 => self.issue().await,
            _ => {
                let minutes = self.rng.i64(1..7);
                self.stack.clock.advance(SignedDuration::from_mins(minutes));
                self.model.now += minutes * 60;
                0
            }
        }
    }

    async fn create(&mut self, key: &str, what: &str) -> u16 {
        let new = New {
            org: self.maybe(60, &[1, 2]),
            role: self.maybe(50, &Role::ALL),
            status: self.maybe(60, &Status::ALL),
            send_invitation: self.maybe(40, &[true, false]),
            last_name: format!("Name {}", self.rng.u8(..)),
            email: self.pick_email(),
            businesses: Vec::new(),
            password: self.maybe(25, &["canary-pass-1", "short"]),
        };
        let new = if self.rng.bool() { New { businesses: self.pick_businesses(new.org), ..new } } else { new };
        let expected = self.model.create(key, &new);
        let reply = self.stack.post("/user", key, &create_body(&new)).await;
        assert_answers(&reply, &expected, &format!("{what}: {new:?}"));
        if let Ok(user) = expected {
            self.model.put(reply.json()["id"].as_str().expect("an id"), user);
        }
        reply.status
    }

    async fn update(&mut self, key: &str, what: &str) -> u16 {
        let id = self.pick_target(key);
        let org = self.model.users.get(&id).and_then(|user| user.org);
        let change = Change {
            org: self.maybe(20, &[1, 2]),
            role: self.maybe(20, &Role::ALL),
            status: self.maybe(30, &Status::ALL),
            last_name: self.maybe(40, &["King".to_owned(), "Lovelace".to_owned()]),
            email: None,
            businesses: None,
            password: self.maybe(15, &["canary-pass-2", "short"]),
        };
        let email = self.pick_email();
        let businesses = self.pick_businesses(change.org.or(org));
        let (email, businesses) = (self.maybe(15, &[email]), self.maybe(25, &[businesses]));
        let change = Change { email, businesses, ..change };
        let expected = self.model.update(key, &id, &change);
        let reply = self.stack.post(&format!("/user/{id}"), key, &update_body(&change)).await;
        assert_answers(&reply, &expected, &format!("{what}: {:?} {change:?}", self.model.users.get(&id)));
        if let Ok(user) = expected {
            self.model.put(&id, user);
        }
        reply.status
    }

    async fn delete(&mut self, key: &str, what: &str) -> u16 {
        let id = self.pick_target(key);
        let expected = self.model.delete(key, &id);
        let reply = self.stack.delete(&format!("/user/{id}"), key).await;
        assert_answers(&reply, &expected, what);
        if expected.is_ok() {
            self.model.remove(&id);
            self.gone.push(id);
        }
        reply.status
    }

    async fn invite(&mut self, key: &str, what: &str) -> u16 {
        let id = self.pick_guest(key);
        let expected = self.model.invite(key, &id);
        let reply = self.stack.invite(&id, key).await;
        assert_answers(&reply, &expected, what);
        if let Ok(user) = expected {
            self.model.put(&id, user);
        }
        reply.status
    }

    async fn get(&mut self, key: &str, what: &str) -> u16 {
        let id = self.pick_target(key);
        let expected = self.model.caller(key).and_then(|(_, caller)| self.model.visible(caller, &id));
        let reply = self.stack.get(&format!("/user/{id}"), key).await;
        assert_answers(&reply, &expected, what);
        if let Ok(user) = expected {
            assert_eq!(reply.json(), body_of(&id, &user), "{what}");
        }
        reply.status
    }

    async fn search(&mut self, key: &str, what: &str) -> u16 {
        let (status, org) = (self.maybe(40, &Status::ALL), self.maybe(30, &[1_u64, 2]));
        let name = self.maybe(30, &["king", "name 1"]);
        let mut path = "/user/search?per_page=100".to_owned();
        path.extend(status.map(|status| format!("&status={}", status.as_str())));
        path.extend(org.map(|org| format!("&org_id={org}")));
        path.extend(name.map(|name| format!("&last_name={}", name.replace(' ', "+"))));
        let reply = self.stack.get(&path, key).await;
        let caller = match self.model.caller(key) {
            Ok((_, caller)) if caller.role != Role::Provider && org.is_some() && org != caller.org => Err(403),
            other => other.map(|(_, caller)| caller.clone()),
        };
        assert_answers(&reply, &caller, &format!("{what}: {path}"));
        if let Ok(caller) = caller {
            let fits = |user: &Member| {
                status.is_none_or(|status| user.status == status)
                    && org.is_none_or(|org| user.org == Some(org))
                    && name.is_none_or(|name| user.last_name.to_lowercase().contains(name))
            };
            let seen = self.model.all_visible(&caller).filter(|(_, user)| fits(user));
            let expected: Vec<String> = seen.map(|(id, _)| id.clone()).collect();
            assert_eq!(reply.json()["count"], expected.len(), "{what}: {path}");
            let mut found = ids(&reply);
            found.sort_unstable();
            assert_eq!(found, expected, "{what}: {path}");
        }
        reply.status
    }

    async fn stats(&mut self, key: &str, what: &str) -> u16 {
        let reply = self.stack.get("/user/stats", key).await;
        let caller = self.model.caller(key).map(|(_, caller)| caller.clone());
        assert_answers(&reply, &caller, what);
        if let Ok(caller) = caller {
            let expected = Model::stats(self.model.all_visible(&caller).map(|(_, user)| user));
            assert_eq!(reply.json(), expected, "{what}");
        }
        reply.status
    }

    /// The operator gives somebody one more key. No answer of the API.
    async fn issue(&mut self) -> u16 {
        let mut owners: Vec<String> = self.model.may_have_a_key().into_iter().collect();
        self.order(&mut owners);
        let owner = self.rng.choice(&owners).expect("the provider at least").clone();
        let key = self.stack.issue_key(&owner).await;
        self.keys.push(key.clone());
        self.model.live_keys.insert(key, owner);
        0
    }

    /// Everybody, as get answers.
    async fn compare_all(&self) {
        let owner = self.model.live_keys.iter().find(|(_, owner)| **owner == self.provider);
        let (key, _) = owner.expect("the provider is never changed");
        for (id, user) in &self.model.users {
            assert_eq!(self.stack.get(&format!("/user/{id}"), key).await.json(), body_of(id, user));
        }
        for id in &self.gone {
            assert_eq!(self.stack.get(&format!("/user/{id}"), key).await.status, 404);
        }
    }
}

#[track_caller]
fn assert_answers(reply: &Reply, expected: &Outcome, what: &str) {
    let status = expected.as_ref().map_or_else(|status| *status, |_| 200);
    assert_eq!(reply.status, status, "{what}: {}", reply.text);
}
