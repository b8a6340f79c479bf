//! Roles that change while they are used, and the last administrators of an organisation.

use futures::future::join_all;
use presence_domain::user::{Role, Status};
use presence_tests::{Reply, TestUser};
use rstest::rstest;
use serde_json::json;

use super::ROUNDS;
use super::race_env::{ConflictMode, RaceEnv, count};

/// Calls of the user whose role changes.
const USES: usize = 4;

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn a_demoted_admin_is_refused_from_the_next_request_on(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let admin = env.stack.create_user(&format!("demoted-{round}"), Role::OrgAdmin, Some(1), Status::Active).await;
        let target =
            env.stack.create_user(&format!("target-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", target.id);
        let uses: Vec<_> = (0..USES)
            .map(|number| {
                let (env, path, key) = (&env, &path, &admin.key);
                move || async move { env.stack.post(path, key, &json!({"phone": number.to_string()})).await }
            })
            .collect();
        let admin_path = format!("/user/{}", admin.id);
        let demotion = json!({"role": "BUSINESS_MANAGER"});
        let demote_then_use = async {
            let demoted = env.patiently(|| env.stack.post(&admin_path, &env.fixtures.provider.key, &demotion)).await;
            assert_eq!(demoted.status, 200, "{}", demoted.text);
            env.stack.post(&path, &admin.key, &json!({"phone": "99"})).await
        };
        let (used, late) = tokio::join!(env.race(&uses), demote_then_use);

        assert_eq!(late.status, 403, "round {round}: {}", late.text);
        assert!(used.iter().all(|reply| [200, 403, 409].contains(&reply.status)), "round {round}");
        let stored = env.stack.stored(&target.id).await.expect("the target").user;
        assert_eq!(stored.version, 2 + u64::try_from(count(&used, 200)).expect("a few"), "the refused changed nothing");
        env.check().await;
    }
}

/// What an administrator does to another one.
#[derive(Clone, Copy, Debug)]
enum Attack {
    Delete,
    Demote,
    Disable,
}

async fn attack(env: &RaceEnv, by: &TestUser, on: &TestUser, attack: Attack) -> Reply {
    let path = format!("/user/{}", on.id);
    match attack {
        Attack::Delete => env.stack.delete(&path, &by.key).await,
        Attack::Demote => env.stack.post(&path, &by.key, &json!({"role": "BUSINESS_MANAGER"})).await,
        Attack::Disable => env.stack.post(&path, &by.key, &json!({"status": "invited"})).await,
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn two_admins_that_remove_each_other_never_leave_their_organisation_without_one(#[case] mode: ConflictMode) {
    use Attack::{Delete, Demote, Disable};
    let env = RaceEnv::in_mode(mode).await;
    let pairs = [(Delete, Delete), (Demote, Demote), (Disable, Disable), (Delete, Demote), (Demote, Disable)];
    for (round, (first, second)) in (0..ROUNDS).zip(pairs.into_iter().cycle()) {
        let org = 100 + round;
        let person = |local: &'static str| {
            let stack = &env.stack;
            async move { stack.create_user(&format!("{local}-{round}"), Role::OrgAdmin, Some(org), Status::Active).await }
        };
        let (one, other) = (person("rival").await, person("other-rival").await);
        let attacks: Vec<_> = [(&one, &other, first), (&other, &one, second)]
            .into_iter()
            .map(|(by, on, what)| {
                let env = &env;
                move || attack(env, by, on, what)
            })
            .collect();
        let replies = env.race(&attacks).await;

        assert_eq!(count(&replies, 200), 1, "round {round}: {first:?} against {second:?}");
        let loser = replies.iter().find(|reply| reply.status != 200).expect("one of two");
        assert!([400, 401, 403].contains(&loser.status), "{}", loser.text);
        let survivor = if replies[0].status == 200 { &one } else { &other };
        let stored = env.stack.stored(&survivor.id).await.expect("the survivor").user;
        assert!(stored.is_active_admin() && stored.version == 2, "untouched but for its key: {stored:?}");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_admins_that_delete_each_other_leaves_at_least_one(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS / 4 {
        let org = 200 + round;
        let people = (0..6).map(|number| {
            let local = format!("crowd-{round}-{number}");
            let stack = &env.stack;
            async move { stack.create_user(&local, Role::OrgAdmin, Some(org), Status::Active).await }
        });
        let crowd = join_all(people).await;
        let attacks: Vec<_> = (0..crowd.len())
            .map(|at| {
                let (env, by, on) = (&env, &crowd[at], &crowd[(at + 1) % crowd.len()]);
                move || attack(env, by, on, Attack::Delete)
            })
            .collect();
        let replies = env.race(&attacks).await;
        let mut left = 0;
        for (at, admin) in crowd.iter().enumerate() {
            let attacked = &replies[(at + crowd.len() - 1) % crowd.len()];
            let is_left = env
                .stack
                .stores()
                .users
                .get(presence_tests::operator_scope(), id(admin))
                .await
                .expect("an answer")
                .is_some();
            assert_eq!(is_left, attacked.status != 200, "{}", attacked.text);
            left += usize::from(is_left);
        }
        assert!(left >= 1, "round {round}");
        env.check().await;
    }
}

fn id(person: &TestUser) -> presence_domain::ids::UserId {
    presence_domain::ids::UserId::parse(&person.id).expect("an id")
}
