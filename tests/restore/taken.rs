//! Rights and secrets that users lost since: none of them comes back, whatever else was changed, and in however many runs.

use presence_domain::user::{Role, Status};
use presence_ops::Exit;
use presence_tests::{TestStack, TestUser, address};
use serde_json::{Value, json};

use super::restore_env::{RestoreEnv, send_mails, status_of};

const OLD: &str = "an old password";
const NEW: &str = "a new password";

/// Changes a user by the API.
async fn change(env: &RestoreEnv, stack: &TestStack, user: &TestUser, fields: Value) {
    let reply = stack.post(&format!("/user/{}", user.id), &env.fixtures.provider.key, &fields).await;
    assert_eq!(reply.status, 200, "{fields}: {}", reply.text);
}

fn names(report: &Value, list: &str, user: &TestUser) -> bool {
    report[list].as_array().expect("a list").contains(&json!(user.id))
}

/// Returns the number of matters of a user that an operator decides.
fn count_decisions(report: &Value, user: &TestUser) -> usize {
    let decisions = report["decisions"].as_array().expect("a list").iter();
    decisions.filter(|one| one["subject"] == format!("user {}", user.id)).count()
}

/// Returns a service with users who have the old password, copied and an hour later.
async fn with_passwords() -> RestoreEnv {
    let mut env = RestoreEnv::at_copy().await;
    let users = env.fixtures.clone();
    for user in [&users.admin_1, &users.other_admin_1, &users.manager_1] {
        change(&env, &env.stack, user, json!({ "password": OLD })).await;
    }
    env.copy_again().await;
    env
}

