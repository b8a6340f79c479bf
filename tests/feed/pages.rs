//! Pages of a feed: what they hold, who may read them, filters, cursors and their end.

use jiff::SignedDuration;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;
use presence_mailer::DeliveryOutcome;
use presence_store::ReviewWrite;
use serde_json::{Value, json};

use super::fixture::{FeedFixture, summaries};
use crate::api::reviews::fixtures::{seeded_review, write_reviews};

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_has_the_events_of_the_bus_once_each_with_their_data() {
    let mut fixture = FeedFixture::new().await;
    fixture.events.change_everything().await;
    fixture.publish().await;
    let admin = &fixture.events.fixtures.admin_1;
    let events = fixture.follow(admin, "limit=7").await;
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds.len(), 25, "{kinds:?}");
    assert_eq!(kinds[..3], ["user.created", "user.activated", "key.issued"]);
    let first = &events[0];
    assert_eq!(first.as_object().expect("an object").keys().collect::<Vec<_>>(), ["at", "data", "id", "type"]);
    assert_eq!((&first["at"], &first["data"]["at"]), (&json!("2026-03-01T12:00:00.000Z"), &first["at"]));
    assert_eq!((&first["data"]["version"], &first["data"]["org_id"]), (&json!(1), &json!(1)));
    let ids: std::collections::BTreeSet<_> = events.iter().map(|event| event["id"].to_string()).collect();
    assert_eq!(ids.len(), events.len());
    assert_eq!(fixture.follow(admin, "limit=100").await, events, "in pages of any size");
    assert_eq!(fixture.follow(&fixture.events.fixtures.admin_2, "").await, Vec::<Value>::new());
    // A filter leaves pages short, and loses nothing.
    let replies = fixture.follow(admin, "limit=2&type__in=reply.*,key.revoked").await;
    let expected: Vec<_> = events
        .iter()
        .filter(|event| event["type"].as_str().is_some_and(|kind| kind.starts_with("reply.") || kind == "key.revoked"))
        .cloned()
        .collect();
    assert_eq!((replies, expected.len()), (expected, 7));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_names_which_feed_and_cursor() {
    let mut fixture = FeedFixture::new().await;
    fixture.events.invite("guest").await;
    let email = presence_tests::address("of-no-organisation");
    let body = json!({ "email": email, "first_name": "Ada", "last_name": "Roy", "role": "PROVIDER" });
    let created = fixture.events.stack.post("/user", &fixture.events.fixtures.provider.key, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    fixture.publish().await;
    let users = &fixture.events.fixtures;
    let after = |query: &str| format!("/events?{query}");
    for (user, query, status, answer) in [
        (&users.provider, "", 400, json!({"json": {"org_id": "is required"}})),
        (
            &users.provider,
            "org_id=0",
            400,
            json!({"json": {"org_id": "must be an integer from 1 to 9007199254740991"}}),
        ),
        (
            &users.provider,
            "org_id=none&after=1-0",
            400,
            json!({"json": {"after": "is a cursor of another organisation"}}),
        ),
        (&users.admin_1, "after=2-0", 400, json!({"json": {"after": "is a cursor of another organisation"}})),
        (&users.admin_1, "after=x", 400, json!({"json": {"after": "is not a cursor of this feed"}})),
        (&users.admin_1, "limit=101", 400, json!({"json": {"limit": "must be an integer from 1 to 100"}})),
        (
            &users.admin_1,
            "org_id=2",
            403,
            json!({"authorization": "an ORG_ADMIN may not read events of another organisation"}),
        ),
        (
            &users.admin_1,
            "org_id=none",
            403,
            json!({"authorization": "an ORG_ADMIN may not read events of another organisation"}),
        ),
        (&users.manager_1, "org_id=x", 403, json!({"authorization": "a BUSINESS_MANAGER may not read events"})),
        (
            &users.admin_1,
            "after=1-2",
            410,
            json!({"json": "this cursor is no longer kept: the oldest event is after the cursor 1-0"}),
        ),
    ] {
        let reply = fixture.events.stack.get(&after(query), &user.key).await;
        assert_eq!((reply.status, &reply.json()["errors"]), (status, &answer), "{query}");
    }
    for (user, query, next) in [
        (&users.provider, "org_id=1", "1-1"),
        (&users.provider, "org_id=none", "none-1"),
        (&users.admin_1, "org_id=1", "1-1"),
        (&users.admin_1, "after=1-0", "1-1"),
    ] {
        let page = fixture.page(user, query).await;
        assert_eq!((page["events"].as_array().map(Vec::len), &page["next"]), (Some(1), &json!(next)), "{query}");
    }
    let end = fixture.page(&users.admin_1, "after=now").await;
    assert_eq!(end, json!({"events": [], "next": "1-1", "has_more": false}));
    assert_eq!(fixture.page(&users.admin_1, "after=1-1").await, end);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_user_are_in_order_and_the_version_tells_where_an_invitation_belongs() {
    let mut fixture = FeedFixture::new().await;
    let id = fixture.events.invite("guest").await;
    assert_eq!(fixture.events.deliver(&id).await, DeliveryOutcome::Sent);
    let (stack, key) = (&fixture.events.stack, &fixture.events.fixtures.admin_1.key);
    assert_eq!(stack.post(&format!("/user/{id}"), key, &json!({ "phone": "+33 1 23 45 67 89" })).await.status, 200);
    // DynamoDB keeps the order of each item. That of two tables' streams is chance: the stream of the users table comes first here.
    let batches = fixture.events.batches().await;
    for batch in batches.iter().rev() {
        assert_eq!(fixture.invoke(batch, None).await, Some(0));
    }
    let of_user = [format!("user.created {id} 1"), format!("user.updated {id} 4")];
    let events = summaries(&fixture.follow(&fixture.events.fixtures.admin_1, "").await);
    assert_eq!(events, [&[format!("invitation.sent {id} 3")][..], &of_user].concat());
}

#[tokio::test(flavor = "multi_thread")]
async fn both_organisations_hear_of_a_user_and_of_a_review_that_moves() {
    let mut fixture = FeedFixture::new().await;
    let id = fixture.events.invite("guest").await;
    let key = fixture.events.fixtures.provider.key.clone();
    let stack = &fixture.events.stack;
    let change = json!({ "org_id": 2, "business_ids": [] });
    assert_eq!(stack.post(&format!("/user/{id}"), &key, &change).await.status, 200);
    let business_id = BusinessId::parse("shop-1").expect("an id");
    let old = Review { business_id, org_id: OrgId::new(1).expect("an id"), ..seeded_review("a") };
    let new = Review { org_id: OrgId::new(2).expect("an id"), ..old.clone() };
    write_reviews(stack, vec![ReviewWrite { old: None, new: old.clone() }]).await;
    let stored = Review { version: 1, ..old };
    write_reviews(stack, vec![ReviewWrite { old: Some(stored.clone()), new: Review { version: 1, ..new } }]).await;
    fixture.publish().await;
    let review = stored.id.as_str();
    let of_1 = fixture.follow(&fixture.events.fixtures.admin_1, "").await;
    let of_2 = fixture.follow(&fixture.events.fixtures.admin_2, "").await;
    let left = [format!("user.created {id} 1"), format!("user.deleted {id} 2")];
    let reviews = [format!("review.created {review} 1"), format!("review.deleted {review} 2")];
    assert_eq!(summaries(&of_1), [left, reviews].concat());
    assert_eq!(summaries(&of_2), [format!("user.updated {id} 2"), format!("review.updated {review} 2")]);
    assert_eq!((&of_1[1]["data"]["org_id"], &of_1[1]["data"]["fields"]), (&json!(1), &json!([])));
    for event in &of_2 {
        let fields = event["data"]["fields"].as_array().expect("fields");
        assert!(fields.contains(&json!("org_id")), "{event}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_gone_after_thirty_days_and_the_answer_says_where_to_go_on() {
    let mut fixture = FeedFixture::new().await;
    fixture.events.invite("guest").await;
    fixture.publish().await;
    fixture.events.stack.clock.advance(SignedDuration::from_hours(31 * 24));
    fixture.events.invite("later").await;
    fixture.publish().await;
    let admin = &fixture.events.fixtures.admin_1;
    let page = fixture.page(admin, "").await;
    assert_eq!((summaries(page["events"].as_array().expect("events")).len(), &page["next"]), (1, &json!("1-2")));
    let gone = fixture.events.stack.get("/events?after=1-0", &admin.key).await;
    let text = "this cursor is no longer kept: the oldest event is after the cursor 1-1";
    assert_eq!((gone.status, &gone.json()["errors"]["json"]), (410, &json!(text)));
    assert_eq!(fixture.page(admin, "after=1-1").await["events"], page["events"]);
}
