//! Keys of guests: made with fewer rights or all, used to read and to write, replaced, and ended in each way.

use std::net::Ipv4Addr;
use std::ops::Range;
use std::sync::Arc;

use http::Method;
use jiff::{SignedDuration, Timestamp};
use presence_domain::audit::AuditAction;
use presence_domain::instant::format_second;
use presence_domain::review::{Review, ReviewState};
use presence_domain::user::{Role, Status};
use serde_json::{Value, json};

use super::clients::Client;
use super::history::{Intent, Moment, Seen, State};
use super::processes::Request;

/// Path that only administrators may read.
const EVENTS: &str = "/events";
/// Path that everybody may read.
const OWN_USER: &str = "/user/me";
/// Time until a key ends, in seconds.
const LIFE_OF_KEYS: Range<i64> = 5..50;
/// Time for which a key that is replaced still gives access, in seconds.
const OVERLAPS: Range<i64> = 0..20;
/// Time by which a key ends earlier: the API takes whole seconds.
const ROUNDING: SignedDuration = SignedDuration::from_secs(1);
/// Network of some keys, an address in it, and one elsewhere.
const NETWORK: &str = "203.0.113.0/24";
const INSIDE: Ipv4Addr = Ipv4Addr::new(203, 0, 113, 7);
const OUTSIDE: Ipv4Addr = Ipv4Addr::new(203, 0, 112, 7);

/// Key of a guest.
#[derive(Clone)]
struct GuestKey {
    id: String,
    key: String,
    owner: String,
    may_write: bool,
    has_network: bool,
    /// Moments before the request for it, and after the answer.
    asked: Moment,
    made: Moment,
    /// Instant before which it does not end by itself, and the one at which it has ended.
    ends: Option<(Timestamp, Option<Timestamp>)>,
}

/// Use of a key.
enum KeyUse {
    Read(&'static str),
    /// Change of the last name of a user.
    Rename(String),
    /// Change of the state of a review.
    SetState(String),
}

impl GuestKey {
    /// Returns a request with this key, from an address. It is sent once.
    fn present(&self, source: Ipv4Addr, request: Request) -> Request {
        Request { key: self.key.clone(), source, idempotency_key: None, ..request }
    }

    /// True if the rights of the key and those of its owner in a state admit a use.
    fn may(&self, state: &State, to: &KeyUse) -> bool {
        let owner = &state.users[&self.owner];
        let is_admin = owner.role == Role::OrgAdmin;
        let may_write_to =
            |review: &Arc<Review>| owner.businesses.iter().any(|business| business == review.business_id.as_str());
        match to {
            KeyUse::Read(path) => *path != EVENTS || is_admin,
            KeyUse::Rename(id) => self.may_write && (is_admin || *id == self.owner),
            KeyUse::SetState(id) => self.may_write && (is_admin || state.reviews.get(id).is_some_and(may_write_to)),
        }
    }

    /// True if the owner sees the user or review of a use.
    fn sees(&self, state: &State, to: &KeyUse) -> bool {
        let org_of = |id: &String| state.users.get(id).and_then(|user: &Seen| user.org);
        let org = match to {
            KeyUse::Read(_) => return true,
            KeyUse::Rename(id) => org_of(id),
            KeyUse::SetState(id) => state.reviews.get(id).map(|review| review.org_id.get()),
        };
        org.is_some() && org == org_of(&self.owner)
    }
}

/// True if a review is deleted, and nobody can set its state.
fn is_deleted(state: &State, to: &KeyUse) -> bool {
    let review = if let KeyUse::SetState(id) = to { state.reviews.get(id) } else { None };
    review.is_some_and(|review| review.state == ReviewState::Deleted)
}

impl Client {
    /// Makes a key for a guest, uses it, perhaps replaces it, ends it or its owner, and uses it again.
    pub(crate) async fn use_keys(&mut self) {
        let lasts = self.rng.bool().then(|| SignedDuration::from_secs(self.rng.i64(LIFE_OF_KEYS)));
        let Some(mut key) = self.make_key(lasts).await else {
            return;
        };
        // Until the key has ended by every clock.
        let mut pause = lasts.map(|lasts| (lasts + self.clock_error()).unsigned_abs());
        for _ in 0..self.rng.u8(1..5) {
            if let Some(pause) = pause.take_if(|_| self.rng.u8(..8) == 0) {
                tokio::time::sleep(pause).await;
            }
            self.use_key(&key).await;
        }
        if self.rng.u8(..3) == 0 {
            key = self.replace_key(key).await;
            self.use_key(&key).await;
        }
        let path = format!("/user/{}/keys/{}", key.owner, key.id);
        let request = self.request(Method::DELETE, path, Value::Null);
        if let Some((200, _)) = self.send(&request).await {
            for _ in 0..2 {
                if let Some(200) = self.read_with(&key, OWN_USER, INSIDE).await {
                    self.simulation.history().found(format!("a revoked key of {} is accepted", key.owner));
                }
            }
        }
    }

    /// Makes a key for a guest, often with fewer rights.
    async fn make_key(&mut self, lasts: Option<SignedDuration>) -> Option<GuestKey> {
        let (owner, asked) = (self.guest(), self.moment());
        let (may_write, has_network) = (self.rng.u8(..3) > 0, self.rng.u8(..3) == 0);
        let mut body = json!({ "label": "one", "access": if may_write { "all" } else { "read" } });
        if has_network {
            body["allowed_networks"] = json!([NETWORK]);
        }
        let end = lasts.map(|lasts| self.simulation.now() + lasts);
        if let Some(at) = end {
            body["expires_at"] = format_second(at.as_second()).into();
        }
        let request = self.request(Method::POST, format!("/user/{owner}/keys"), body);
        let (id, key) = self.issued(&owner, asked, &request).await?;
        let ends = end.map(|end| (end - ROUNDING, Some(end)));
        Some(GuestKey { id, key, owner, may_write, has_network, asked, made: self.moment(), ends })
    }

