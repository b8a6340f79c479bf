//! Reviews: people who set states and reply, businesses that move, and counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use http::Method;
use presence_domain::audit::AuditAction;
use presence_domain::feed::FeedEvent;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Partner, Review, ReviewId, ReviewState};
use presence_domain::text::city_key;
use presence_store::{AuditSource, Business};
use presence_tests::TestStack;
use presence_tests::reviews::{DAY, business_id, org_id, test_review};
use serde_json::{Value, json};

use super::background::{judged, trail};
use super::clients::Client;
use super::history::State;
use super::simulation::Simulation;

/// Businesses of the reviews, with their organisations at the start. The last one moves.
const BUSINESSES: [(&str, u64); 4] = [("b1-1", 1), ("b1-2", 1), ("b2-1", 2), ("b1-3", 1)];
const CITY: &str = "Saint-Étienne";
/// Reviews at the start.
const FIRST: usize = 12;
/// Number that is added to that of a client who does two things at once, for the names of its requests.
const SECOND: usize = 1_000;
/// Reviews that half of the writes are about.
const HOT: usize = 2;
/// Reviews in the end, at most.
pub(crate) const MAX: usize = 60;

pub(crate) fn review(number: usize) -> Review {
    let (business, org) = BUSINESSES[number % BUSINESSES.len()];
    let state = ReviewState::ALL[number % ReviewState::ALL.len()];
    let review = test_review(Partner::Partner8, &format!("review {number}"), (business, org, &city_key(CITY)));
    Review { state, date: DAY * i64::try_from(number).expect("few"), ..review }
}

/// Returns the ids of the reviews at the start.
pub(crate) fn ids() -> Vec<ReviewId> {
    (0..FIRST).map(|number| review(number).id).collect()
}

/// Writes the businesses, and the reviews at the start.
pub(crate) async fn seed(stack: &TestStack) {
    for (business, org) in BUSINESSES {
        stack.create_business(org, business, CITY).await;
    }
    let reviews: Vec<_> = (0..FIRST).map(review).collect();
    stack.stores().reviews.upsert_reviews(&reviews).await.expect("the store answers");
}

/// Returns the businesses that stay in their organisations, with these.
pub(crate) fn staying_businesses() -> &'static [(&'static str, u64)] {
    &BUSINESSES[..BUSINESSES.len() - 1]
}

/// Returns the business that moves.
pub(crate) fn moving_business() -> BusinessId {
    business_id(BUSINESSES[BUSINESSES.len() - 1].0)
}

/// Moves the business that moves to an organisation, or leaves it there.
pub(crate) async fn move_business(simulation: &Simulation, org: u64) {
    let business =
        Business { id: moving_business(), org_id: org_id(org), name: "Shop".to_owned(), city: CITY.to_owned() };
    let stores = simulation.stores();
    judged(simulation, "a move", stores.reviews.put_business(&business)).await;
    // Without an end, the auditor finishes it.
    let stores = simulation.stores();
    judged(simulation, "the end of moves", stores.reviews.finish_moves(|| true)).await;
}

/// Kinds and versions of the events of each review.
type EventsById = BTreeMap<String, Vec<String>>;

impl Client {
    /// Sets a state, replies, takes back, or reports an outcome; now and then two of these at the same time.
    pub(crate) async fn act_on_review(&mut self) {
        let id = self.review();
        if self.rng.bool() {
            return self.act(&id).await;
        }
        let (simulation, number) = (Arc::clone(&self.simulation), self.number + SECOND);
        let mut second = Client {
            rng: self.rng.fork(),
            key: self.key.clone(),
            requests: self.requests,
            simulation,
            number,
            ..*self
        };
        self.requests += 1;
        futures::join!(self.act(&id), second.act(&id));
    }

    /// Returns a review of the start, often one of few.
    pub(crate) fn review(&mut self) -> String {
        let among = if self.rng.bool() { HOT } else { FIRST };
        review(self.rng.usize(..among)).id.as_str().to_owned()
    }

