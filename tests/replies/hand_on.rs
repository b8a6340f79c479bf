//! Messages of the queue: one for each request, with the fields of the contract, and none for any other change.

use jiff::SignedDuration;
use presence_domain::review::{OutcomeReport, ReplyOutcome, Review};
use presence_ops::Exit;
use presence_runtime::clock::Clock as _;
use serde_json::json;

use super::fixture::ReplyFixture;

#[tokio::test(flavor = "multi_thread")]
async fn each_reply_and_removal_leaves_once_in_order_and_other_changes_send_nothing() {
    let mut fixture = ReplyFixture::new().await;
    let (a, _) = fixture.reply("a", "Thank you").await;
    // The review changes while its reply is on its way.
    fixture.change("a", |review| Review { key: "another".to_owned(), ..review.clone() }).await;
    let (b, _) = fixture.reply("b", "We are sorry").await;
    fixture.reply("a", "Thank you \"very\" much\n✓").await;
    fixture.take_back("a").await;
    let at = fixture.stack.clock.now();
    let report = OutcomeReport { version: 1, outcome: ReplyOutcome::Published, reason: None };
    fixture.change("b", |review| review.record_outcome(report, at).expect("an outcome").expect("a change")).await;
    let messages = fixture.publish().await;
    fixture.assert_versions(&[(&a, vec![1, 2, 3]), (&b, vec![1])], "each once");
    let of_a: Vec<_> = messages.iter().filter(|message| message["review_id"] == a.as_str()).collect();
    let expected = json!({
        "action": "publish", "review_id": a.as_str(), "version": 2, "org_id": 1, "business_id": "lyon-1",
        "partner": "partner_8", "partner_id": "a", "content": "Thank you \"very\" much\n✓",
        "requested_at": "2026-03-01T12:00:00+00:00",
    });
    assert_eq!(of_a[1], &expected);
    assert_eq!((&of_a[2]["action"], &of_a[2]["content"]), (&json!("remove"), &json!(null)));
    assert_eq!(fixture.publish().await.len(), 4, "nothing is sent again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_sent_again_when_an_operator_asks_and_only_while_it_has_no_outcome() {
    let mut fixture = ReplyFixture::new().await;
    let (a, version) = fixture.reply("a", "Thank you").await;
    fixture.publish().await;
    assert!(fixture.resend("a").await);
    fixture.change("a", |review| Review { key: "another".to_owned(), ..review.clone() }).await;
    fixture.publish().await;
    fixture.assert_versions(&[(&a, vec![version, version])], "although the queue knows the version");
    fixture.stack.clock.advance(SignedDuration::from_secs(1));
    assert!(fixture.resend("a").await, "a second time");
    let before = fixture.review("a").await;
    let at = fixture.stack.clock.now();
    let report = OutcomeReport { version, outcome: ReplyOutcome::Published, reason: None };
    fixture.change("a", |review| review.record_outcome(report, at).expect("an outcome").expect("a change")).await;
    let resent = fixture.stack.stores().reviews.resend_reply(&before, at).await.expect("the store answers");
    assert!(!resent && !fixture.resend("a").await, "it has its outcome");
    fixture.publish().await;
    fixture.assert_versions(&[(&a, vec![version; 3])], "the order to send it again came before the outcome");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_leaves_although_the_queue_knows_its_version_from_before_a_restore() {
    let mut fixture = ReplyFixture::new().await;
    let (a, version) = fixture.reply("a", "Thank you").await;
    fixture.publish().await;
    fixture.change("a", |review| Review { reply: None, ..review.clone() }).await;
    fixture.stack.clock.advance(SignedDuration::from_secs(1));
    fixture.reply("a", "Thank you").await;
    fixture.publish().await;
    fixture.assert_versions(&[(&a, vec![version, version])], "within the five minutes of the queue");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_index_has_the_requests_without_an_outcome_the_oldest_on_top() {
    let fixture = ReplyFixture::new().await;
    let reviews = &fixture.stack.stores().reviews;
    assert_eq!(reviews.oldest_pending_reply().await.expect("the store answers"), None);
    let began = fixture.stack.clock.now();
    for name in ["b", "a", "d"] {
        fixture.reply(name, "Thank you").await;
        fixture.stack.clock.advance(SignedDuration::from_hours(1));
    }
    fixture.take_back("a").await;
    let pending = reviews.list_pending_replies().await.expect("the store answers");
    let names: Vec<_> = pending.iter().map(|review| review.partner_id.as_str()).collect();
    assert_eq!(names, ["b", "d", "a"], "a removal is a new request");
    assert_eq!(reviews.oldest_pending_reply().await.expect("the store answers"), Some(began));
    let at = fixture.stack.clock.now();
    for (name, version, outcome) in
        [("b", 1, ReplyOutcome::Rejected), ("d", 1, ReplyOutcome::Published), ("a", 2, ReplyOutcome::Removed)]
    {
        let report = OutcomeReport { version, outcome, reason: None };
        fixture.change(name, |review| review.record_outcome(report, at).expect("an outcome").expect("a change")).await;
    }
    assert!(reviews.list_pending_replies().await.expect("the store answers").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_list_replies_without_an_outcome_send_them_again_and_are_told_of_old_ones() {
    let mut fixture = ReplyFixture::new().await;
    let (a, _) = fixture.reply("a", "Thank you").await;
    fixture.stack.clock.advance(SignedDuration::from_hours(2));
    let (b, _) = fixture.reply("b", "We are sorry").await;
    fixture.publish().await;
    let listed = |output: serde_json::Value| -> Vec<String> {
        let ids = output.as_array().expect("a list").iter().map(|one| one["review_id"].as_str().map(str::to_owned));
        ids.collect::<Option<_>>().expect("ids")
    };
    let all = fixture.stack.ops("replies list --pending --json").await.expect(Exit::Done);
    assert_eq!(listed(all.json()), [a.as_str(), b.as_str()]);
    assert!(!all.stdout.contains("Thank you"), "no text: {}", all.stdout);
    let old = fixture.stack.ops("replies list --pending --older 1h --json").await.expect(Exit::Done);
    assert_eq!(listed(old.json()), [a.as_str()]);
    let doctor = fixture.stack.ops("doctor").await.expect(Exit::Failed);
    assert!(doctor.stdout.contains("replies: one has had no outcome for 120 minutes"), "{}", doctor.stdout);
    let repaired = fixture.stack.ops("doctor --fix --yes").await.expect(Exit::Failed);
    assert!(repaired.stderr.contains("replies that are sent again: 2"), "{}", repaired.stderr);
    fixture.stack.clock.advance(SignedDuration::from_secs(1));
    fixture.stack.ops(&format!("replies resend {}", a.as_str())).await.expect(Exit::Done);
    fixture.stack.clock.advance(SignedDuration::from_secs(1));
    let resent = fixture.stack.ops("replies resend --all --json").await.expect(Exit::Done);
    assert_eq!(resent.json(), json!({ "resent": 2, "ids": [a.as_str(), b.as_str()] }));
    fixture.stack.ops("replies resend 000000000000").await.expect(Exit::NotFound);
    fixture.publish().await;
    fixture.assert_versions(&[(&a, vec![1, 1, 1, 1]), (&b, vec![1, 1, 1])], "sent again");
}
