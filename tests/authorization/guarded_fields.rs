//! Edge cases of guarded fields that the matrix does not have: the caller's own ones, present values, roles above the caller's.

use presence_domain::user::Role;
use presence_tests::Fixtures;
use rstest::rstest;
use serde_json::{Value, json};

use super::matrix::assert_forbidden;
use super::requests::Caller;

/// Returns a change of each guarded field, for an active user of organisation 1 with another role and no business.
fn guarded_changes(new_role: Role) -> [Value; 4] {
    [
        json!({"role": new_role.as_str()}),
        json!({"status": "invited"}),
        json!({"org_id": 2}),
        json!({"business_ids": ["b1-1"]}),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_caller_changes_its_own_name_phone_language_address_and_password() {
    let (stack, fixtures) = Fixtures::start().await;
    for caller in Caller::ALL {
        let myself = caller.user(&fixtures);
        let body = json!({
            "first_name": "Mine", "last_name": "Own", "phone": "+33 1", "lang": "fr", "password": "canary-pass-1",
            "email": format!("own-{}", myself.email),
            "role": caller.role().as_str(), "status": "active", "business_ids": [], "org_id": caller.org(),
        });
        let reply = stack.post(&format!("/user/{}", myself.id), &myself.key, &body).await;
        assert_eq!(reply.status, 200, "{caller:?}: {}", reply.text);
        let me = stack.get("/user/me", &myself.key).await.json();
        assert_eq!((&me["first_name"], &me["email"]), (&body["first_name"], &body["email"]), "{caller:?}");
        assert!(stack.stored(&myself.id).await.expect("oneself").user.password.is_some(), "{caller:?}");
    }
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forbidden_change_is_refused_beside_guarded_fields_with_present_values() {
    let (stack, fixtures) = Fixtures::start().await;
    let manager = &fixtures.manager_1;
    let path = format!("/user/{}", manager.id);
    let before = stack.snapshot().await;
    for change in guarded_changes(Role::OrgAdmin) {
        let mut body = json!({"first_name": "Mine", "role": "BUSINESS_MANAGER", "status": "active", "org_id": 1});
        let fields = change.as_object().expect("an object").clone();
        body.as_object_mut().expect("an object").extend(fields);
        assert_forbidden(&stack.post(&path, &manager.key, &body).await, &body.to_string());
    }
    assert_eq!(stack.snapshot().await, before, "not even the name");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_businesses_counts_and_their_repeats_do_not() {
    let (stack, fixtures) = Fixtures::start().await;
    let (path, key) = (format!("/user/{}", fixtures.manager_1.id), &fixtures.manager_1.key);
    let given = stack.post(&path, &fixtures.admin_1.key, &json!({"business_ids": ["b1-2", "b1-1", "b1-2"]})).await;
    assert_eq!(given.status, 200, "{}", given.text);
    for (same, ids) in [
        (true, json!(["b1-2", "b1-1"])),
        (true, json!(["b1-2", "b1-2", "b1-1"])),
        (true, Value::Null),
        (false, json!(["b1-1", "b1-2"])),
        (false, json!(["b1-2"])),
        (false, json!([])),
        (false, json!(["b1-2", "b1-1", "b2-1"])),
    ] {
        let reply = stack.post(&path, key, &json!({"business_ids": ids})).await;
        assert_eq!(reply.status, if same { 200 } else { 403 }, "{ids}");
    }
}

#[rstest]
#[case::own_manager(false)]
#[case::an_admin_of_its_organisation(true)]
#[tokio::test(flavor = "multi_thread")]
async fn an_org_admin_raises_nobody_to_provider(#[case] admin: bool) {
    let (stack, fixtures) = Fixtures::start().await;
    let target = if admin { &fixtures.other_admin_1 } else { &fixtures.manager_1 };
    let before = stack.snapshot().await;
    for id in [&target.id, &fixtures.invited_1.id, &fixtures.admin_1.id] {
        let reply = stack.post(&format!("/user/{id}"), &fixtures.admin_1.key, &json!({"role": "PROVIDER"})).await;
        assert_forbidden(&reply, id);
    }
    assert_eq!(stack.snapshot().await, before);
    let raised =
        stack.post(&format!("/user/{}", target.id), &fixtures.provider.key, &json!({"role": "PROVIDER"})).await;
    assert_eq!(raised.status, 200, "{}", raised.text);
    let gone = stack.post(&format!("/user/{}", target.id), &fixtures.admin_1.key, &json!({"first_name": "No"})).await;
    assert_forbidden(&gone, "it is above the ORG_ADMIN now");
}
