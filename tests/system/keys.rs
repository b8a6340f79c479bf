//! Keys of guests: made, used, and ended in each way.

use std::ops::Range;

use http::Method;
use jiff::{SignedDuration, Timestamp};
use presence_domain::instant::format_second;
use presence_domain::user::{Role, Status};
use serde_json::{Value, json};

use super::clients::Client;
use super::history::{Moment, State};
use super::processes::Request;

/// Path that only administrators may read.
const EVENTS: &str = "/events";
/// Time until a key ends, in seconds.
const LIFE_OF_KEYS: Range<i64> = 5..50;
/// Time by which a key ends earlier: the API takes whole seconds.
const ROUNDING: SignedDuration = SignedDuration::from_secs(1);

/// Key of a guest.
struct GuestKey {
    key: String,
    owner: String,
    /// Moments before the request for it, and after the answer.
    asked: Moment,
    made: Moment,
    expires_at: Option<Timestamp>,
}

impl Client {
    /// Makes a key for a guest, uses it, ends it or its owner, and uses it again.
    pub(crate) async fn use_keys(&mut self) {
        let (owner, asked) = (self.guest(), self.moment());
        let mut body = json!({ "label": "one" });
        let lasts = self.rng.bool().then(|| SignedDuration::from_secs(self.rng.i64(LIFE_OF_KEYS)));
        let expires_at = lasts.map(|lasts| self.simulation.now() + lasts);
        if let Some(at) = expires_at {
            body["expires_at"] = format_second(at.as_second()).into();
        }
        let request = self.request(Method::POST, format!("/user/{owner}/keys"), body);
        let Some((200, body)) = self.send(&request).await else {
            return;
        };
        let Some(key) = body["key"].as_str().map(str::to_owned) else {
            return;
        };
        self.simulation.history().judge(asked, || format!("{owner} gets a key"), |state| is_active(state, &owner));
        let key = GuestKey { key, owner, asked, made: self.moment(), expires_at };
        // Until the key has ended by every clock.
        let mut pause = lasts.map(|lasts| (lasts + self.clock_error()).unsigned_abs());
        for _ in 0..self.rng.u8(1..5) {
            if let Some(pause) = pause.take_if(|_| self.rng.u8(..8) == 0) {
                tokio::time::sleep(pause).await;
            }
            self.use_key(&key).await;
        }
        let path = format!("/user/{}/keys/{}", key.owner, body["id"].as_str().unwrap_or_default());
        let request = self.request(Method::DELETE, path, Value::Null);
        if let Some((200, _)) = self.send(&request).await {
            for _ in 0..2 {
                if let Some(200) = self.read_with(&key.key, "/user/me").await {
                    self.simulation.history().found(format!("a revoked key of {} is accepted", key.owner));
                }
            }
        }
    }

    /// Reads with a key, and judges the status.
    async fn use_key(&mut self, key: &GuestKey) {
        let path = *self.rng.choice(&["/user/me", EVENTS]).expect("one");
        let (since, at) = (self.moment(), self.simulation.now());
        let status = self.read_with(&key.key, path).await;
        let is_active = |state: &State| is_active(state, &key.owner);
        let may = |state: &State| path != EVENTS || state.users[&key.owner].role == Role::OrgAdmin;
        let is_expired = key.expires_at.is_some_and(|end| at >= end + self.clock_error());
        let may_be_expired =
            key.expires_at.is_some_and(|end| self.simulation.now() + ROUNDING >= end - self.clock_error());
        let what = || format!("{path} with the key of {}: {status:?}", key.owner);
        let mut history = self.simulation.history();
        match status {
            Some(200) if is_expired => history.found(what()),
            Some(200) if history.was(key.made..=since, |state| !is_active(state)) => history.found(what()),
            Some(200) => history.judge(since, what, |state| is_active(state) && may(state)),
            Some(403) => history.judge(since, what, |state| is_active(state) && !may(state)),
            Some(401) if may_be_expired => {}
            // It ended with the time for which its owner was not active.
            Some(401) => history.judge(key.asked, what, |state| !is_active(state)),
            _ => {}
        }
    }

    async fn read_with(&mut self, key: &str, path: &str) -> Option<u16> {
        let request = Request { key: key.to_owned(), ..self.request(Method::GET, path.to_owned(), Value::Null) };
        self.send(&request).await.map(|(status, _)| status)
    }

    fn clock_error(&self) -> SignedDuration {
        SignedDuration::from_millis(self.simulation.clock_error)
    }
}

fn is_active(state: &State, id: &str) -> bool {
    state.users.get(id).is_some_and(|user| user.status == Status::Active)
}
