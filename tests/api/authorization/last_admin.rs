//! The last active `ORG_ADMIN` of an organisation.
//!
//! One request after the other, no `ORG_ADMIN` can reach it: the caller is an active `ORG_ADMIN` of the organisation, nobody
//! demotes or deletes oneself, so at least the caller stays. It takes two `ORG_ADMIN`s that turn on each other at the same
//! time; the one whose write comes second would take the last.

use presence::domain::user::{Role, Status};
use presence_tests::{Cast, Person, Reply, World, patient};
use rstest::rstest;
use serde_json::{Value, json};

use super::gate::Gate;
use super::matrix::assert_forbidden;

const LAST: &str = "this is the last active ORG_ADMIN of its organisation";

/// What takes an `ORG_ADMIN` from its organisation: a deletion where there is no body.
async fn strike(world: &World, target: &Person, key: &str, change: &Value) -> Reply {
    let path = format!("/user/{}", target.id);
    if change.is_null() { world.delete(&path, key).await } else { world.post(&path, key, change).await }
}

#[rstest]
#[case::deletes(Value::Null, json!(LAST))]
#[case::demotes(json!({"role": "BUSINESS_MANAGER"}), json!({"role": LAST}))]
#[case::suspends(json!({"status": "invited"}), json!(LAST))]
#[tokio::test(flavor = "multi_thread")]
async fn of_two_org_admins_that_strike_each_other_the_second_fails(#[case] change: Value, #[case] error: Value) {
    let gate = Gate::new();
    let options = presence_local::Options {
        http_client: Some(aws_smithy_runtime_api::client::http::SharedHttpClient::new(gate.clone())),
        ..patient()
    };
    let world = World::with(options).await;
    let cast = Cast::enter(&world).await;
    let (one, other) = (&cast.admin_1, &cast.other_admin_1);
    gate.shut();
    let first = async {
        gate.reached().await;
        let reply = strike(&world, one, &other.key, &change).await;
        gate.open();
        reply
    };
    let (late, first) = tokio::join!(strike(&world, other, &one.key, &change), first);
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!((late.status, late.json()), (400, json!({"errors": {"json": error}})));
    let left = world.stored(&other.id).await.expect("it is still there").user;
    assert!(left.is_active_admin());
    assert_eq!(world.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_org_admin_takes_every_other_one_and_never_itself() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    let one = &cast.admin_1;
    let third = world.person("third-admin", Role::OrgAdmin, Some(1), Status::Active).await;
    let fourth = world.person("fourth-admin", Role::OrgAdmin, Some(1), Status::Active).await;
    let waiting = world.person("invited-admin", Role::OrgAdmin, Some(1), Status::Invited).await;
    let changes = [Value::Null, json!({"role": "BUSINESS_MANAGER"}), json!({"status": "invited"})];
    for (target, change) in [&cast.other_admin_1, &third, &fourth].into_iter().zip(&changes) {
        let reply = strike(&world, target, &one.key, change).await;
        assert_eq!(reply.status, 200, "{change}: {}", reply.text);
    }
    for change in &changes {
        assert_forbidden(&strike(&world, one, &one.key, change).await, &change.to_string());
    }
    // The last one that is active is left; one that is invited is not the last, and may go.
    assert_eq!(strike(&world, &waiting, &one.key, &Value::Null).await.status, 200);
    assert_eq!(world.audit().await, []);
}

#[rstest]
#[case::deletes(Value::Null)]
#[case::demotes(json!({"role": "BUSINESS_MANAGER"}))]
#[case::suspends(json!({"status": "invited"}))]
#[case::moves(json!({"org_id": 1}))]
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_takes_even_the_last_one(#[case] change: Value) {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    let reply = strike(&world, &cast.admin_2, &cast.provider.key, &change).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(world.audit().await, []);
}
