//! Random histories over the real store: people and connectors by HTTP, rows and moves of businesses by an operator. Most of the processes are
//! killed at a random call to `DynamoDB`, and their caller does the same again.
//!
//! The oracle is the domain: its transitions, one after the other. A test of the domain holds these against a model of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fastrand::Rng;
use jiff::SignedDuration;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::review::{
    OutcomeReport, Rating, ReplyOutcome, ReplyText, Review, ReviewState, SeenAt, normalize_text,
};
use presence_domain::text::city_key;
use presence_local::Options;
use presence_runtime::clock::Clock as _;
use presence_store::{AuditSource, Business, RetryPolicy, Stores};
use presence_tests::reviews::{business_id, org_id, pick};
use presence_tests::{
    ConnectorLayer as _, FaultConnector, FaultKind, Fixtures, Plan, Reply, TestStack, in_process_client, long_timeouts,
    rng, rounds, send,
};
use serde_json::{Value, json};

use crate::api::reviews::fixtures::{seed, seeded_review};

/// Steps of a run: some five seconds. `PRESENCE_ROUNDS` multiplies them.
const STEPS: usize = 40;
/// Steps after which the lists and counts are compared, too.
const STEPS_BETWEEN_LISTS: usize = 5;
/// Reviews that steps are about, and others that stay as they are.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const OTHERS: [&str; 5] = ["f", "g", "h", "x", "y"];
const TEXTS: [&str; 3] = ["A", "B", "X"];
/// Highest number of a call at which a process is killed: some end before it.
const LAST_CALL: u64 = 9;
/// Highest number of tries of a caller, with room for a busy machine.
const TRIES: usize = 60;

/// Request of a person or a connector, with the review after it; its status if it is refused.
struct Act {
    method: &'static str,
    path: &'static str,
    body: Value,
    after: Result<Option<Review>, u16>,
}

struct History {
    stack: TestStack,
    fixtures: Fixtures,
    faults: FaultConnector,
    rng: Rng,
    /// Reviews as they should be, by name.
    expected: BTreeMap<&'static str, Review>,
    /// Changes of each review that are on record.
    recorded: BTreeMap<&'static str, usize>,
    step: usize,
}

/// Returns a review as the store shows it: a blank text is none.
fn shown_review(name: &str) -> Review {
    let review = seeded_review(name);
    Review { content: review.content.and_then(normalize_text), ..review }
}

/// Returns options of processes that end soon after they were killed.
fn few_retries() -> Options {
    Options { retry_policy: RetryPolicy::For(Duration::from_millis(50)), ..long_timeouts() }
}

impl History {
    async fn start() -> Self {
        let faults = FaultConnector::new();
        let stack =
            TestStack::with(Options { http_client: Some(faults.over(in_process_client())), ..few_retries() }).await;
        let fixtures = Fixtures::create(&stack).await;
        seed(&stack).await;
        let expected = NAMES.into_iter().chain(OTHERS).map(|name| (name, shown_review(name))).collect();
        let rng = rng("histories of reviews");
        Self { stack, fixtures, faults, rng, expected, recorded: BTreeMap::new(), step: 0 }
    }

    /// Does a random step, which is repeated if its process was killed.
    async fn advance(&mut self) {
        self.step += 1;
        self.stack.clock.advance(SignedDuration::from_secs(10));
        match self.rng.u8(0..12) {
            0 => self.move_business().await,
            1..5 => self.send_rows().await,
            _ => {
                let name = pick(&mut self.rng, &NAMES);
                let act = self.random_act(name);
                self.act(name, act).await;
            }
        }
    }

    /// Kills the next process at a random call: before it is sent, or after it was carried out.
    fn kill(&mut self) {
        let kind = pick(&mut self.rng, &[FaultKind::RefuseConnection, FaultKind::LoseReply]);
        self.faults.restart(Plan::At { call: self.rng.u64(1..=LAST_CALL), kind, times: u64::MAX });
    }

