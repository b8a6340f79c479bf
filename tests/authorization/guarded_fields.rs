//! Edge cases of guarded fields: the caller's own ones, present values, roles above the caller's, order of the checks.

use presence_domain::user::Role;
use presence_tests::Fixtures;
use rstest::rstest;
use serde_json::{Value, json};

use super::matrix::assert_forbidden;
use super::requests::{Caller, NOT_FOUND};

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
async fn no_caller_changes_its_own_guarded_fields() {
    let (stack, fixtures) = Fixtures::start().await;
    let before = stack.snapshot().await;
    for caller in Caller::ALL {
        let myself = caller.user(&fixtures);
        for role in Role::ALL.into_iter().filter(|role| *role != caller.role()) {
            for change in guarded_changes(role) {
                let reply = stack.post(&format!("/user/{}", myself.id), &myself.key, &change).await;
                assert_forbidden(&reply, &format!("{caller:?} sends {change}"));
            }
        }
        assert_forbidden(&stack.delete(&format!("/user/{}", myself.id), &myself.key).await, "self-delete");
    }
    assert_eq!(stack.snapshot().await, before);
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

#[tokio::test(flavor = "multi_thread")]
async fn an_org_admin_sees_a_provider_of_its_organisation_and_leaves_it_alone() {
    let (stack, fixtures) = Fixtures::start().await;
    let (path, key) = (format!("/user/{}", fixtures.provider_in_1.id), &fixtures.admin_1.key);
    assert_eq!(stack.get(&path, key).await.json()["role"], "PROVIDER");
    let before = stack.snapshot().await;
    let present = json!({"role": "PROVIDER", "status": "active", "org_id": 1});
    for body in [json!({}), json!({"first_name": "No"}), present, json!({"role": "ORG_ADMIN"}), json!({"email": 1})] {
        assert_forbidden(&stack.post(&path, key, &body).await, &body.to_string());
    }
    assert_forbidden(&stack.delete(&path, key).await, "delete");
    assert_forbidden(&stack.invite(&fixtures.provider_in_1.id, key).await, "invite");
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_is_moved_by_a_provider_only_and_with_fitting_businesses() {
    let (stack, fixtures) = Fixtures::start().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let given = stack.post(&path, &fixtures.admin_1.key, &json!({"business_ids": ["b1-1"]})).await;
    assert_eq!(given.status, 200, "{}", given.text);
    for (key, status) in
        [(&fixtures.admin_1.key, 403), (&fixtures.other_manager_1.key, 403), (&fixtures.admin_2.key, 404)]
    {
        assert_eq!(stack.post(&path, key, &json!({"org_id": 2, "business_ids": []})).await.status, status);
    }
    for (body, status) in [
        (json!({"org_id": 2}), 400),
        (json!({"org_id": 2, "business_ids": ["b1-1"]}), 400),
        (json!({"org_id": 2, "business_ids": ["b2-1"]}), 200),
    ] {
        let reply = stack.post(&path, &fixtures.provider_in_1.key, &body).await;
        assert_eq!(reply.status, status, "{body}: {}", reply.text);
    }
    assert_eq!(stack.get(&path, &fixtures.admin_1.key).await.text, NOT_FOUND);
    assert_eq!(stack.get(&path, &fixtures.admin_2.key).await.json()["business_ids"], json!(["b2-1"]));
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_comes_before_the_fields_and_not_being_found_before_a_refusal() {
    let (stack, fixtures) = Fixtures::start().await;
    let wrong = json!({"email": "no address", "bogus": 1});
    let update = async |id: &str, key: &str| stack.post(&format!("/user/{id}"), key, &wrong).await.status;
    assert_eq!(update(&fixtures.manager_2.id, &fixtures.manager_1.key).await, 404);
    assert_eq!(update(&fixtures.other_manager_1.id, &fixtures.manager_1.key).await, 403);
    assert_eq!(update(&fixtures.manager_1.id, &fixtures.manager_1.key).await, 400);
    assert_eq!(stack.post("/user", &fixtures.manager_1.key, &wrong).await.status, 403);
    assert_eq!(stack.post("/user", &fixtures.admin_1.key, &wrong).await.status, 400);
    for (id, status) in
        [(&fixtures.manager_2.id, 404), (&fixtures.provider_in_1.id, 403), (&fixtures.manager_1.id, 400)]
    {
        for (method, path) in
            [("DELETE", format!("/user/{id}?bogus=1")), ("POST", format!("/user/{id}/invite?bogus=1"))]
        {
            let request = stack.request(method, &path).header("x-api-key", &fixtures.admin_1.key);
            assert_eq!(presence_tests::send(request).await.status, status, "{method} {path}");
        }
    }
}
