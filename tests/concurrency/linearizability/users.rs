//! One address, and the users who have it one after the other.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use presence_tests::{Reply, address};
use serde_json::{Value, json};

use super::{Call, Object, Outcome, Request, StackPair, judge};

/// User who has the address, if one has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Holder(Option<Held>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held {
    /// `None` if no answer ever showed it.
    id: Option<String>,
    first_name: String,
    /// Name that no other user has, so that an answer tells which request created its user.
    last_name: String,
    phone: Option<String>,
}

#[derive(Clone, Debug)]
enum Act {
    Create(Held),
    Rename(String, String),
    SetPhone(String, String),
    Delete(String),
    Get(String),
    /// Searches by the address, or by words of it.
    Search,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Created(Option<String>),
    IsTaken,
    Done,
    NotFound,
    Shown(Held),
}

impl Holder {
    fn with(&self, id: &str, change: impl FnOnce(Held) -> (Self, Answer)) -> (Self, Answer) {
        match self.0.clone().filter(|held| held.id.as_deref() == Some(id)) {
            Some(held) => change(held),
            None => (self.clone(), Answer::NotFound),
        }
    }
}

impl Object for Holder {
    type Act = Act;
    type Answer = Answer;

    fn after(&self, act: &Act) -> (Self, Answer) {
        match act {
            Act::Create(new) if self.0.is_none() => (Self(Some(new.clone())), Answer::Created(new.id.clone())),
            Act::Create(_) => (self.clone(), Answer::IsTaken),
            Act::Rename(id, name) => {
                self.with(id, |held| (Self(Some(Held { first_name: name.clone(), ..held })), Answer::Done))
            }
            Act::SetPhone(id, phone) => {
                self.with(id, |held| (Self(Some(Held { phone: Some(phone.clone()), ..held })), Answer::Done))
            }
            Act::Delete(id) => self.with(id, |_| (Self(None), Answer::Done)),
            Act::Get(id) => self.with(id, |held| (self.clone(), Answer::Shown(held))),
            Act::Search => (self.clone(), self.0.clone().map_or(Answer::NotFound, Answer::Shown)),
        }
    }
}

/// Address that clients act on.
struct Subject {
    email: String,
    /// Ids that answers showed.
    ids: Mutex<Vec<String>>,
    /// Number of names that were given.
    names: AtomicU64,
}

impl Subject {
    fn draw(&self, rng: &mut Rng) -> (Act, Call) {
        let number = self.names.fetch_add(1, Ordering::SeqCst);
        // Mostly the newest one.
        let id = self.ids.lock().expect("no panic").iter().rev().nth(rng.usize(..5) / 4).cloned();
        let path = |id: &str| format!("/user/{id}");
        match (rng.u8(..9), id) {
            (0..2, _) | (_, None) => {
                let (first_name, last_name) = ("Ada".to_owned(), format!("Name {number}"));
                let body = json!({ "email": self.email, "first_name": first_name, "last_name": last_name });
                (Act::Create(Held { id: None, first_name, last_name, phone: None }), ("POST", "/user".to_owned(), body))
            }
            (2, Some(id)) => {
                let (name, path) = (format!("Grace {number}"), path(&id));
                (Act::Rename(id, name.clone()), ("POST", path, json!({ "first_name": name })))
            }
            (3, Some(id)) => {
                let (phone, path) = (format!("+33 {number}"), path(&id));
                (Act::SetPhone(id, phone.clone()), ("POST", path, json!({ "phone": phone })))
            }
            (4, Some(id)) => (Act::Delete(id.clone()), ("DELETE", path(&id), Value::Null)),
            (5 | 6, Some(id)) => (Act::Get(id.clone()), ("GET", path(&id), Value::Null)),
            (way, Some(_)) => {
                let parameter = if way == 7 { "email" } else { "query" };
                let path = format!("/user/search?per_page=100&{parameter}={}", self.email);
                (Act::Search, ("GET", path, Value::Null))
            }
        }
    }

    fn read(&self, act: &Act, reply: &Reply) -> Answer {
        let body = reply.json();
        let answer = match (act, reply.status) {
            (_, 404) => Answer::NotFound,
            (Act::Create(_), 400) => Answer::IsTaken,
            (Act::Create(_), 200) => Answer::Created(body["id"].as_str().map(str::to_owned)),
            (Act::Get(_), 200) => Answer::Shown(held(&body)),
            (Act::Search, 200) => {
                let users = body["users"].as_array().expect("users");
                let users: Vec<_> = users.iter().filter(|user| user["email"] == self.email).collect();
                assert!(users.len() <= 1, "{body}");
                users.first().map_or(Answer::NotFound, |user| Answer::Shown(held(user)))
            }
            (_, 200) => Answer::Done,
            _ => panic!("{act:?}: {} {}", reply.status, reply.text),
        };
        if let Answer::Created(Some(id)) | Answer::Shown(Held { id: Some(id), .. }) = &answer {
            let mut ids = self.ids.lock().expect("no panic");
            if !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        answer
    }
}

fn held(user: &Value) -> Held {
    let text = |name: &str| user[name].as_str().map(str::to_owned);
    let name = |name| text(name).expect("a name");
    Held { id: text("id"), first_name: name("first_name"), last_name: name("last_name"), phone: text("phone") }
}

/// Writes into each request to create a user the id that its user got, as any answer shows it.
fn name_created(requests: &mut [Request<Holder>]) {
    let mut ids = HashMap::new();
    for Request { act, outcome, .. } in &*requests {
        match (act, outcome) {
            (Act::Create(new), Outcome::Answered(Answer::Created(id))) => {
                ids.insert(new.last_name.clone(), id.clone());
            }
            (_, Outcome::Answered(Answer::Shown(held))) => {
                ids.insert(held.last_name.clone(), held.id.clone());
            }
            _ => {}
        }
    }
    for request in requests {
        if let Act::Create(new) = &mut request.act {
            new.id = ids.get(&new.last_name).cloned().flatten();
        }
    }
}

/// Records a history of an address that nobody has at first, and judges it.
pub(super) async fn act_on_address(pair: &StackPair, rng: &mut Rng, round: usize) {
    let email = address(&format!("held-{round}"));
    let subject = Subject { email, ids: Mutex::default(), names: AtomicU64::new(0) };
    let read = |act: &Act, reply: &Reply| subject.read(act, reply);
    let mut requests = pair.record::<Holder>(rng, |rng| subject.draw(rng), read).await;
    name_created(&mut requests);
    judge(&mut requests, &format!("address {round}"));
}