    /// Replaces a key, and uses it once more. Returns the new key, or the one before where its answer is not known.
    async fn replace_key(&mut self, mut old: GuestKey) -> GuestKey {
        let overlap = SignedDuration::from_secs(self.rng.i64(OVERLAPS));
        let (asked, earliest) = (self.moment(), self.simulation.now() + overlap - self.clock_error());
        let path = format!("/user/{}/keys/{}/rotate", old.owner, old.id);
        let request = self.request(Method::POST, path, json!({ "overlap_seconds": overlap.as_secs() }));
        let issued = self.issued(&old.owner, asked, &request).await;
        let replaced = issued.is_some().then(|| self.simulation.now() + overlap + self.clock_error());
        let (own_earliest, own_latest) = old.ends.unwrap_or((Timestamp::MAX, None));
        old.ends = Some((own_earliest.min(earliest), own_latest.into_iter().chain(replaced).min()));
        if self.rng.bool() {
            tokio::time::sleep((overlap + self.clock_error() + self.clock_error()).unsigned_abs()).await;
        }
        self.use_key(&old).await;
        match issued {
            Some((id, key)) => GuestKey { id, key, asked, made: self.moment(), ends: None, ..old },
            None => old,
        }
    }

    /// Sends a request for a key. Returns its id and itself, unless the answer is lost: one that comes again has no key.
    async fn issued(&mut self, owner: &str, asked: Moment, request: &Request) -> Option<(String, String)> {
        let (_, body) = self.send(request).await.filter(|(status, _)| *status == 200)?;
        self.simulation.history().judge(asked, || format!("{owner} gets a key"), |state| is_active(state, owner));
        Some((body["id"].as_str()?.to_owned(), body["key"].as_str()?.to_owned()))
    }

    /// Uses a key, and judges the status.
    async fn use_key(&mut self, key: &GuestKey) {
        let to = match self.rng.u8(..5) {
            0 => KeyUse::Read(OWN_USER),
            1 => KeyUse::Read(EVENTS),
            2 | 3 => KeyUse::SetState(self.review()),
            _ if self.rng.bool() => KeyUse::Rename(key.owner.clone()),
            _ => KeyUse::Rename(self.guest()),
        };
        let source = if self.rng.u8(..4) == 0 { OUTSIDE } else { INSIDE };
        let (since, at) = (self.moment(), self.simulation.now());
        let (what, status) = match &to {
            KeyUse::Read(path) => ((*path).to_owned(), self.read_with(key, path, source).await),
            KeyUse::Rename(id) => (format!("a change of {id}"), self.rename_with(key, id, source).await),
            KeyUse::SetState(id) => (format!("a state of {id}"), self.set_state_with(key, id, source).await),
        };
        let is_active = |state: &State| is_active(state, &key.owner);
        let is_admitted = |state: &State| is_active(state) && key.may(state, &to) && key.sees(state, &to);
        let is_expired = key.ends.is_some_and(|(_, end)| end.is_some_and(|end| at >= end + self.clock_error()));
        let may_be_expired = key.ends.is_some_and(|(end, _)| self.simulation.now() >= end - self.clock_error());
        let is_outside = key.has_network && source == OUTSIDE;
        let what = || format!("{what} with the key of {}: {status:?}", key.owner);
        let mut history = self.simulation.history();
        match status {
            Some(401) if is_outside || may_be_expired => {}
            Some(200..=404) if is_outside => history.found(what()),
            Some(200) if is_expired => history.found(what()),
            Some(200) if history.was(key.made..=since, |state| !is_active(state)) => history.found(what()),
            Some(200) => history.judge(since, what, is_admitted),
            Some(403) => history.judge(since, what, |state| is_active(state) && !key.may(state, &to)),
            // It ended with the time for which its owner was not active.
            Some(401) => history.judge(key.asked, what, |state| !is_active(state)),
            Some(404) => history.judge(since, what, |state| is_active(state) && !key.sees(state, &to)),
            Some(400) if matches!(to, KeyUse::SetState(_)) => {
                history.judge(since, what, |state| is_admitted(state) && is_deleted(state, &to));
            }
            Some(400..=408) => history.found(what()),
            _ => {}
        }
    }

    async fn read_with(&mut self, key: &GuestKey, path: &str, source: Ipv4Addr) -> Option<u16> {
        let request = key.present(source, Request::get(path.to_owned(), ""));
        self.send(&request).await.map(|(status, _)| status)
    }

    /// Changes the last name of a user with a key.
    async fn rename_with(&mut self, key: &GuestKey, id: &str, source: Ipv4Addr) -> Option<u16> {
        let token = self.intend(Intent { id: Some(id.to_owned()), ..Intent::default() });
        let since = self.moment();
        let request = self.request(Method::POST, format!("/user/{id}"), json!({ "last_name": token }));
        let request = key.present(source, request);
        self.change(&token, &request, since).await
    }

    /// Sets the state of a review with a key.
    async fn set_state_with(&mut self, key: &GuestKey, id: &str, source: Ipv4Addr) -> Option<u16> {
        let request = self.request(Method::PUT, format!("/reviews/{id}"), json!({ "state": "treated" }));
        let request = key.present(source, request);
        self.simulation.history().asks_for(id, AuditAction::SetReviewState);
        self.send(&request).await.map(|(status, _)| status)
    }

    fn clock_error(&self) -> SignedDuration {
        SignedDuration::from_millis(self.simulation.clock_error)
    }
}

fn is_active(state: &State, id: &str) -> bool {
    state.users.get(id).is_some_and(|user| user.status == Status::Active)
}