#[tokio::test(flavor = "multi_thread")]
async fn link_that_a_change_of_the_password_ended_stays_ended() {
    let mut env = RestoreEnv::at_copy().await;
    let admin = env.fixtures.admin_1.clone();
    let link = env.stack.link(&admin.id).await;
    env.copy_again().await;
    change(&env, &env.stack, &admin, json!({ "password": NEW })).await;
    assert_eq!(env.stack.follow(&admin.id, &link).await.status, 410);
    let report = env.restore("").await;
    let stack = env.restored_stack().await;
    // The page asks for a new invitation.
    assert_eq!(stack.follow(&admin.id, &link).await.status, 404);
    assert_eq!(stack.accept(&admin.id, &link, "another password").await.status, 404);
    assert!(names(&report, "restricted_users", &admin), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_that_were_changed_or_forgotten_do_not_return() {
    let env = with_passwords().await;
    let (changed, forgotten) = (&env.fixtures.admin_1, &env.fixtures.manager_1);
    change(&env, &env.stack, changed, json!({ "password": NEW })).await;
    change(&env, &env.stack, forgotten, json!({ "status": "invited" })).await;
    change(&env, &env.stack, forgotten, json!({ "status": "active", "password": NEW })).await;
    let report = env.restore("").await;
    let stack = env.restored_stack().await;
    for user in [changed, forgotten] {
        let stored = stack.stored(&user.id).await.expect("the user");
        assert!(!stored.has_password(OLD) && stored.has_password(NEW), "{}", user.email);
        assert!(names(&report, "restricted_users", user), "{report}");
    }
    assert!(stack.stored(&env.fixtures.other_admin_1.id).await.expect("the user").has_password(OLD));
}

#[tokio::test(flavor = "multi_thread")]
async fn user_who_moved_keeps_the_lesser_role_status_and_password() {
    let env = with_passwords().await;
    let (demoted, disabled) = (&env.fixtures.admin_1, &env.fixtures.other_admin_1);
    let moved = json!({ "org_id": 2, "role": "BUSINESS_MANAGER", "business_ids": ["b2-1"], "password": NEW });
    change(&env, &env.stack, demoted, moved).await;
    change(&env, &env.stack, disabled, json!({ "org_id": 2, "role": "BUSINESS_MANAGER", "status": "invited" })).await;
    let report = env.restore("").await;
    let stack = env.restored_stack().await;
    for (user, status) in [(demoted, Status::Active), (disabled, Status::Invited)] {
        let stored = stack.stored(&user.id).await.expect("the user");
        let user_now = &stored.user;
        let rights = (user_now.role, user_now.org_id.map(presence_domain::ids::OrgId::get), user_now.status);
        assert_eq!(rights, (Role::BusinessManager, Some(2), status), "{}", user.email);
        assert!(!stored.has_password(OLD) && user_now.business_ids.is_empty(), "{}", user.email);
        assert!(names(&report, "restricted_users", user), "{report}");
    }
    assert_eq!(status_of(&stack, &demoted.key).await, 200, "its key was never revoked");
    assert_eq!(status_of(&stack, &disabled.key).await, 401);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn user_whose_lost_rights_cannot_be_told_is_left_without_any_way_in_and_named() {
    let mut env = with_passwords().await;
    let link = env.stack.link(&env.fixtures.admin_1.id).await;
    env.copy_again().await;
    let (unreadable, stray) = (&env.fixtures.admin_1, &env.fixtures.manager_1);
    change(&env, &env.stack, unreadable, json!({ "role": "BUSINESS_MANAGER" })).await;
    env.stack.corrupt(&unreadable.id, "none").await;
    env.stack.create_org(3).await;
    change(&env, &env.stack, stray, json!({ "org_id": 3, "business_ids": [] })).await;
    for _ in 0..2 {
        let report = env.restore("").await;
        for user in [unreadable, stray] {
            assert!(names(&report, "secured_users", user), "{report}");
            let decisions = report["decisions"].as_array().expect("a list");
            assert!(decisions.iter().any(|one| one["subject"] == format!("user {}", user.id)), "{report}");
        }
    }
    let stack = env.restored_stack().await;
    for user in [unreadable, stray] {
        let stored = stack.stored(&user.id).await.expect("the user");
        assert_eq!((stored.user.status, &stored.user.password), (Status::Invited, &None));
        assert_eq!((status_of(&stack, &user.key).await, stored.has_live_link()), (401, false));
    }
    assert_eq!(stack.follow(&unreadable.id, &link).await.status, 404);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn address_that_was_given_up_gets_no_mail_again() {
    let env = RestoreEnv::at_copy().await;
    let (first, second) = (&env.fixtures.manager_1, &env.fixtures.other_manager_1);
    change(&env, &env.stack, second, json!({ "email": address("second") })).await;
    change(&env, &env.stack, first, json!({ "email": second.email })).await;
    // Its mail of then would have gone to the address that it gave up.
    let guest = TestUser { id: env.then.guest.clone(), ..first.clone() };
    change(&env, &env.stack, &guest, json!({ "email": address("guest-moved") })).await;
    let report = env.restore("").await;
    assert_eq!((&report["held_mails"], &report["secured_users"]), (&json!([]), &json!([])));
    let stack = env.restored_stack().await;
    for (user, email) in [(first, &second.email), (second, &address("second")), (&guest, &address("guest-moved"))] {
        assert_eq!(stack.stored(&user.id).await.expect("the user").user.email.as_str(), email);
    }
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_was_narrowed_keeps_its_limit() {
    let env = RestoreEnv::at_copy().await;
    let user = &env.fixtures.admin_1;
    let list = format!("key list --user {} --json", user.id);
    let keys = env.ops(&list).await.expect(Exit::Done).json();
    env.ops(&format!("key set-limit {} 60", keys[0]["id"].as_str().expect("a key"))).await.expect(Exit::Done);
    env.restore("").await;
    let restored = env.restored_stack().await.ops(&list).await;
    assert_eq!(restored.expect(Exit::Done).json()[0]["limit"], 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_run_lists_again_what_is_left_to_the_operator_until_it_is_done() {
    let env = with_passwords().await;
    let (moved, invited) = (&env.fixtures.admin_1, &env.fixtures.manager_1);
    let elsewhere = json!({ "org_id": 2, "role": "BUSINESS_MANAGER", "business_ids": ["b2-1"] });
    change(&env, &env.stack, moved, elsewhere).await;
    change(&env, &env.stack, invited, json!({ "status": "invited" })).await;
    let report = env.restore("").await;
    assert_eq!((count_decisions(&report, moved), count_decisions(&report, invited)), (1, 1), "{report}");
    assert_eq!(env.restore("").await["decisions"], report["decisions"]);
    let stack = env.restored_stack().await;
    change(&env, &stack, moved, json!({ "business_ids": ["b2-1"] })).await;
    assert_eq!(stack.invite(&invited.id, &env.fixtures.provider.key).await.status, 200);
    send_mails(&stack).await;
    let report = env.restore("").await;
    assert_eq!((count_decisions(&report, moved), count_decisions(&report, invited)), (0, 0), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_run_leaves_alone_what_was_changed_in_the_restored_tables() {
    let env = with_passwords().await;
    let (promoted, moved) = (&env.fixtures.manager_1, &env.fixtures.admin_1);
    change(&env, &env.stack, promoted, json!({ "role": "ORG_ADMIN" })).await;
    change(&env, &env.stack, moved, json!({ "role": "BUSINESS_MANAGER", "password": "one in between" })).await;
    env.restore("").await;
    let stack = env.restored_stack().await;
    change(&env, &stack, promoted, json!({ "role": "PROVIDER" })).await;
    change(&env, &stack, moved, json!({ "role": "ORG_ADMIN", "password": NEW })).await;
    let before = env.content(&env.restored_prefix()).await;
    env.restore("").await;
    assert!(env.content(&env.restored_prefix()).await == before, "nothing was written");
    assert_eq!(stack.stored(&promoted.id).await.expect("the user").user.role, Role::Provider);
    assert!(stack.stored(&moved.id).await.expect("the user").has_password(NEW));
    // Facts that are new are applied: the user lost its rights in the tables of before, and has others here.
    change(&env, &env.stack, moved, json!({ "status": "invited" })).await;
    let report = env.restore("").await;
    assert!(names(&report, "secured_users", moved) && !names(&report, "secured_users", promoted), "{report}");
    assert_eq!(stack.stored(&moved.id).await.expect("the user").user.status, Status::Invited);
}
