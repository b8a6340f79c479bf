//! Clients that create, change, delete, invite and read users.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use http::Method;
use presence_domain::user::{Role, Status};
use presence_tests::address;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::history::{Intent, Moment, Seen, State};
use super::processes::{PAGE, Request};
use super::reviews::staying_businesses;
use super::simulation::Simulation;

/// Number of addresses: few, so that an address soon gets another owner.
const ADDRESSES: u8 = 24;
/// Users that clients create, at most.
const GUESTS: usize = 24;
/// Tries of a request with an idempotency key.
const TRIES: usize = 8;
/// Client with a key of the set-up, which acts on guests.
pub(crate) struct Client {
    pub(crate) simulation: Arc<Simulation>,
    pub(crate) rng: Rng,
    pub(crate) key: String,
    /// Organisation; `None` for one that sees all.
    pub(crate) org: Option<u64>,
    pub(crate) number: usize,
    pub(crate) requests: usize,
}

impl Client {
    pub(crate) fn new(simulation: &Arc<Simulation>, number: usize) -> Self {
        let fixtures = &simulation.fixtures;
        let (key, org) = match number % 4 {
            0 => (&fixtures.provider.key, None),
            1 => (&fixtures.admin_1.key, Some(1)),
            2 => (&fixtures.other_admin_1.key, Some(1)),
            _ => (&fixtures.admin_2.key, Some(2)),
        };
        let (key, rng) = (key.clone(), simulation.fork_rng());
        Self { simulation: Arc::clone(simulation), rng, key, org, number, requests: 0 }
    }

