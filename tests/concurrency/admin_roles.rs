//! Concurrent changes of roles, and the rule that an organisation keeps an administrator.

use futures::future::join_all;
use presence_domain::user::{Role, Status};
use presence_tests::{Reply, TestUser};
use rstest::rstest;
use serde_json::json;

use super::race_env::{ConflictMode, RaceEnv, count};
use super::rounds;

/// Simultaneous requests of the user whose role changes.
const REQUESTS: usize = 4;

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn demoted_admin_is_refused_from_the_next_request_on(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let admin = env.stack.create_user(&format!("demoted-{round}"), Role::OrgAdmin, Some(1), Status::Active).await;
        let target =
            env.stack.create_user(&format!("target-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", target.id);
        let uses: Vec<_> = (0..REQUESTS)
            .map(|number| {
                let (env, path, key) = (&env, &path, &admin.key);
                move || async move { env.stack.post(path, key, &json!({"phone": number.to_string()})).await }
            })
            .collect();
        let admin_path = format!("/user/{}", admin.id);
        let demotion = json!({"role": "BUSINESS_MANAGER"});
        let demote_then_request = async {
            let demoted = env.retried(|| env.stack.post(&admin_path, &env.fixtures.provider.key, &demotion)).await;
            assert_eq!(demoted.status, 200, "{}", demoted.text);
            env.stack.post(&path, &admin.key, &json!({"phone": "99"})).await
        };
        let (used, late) = tokio::join!(env.race(&uses), demote_then_request);

        assert_eq!(late.status, 403, "round {round}: {}", late.text);
        assert!(used.iter().all(|reply| [200, 403, 409].contains(&reply.status)), "round {round}");
        let stored = env.stack.stored(&target.id).await.expect("the target").user;
        assert_eq!(
            stored.version,
            2 + u64::try_from(count(&used, 200)).expect("a few"),
            "refused requests change nothing"
        );
        env.check().await;
    }
}

/// Way to take the role of administrator from another user.
#[derive(Clone, Copy, Debug)]
enum Removal {
    Delete,
    Demote,
    Disable,
}

async fn remove(env: &RaceEnv, by: &TestUser, target: &TestUser, removal: Removal) -> Reply {
    let path = format!("/user/{}", target.id);
    match removal {
        Removal::Delete => env.stack.delete(&path, &by.key).await,
        Removal::Demote => env.stack.post(&path, &by.key, &json!({"role": "BUSINESS_MANAGER"})).await,
        Removal::Disable => env.stack.post(&path, &by.key, &json!({"status": "invited"})).await,
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn two_users_that_remove_each_other_never_leave_the_organisation_or_the_service_without_one(
    #[case] mode: ConflictMode,
    #[values(Role::OrgAdmin, Role::Provider)] role: Role,
) {
    use Removal::{Delete, Demote, Disable};
    let env = RaceEnv::in_mode(mode).await;
    let pairs = [(Delete, Delete), (Demote, Demote), (Disable, Disable), (Delete, Demote), (Demote, Disable)];
    for (round, (first, second)) in (0..rounds()).zip(pairs.into_iter().cycle()) {
        let org = 100 + round;
        let create = |local: &'static str| {
            let stack = &env.stack;
            async move { stack.create_user(&format!("{local}-{round}"), role, Some(org), Status::Active).await }
        };
        let (one, other) = (create("rival").await, create("other-rival").await);
        let removals: Vec<_> = [(&one, &other, first), (&other, &one, second)]
            .into_iter()
            .map(|(by, target, removal)| {
                let env = &env;
                move || remove(env, by, target, removal)
            })
            .collect();
        let replies = env.race(&removals).await;

        assert_eq!(count(&replies, 200), 1, "round {round}: {first:?} against {second:?}");
        let loser = replies.iter().find(|reply| reply.status != 200).expect("one of two is refused");
        assert!([400, 401, 403].contains(&loser.status), "{}", loser.text);
        let survivor = if replies[0].status == 200 { &one } else { &other };
        let stored = env.stack.stored(&survivor.id).await.expect("the survivor").user;
        assert!(
            stored.role == role && stored.status == Status::Active && stored.version == 2,
            "only its key was written: {stored:?}"
        );
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn six_admins_that_delete_each_other_leave_at_least_one(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() / 4 {
        let org = 200 + round;
        let admins = (0..6).map(|number| {
            let local = format!("admin-{round}-{number}");
            let stack = &env.stack;
            async move { stack.create_user(&local, Role::OrgAdmin, Some(org), Status::Active).await }
        });
        let admins = join_all(admins).await;
        let removals: Vec<_> = (0..admins.len())
            .map(|at| {
                let (env, by, target) = (&env, &admins[at], &admins[(at + 1) % admins.len()]);
                move || remove(env, by, target, Removal::Delete)
            })
            .collect();
        let replies = env.race(&removals).await;
        let mut remaining = 0;
        for (at, admin) in admins.iter().enumerate() {
            let reply_of_removal = &replies[(at + admins.len() - 1) % admins.len()];
            let exists = env
                .stack
                .stores()
                .users
                .get(presence_tests::operator_scope(), presence_domain::ids::UserId::parse(&admin.id).expect("an id"))
                .await
                .expect("an answer")
                .is_some();
            assert_eq!(exists, reply_of_removal.status != 200, "{}", reply_of_removal.text);
            remaining += usize::from(exists);
        }
        assert!(remaining >= 1, "round {round}");
        env.check().await;
    }
}
