//! States and replies: what people set, write and take back, what connectors report, and all of it beside imports and moves.

use jiff::SignedDuration;
use presence_domain::audit::AuditTarget;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Review, ReviewId, SeenAt};
use presence_local::Options;
use presence_runtime::clock::Clock as _;
use presence_store::{AuditSource, Business, RetryPolicy};
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, FaultKind, Plan, RETRY_TIME_OF_ENDLESS_FAULTS, Reply, TestStack, in_process_client, long_timeouts,
    send,
};
use serde_json::{Value, json};

use super::fixtures::{ReviewFixtures, seeded_review};
use crate::api::send_all;

const NOT_FOUND: &str = r#"{"errors":{"json":"not found"}}"#;

impl ReviewFixtures {
    /// Sends a change of the review with this name.
    pub(super) async fn act(&self, by: &str, method: &str, name: &str, path: &str, body: &Value) -> Reply {
        let path = format!("/reviews/{}{path}", seeded_review(name).id.as_str());
        let request = self.stack.request(method, &path).header("x-api-key", self.key(by));
        // Records of one millisecond have no order.
        self.stack.clock.advance(SignedDuration::from_millis(1));
        let has_body = !body.is_null();
        send(if has_body { request.json(body) } else { request }).await
    }

    async fn set(&self, by: &str, name: &str, state: &str) -> Reply {
        self.act(by, "PUT", name, "", &json!({ "state": state })).await
    }

    async fn reply(&self, by: &str, name: &str, content: &str) -> Reply {
        self.act(by, "PUT", name, "/reply", &json!({ "content": content })).await
    }

    async fn report(&self, name: &str, version: u64, outcome: &str) -> Reply {
        let body = json!({ "version": version, "outcome": outcome, "reason": "parce que" });
        self.act("provider", "POST", name, "/reply/outcome", &body).await
    }

    /// Returns the review as its organisation sees it.
    async fn shown(&self, name: &str) -> Value {
        self.act("admin_1", "GET", name, "", &Value::Null).await.json()
    }

    async fn count_of(&self, state: &str) -> Value {
        self.ask("admin_1", &format!("state={state}")).await.json()["count"].clone()
    }

    /// Asserts that the ledger counts what is stored.
    async fn assert_counted(&self) {
        let audit = self.stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
        assert_eq!(audit.findings, []);
    }

    /// Returns action and fields of the records about a review, oldest first.
    async fn recorded(&self, name: &str) -> Vec<String> {
        let id = seeded_review(name).id;
        let mut records = self.stack.records(AuditSource::Review(id.clone())).await;
        records.reverse();
        assert!(records.iter().all(|record| matches!(&record.target, AuditTarget::Review { id: of, .. } if *of == id)));
        records.iter().map(|record| format!("{} {}", record.action.as_str(), record.field_names().join(" "))).collect()
    }
}

