//! One mail per user per five minutes, whoever asks.

use presence::domain::user::{Role, Status};
use rstest::rstest;
use serde_json::json;

use super::ROUNDS;
use super::arena::{Arena, Weather};

/// Re-invites of one user at the same time.
const INVITES: usize = 32;

#[rstest]
#[case::calm(Weather::Calm)]
#[case::conflicts(Weather::Conflicts)]
#[tokio::test(flavor = "multi_thread")]
async fn of_32_simultaneous_re_invites_one_is_accepted(#[case] weather: Weather) {
    let arena = Arena::in_weather(weather).await;
    for round in 0..ROUNDS {
        let local = format!("asked-{round}");
        let user = arena.world.person(&local, Role::BusinessManager, Some(1), Status::Invited).await;
        let invite = || arena.world.invite(&user.id, &arena.cast.admin_1.key);
        let replies = arena.race(&[invite; INVITES]).await;

        let (accepted, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
        assert_eq!(accepted.len(), 1, "round {round}");
        assert_eq!(accepted[0].json(), json!({"status": "success"}));
        for reply in refused {
            assert_eq!((reply.status, reply.header("retry-after")), (429, "300"), "{}", reply.text);
        }
        let stored = arena.world.stored(&user.id).await.expect("the user");
        assert_eq!((stored.mails.len(), stored.user.version), (1, 2), "the refused calls changed nothing");
        arena.check().await;
    }
}
