//! Simultaneous changes of one user: none is lost.

use presence_domain::user::{Lang, Role, Status, User};
use rstest::rstest;
use serde_json::{Value, json};

use super::race_env::{ConflictMode, RaceEnv, count};
use super::rounds;

/// Change of one field, and a predicate that is true if the user has it.
type Change = (Value, fn(&User) -> bool);

fn changes() -> [Change; 4] {
    [
        (json!({"first_name": "Grace"}), |user| user.first_name.as_str() == "Grace"),
        (json!({"last_name": "Hopper"}), |user| user.last_name.as_str() == "Hopper"),
        (json!({"phone": "+33 4 77"}), |user| user.phone.is_some()),
        (json!({"lang": "fr"}), |user| user.lang == Some(Lang::Fr)),
    ]
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn update_that_succeeded_is_not_lost_to_another_one(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("busy-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let changes = changes();
        let updates = changes.each_ref().map(|(body, _)| || env.stack.post(&path, &env.fixtures.admin_1.key, body));
        let replies = env.race(&updates).await;

        let stored = env.stack.stored(&user.id).await.expect("the user").user;
        for ((body, is_there), reply) in changes.iter().zip(&replies) {
            assert!([200, 409].contains(&reply.status), "{}", reply.text);
            assert_eq!(is_there(&stored), reply.status == 200, "round {round}: {body}");
        }
        assert_eq!(stored.version, 2 + u64::try_from(count(&replies, 200)).expect("a few"));
        // Each write of this user was a change: its creation, its key, and the updates that succeeded.
        assert_eq!(env.stack.records_of(&user.id).await.len(), 2 + count(&replies, 200), "round {round}");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn two_simultaneous_updates_both_succeed(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("pair-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let [(one, has_one), (other, has_other), ..] = changes();
        let updates = [&one, &other].map(|body| || env.stack.post(&path, &env.fixtures.admin_1.key, body));
        assert_eq!(count(&env.race(&updates).await, 200), 2, "each can lose to the other only once");
        let stored = env.stack.stored(&user.id).await.expect("the user").user;
        assert!(has_one(&stored) && has_other(&stored), "round {round}");
    }
    env.check().await;
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn update_beside_a_deletion_never_restores_the_user(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("gone-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let changes = changes();
        let updates = changes.each_ref().map(|(body, _)| || env.stack.post(&path, &env.fixtures.admin_1.key, body));
        let delete = || env.stack.delete(&path, &env.fixtures.other_admin_1.key);
        let (updated, deleted) = tokio::join!(env.race(&updates), env.retried(delete));

        // Four updates may win every attempt of the deletion. A client that tries again then succeeds.
        assert!([200, 409].contains(&deleted.status), "{}", deleted.text);
        if deleted.status == 409 {
            assert_eq!(env.retried(delete).await.status, 200, "it succeeds without concurrent updates");
        }
        assert!(updated.iter().all(|reply| [200, 404, 409].contains(&reply.status)), "round {round}");
        assert_eq!(env.stack.stored(&user.id).await, None);
        assert_eq!(env.holder(&user.email).await, None);
        assert_eq!(env.stack.get("/user/me", &user.key).await.status, 401, "its key was deleted with it");
        env.check().await;
    }
}
