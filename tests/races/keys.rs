//! Keys that are issued and revoked while they, or the standing of their owner, are in use.

use presence::clock::Clock as _;
use presence::domain::api_key::PlaintextApiKey;
use presence::domain::ids::UserId;
use presence::domain::user::{Role, Status};
use presence::error::Error;
use presence::store::{IssuedKey, KeyRefused, NewApiKey};
use presence_tests::Person;
use rstest::rstest;
use serde_json::json;

use super::ROUNDS;
use super::arena::{Arena, Weather};

/// Calls with the key that is revoked.
const USES: usize = 4;

impl Arena {
    /// Issues a key, again while the database is busy.
    async fn issue(&self, owner: &Person) -> Result<IssuedKey, KeyRefused> {
        let (owner, new) = (UserId::parse(&owner.id).expect("an id"), NewApiKey::default());
        loop {
            match self.operator.issue_key(owner, &new, self.world.clock.now()).await {
                Err(KeyRefused::Failed(Error::Unavailable(_))) => {}
                outcome => return outcome,
            }
        }
    }

    async fn revoke(&self, key: &str) {
        let hash = PlaintextApiKey::parse(key).expect("a key").hash();
        let record = self.world.store().api_key(&hash).await.expect("the store answers").expect("a stored key");
        while let Err(refused) = self.operator.revoke_key(&record.id(), self.world.clock.now()).await {
            assert!(matches!(refused, KeyRefused::Failed(Error::Unavailable(_))), "{refused:?}");
        }
    }
}

#[rstest]
#[case::calm(Weather::Calm)]
#[case::conflicts(Weather::Conflicts)]
#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_is_refused_from_the_next_request_on(#[case] weather: Weather) {
    let arena = Arena::in_weather(weather).await;
    for round in 0..ROUNDS {
        let user =
            arena.world.person(&format!("revoked-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let uses: Vec<_> = (0..USES)
            .map(|number| {
                let (arena, path, key) = (&arena, &path, &user.key);
                move || async move { arena.world.post(path, key, &json!({"phone": number.to_string()})).await }
            })
            .collect();
        let revoke_then_use = async {
            arena.revoke(&user.key).await;
            arena.world.get("/user/me", &user.key).await
        };
        let (used, late) = tokio::join!(arena.race(&uses), revoke_then_use);

        assert_eq!(late.status, 401, "round {round}: {}", late.text);
        assert!(used.iter().all(|reply| [200, 401, 409].contains(&reply.status)), "round {round}");
        let successes = used.iter().filter(|reply| reply.status == 200).count();
        let stored = arena.world.stored(&user.id).await.expect("the user").user;
        assert_eq!(stored.version, 2 + u64::try_from(successes).expect("a few"), "the refused changed nothing");
        arena.check().await;
    }
}

#[rstest]
#[case::calm(Weather::Calm)]
#[case::conflicts(Weather::Conflicts)]
#[tokio::test(flavor = "multi_thread")]
async fn a_key_issued_while_the_role_changes_says_the_new_role(#[case] weather: Weather) {
    let arena = Arena::in_weather(weather).await;
    for round in 0..ROUNDS {
        let user = arena.world.person(&format!("raised-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let role = json!({"role": "ORG_ADMIN"});
        let raise = || arena.world.post(&path, &arena.cast.provider.key, &role);
        let (raised, one, other) = tokio::join!(arena.patiently(raise), arena.issue(&user), arena.issue(&user));

        assert_eq!(raised.status, 200, "{}", raised.text);
        for issued in [one, other] {
            let issued = issued.expect("three at a time all have their turn within three attempts");
            let me = arena.world.get("/user/me", issued.key.expose()).await;
            assert_eq!(me.json()["role"], "ORG_ADMIN", "round {round}: {}", me.text);
            let record = arena.world.store().api_key(&issued.key.hash()).await.expect("an answer").expect("a key");
            assert_eq!(record.role, Role::OrgAdmin);
        }
        arena.check().await;
    }
}

#[rstest]
#[case::calm(Weather::Calm)]
#[case::conflicts(Weather::Conflicts)]
#[tokio::test(flavor = "multi_thread")]
async fn a_key_issued_while_its_owner_is_deleted_or_disabled_gives_no_access(#[case] weather: Weather) {
    let arena = Arena::in_weather(weather).await;
    for round in 0..ROUNDS {
        let user = arena.world.person(&format!("ending-{round}"), Role::BusinessManager, Some(1), Status::Active).await;
        let path = format!("/user/{}", user.id);
        let disable = json!({"status": "invited"});
        let end = || async {
            match round % 2 {
                0 => arena.world.delete(&path, &arena.cast.admin_1.key).await,
                _ => arena.world.post(&path, &arena.cast.admin_1.key, &disable).await,
            }
        };
        let (ended, issued) = tokio::join!(arena.patiently(end), arena.issue(&user));

        assert_eq!(ended.status, 200, "{}", ended.text);
        match issued {
            Ok(issued) => assert_eq!(arena.world.get("/user/me", issued.key.expose()).await.status, 401),
            Err(KeyRefused::NotFound) => assert_eq!(round % 2, 0),
            Err(refused) => assert!(matches!(refused, KeyRefused::OwnerNotActive), "{refused:?}"),
        }
        assert_eq!(arena.world.get("/user/me", &user.key).await.status, 401, "round {round}");
        arena.check().await;
    }
}