    /// Returns stores of an operator who has just started.
    fn operator(&self) -> Stores {
        self.stack.stores_through(self.faults.over(in_process_client()), few_retries(), self.stack.table_prefix())
    }

    fn random_act(&mut self, name: &str) -> Act {
        let (review, at) = (&self.expected[name], self.stack.clock.now());
        let by = UserId::parse(&self.fixtures.provider.id).expect("an id");
        let (method, path, body, after) = match self.rng.u8(0..6) {
            0 => {
                let state = pick(&mut self.rng, &[ReviewState::Treated, ReviewState::NotTreated]);
                ("PUT", "", json!({ "state": state.as_str() }), review.set_state(state, at))
            }
            1 | 2 => {
                let text = pick(&mut self.rng, &TEXTS);
                let reply = ReplyText::parse(text).expect("a text");
                ("PUT", "/reply", json!({ "content": text }), review.reply_with(reply, by, at).map(Some))
            }
            3 => ("DELETE", "/reply", Value::Null, review.remove_reply(by, at)),
            _ => {
                let latest = review.reply.as_ref().map_or(0, |reply| reply.version);
                let version = (latest + 1).saturating_sub(self.rng.u64(0..3)).max(1);
                let outcome = pick(&mut self.rng, &ReplyOutcome::ALL);
                let body = json!({ "version": version, "outcome": outcome.as_str() });
                let report = OutcomeReport { version, outcome, reason: None };
                ("POST", "/reply/outcome", body, review.record_outcome(report, at))
            }
        };
        let status = |error| if matches!(error, Error::NotFound) { 404 } else { 400 };
        Act { method, path, body, after: after.map_err(status) }
    }

    async fn act(&mut self, name: &'static str, act: Act) {
        let what = format!("step {}: {} {}{} {}", self.step, act.method, name, act.path, act.body);
        let status = act.after.as_ref().map_or_else(|status| *status, |_| 200);
        self.kill();
        let first = self.send(name, &act).await;
        self.faults.restart(Plan::None);
        assert!([status, 409, 503].contains(&first.status), "{what}: {} {}", first.status, first.text);
        let again = self.answered(async || self.send(name, &act).await).await;
        assert_eq!(again.status, status, "{what}, then again: {}", again.text);
        assert!(first.status != 200 || first.text == again.text, "{what}: {} and then {}", first.text, again.text);
        if let Ok(Some(after)) = act.after {
            *self.recorded.entry(name).or_default() += 1;
            self.expected.insert(name, after);
        }
    }

    /// Sends a request, and again while a busy machine makes the function give up.
    async fn answered(&self, request: impl AsyncFn() -> Reply) -> Reply {
        for _ in 0..TRIES {
            let reply = request().await;
            if ![409, 503].contains(&reply.status) {
                return reply;
            }
        }
        panic!("step {}: no answer for {TRIES} times", self.step)
    }

    async fn send(&self, name: &str, act: &Act) -> Reply {
        let path = format!("/reviews/{}{}", self.expected[name].id.as_str(), act.path);
        let request = self.stack.request(act.method, &path).header("x-api-key", &self.fixtures.provider.key);
        let request = request.header("idempotency-key", format!("step-{}", self.step));
        send(if act.body.is_null() { request } else { request.json(&act.body) }).await
    }

    /// Sends rows about some reviews, also late ones.
    async fn send_rows(&mut self) {
        let names = self.rng.choose_multiple(NAMES, 2);
        let rows: Vec<Review> = names.iter().map(|name| self.random_row(name)).collect();
        self.kill();
        let _ = self.operator().reviews.upsert_reviews(&rows).await;
        self.faults.restart(Plan::None);
        self.stack.stores().reviews.upsert_reviews(&rows).await.expect("the store answers");
        for (name, row) in names.into_iter().zip(rows) {
            let after = Review::accept(Some(&self.expected[name]), &row).review;
            self.expected.insert(name, after);
        }
    }