/// Returns status and body.
fn answer(reply: &Reply) -> (u16, Value) {
    (reply.status, reply.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_set_is_counted_and_recorded_at_once() {
    let fixtures = ReviewFixtures::new().await;
    let expected = {
        let mut expected = fixtures.shown("b").await;
        expected["state"] = json!("treated");
        expected
    };
    assert_eq!((fixtures.count_of("treated").await, fixtures.count_of("not_treated").await), (json!(3), json!(3)));
    assert_eq!(answer(&fixtures.set("admin_1", "b", "treated").await), (200, expected.clone()));
    assert_eq!(answer(&fixtures.set("provider", "b", "treated").await), (200, expected), "the same again");
    assert_eq!((fixtures.count_of("treated").await, fixtures.count_of("not_treated").await), (json!(4), json!(2)));
    assert_eq!(fixtures.recorded("b").await, ["set_review_state state"], "no change is not recorded");
    let deleted = fixtures.set("admin_1", "c", "treated").await;
    assert_eq!(answer(&deleted), (400, json!({"errors": {"json": {"state": "the review is deleted"}}})));
    fixtures.assert_counted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_goes_its_way_from_pending_to_removed() {
    let fixtures = ReviewFixtures::new().await;
    let (id, by) = (seeded_review("b").id, fixtures.fixtures.admin_1.id.clone());
    let now = fixtures.stack.clock.now().strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string();
    let reply = |content: Value, state: &str, version: u64, settled: bool| {
        let (reason, settled_at) = if settled { (json!("parce que"), json!(now)) } else { (Value::Null, Value::Null) };
        json!({"review_id": id.as_str(), "content": content, "state": state, "reason": reason, "version": version,
            "requested_at": now, "requested_by": by, "settled_at": settled_at})
    };
    let get = async || fixtures.act("manager_1", "GET", "b", "/reply", &Value::Null).await;
    assert_eq!((get().await.status, get().await.text.as_str()), (404, NOT_FOUND));
    let pending = fixtures.reply("admin_1", "b", " Merci\u{7} ").await;
    assert_eq!(answer(&pending), (200, reply(json!("Merci"), "pending", 1, false)));
    assert_eq!(get().await.text, pending.text);
    let shown = fixtures.shown("b").await;
    assert_eq!((&shown["reply_comment"], &shown["state"]), (&json!("Merci"), &json!("treated")));
    assert_eq!(answer(&fixtures.report("b", 1, "published").await), (200, reply(json!("Merci"), "published", 1, true)));
    assert_eq!(fixtures.reply("admin_1", "b", "Mieux").await.status, 200);
    let late = fixtures.report("b", 1, "rejected").await;
    assert_eq!(answer(&late), (200, reply(json!("Mieux"), "pending", 2, false)), "an older version");
    assert_eq!(answer(&fixtures.report("b", 2, "rejected").await), (200, reply(json!("Mieux"), "rejected", 2, true)));
    assert_eq!(fixtures.shown("b").await["reply_comment"], "Merci", "the partner has this");
    let success = (200, json!({"status": "success", "id": id.as_str()}));
    assert_eq!(answer(&fixtures.act("admin_1", "DELETE", "b", "/reply", &Value::Null).await), success);
    assert_eq!(answer(&get().await), (200, reply(Value::Null, "removing", 3, false)));
    assert_eq!(fixtures.report("b", 3, "published").await.status, 400, "for a removal");
    assert_eq!(answer(&fixtures.report("b", 3, "removed").await), success);
    assert_eq!(answer(&fixtures.report("b", 3, "removed").await), success, "the same twice");
    assert_eq!(get().await.status, 404);
    assert_eq!(fixtures.act("admin_1", "DELETE", "b", "/reply", &Value::Null).await.status, 404);
    let expected = [
        "reply reply_comment state",
        "reply_outcome ",
        "reply reply_comment",
        "reply_outcome reply_comment",
        "remove_reply reply_comment",
        "reply_outcome ",
    ];
    assert_eq!(fixtures.recorded("b").await, expected);
    fixtures.assert_counted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manager_writes_reviews_of_its_businesses_from_the_next_request_on() {
    let fixtures = ReviewFixtures::new().await;
    let give = async |ids: &[&str]| {
        let path = format!("/user/{}", fixtures.fixtures.manager_1.id);
        let reply = fixtures.stack.post(&path, fixtures.key("admin_1"), &json!({ "business_ids": ids })).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    };
    let both = async || {
        let state = fixtures.set("manager_1", "b", "treated").await.status;
        (state, fixtures.reply("manager_1", "b", "Merci").await.status)
    };
    assert_eq!(both().await, (403, 403));
    give(&["lyon-2"]).await;
    assert_eq!(both().await, (403, 403), "another business");
    give(&["lyon-1", "lyon-2"]).await;
    assert_eq!(both().await, (200, 200));
    give(&[]).await;
    assert_eq!(both().await, (403, 403));
    assert_eq!(fixtures.act("manager_1", "DELETE", "b", "/reply", &Value::Null).await.status, 403);
    give(&["lyon-1"]).await;
    move_business(&fixtures, "lyon-1", 2, "Lyon").await;
    assert_eq!(both().await, (404, 404), "the business belongs to another organisation");
    assert_eq!(fixtures.set("admin_2", "b", "not_treated").await.status, 200);
    fixtures.assert_counted().await;
}

async fn move_business(fixtures: &ReviewFixtures, id: &str, org: u64, city: &str) {
    let (id, org_id) = (BusinessId::parse(id).expect("an id"), OrgId::new(org).expect("an id"));
    let business = Business { name: format!("Shop {}", id.as_str()), id, org_id, city: city.to_owned() };
    fixtures.stack.stores().reviews.put_business(&business).await.expect("the store answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_under_an_idempotency_key_is_made_once() {
    let fixtures = ReviewFixtures::new().await;
    let path = format!("/reviews/{}/reply", seeded_review("b").id.as_str());
    let put = async |content: &str| {
        let request = fixtures.stack.request("PUT", &path).header("x-api-key", fixtures.key("admin_1"));
        send(request.header("idempotency-key", "k").json(&json!({ "content": content }))).await
    };
    let first = put("Merci").await;
    assert_eq!(first.status, 200);
    assert_eq!(fixtures.report("b", 1, "published").await.status, 200);
    assert_eq!(put("Merci").await.text, first.text, "the answer of before");
    assert_eq!(put("Autre").await.status, 422);
    assert_eq!(fixtures.recorded("b").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_do_stands_beside_imports_and_moves_and_is_counted() {
    let fixtures = &ReviewFixtures::new().await;
    let names = ["a", "b", "d", "e", "g", "h"];
    let before = fixtures.stack.clock.now().as_microsecond() - 1_000_000;
    let row = |name: &str, seen_at: i64| Review {
        title: Some("Encore".to_owned()),
        reply_comment: None,
        seen_at: Some(SeenAt::at(seen_at)),
        ..seeded_review(name)
    };
    let rows: Vec<Review> = names.iter().map(|name| row(name, before)).collect();
    let people = names.map(|name| async move {
        let set = if name == "b" { "treated" } else { "not_treated" };
        let mut done = Vec::new();
        for round in 0..3 {
            done.push(fixtures.set("admin_1", name, set).await.status);
            done.push(fixtures.reply("provider", name, &format!("Merci {round}")).await.status);
            done.push(fixtures.set("admin_1", name, "not_treated").await.status);
        }
        done
    });
    let imports = async {
        for _ in 0..3 {
            fixtures.stack.stores().reviews.upsert_reviews(&rows).await.expect("the store answers");
        }
    };
    let moves = async {
        for city in ["Paris", "Lyon", "Paris"] {
            move_business(fixtures, "lyon-1", 1, city).await;
        }
    };
    let (done, (), ()) = futures::join!(send_all(people.into_iter().collect()), imports, moves);
    for (name, statuses) in names.iter().zip(done) {
        assert!(statuses.iter().all(|status| *status == 200), "{name}: {statuses:?}");
        let shown = fixtures.shown(name).await;
        let stored = (&shown["title"], &shown["state"], &shown["reply_comment"]);
        assert_eq!(stored, (&json!("Encore"), &json!("not_treated"), &json!("Merci 2")), "{name}");
        let reply = fixtures.act("admin_1", "GET", name, "/reply", &Value::Null).await.json();
        assert_eq!((&reply["version"], &reply["state"]), (&json!(3), &json!("pending")), "{name}");
    }
    fixtures.assert_counted().await;
    // A newer row publishes what it shows, and the author's new text opens the review again.
    let later = fixtures.stack.clock.now() + SignedDuration::from_secs(60);
    let newer = Review {
        reply_comment: Some("Merci  2".to_owned()),
        update_date: Some(later.as_second()),
        ..row("b", later.as_microsecond())
    };
    fixtures.stack.stores().reviews.upsert_reviews(&[newer]).await.expect("the store answers");
    let reply = fixtures.act("admin_1", "GET", "b", "/reply", &Value::Null).await.json();
    assert_eq!((&reply["state"], &reply["content"]), (&json!("published"), &json!("Merci 2")));
    fixtures.assert_counted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_at_once_both_have_their_way_one_after_the_other() {
    let fixtures = &ReviewFixtures::new().await;
    let replies: Vec<_> =
        (0..8).map(|number| async move { fixtures.reply("admin_1", "b", &number.to_string()).await }).collect();
    let mut versions = Vec::new();
    for reply in send_all(replies).await {
        assert_eq!(reply.status, 200, "{}", reply.text);
        versions.push(reply.json()["version"].as_u64().expect("a version"));
    }
    versions.sort_unstable();
    assert_eq!(versions, (1..=8).collect::<Vec<_>>(), "each request has a version of its own");
    fixtures.assert_counted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_costs_three_round_trips_and_few_write_units() {
    let fixtures = ReviewFixtures::counting_waves().await;
    let path = format!("/user/{}", fixtures.fixtures.manager_1.id);
    let given = fixtures.stack.post(&path, fixtures.key("admin_1"), &json!({ "business_ids": ["lyon-1"] })).await;
    assert_eq!(given.status, 200);
    // The process learns the lane and the place of the business.
    assert_eq!(fixtures.set("manager_1", "b", "treated").await.status, 200);
    let state = fixtures.set("manager_1", "b", "not_treated").await.cost();
    assert!(state.waves <= 3 && state.write_units <= 9.0, "{state:?}");
    let reply = fixtures.reply("manager_1", "b", &"Merci. ".repeat(40)).await.cost();
    assert!(reply.waves <= 3 && reply.write_units <= 11.0, "{reply:?}");
    let read = fixtures.act("manager_1", "GET", "b", "", &Value::Null).await.cost();
    assert_eq!((read.calls, read.waves, read.read_units), (2, 1, 2.0), "a read costs what it did");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_and_a_foreign_review_are_answered_alike() {
    let fixtures = ReviewFixtures::new().await;
    let unknown = ReviewId::parse("000000000000").expect("an id");
    for (method, path, body) in [
        ("PUT", "", json!({"state": "treated"})),
        ("PUT", "/reply", json!({"content": "x"})),
        ("GET", "/reply", Value::Null),
        ("DELETE", "/reply", Value::Null),
    ] {
        let foreign = fixtures.act("admin_1", method, "x", path, &body).await;
        assert_eq!((foreign.status, foreign.text.as_str()), (404, NOT_FOUND), "{method} {path}");
        let request = fixtures.stack.request(method, &format!("/reviews/{}{path}", unknown.as_str()));
        let request = request.header("x-api-key", fixtures.key("provider"));
        let reply = send(if body.is_null() { request } else { request.json(&body) }).await;
        assert_eq!((reply.status, reply.text.as_str()), (404, NOT_FOUND), "{method} {path}");
    }
    let outcome = json!({"version": 1, "outcome": "published"});
    assert_eq!(fixtures.act("admin_1", "POST", "x", "/reply/outcome", &outcome).await.status, 403, "before any look");
}

/// A client repeats a request that failed anywhere, under its idempotency key: the change is made once, with one record.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_fails_at_any_call_is_made_once_when_it_is_repeated() {
    let faults = FaultConnector::new();
    let retry_policy = RetryPolicy::For(RETRY_TIME_OF_ENDLESS_FAULTS);
    let options = Options { http_client: Some(faults.over(in_process_client())), retry_policy, ..long_timeouts() };
    let fixtures = ReviewFixtures::of(TestStack::with(options).await).await;
    assert_eq!(fixtures.shown("b").await["state"], "not_treated", "a warm key");
    let path = format!("/reviews/{}/reply", seeded_review("b").id.as_str());
    let mut version = 0;
    for kind in [FaultKind::ServerError, FaultKind::CutBody, FaultKind::TransactionConflict] {
        for call in 1..=6 {
            version += 1;
            let (key, content) = (format!("key-{version}"), format!("Merci {version}"));
            let put = async || {
                let request = fixtures.stack.request("PUT", &path).header("x-api-key", fixtures.key("admin_1"));
                send(request.header("idempotency-key", &key).json(&json!({ "content": content }))).await
            };
            faults.restart(Plan::At { call, kind, times: 1_000 });
            let broken = put().await;
            assert!([200, 409, 503].contains(&broken.status), "{kind:?} at {call}: {}", broken.text);
            faults.restart(Plan::None);
            let reply = put().await;
            let shown = (reply.status, reply.json()["version"].clone(), reply.json()["content"].clone());
            assert_eq!(shown, (200, json!(version), json!(content)), "{kind:?} at {call}: {}", broken.text);
        }
    }
    let records = fixtures.recorded("b").await;
    assert_eq!(records.len(), usize::try_from(version).expect("few"), "{records:?}");
    fixtures.assert_counted().await;
}