    pub(crate) async fn work(mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            // Mostly in a hurry, so that clients meet.
            let longest = if self.rng.u8(..4) == 0 { 12_000 } else { 400 };
            tokio::time::sleep(Duration::from_millis(self.rng.u64(..longest))).await;
            match self.rng.u8(..26) {
                0..5 => self.create().await,
                5..7 => self.update().await,
                7 => self.delete().await,
                8..10 => self.invite().await,
                10..12 => self.get().await,
                12..14 => self.search().await,
                14 => self.count().await,
                15..17 => self.use_keys().await,
                17..19 => self.search_reviews().await,
                19 => self.replace_processes().await,
                20 => self.accept().await,
                _ => self.act_on_review().await,
            }
        }
    }

    /// Returns a request of the API, with a key against repeats in half of the changes.
    pub(crate) fn request(&mut self, method: Method, path: String, body: Value) -> Request {
        self.requests += 1;
        let repeats = method != Method::GET && self.rng.bool();
        let idempotency_key = repeats.then(|| format!("{}-{}", self.number, self.requests));
        Request { method, idempotency_key, body, ..Request::get(path, &self.key) }
    }

    /// Sends a request. One with a key against repeats is sent again while its outcome is not known, and now and then twice at the same time.
    pub(crate) async fn send(&mut self, request: &Request) -> Option<(u16, Value)> {
        let since = self.moment();
        if request.idempotency_key.is_none() {
            let answer = self.simulation.send(request, &mut self.rng).await;
            return answer.inspect(|answer| self.judge_refusal(since, request, answer));
        }
        for _ in 0..TRIES {
            let (mut rng, is_doubled) = (self.rng.fork(), self.rng.u8(..6) == 0);
            let first = self.simulation.send(request, &mut self.rng);
            let second = async { if is_doubled { self.simulation.send(request, &mut rng).await } else { None } };
            let (first, second) = futures::join!(first, second);
            // A repeat that comes too soon tells nothing about the request before it.
            let is_known = |answer: &(u16, Value)| !matches!(answer.0, 409 | 429 | 500..);
            let answers: Vec<_> = first.into_iter().chain(second).filter(is_known).collect();
            self.judge_doubled_deletion(since, request, &answers);
            for answer in &answers {
                self.judge_refusal(since, request, answer);
            }
            // One may be refused before the other one can be carried out.
            if let Some(answer) = answers.into_iter().min_by_key(|(status, _)| *status) {
                return Some(answer);
            }
            tokio::time::sleep(Duration::from_millis(self.rng.u64(..8_000))).await;
        }
        None
    }

    /// Judges a deletion of a user that was sent twice at the same time. If one answer is 200, the other one is too: the user was there.
    fn judge_doubled_deletion(&self, since: Moment, request: &Request, answers: &[(u16, Value)]) {
        let is_of_user = request.method == Method::DELETE && request.path.starts_with("/user/");
        let id = request.path.trim_start_matches("/user/");
        let is_elsewhere = |state: &State| state.users.get(id).is_some_and(|user| !user.is_seen_by(self.org));
        if let [(200, _), (other, _)] | [(other, _), (200, _)] = answers
            && is_of_user
            && *other != 200
        {
            let mut history = self.simulation.history();
            // It may have moved away and back between the two.
            if *other != 404 || !history.was(since..=history.now(), is_elsewhere) {
                history.found(format!("{} got 200 and {other}", request.path));
            }
        }
    }

    pub(crate) fn moment(&self) -> Moment {
        self.simulation.history().now()
    }

    /// Returns a user that clients created and that this one sees; any that is gone if there is none.
    pub(crate) fn guest(&mut self) -> String {
        let history = self.simulation.history();
        let is_guest = |user: &Seen| user.last_name.starts_with("Guest");
        let users = history.state().users.iter();
        let mut guests: Vec<_> = users.filter(|(_, user)| is_guest(user) && user.is_seen_by(self.org)).collect();
        // Ids are random, and a seed must always make the same choices.
        guests.sort_by_key(|(_, user)| user.email.clone());
        // Half of the time one of two, so that clients meet.
        let among = if self.rng.bool() { guests.len().min(2) } else { guests.len() };
        let id = self.rng.choice(&guests[..among]).map(|(id, _)| (*id).clone());
        id.unwrap_or_else(|| "4711".to_owned())
    }

    /// Announces a change under a new last name, which is returned.
    pub(crate) fn intend(&mut self, intent: Intent) -> String {
        self.requests += 1;
        let token = format!("Guest {}-{}", self.number, self.requests);
        self.simulation.history().intents.insert(token.clone(), intent);
        token
    }

    /// Sends a request for a change that was announced, and judges the answer. Returns its status, if it is known.
    pub(crate) async fn change(&mut self, token: &str, request: &Request, since: Moment) -> Option<u16> {
        let late = self.simulation.network.late_calls();
        let answer = self.send(request).await;
        // A request that comes late may still do what its caller was refused meanwhile.
        let is_final = late == self.simulation.network.late_calls();
        let id = answer.as_ref().and_then(|(_, body)| Some(body["id"].as_str()?.to_owned()));
        let answered = answer.map(|(status, _)| status);
        let (status, now) = (answered.unwrap_or_default(), self.simulation.now());
        let mut history = self.simulation.history();
        history.judge_change(token, since, status, id.as_deref(), is_final);
        if let Some(id) = id.filter(|_| status == 200 && request.path == "/user" && request.body["status"] == "invited")
        {
            history.invited(&id, now);
        }
        answered
    }

    async fn create(&mut self) {
        if self.simulation.history().state().users.len() > GUESTS + self.simulation.fixtures.people().len() {
            return;
        }
        let email = address(&format!("guest-{}", self.rng.u8(..ADDRESSES)));
        let org = self.org.or(Some(self.rng.u64(1..=2)));
        let (role, status) = if self.rng.u8(..3) > 0 {
            (Role::BusinessManager, Status::Invited)
        } else {
            (Role::OrgAdmin, Status::Active)
        };
        let businesses = self.businesses_of(org);
        let intent = Intent {
            id: None,
            org,
            role: Some(role),
            status: Some(status),
            email: Some(email.clone()),
            businesses: Some(businesses.clone()),
            ..Intent::default()
        };
        let (token, since) = (self.intend(intent.clone()), self.moment());
        let body = json!({
            "first_name": "A", "last_name": token, "email": email, "org_id": org,
            "role": role.as_str(), "status": status.as_str(), "business_ids": businesses,
        });
        let request = self.request(Method::POST, "/user".to_owned(), body);
        self.simulation.creations().push((token.clone(), intent, request.clone()));
        self.change(&token, &request, since).await;
    }

    /// Sends a request for a user again that was sent before the switch to restored tables: what it did there is no answer here.
    pub(crate) async fn create_again(mut self, creations: Vec<(String, Intent, Request)>) {
        for (token, intent, request) in creations.into_iter().filter(|(.., request)| request.idempotency_key.is_some())
        {
            self.simulation.history().intents.insert(token.clone(), intent);
            let since = self.moment();
            self.change(&token, &request, since).await;
        }
    }

    async fn update(&mut self) {
        let id = self.guest();
        let role = self.rng.bool().then(|| *self.rng.choice(&[Role::BusinessManager, Role::OrgAdmin]).expect("one"));
        let email = (self.rng.u8(..4) == 0).then(|| address(&format!("guest-{}", self.rng.u8(..ADDRESSES))));
        let status = *self.rng.choice(&[Status::Active, Status::Active, Status::Invited]).expect("one");
        let status = (self.rng.u8(..5) == 0).then_some(status);
        // Only those who see all may move a user.
        let org = (self.org.is_none() && self.rng.u8(..3) == 0).then(|| self.rng.u64(1..=2));
        // Who moves needs businesses of the other organisation, or none.
        let has_businesses = org.is_some() || (self.org.is_some() && self.rng.u8(..4) == 0);
        let businesses = has_businesses.then(|| self.businesses_of(org.or(self.org)));
        let intent = Intent {
            id: Some(id.clone()),
            org,
            role,
            status,
            email: email.clone(),
            businesses: businesses.clone(),
            ..Intent::default()
        };
        let (token, since) = (self.intend(intent), self.moment());
        let mut body = json!({ "last_name": token });
        let status = status.map(Status::as_str);
        for (name, value) in [("role", role.map(Role::as_str)), ("email", email.as_deref()), ("status", status)] {
            if let Some(value) = value {
                body[name] = value.into();
            }
        }
        if let Some(org) = org {
            body["org_id"] = org.into();
        }
        if let Some(businesses) = businesses {
            body["business_ids"] = businesses.into();
        }
        if body["status"] == "active" {
            body["password"] = "canary-pass-1".into();
        }
        let request = self.request(Method::POST, format!("/user/{id}"), body);
        self.change(&token, &request, since).await;
    }

    /// Returns some of the businesses of an organisation that stay there.
    fn businesses_of(&mut self, org: Option<u64>) -> Vec<String> {
        let of_org = staying_businesses().iter().filter(|(_, owner)| Some(*owner) == org);
        of_org.filter(|_| self.rng.bool()).map(|(business, _)| (*business).to_owned()).collect()
    }

    async fn delete(&mut self) {
        let (id, since) = (self.guest(), self.moment());
        self.simulation.history().deletions.insert(id.clone());
        let request = self.request(Method::DELETE, format!("/user/{id}"), Value::Null);
        let answer = self.send(&request).await;
        let mut history = self.simulation.history();
        let is_gone = |state: &State| !state.users.contains_key(&id);
        let is_hidden = |state: &State| !state.users.get(&id).is_some_and(|user| user.is_seen_by(self.org));
        match answer {
            Some((200, _)) if !is_gone(history.state()) => history.found(format!("{id} is not deleted")),
            Some((404, _)) => history.judge(since, || format!("404 to the deletion of {id}"), is_hidden),
            _ => {}
        }
    }

    async fn invite(&mut self) {
        let id = self.guest();
        let request = self.request(Method::POST, format!("/user/{id}/invite"), Value::Null);
        if let Some((200, _)) = self.send(&request).await {
            self.simulation.history().invited(&id, self.simulation.now());
        }
    }

    /// Submits the form behind a link of a mail, twice.
    async fn accept(&mut self) {
        let link = self.rng.choice(self.simulation.links().iter()).cloned();
        let Some(link) = link else { return };
        let id = link.trim_start_matches("user=").split('&').next().unwrap_or_default().to_owned();
        self.simulation.history().activations.insert(id.clone());
        let form = format!("{link}&password=canary-pass-2&confirmation=canary-pass-2");
        let mut accepted = 0;
        for _ in 0..2 {
            let request = Request {
                idempotency_key: None,
                ..self.request(Method::POST, PAGE.to_owned(), Value::String(form.clone()))
            };
            let (since, answer) = (self.moment(), self.send(&request).await);
            if let Some((200, _)) = answer {
                accepted += 1;
                let is_active = |state: &State| state.users.get(&id).is_some_and(|user| user.status == Status::Active);
                self.simulation.history().judge(since, || format!("{id} is activated"), is_active);
            }
        }
        if accepted > 1 {
            self.simulation.history().found(format!("a link of {id} works twice"));
        }
    }

    async fn get(&mut self) {
        let (id, since) = (self.guest(), self.moment());
        let request = self.request(Method::GET, format!("/user/{id}"), Value::Null);
        let Some((status, body)) = self.send(&request).await else {
            return;
        };
        let shows = |state: &State| match (state.users.get(&id), status) {
            (_, 429 | 500..) => true,
            (Some(user), 200) => {
                is_shown(user, &body) && body["org_id"] == json!(user.org) && user.is_seen_by(self.org)
            }
            (user, status) => status == 404 && !user.is_some_and(|user| user.is_seen_by(self.org)),
        };
        self.simulation.history().judge(since, || format!("get {id}: {status} {body}"), shows);
    }

    async fn search(&mut self) {
        let since = self.moment();
        let status = *self.rng.choice(&[None, Some(Status::Invited), Some(Status::Active)]).expect("one");
        let mut path = "/user/search?per_page=100".to_owned();
        path.extend(status.map(|status| format!("&status={}", status.as_str())));
        let request = self.request(Method::GET, path, Value::Null);
        if let Some((200, body)) = self.send(&request).await {
            self.judge_found(since, status, &body);
        }
    }

    /// Judges the answer to a search of users with a status. Each organisation is read at a moment of its own.
    pub(crate) fn judge_found(&self, since: Moment, status: Option<Status>, body: &Value) {
        let found = body["users"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_wanted = |user: &Seen, org| user.org == org && status.is_none_or(|status| user.status == status);
        let is_of = |state: &State, org, one: &Value| {
            let user = one["id"].as_str().and_then(|id| state.users.get(id));
            user.is_some_and(|user| is_wanted(user, org) && is_shown(user, one))
        };
        let orgs = self.org.map_or(vec![None, Some(1), Some(2)], |org| vec![Some(org)]);
        let mut history = self.simulation.history();
        for org in &orgs {
            let fits = |state: &State| {
                let wanted = state.users.values().filter(|user| is_wanted(user, *org)).count();
                wanted == found.iter().filter(|one| is_of(state, *org, one)).count()
            };
            history.judge(since, || format!("search of {org:?} {status:?}: {found:?}"), fits);
        }
        let moments = since..=history.now();
        let was_there =
            |one: &&Value| history.was(moments.clone(), |state| orgs.iter().any(|org| is_of(state, *org, one)));
        if body["count"] != found.len() || !found.iter().all(|one| was_there(&one)) {
            history.found(format!("search {status:?}: one of {body} was never so"));
        }
    }

    async fn count(&mut self) {
        let since = self.moment();
        let request = self.request(Method::GET, "/user/stats".to_owned(), Value::Null);
        // Those of all organisations are of several moments.
        if let (Some((200, body)), Some(_)) = (self.send(&request).await, self.org) {
            self.judge_counts(since, &body);
        }
    }

    /// Judges the numbers of users.
    pub(crate) fn judge_counts(&self, since: Moment, body: &Value) {
        let org = self.org;
        let fits = |state: &State| {
            let seen = || state.users.values().filter(|user| user.is_seen_by(org));
            let active = seen().filter(|user| user.status == Status::Active).count();
            body["count"] == seen().count() && body["activate_count"] == active
        };
        self.simulation.history().judge(since, || format!("count of {org:?}: {body}"), fits);
    }

    async fn replace_processes(&mut self) {
        let simulation = Arc::clone(&self.simulation);
        simulation.replace_api(&mut self.rng).await;
    }
}

/// True if an answer shows a user as it is.
fn is_shown(user: &Seen, shown: &Value) -> bool {
    shown["last_name"] == user.last_name
        && shown["status"] == user.status.as_str()
        && shown["email"] == user.email
        && shown["business_ids"] == json!(user.businesses)
}
