//! Changes and their events.

use serde_json::{Value, json};

use super::fixture::EventFixture;

/// Returns kind, version and fields of each event.
fn summaries(events: &[Value]) -> Vec<String> {
    let summary = |event: &Value| {
        let detail = &event["detail"];
        let fields = detail["fields"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let fields: Vec<_> = fields.collect();
        let kind = event["detail-type"].as_str().expect("a kind");
        format!("{kind} {} {}", detail["version"], fields.join(" ")).trim_end().to_owned()
    };
    events.iter().map(summary).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_is_told_once_with_its_fields_and_the_version() {
    let mut fixture = EventFixture::new().await;
    let [first, second] = fixture.change_everything().await;
    let events = fixture.publish().await;
    let given = "email first_name last_name phone lang role status org_id business_ids";
    assert_eq!(
        summaries(&events),
        [
            &format!("user.created 1 {given}"),
            "user.activated 4 password status",
            "key.issued 5",
            "key.rotated 6",
            "key.revoked null",
            "user.updated 7 first_name phone",
            "user.deleted 8",
            &format!("user.created 1 {given}"),
            "webhook.disabled null",
            "invitation.sent 3",
            "invitation.given_up 2",
            "review.created 1 org_id business_id partner partner_id author_name date update_date rating content state key",
            "review.updated 2 rating reply_comment state",
            // The third version moved the city of the business.
            "review.deleted 4 delete_date state",
            "review.created 1 org_id business_id partner partner_id date update_date rating state key",
            "review.updated 2 reply_comment state",
            "reply.requested 1",
            "reply.published 1",
            "review.updated 4 reply_comment",
            "reply.requested 2",
            "review.updated 5 reply_comment",
            "reply.rejected 2",
            "review.updated 6 reply_comment",
            "reply.requested 3",
            "reply.removed 3",
        ]
    );
    for (index, id) in [(0, &first), (1, &first), (5, &first), (6, &first), (7, &second)] {
        assert_eq!((&events[index]["detail"]["id"], &events[index]["detail"]["org_id"]), (&json!(id), &json!(1)));
        assert_eq!(events[index]["detail"]["at"], "2026-03-01T12:00:00Z", "the clock of the functions");
        assert_eq!(events[index]["time"], "2026-03-01T12:00:00Z");
    }
    for (index, id) in [(2, &first), (3, &first), (4, &first), (9, &first), (10, &second)] {
        let detail = &events[index]["detail"];
        assert_eq!((&detail["user_id"], &detail["org_id"]), (&json!(id), &json!(1)));
    }
    assert_eq!(events[3]["detail"]["replaces"], events[2]["detail"]["id"]);
    assert_eq!(events[4]["detail"]["id"], events[2]["detail"]["id"]);
    for event in &events[11..] {
        assert_eq!((&event["detail"]["business_id"], &event["detail"]["org_id"]), (&json!("shop-1"), &json!(1)));
    }
    assert_eq!(fixture.publish().await.len(), events.len(), "nothing is told again");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_that_is_asked_for_again_is_told_when_it_is_sent() {
    let mut fixture = EventFixture::new().await;
    let id = fixture.invite("guest").await;
    fixture.deliver(&id).await;
    fixture.stack.clock.advance(jiff::SignedDuration::from_mins(6));
    assert_eq!(fixture.stack.invite(&id, &fixture.fixtures.admin_1.key).await.status, 200);
    let kinds = |events: &[Value]| -> Vec<String> {
        events.iter().map(|event| event["detail-type"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(kinds(&fixture.publish().await), ["user.created", "invitation.sent"]);
    fixture.deliver(&id).await;
    assert_eq!(kinds(&fixture.publish().await), ["user.created", "invitation.sent", "invitation.sent"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_a_user_order_its_events() {
    let mut fixture = EventFixture::new().await;
    let id = fixture.invite("guest").await;
    for number in 0..25 {
        let change = json!({ "phone": number.to_string() });
        let reply = fixture.stack.post(&format!("/user/{id}"), &fixture.fixtures.admin_1.key, &change).await;
        assert_eq!(reply.status, 200);
        // Records of the audit trail are ordered by time.
        fixture.stack.clock.advance(jiff::SignedDuration::from_millis(1));
    }
    let events = fixture.publish().await;
    let versions: Vec<_> = events.iter().map(|event| event["detail"]["version"].as_u64().expect("a version")).collect();
    assert_eq!(versions, (1..=26).collect::<Vec<_>>());
}
