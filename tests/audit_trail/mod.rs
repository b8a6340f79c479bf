//! Audit trail of the API: each change leaves one record, and nothing else does.

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::audit::{Actor, AuditAction, AuditRecord};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::AuditSource;
use presence_tests::{Fixtures, TestStack, address};
use serde_json::{Value, json};

/// Returns the action and the names of the fields of a record.
fn summary(record: &AuditRecord) -> (&'static str, Vec<&'static str>) {
    (record.action.as_str(), record.field_names())
}

/// Asserts that the newest record of a user has this action, fields and organisation, and that the owner of the key made it.
async fn assert_newest(stack: &TestStack, id: &str, key: &str, action: &str, fields: &[&str], org: Option<u64>) {
    let records = stack.records_of(id).await;
    let newest = records.first().expect("a record");
    assert_eq!(summary(newest), (action, fields.to_vec()), "{id}");
    let hash = PlaintextApiKey::parse(key).expect("a key").hash();
    let record = stack.stores().api_keys.get(&hash).await.expect("the store answers").expect("a key");
    assert_eq!(newest.actor, Actor::Key(record.id()), "{action}");
    assert_eq!((newest.at, newest.org_id), (stack.clock.now(), org.and_then(OrgId::new)), "{action}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_over_the_api_is_recorded_with_the_key_that_made_it() {
    let (stack, fixtures) = Fixtures::start().await;
    let (admin, provider) = (&fixtures.admin_1.key, &fixtures.provider.key);
    let body = json!({
        "email": address("new"), "first_name": "Ada", "last_name": "Lovelace", "status": "invited", "lang": "fr",
        "business_ids": ["b1-1"],
    });
    let id = stack.post("/user", admin, &body).await.json()["id"].as_str().expect("an id").to_owned();
    let given = ["email", "first_name", "last_name", "lang", "role", "status", "org_id", "business_ids"];
    assert_newest(&stack, &id, admin, "create", &given, Some(1)).await;

    stack.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(stack.invite(&id, admin).await.status, 200);
    assert_newest(&stack, &id, admin, "invite", &[], Some(1)).await;

    let path = format!("/user/{id}");
    let updates: [(&str, Value, &[&str], u64); 4] = [
        (admin, json!({"status": "active", "password": "canary-pass-1"}), &["password", "status"], 1),
        (admin, json!({"phone": "1", "lang": null, "first_name": "Ada"}), &["phone", "lang"], 1),
        (admin, json!({"email": address("NEW")}), &["email"], 1),
        (provider, json!({"org_id": 2, "business_ids": []}), &["org_id", "business_ids"], 2),
    ];
    for (key, change, fields, org) in updates {
        stack.clock.advance(SignedDuration::from_secs(1));
        assert_eq!(stack.post(&path, key, &change).await.status, 200, "{change}");
        assert_newest(&stack, &id, key, "update", fields, Some(org)).await;
    }

    stack.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(stack.delete(&path, provider).await.status, 200);
    assert_newest(&stack, &id, provider, "delete", &[], Some(2)).await;
    assert_eq!(stack.records_of(&id).await.len(), 7);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_is_the_author_of_its_activation() {
    let stack = TestStack::start().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    assert_eq!(stack.accept(&person.id, &token, "short").await.status, 400);
    assert_eq!(stack.records_of(&person.id).await.len(), 1, "only the creation");
    assert_eq!(stack.accept(&person.id, &token, "canary-pass-1").await.status, 200);
    let records = stack.records_of(&person.id).await;
    let activation = records.iter().find(|record| record.action == AuditAction::Activate).expect("a record");
    assert_eq!(summary(activation).1, ["password", "status"]);
    assert_eq!((activation.actor.id(), activation.actor.key_id()), (person.id.clone(), None));
    assert_eq!(stack.accept(&person.id, &token, "canary-pass-2").await.status, 410);
    assert_eq!(stack.records_of(&person.id).await.len(), 2);
    let by_itself = stack.records(AuditSource::Actor(person.id.clone())).await;
    assert_eq!(by_itself, std::slice::from_ref(activation));
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_refusals_leave_no_record() {
    let (stack, fixtures) = Fixtures::start().await;
    let (admin, manager) = (&fixtures.admin_1.key, &fixtures.manager_1.key);
    assert_eq!(stack.invite(&fixtures.invited_1.id, admin).await.status, 200);
    let before = stack.records(AuditSource::All).await.len();
    let path = |id: &str| format!("/user/{id}");
    let manager_path = path(&fixtures.manager_1.id);
    let replies = [
        (200, stack.get("/user/search", admin).await),
        (200, stack.get("/user/stats", admin).await),
        (200, stack.post(&manager_path, admin, &json!({})).await),
        (200, stack.post(&manager_path, admin, &json!({"role": "BUSINESS_MANAGER", "phone": null})).await),
        (400, stack.post(&manager_path, admin, &json!({"role": "KING"})).await),
        (400, stack.post(&manager_path, admin, &json!({"email": fixtures.admin_2.email})).await),
        (401, stack.post(&manager_path, "pk_wrong", &json!({"phone": "1"})).await),
        (403, stack.delete(&path(&fixtures.admin_1.id), manager).await),
        (404, stack.delete(&path(&fixtures.admin_2.id), admin).await),
        (429, stack.invite(&fixtures.invited_1.id, admin).await),
    ];
    for (status, reply) in replies {
        assert_eq!(reply.status, status, "{}", reply.text);
    }
    assert_eq!(stack.records(AuditSource::All).await.len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_delivery_of_a_mail_leaves_no_record() {
    let (stack, fixtures) = Fixtures::start().await;
    assert_eq!(stack.invite(&fixtures.invited_1.id, &fixtures.admin_1.key).await.status, 200);
    let before = stack.records_of(&fixtures.invited_1.id).await;
    let version = || async { stack.stored(&fixtures.invited_1.id).await.expect("the user").user.version };
    let written = version().await;
    let id = UserId::parse(&fixtures.invited_1.id).expect("an id");
    Box::pin(stack.local.outbox().deliver(id)).await.expect("an outcome");
    assert_eq!(stack.local.mailbox().mails().len(), 1, "it was sent");
    assert!(version().await > written, "the delivery wrote the user");
    assert_eq!(stack.records_of(&fixtures.invited_1.id).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_found_by_organisation_and_by_actor_newest_first() {
    let (stack, fixtures) = Fixtures::start().await;
    for (number, id) in
        [&fixtures.manager_1.id, &fixtures.other_manager_1.id, &fixtures.manager_1.id].iter().enumerate()
    {
        stack.clock.advance(SignedDuration::from_secs(1));
        let change = json!({"phone": number.to_string()});
        assert_eq!(stack.post(&format!("/user/{id}"), &fixtures.provider.key, &change).await.status, 200);
    }
    let targets = |records: Vec<AuditRecord>| -> Vec<String> {
        assert!(records.is_sorted_by(|newer, older| newer.at >= older.at));
        records.iter().take(3).map(|record| record.target.to_string()).collect()
    };
    let expected = [&fixtures.manager_1.id, &fixtures.other_manager_1.id, &fixtures.manager_1.id];
    for source in [AuditSource::Actor(fixtures.provider.id.clone()), AuditSource::Org(OrgId::new(1))] {
        assert_eq!(targets(stack.records(source.clone()).await).iter().collect::<Vec<_>>(), expected, "{source:?}");
    }
    let of_others = stack.records(AuditSource::Org(OrgId::new(2))).await;
    assert!(of_others.iter().all(|record| record.org_id == OrgId::new(2)) && !of_others.is_empty());
}
