//! The last active `ORG_ADMIN` of an organisation.
//!
//! One request after the other, no `ORG_ADMIN` can reach it: the caller is an active `ORG_ADMIN` of the organisation, nobody
//! demotes or deletes oneself, so at least the caller stays. It takes two `ORG_ADMIN`s that turn on each other at the same
//! time; the one whose write comes second would take the last.

use presence_domain::user::{Role, Status};
use presence_tests::ConnectorLayer as _;
use presence_tests::{Fixtures, Reply, TestStack, TestUser, long_timeouts, plain_http};
use rstest::rstest;
use serde_json::{Value, json};

use super::matrix::assert_forbidden;
use presence_tests::PauseConnector;

const LAST: &str = "this is the last active ORG_ADMIN of its organisation";

/// What takes an `ORG_ADMIN` from its organisation: a deletion where there is no body.
async fn strike(stack: &TestStack, target: &TestUser, key: &str, change: &Value) -> Reply {
    let path = format!("/user/{}", target.id);
    if change.is_null() { stack.delete(&path, key).await } else { stack.post(&path, key, change).await }
}

#[rstest]
#[case::deletes(Value::Null, json!(LAST))]
#[case::demotes(json!({"role": "BUSINESS_MANAGER"}), json!({"role": LAST}))]
#[case::suspends(json!({"status": "invited"}), json!(LAST))]
#[tokio::test(flavor = "multi_thread")]
async fn of_two_org_admins_that_strike_each_other_the_second_fails(#[case] change: Value, #[case] error: Value) {
    let pause = PauseConnector::new();
    let options = presence_local::Options { http_client: Some(pause.over(plain_http())), ..long_timeouts() };
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    let (one, other) = (&fixtures.admin_1, &fixtures.other_admin_1);
    pause.arm();
    let first = async {
        pause.paused().await;
        let reply = strike(&stack, one, &other.key, &change).await;
        pause.resume();
        reply
    };
    let (late, first) = tokio::join!(strike(&stack, other, &one.key, &change), first);
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!((late.status, late.json()), (400, json!({"errors": {"json": error}})));
    let left = stack.stored(&other.id).await.expect("it is still there").user;
    assert!(left.is_active_admin());
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_org_admin_takes_every_other_one_and_never_itself() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    let one = &fixtures.admin_1;
    let third = stack.create_user("third-admin", Role::OrgAdmin, Some(1), Status::Active).await;
    let fourth = stack.create_user("fourth-admin", Role::OrgAdmin, Some(1), Status::Active).await;
    let waiting = stack.create_user("invited-admin", Role::OrgAdmin, Some(1), Status::Invited).await;
    let changes = [Value::Null, json!({"role": "BUSINESS_MANAGER"}), json!({"status": "invited"})];
    for (target, change) in [&fixtures.other_admin_1, &third, &fourth].into_iter().zip(&changes) {
        let reply = strike(&stack, target, &one.key, change).await;
        assert_eq!(reply.status, 200, "{change}: {}", reply.text);
    }
    for change in &changes {
        assert_forbidden(&strike(&stack, one, &one.key, change).await, &change.to_string());
    }
    // The last one that is active is left; one that is invited is not the last, and may go.
    assert_eq!(strike(&stack, &waiting, &one.key, &Value::Null).await.status, 200);
    assert_eq!(stack.audit().await, []);
}

#[rstest]
#[case::deletes(Value::Null)]
#[case::demotes(json!({"role": "BUSINESS_MANAGER"}))]
#[case::suspends(json!({"status": "invited"}))]
#[case::moves(json!({"org_id": 1}))]
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_takes_even_the_last_one(#[case] change: Value) {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    let reply = strike(&stack, &fixtures.admin_2, &fixtures.provider.key, &change).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(stack.audit().await, []);
}
