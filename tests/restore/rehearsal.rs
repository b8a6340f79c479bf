//! Callers of the restored tables: nothing that was taken away since works again, and everything else is as it was.

use jiff::SignedDuration;
use presence_tests::{TestStack, address};
use serde_json::{Value, json};

use super::restore_env::{RestoreEnv, send_keyed, status_of};

/// Restores the tables, and starts the service on them.
async fn restored() -> (RestoreEnv, Value, TestStack) {
    let env = RestoreEnv::new().await;
    let report = env.restore("").await;
    let stack = env.restored_stack().await;
    (env, report, stack)
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_ended_since_stay_ended_and_others_work() {
    let (env, report, stack) = Box::pin(restored()).await;
    let users = &env.fixtures;
    for (key, what) in [
        (&env.then.revoked, "revoked"),
        (&users.other_manager_1.key, "rotated without an overlap"),
        (&users.manager_2.key, "of a deleted user"),
        (&users.other_admin_1.key, "of a disabled user"),
        (&env.then.flipped.key, "of a user who was disabled for a while"),
    ] {
        assert_eq!(status_of(&stack, key).await, 401, "{what}");
    }
    for user in [&users.provider, &users.admin_1, &users.manager_1, &users.admin_2] {
        assert_eq!(status_of(&stack, &user.key).await, 200, "{}", user.email);
    }
    assert_eq!(report["deleted_users"], json!([users.manager_2.id]));
    // The overlap of a rotation goes on, and ends.
    assert_eq!(status_of(&stack, &env.then.overlapping).await, 200);
    stack.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(status_of(&stack, &env.then.overlapping).await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_then_are_repeated_but_for_those_whose_change_may_be_missing() {
    let (env, _, stack) = Box::pin(restored()).await;
    assert!(send_keyed(&stack, &env.fixtures, "old").await);
    assert!(!send_keyed(&stack, &env.fixtures, "young").await, "it is from the last minutes before the instant");
    assert!(send_keyed(&env.stack, &env.fixtures, "young").await, "in the tables of before it is still kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_user_is_gone_and_its_address_is_free() {
    let (env, _, stack) = Box::pin(restored()).await;
    let (provider, deleted) = (&env.fixtures.provider.key, &env.fixtures.manager_2);
    assert_eq!(stack.get(&format!("/user/{}", deleted.id), provider).await.status, 404);
    let body = json!({ "email": deleted.email, "first_name": "Zoe", "last_name": "Roy", "role": "PROVIDER" });
    assert_eq!(stack.post("/user", provider, &body).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_more_rights_than_before() {
    let (env, report, stack) = Box::pin(restored()).await;
    let users = &env.fixtures;
    let me = stack.get("/user/me", &users.provider_in_1.key).await.json();
    assert_eq!((&me["role"], &me["org_id"]), (&json!("BUSINESS_MANAGER"), &json!(1)));
    assert_eq!(stack.get(&format!("/user/{}", users.admin_2.id), &users.provider_in_1.key).await.status, 404);
    let disabled = stack.get(&format!("/user/{}", users.other_admin_1.id), &users.provider.key).await.json();
    assert_eq!(disabled["status"], "invited");
    let restricted = report["restricted_users"].as_array().expect("a list");
    for user in [&users.provider_in_1, &users.other_admin_1, &users.invited_1, &users.invited_2] {
        assert!(restricted.contains(&json!(user.id)), "{}", user.email);
    }
    // A mail with a link must not go to the mailbox of then.
    let moved = stack.get(&format!("/user/{}", users.admin_2.id), &users.provider.key).await.json();
    assert_eq!((&moved["email"], &report["secured_users"]), (&json!(address("moved")), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_were_used_or_replaced_since_do_not_work() {
    let (env, _, stack) = Box::pin(restored()).await;
    for (user, link) in
        [(&env.fixtures.invited_1, &env.then.used_link), (&env.fixtures.invited_2, &env.then.replaced_link)]
    {
        assert_eq!(stack.follow(&user.id, link).await.status, 404, "{}", user.email);
        assert_eq!(stack.accept(&user.id, link, "another password").await.status, 404, "{}", user.email);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_answer_as_they_did_then_and_both_audits_are_clean() {
    let (env, _, stack) = Box::pin(restored()).await;
    let provider = &env.fixtures.provider.key;
    assert_eq!(stack.get("/reviews", provider).await.text, env.then.reviews);
    assert_ne!(env.stack.get("/reviews", provider).await.text, env.then.reviews, "ten were written since");
    assert_eq!(stack.audit().await, []);
    let reviews = stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!(reviews.findings, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_by_an_actor_that_are_to_be_undone_are_not_repeated() {
    let env = RestoreEnv::new().await;
    let users = &env.fixtures;
    let report = env.restore(&format!("--undo {}", users.provider.id)).await;
    assert_eq!(report["deleted_users"], json!([]));
    let stack = env.restored_stack().await;
    assert_eq!(status_of(&stack, &users.manager_2.key).await, 200, "the provider deleted it");
    assert_eq!(status_of(&stack, &env.then.revoked).await, 401, "an operator revoked it");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_running_tables_stay_as_they_are() {
    let env = RestoreEnv::new().await;
    let before = env.content(env.stack.table_prefix()).await;
    env.restore("").await;
    assert_eq!(env.content(env.stack.table_prefix()).await, before);
    assert_eq!(status_of(&env.stack, &env.fixtures.manager_1.key).await, 200);
}
