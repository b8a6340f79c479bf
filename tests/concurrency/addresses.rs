//! Uniqueness of addresses under concurrent requests.

use std::time::Duration;

use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_tests::{address, long_timeouts};
use rstest::rstest;
use serde_json::json;

use super::race_env::{ConflictMode, RaceEnv, count, statuses};
use super::rounds;

/// Timeout of a function that waits for a held item until its deadline. It leaves room for a busy machine.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(20);
/// Simultaneous creates with one address.
const CREATES: usize = 100;

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn only_one_of_a_hundred_simultaneous_creates_with_one_address_succeeds(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    let before = env.users().await;
    for round in 0..rounds() {
        let email = address(&format!("wanted-{round}"));
        let body = json!({"email": email, "first_name": "Ada", "last_name": "Lovelace"});
        let create = || env.stack.post("/user", &env.fixtures.admin_1.key, &body);
        let replies = env.race(&[create; CREATES]).await;

        let (created, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
        assert_eq!(created.len(), 1, "round {round}");
        let taken = json!({"errors": {"json": {"email": format!("{email} already exists in db")}}});
        assert!(refused.iter().all(|reply| reply.status == 400 && reply.json() == taken), "round {round}");
        assert_eq!(env.holder(&email).await.as_deref(), created[0].json()["id"].as_str());
        env.check().await;
    }
    assert_eq!(env.users().await, before + usize::try_from(rounds()).expect("a few"));
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn two_users_that_request_each_others_address_both_keep_their_own(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    let (one, other) = (&env.fixtures.manager_1, &env.fixtures.admin_2);
    let before = env.stack.snapshot().await;
    for round in 0..rounds() {
        let swap = [(one, other), (other, one)].map(|(taker, owner)| {
            let stack = &env.stack;
            let provider = &env.fixtures.provider.key;
            move || {
                let body = json!({"email": owner.email});
                async move { stack.post(&format!("/user/{}", taker.id), provider, &body).await }
            }
        });
        assert_eq!(statuses(&env.race(&swap).await), [400, 400], "round {round}");
        assert_eq!(env.stack.snapshot().await, before, "refused updates change nothing");
    }
    env.check().await;
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn address_that_its_owner_gives_up_goes_to_at_most_one_other_user(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    let takers = [&env.fixtures.other_manager_1, &env.fixtures.other_admin_1, &env.fixtures.manager_2];
    for round in 0..rounds() {
        // The owner takes a fresh address while three other users request the old one.
        let wanted = address(&format!("left-{round}"));
        let owner =
            env.stack.create_user(&format!("left-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let moves: Vec<_> = std::iter::once((&owner, address(&format!("fresh-{round}"))))
            .chain(takers.map(|taker| (taker, wanted.clone())))
            .map(|(user, email)| {
                let env = &env;
                move || {
                    let (path, body) = (format!("/user/{}", user.id), json!({"email": email}));
                    async move { env.stack.post(&path, &env.fixtures.provider.key, &body).await }
                }
            })
            .collect();
        let replies = env.race(&moves).await;
        assert_eq!(replies[0].status, 200, "no other user requests the fresh address");
        let taken = count(&replies[1..], 200);
        assert!(taken <= 1 && taken + count(&replies[1..], 400) == takers.len(), "round {round}");
        let winner = (0..takers.len()).find(|at| replies[1 + at].status == 200);
        assert_eq!(env.holder(&wanted).await, winner.map(|at| takers[at].id.clone()));
        for taker in takers {
            let stored = env.stack.stored(&taker.id).await.expect("nobody was deleted");
            assert_eq!(stored.user.email.as_str() == wanted, winner.is_some_and(|at| takers[at].id == taker.id));
        }
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn create_beside_the_deletion_of_the_owner_of_its_address_succeeds_only_after_it(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let email = address(&format!("reborn-{round}"));
        let old =
            env.stack.create_user(&format!("reborn-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let body = json!({"email": email, "first_name": "Ada", "last_name": "Lovelace"});
        let create = || env.stack.post("/user", &env.fixtures.admin_1.key, &body);
        let path = format!("/user/{}", old.id);
        let delete = || env.stack.delete(&path, &env.fixtures.admin_1.key);
        let creates = [create; 4];
        let (created, deleted) = tokio::join!(env.race(&creates), env.retried(delete));

        assert_eq!(deleted.status, 200, "{}", deleted.text);
        let successes: Vec<_> = created.iter().filter(|reply| reply.status == 200).collect();
        assert!(successes.len() <= 1 && successes.len() + count(&created, 400) == created.len());
        let created_id = successes.first().map(|reply| reply.json()["id"].clone());
        assert_eq!(env.holder(&email).await.map(serde_json::Value::from), created_id);
        assert_eq!(env.stack.stored(&old.id).await, None);
        env.check().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn address_whose_reservation_is_in_a_pending_transaction_is_refused_and_not_unavailable() {
    let options = Options { function_timeout: FUNCTION_TIMEOUT, ..long_timeouts() };
    let env = RaceEnv::holding(Duration::from_mins(10), options).await;
    let body = json!({"email": address("held"), "first_name": "Ada", "last_name": "Lovelace"});
    let create = || env.stack.post("/user", &env.fixtures.admin_1.key, &body);
    assert_eq!(create().await.status, 200);
    assert_eq!(create().await.status, 400, "a held reservation can still be read");
    let other = json!({"email": address("not-held"), "first_name": "Ada", "last_name": "Lovelace"});
    assert_eq!(env.stack.post("/user", &env.fixtures.admin_1.key, &other).await.status, 503, "the head is held");
    assert_eq!(env.stack.post("/user", &env.fixtures.admin_2.key, &other).await.status, 200, "another head is not");
    env.check().await;
}