    fn random_row(&mut self, name: &str) -> Review {
        let rng = &mut self.rng;
        let seen = self.stack.clock.now().as_second() - pick(rng, &[0, 0, 0, 15, 35]) + rng.i64(-3..3);
        let state = pick(rng, &ReviewState::ALL);
        let reply_comment = pick(rng, &[None, Some("A"), Some("B"), Some("P")]).map(str::to_owned);
        let update_date = rng.bool().then(|| seen - rng.i64(0..30));
        let (rating, seen_at) = (pick(rng, &Rating::ALL), Some(SeenAt::at(seen * 1_000_000)));
        let Review { org_id, city_key, .. } = self.expected[name].clone();
        Review { org_id, city_key, state, reply_comment, update_date, rating, seen_at, ..shown_review(name) }
    }

    async fn move_business(&mut self) {
        let id = business_id(pick(&mut self.rng, &["lyon-1", "lyon-2"]));
        let (org_id, city) = (org_id(self.rng.u64(1..3)), pick(&mut self.rng, &["Lyon", "Paris"]));
        let business = Business { id, org_id, name: "Shop".to_owned(), city: city.to_owned() };
        self.kill();
        let _ = self.operator().reviews.put_business(&business).await;
        self.faults.restart(Plan::None);
        let reviews = &self.stack.stores().reviews;
        reviews.put_business(&business).await.expect("the store answers");
        reviews.finish_moves(|| true).await.expect("the store answers");
        for review in self.expected.values_mut().filter(|review| review.business_id == business.id) {
            (review.org_id, review.city_key) = (org_id, city_key(city));
        }
    }

    /// Asserts that the store has the expected reviews.
    async fn check_reviews(&self) {
        let expected: Vec<Review> = self.expected.values().cloned().collect();
        let stored = self.stack.stores().reviews.find_stored_reviews(&expected).await.expect("the store answers");
        for (stored, expected) in stored.iter().zip(&expected) {
            let stored = stored.as_ref().expect("a review");
            let is_same = stored.content_eq(expected) && stored.seen_at == expected.seen_at;
            assert!(is_same, "step {}:\n{stored:?}\ninstead of\n{expected:?}", self.step);
        }
    }

    /// Asserts that each caller's searches count the expected reviews by state, and that the index has the replies on their way.
    async fn check_lists(&self) {
        let Fixtures { provider, admin_1, admin_2, .. } = &self.fixtures;
        for (key, org) in [(&provider.key, None), (&admin_1.key, Some(1)), (&admin_2.key, Some(2))] {
            for state in ReviewState::ALL {
                let path = format!("/reviews?per_page=1&state={}", state.as_str());
                let page = self.answered(async || self.stack.get(&path, key).await).await.json();
                let is_counted = |one: &&Review| one.state == state && org.is_none_or(|org| one.org_id.get() == org);
                let count = self.expected.values().filter(is_counted).count();
                assert_eq!(page["count"], count, "step {}: {state:?} of {org:?}", self.step);
            }
        }
        let pending = self.stack.stores().reviews.list_pending_replies().await.expect("the store answers");
        let pending: BTreeSet<_> = pending.iter().map(|review| &review.id).collect();
        let expected = self.expected.values().filter(|review| review.reply_request().is_some());
        assert_eq!(pending, expected.map(|review| &review.id).collect(), "step {}", self.step);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_histories_with_killed_processes_end_as_if_each_step_had_happened_once() {
    let mut history = Box::new(History::start().await);
    for step in 1..=rounds(STEPS) {
        history.advance().await;
        history.check_reviews().await;
        if step % STEPS_BETWEEN_LISTS == 0 {
            history.check_lists().await;
        }
    }
    let audit = history.stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!(audit.findings, []);
    for name in NAMES {
        let records = history.stack.records(AuditSource::Review(history.expected[name].id.clone())).await;
        let count = history.recorded.get(name).copied().unwrap_or_default();
        assert_eq!(records.len(), count, "{name}: each change is recorded once");
    }
}
