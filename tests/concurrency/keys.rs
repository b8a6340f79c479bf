//! Keys that are issued or revoked while they are used or their owner changes.

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::{ApiKeyError, IssuedKey, NewApiKey};
use presence_tests::connectors::InterleavingConnector;
use presence_tests::{ConnectorLayer as _, TestStack, TestUser, in_process_client, long_timeouts};
use rstest::rstest;
use serde_json::json;

use super::race_env::{ConflictMode, RaceEnv};
use super::rounds;

/// Simultaneous requests with the key that is revoked.
const REQUESTS: usize = 4;

impl RaceEnv {
    /// Issues a key. Tries again while the database is unavailable.
    async fn issue(&self, owner: &TestUser) -> Result<IssuedKey, ApiKeyError> {
        let (owner, new) = (UserId::parse(&owner.id).expect("an id"), NewApiKey::default());
        loop {
            match self.operator.users.issue_key(owner, &new, &presence_tests::operator(), self.stack.clock.now()).await
            {
                Err(ApiKeyError::Failed(Error::Unavailable(_))) => {}
                outcome => return outcome,
            }
        }
    }

    /// Revokes a key. Tries again while the database is unavailable.
    async fn revoke(&self, key: &str) {
        let hash = PlaintextApiKey::parse(key).expect("a key").hash();
        let record = self.stack.stores().api_keys.get(&hash).await.expect("the store answers").expect("a stored key");
        while let Err(error) =
            self.operator.users.revoke_key(record.id(), &presence_tests::operator(), self.stack.clock.now()).await
        {
            assert!(matches!(error, ApiKeyError::Failed(Error::Unavailable(_))), "{error:?}");
        }
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn revoked_key_is_refused_from_the_next_request_on(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("revoked-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let uses: Vec<_> = (0..REQUESTS)
            .map(|number| {
                let (env, path, key) = (&env, &path, &user.key);
                move || async move { env.stack.post(path, key, &json!({"phone": number.to_string()})).await }
            })
            .collect();
        let revoke_then_request = async {
            env.revoke(&user.key).await;
            env.stack.get("/user/me", &user.key).await
        };
        let (used, late) = tokio::join!(env.race(&uses), revoke_then_request);

        assert_eq!(late.status, 401, "round {round}: {}", late.text);
        assert!(used.iter().all(|reply| [200, 401, 409].contains(&reply.status)), "round {round}");
        let successes = used.iter().filter(|reply| reply.status == 200).count();
        let stored = env.stack.stored(&user.id).await.expect("the user").user;
        assert_eq!(stored.version, 2 + u64::try_from(successes).expect("a few"), "refused requests change nothing");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn key_issued_while_the_role_changes_has_the_new_role(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("raised-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let role = json!({"role": "ORG_ADMIN"});
        let raise = || env.stack.post(&path, &env.fixtures.provider.key, &role);
        let (raised, one, other) = tokio::join!(env.retried(raise), env.issue(&user), env.issue(&user));

        assert_eq!(raised.status, 200, "{}", raised.text);
        for issued in [one, other] {
            let issued = issued.expect("each of three writers succeeds within three attempts");
            let me = env.stack.get("/user/me", issued.key.expose()).await;
            assert_eq!(me.json()["role"], "ORG_ADMIN", "round {round}: {}", me.text);
            let record = env.stack.stores().api_keys.get(&issued.key.hash()).await.expect("an answer").expect("a key");
            assert_eq!(record.role, Role::OrgAdmin);
        }
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn key_issued_while_its_owner_is_deleted_or_disabled_gives_no_access(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("ending-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let disable = json!({"status": "invited"});
        let end = || async {
            match round % 2 {
                0 => env.stack.delete(&path, &env.fixtures.admin_1.key).await,
                _ => env.stack.post(&path, &env.fixtures.admin_1.key, &disable).await,
            }
        };
        let (ended, issued) = tokio::join!(env.retried(end), env.issue(&user));

        assert_eq!(ended.status, 200, "{}", ended.text);
        match issued {
            Ok(issued) => assert_eq!(env.stack.get("/user/me", issued.key.expose()).await.status, 401),
            Err(ApiKeyError::NotFound) => assert_eq!(round % 2, 0),
            Err(error) => assert!(matches!(error, ApiKeyError::OwnerNotActive), "{error:?}"),
        }
        assert_eq!(env.stack.get("/user/me", &user.key).await.status, 401, "round {round}");
        env.check().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_rotations_at_once_the_shorter_overlap_counts() {
    let stack = TestStack::start().await;
    let interleaving = InterleavingConnector::new();
    let held =
        stack.stores_through(interleaving.over(in_process_client()), long_timeouts(), stack.table_prefix()).users;
    let (now, new, by) = (stack.clock.now(), NewApiKey::default(), presence_tests::operator());
    let (hour, day) = (now + SignedDuration::from_hours(1), now + SignedDuration::from_hours(24));
    for call in 1..20 {
        let user = stack.create_user(&format!("rotated-{call}"), Role::OrgAdmin, Some(1), Status::Active).await;
        let id = UserId::parse(&user.id).expect("an id");
        let users = stack.stores().users.clone();
        let old = users.list_keys(id).await.expect("the store answers").expect("a user")[0].id();
        let (other, new_key, author) = (users.clone(), new.clone(), by.clone());
        let shorter = async move {
            other.rotate_key(old, &new_key, hour, &author, now).await.expect("a live key");
        };
        interleaving.before(call, Box::pin(shorter)).await;
        held.rotate_key(old, &new, day, &by, now).await.expect("a live key");
        let keys = users.list_keys(id).await.expect("the store answers").expect("a user");
        let ends_at = keys.iter().find(|key| key.id() == old).expect("the old key").expires_at;
        let is_over = interleaving.end().await.1.is_some();
        assert_eq!(ends_at, Some(if is_over { day } else { hour }), "the other rotation came before call {call}");
        if is_over {
            assert!(call > 3, "{call} calls");
            return;
        }
    }
    panic!("a rotation makes more calls");
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn keys_created_at_once_never_exceed_five_and_each_answer_has_a_key_that_gives_access(
    #[case] mode: ConflictMode,
) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let user =
            env.stack.create_user(&format!("keys-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}/keys", user.id);
        let issued = usize::try_from(round % 5).expect("a few");
        for _ in 0..issued {
            env.stack.issue_key(&user.id).await;
        }
        let body = json!({"label": "till"});
        let create = || async { env.stack.post(&path, &env.fixtures.admin_1.key, &body).await };
        let replies = env.race(&[create, create, create]).await;
        for reply in &replies {
            match reply.status {
                200 => {
                    let key = reply.json()["key"].as_str().expect("a key").to_owned();
                    assert_eq!(env.stack.get("/user/me", &key).await.status, 200, "round {round}");
                }
                status => assert!([400, 409].contains(&status), "round {round}: {}", reply.text),
            }
        }
        let list = env.stack.get(&path, &env.fixtures.admin_1.key).await.json();
        let keys = list["keys"].as_array().expect("keys").len();
        assert!(keys <= 5, "round {round}: {keys} keys");
        if mode == ConflictMode::Serialize {
            let created = replies.iter().filter(|reply| reply.status == 200).count();
            assert_eq!(keys, 1 + issued + created, "round {round}: no key that nobody knows");
        }
        env.check().await;
    }
}
