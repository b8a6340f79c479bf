//! Last active `ORG_ADMIN` of an organisation, who may be removed by a PROVIDER only, and last active PROVIDER, who may be removed by an
//! operator only.
//!
//! Sequential requests of an `ORG_ADMIN` never remove the last one: the caller is active, and no caller demotes or deletes
//! itself. Two that remove each other at the same time could: the second write would remove the last one.

use presence_domain::user::{Role, Status};
use presence_ops::Exit;
use presence_tests::ConnectorLayer as _;
use presence_tests::{Fixtures, Reply, TestStack, TestUser, in_process_client, long_timeouts};
use rstest::rstest;
use serde_json::{Value, json};

use super::matrix::assert_forbidden;
use presence_tests::PauseConnector;

const LAST: &str = "this is the last active ORG_ADMIN of its organisation";
const LAST_PROVIDER: &str = "this may be the last active PROVIDER: the caller is none any more";

/// Removes an `ORG_ADMIN` by the change, or by a deletion if the change is null.
async fn remove_admin(stack: &TestStack, target: &TestUser, key: &str, change: &Value) -> Reply {
    let path = format!("/user/{}", target.id);
    if change.is_null() { stack.delete(&path, key).await } else { stack.post(&path, key, change).await }
}

#[rstest]
#[case::deletes(Role::OrgAdmin, Value::Null, json!(LAST))]
#[case::demotes(Role::OrgAdmin, json!({"role": "BUSINESS_MANAGER"}), json!({"role": LAST}))]
#[case::suspends(Role::OrgAdmin, json!({"status": "invited"}), json!(LAST))]
#[case::deletes_provider(Role::Provider, Value::Null, json!(LAST_PROVIDER))]
#[case::demotes_provider(Role::Provider, json!({"role": "ORG_ADMIN", "org_id": 1}), json!({"role": LAST_PROVIDER}))]
#[case::suspends_provider(Role::Provider, json!({"status": "invited"}), json!(LAST_PROVIDER))]
#[tokio::test(flavor = "multi_thread")]
async fn of_two_users_that_remove_each_other_the_second_fails(
    #[case] role: Role,
    #[case] change: Value,
    #[case] error: Value,
) {
    let pause = PauseConnector::new();
    let options = presence_local::Options { http_client: Some(pause.over(in_process_client())), ..long_timeouts() };
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    let (one, other) = match role {
        Role::Provider => (&fixtures.provider, &fixtures.provider_in_1),
        _ => (&fixtures.admin_1, &fixtures.other_admin_1),
    };
    pause.arm();
    let first = async {
        pause.paused().await;
        let reply = remove_admin(&stack, one, &other.key, &change).await;
        pause.resume();
        reply
    };
    let (late, first) = tokio::join!(remove_admin(&stack, other, &one.key, &change), first);
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!((late.status, late.json()), (400, json!({"errors": {"json": error}})));
    let left = stack.stored(&other.id).await.expect("it is still there").user;
    assert_eq!((left.role, left.status), (role, Status::Active));
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_org_admin_removes_every_other_one_and_never_itself() {
    let (stack, fixtures) = Fixtures::start().await;
    let one = &fixtures.admin_1;
    let third = stack.create_user("third-admin", Role::OrgAdmin, Some(1), Status::Active).await;
    let fourth = stack.create_user("fourth-admin", Role::OrgAdmin, Some(1), Status::Active).await;
    let waiting = stack.create_user("invited-admin", Role::OrgAdmin, Some(1), Status::Invited).await;
    let changes = [Value::Null, json!({"role": "BUSINESS_MANAGER"}), json!({"status": "invited"})];
    for (target, change) in [&fixtures.other_admin_1, &third, &fourth].into_iter().zip(&changes) {
        let reply = remove_admin(&stack, target, &one.key, change).await;
        assert_eq!(reply.status, 200, "{change}: {}", reply.text);
    }
    for change in &changes {
        assert_forbidden(&remove_admin(&stack, one, &one.key, change).await, &change.to_string());
    }
    // Only active users count: with one of them left, an invited one may still be deleted.
    assert_eq!(remove_admin(&stack, &waiting, &one.key, &Value::Null).await.status, 200);
    assert_eq!(stack.audit().await, []);
}

#[rstest]
#[case::deletes(Value::Null)]
#[case::demotes(json!({"role": "BUSINESS_MANAGER"}))]
#[case::suspends(json!({"status": "invited"}))]
#[case::moves(json!({"org_id": 1}))]
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_removes_even_the_last_org_admin(#[case] change: Value) {
    let (stack, fixtures) = Fixtures::start().await;
    let reply = remove_admin(&stack, &fixtures.admin_2, &fixtures.provider.key, &change).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_removes_even_the_last_provider() {
    let (stack, fixtures) = Fixtures::start().await;
    stack.ops(&format!("users set-status {} invited --yes", fixtures.provider_in_1.id)).await.expect(Exit::Done);
    stack.ops(&format!("users delete {} --yes", fixtures.provider.id)).await.expect(Exit::Done);
    assert!(stack.stored(&fixtures.provider.id).await.is_none());
    assert_eq!(stack.audit().await, []);
}
