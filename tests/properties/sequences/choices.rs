//! Choice of the next operation, and its JSON.

use presence_domain::user::{Role, Status};
use presence_tests::address;
use serde_json::{Value, json};

use super::super::model::{Change, Member, New};
use super::Run;

/// Two organisations have three each; the last belongs to nobody.
const BUSINESSES: [&str; 7] = ["b1-1", "b1-2", "b1-3", "b2-1", "b2-2", "b2-3", "nowhere"];

impl Run {
    /// Returns a live key in most cases, else any key.
    pub(super) fn pick_key(&mut self) -> String {
        let live: Vec<&String> = self.keys.iter().filter(|key| self.model.live_keys.contains_key(*key)).collect();
        match self.rng.u8(0..8) {
            0 => self.rng.choice(&self.keys).expect("many").clone(),
            _ => (*self.rng.choice(&live).expect("the provider's at least")).clone(),
        }
    }

    /// Returns a user that the caller may see in most cases.
    pub(super) fn pick_target(&mut self, key: &str) -> String {
        let among = match (self.rng.u8(0..8), self.model.caller(key)) {
            (0, _) => self.gone.clone(),
            (3.., Ok((_, caller))) => self.model.all_visible(caller).map(|(id, _)| id.clone()).collect(),
            _ => self.model.users.keys().cloned().collect(),
        };
        self.pick_among(among)
    }

    /// Returns an invited user in most cases.
    pub(super) fn pick_guest(&mut self, key: &str) -> String {
        if self.rng.u8(0..4) == 0 {
            return self.pick_target(key);
        }
        let guests = self.model.users.iter().filter(|(_, user)| user.status == Status::Invited);
        let guests = guests.map(|(id, _)| id.clone()).collect();
        self.pick_among(guests)
    }

    /// Returns one of the users, but the provider only if there is no other.
    fn pick_among(&mut self, mut ids: Vec<String>) -> String {
        ids.retain(|id| *id != self.provider);
        self.order(&mut ids);
        self.rng.choice(&ids).unwrap_or(&self.gone[0]).clone()
    }

    /// Sorts ids by address: ids are random, and a seed must always make the same choices.
    pub(super) fn order(&self, ids: &mut [String]) {
        ids.sort_by_cached_key(|id| self.model.users.get(id).map(|user| user.email.clone()));
    }

    pub(super) fn maybe<T: Clone>(&mut self, percent: u8, of: &[T]) -> Option<T> {
        (self.rng.u8(0..100) < percent).then(|| self.rng.choice(of).expect("a choice").clone())
    }

    pub(super) fn pick_email(&mut self) -> String {
        address(&format!("m{}", self.rng.u8(0..60)))
    }

    /// Returns businesses of the organisation in most cases: random ones rarely belong together.
    pub(super) fn pick_businesses(&mut self, org: Option<u64>) -> Vec<String> {
        let from = if org == Some(2) { 3 } else { 0 };
        let (from, count) =
            if self.rng.u8(0..4) == 0 { (self.rng.usize(0..6), 2) } else { (from, self.rng.usize(0..3)) };
        BUSINESSES[from..(from + count).min(BUSINESSES.len())].iter().map(ToString::to_string).collect()
    }
}

pub(super) fn create_body(new: &New) -> Value {
    let mut body = json!({"first_name": "Test", "last_name": new.last_name, "email": new.email});
    add(&mut body, "org_id", new.org);
    add(&mut body, "role", new.role.map(Role::as_str));
    add(&mut body, "status", new.status.map(Status::as_str));
    add(&mut body, "send_invitation", new.send_invitation);
    add(&mut body, "password", new.password);
    add(&mut body, "business_ids", (!new.businesses.is_empty()).then(|| new.businesses.clone()));
    body
}

pub(super) fn update_body(change: &Change) -> Value {
    let mut body = json!({});
    add(&mut body, "org_id", change.org);
    add(&mut body, "role", change.role.map(Role::as_str));
    add(&mut body, "status", change.status.map(Status::as_str));
    add(&mut body, "last_name", change.last_name.clone());
    add(&mut body, "email", change.email.clone());
    add(&mut body, "business_ids", change.businesses.clone());
    add(&mut body, "password", change.password);
    body
}

fn add(body: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body[name] = value.into();
    }
}

pub(super) fn body_of(id: &str, user: &Member) -> Value {
    json!({
        "id": id, "status": user.status.as_str(), "first_name": "Test", "last_name": user.last_name,
        "business_ids": user.businesses, "org_id": user.org, "phone": null, "role": user.role.as_str(),
        "email": user.email,
    })
}