    /// Acts on a review, and judges what can be known.
    async fn act(&mut self, id: &str) {
        let since = self.moment();
        let state = *self.rng.choice(&[ReviewState::Treated, ReviewState::NotTreated]).expect("one");
        let (action, method, path, body) = match self.rng.u8(..5) {
            0 | 1 => (AuditAction::SetReviewState, Method::PUT, "", json!({ "state": state.as_str() })),
            2 => {
                let content = format!("Merci {}", self.rng.u8(..4));
                (AuditAction::Reply, Method::PUT, "/reply", json!({ "content": content }))
            }
            3 => (AuditAction::RemoveReply, Method::DELETE, "/reply", Value::Null),
            _ => {
                let body = json!({ "version": self.rng.u64(1..4), "outcome": "published" });
                (AuditAction::ReplyOutcome, Method::POST, "/reply/outcome", body)
            }
        };
        self.simulation.history().asks_for(id, action);
        let request = self.request(method, format!("/reviews/{id}{path}"), body);
        let answer = self.send(&request).await;
        if action == AuditAction::SetReviewState && matches!(answer, Some((200, _))) {
            let has_it = |all: &State| all.reviews.get(id).is_some_and(|review| review.state == state);
            self.simulation.history().judge(since, || format!("{id} is {state:?}"), has_it);
        }
    }
}

/// Compares the reviews of an organisation with the audit trail. Each version of a reply has its record. No request was carried out twice:
/// there are no more records of an action than requests. A request that comes again after a restore is done again, in the restored tables:
/// the records of each set of tables are counted alone.
pub(crate) async fn judge_acts(simulation: &Simulation, org: u64) {
    let reviews = simulation.truth().reviews.get_reviews_of(org_id(org), &ids()).await.expect("an answer");
    for review in reviews {
        let (id, version) = (review.id.as_str(), review.reply.map_or(0, |reply| reply.version));
        let (mut done, mut versions): (BTreeMap<_, usize>, u64) = (BTreeMap::new(), 0);
        for record in trail(simulation, AuditSource::Review(review.id.clone())).await {
            versions += u64::from(matches!(record.action, AuditAction::Reply | AuditAction::RemoveReply));
            *done.entry((record.action.as_str(), record.tables)).or_default() += 1;
        }
        let mut history = simulation.history();
        if versions < version {
            history.found(format!("{id} has reply {version}, and {versions} records of replies"));
        }
        for ((action, tables), done) in done {
            // A version has one outcome. Versions of restored tables begin again.
            let is_in_use = tables.as_deref() == Some(simulation.truth().database.prefix());
            if action == AuditAction::ReplyOutcome.as_str() && is_in_use && done as u64 > version {
                history.found(format!("{id} has {done} outcomes of {version} requests"));
            }
            let asked = history.acts.get(&(id.to_owned(), action)).copied().unwrap_or_default();
            if done > asked {
                history.found(format!("{action} of {id} was done {done} times for {asked} requests"));
            }
        }
    }
}

/// True for a kind of events about a review or its reply.
fn is_of_review(kind: &str) -> bool {
    kind.starts_with("review.") || kind.starts_with("reply.")
}

/// Compares the events of reviews in the feed of an organisation with the changes of reviews and replies: each change has its event once, and
/// those of a review are in the order of its changes.
pub(crate) fn judge_events(simulation: &Simulation, org: u64, events: &[FeedEvent]) {
    let (mut expected, mut found): (EventsById, EventsById) = Default::default();
    let mut history = simulation.history();
    for (_, id, event) in history.review_events.iter().filter(|(of, ..)| *of == org) {
        expected.entry(id.clone()).or_default().push(event.clone());
    }
    for event in events.iter().filter(|event| is_of_review(event.kind.as_str())) {
        let (id, version) = (event.data.id.clone(), event.data.version.flatten());
        let event = format!("{} {}", event.kind.as_str(), version.unwrap_or_default());
        found.entry(id.unwrap_or_default()).or_default().push(event);
    }
    let ids: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    for id in ids.into_iter().filter(|id| expected.get(*id) != found.get(*id)) {
        let (expected, found) = (expected.get(id), found.get(id));
        history.found(format!("feed of {org}, review {id}: {found:?} in the place of {expected:?}"));
    }
}
