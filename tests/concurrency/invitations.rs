//! One mail per user per five minutes, whoever asks.

use presence_domain::user::{Role, Status};
use rstest::rstest;
use serde_json::json;

use super::ROUNDS;
use super::race_env::{ConflictMode, RaceEnv};

/// Re-invites of one user at the same time.
const INVITES: usize = 32;

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn of_32_simultaneous_re_invites_one_is_accepted(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let local = format!("asked-{round}");
        let user = env.stack.create_user(&local, Role::BusinessManager, Some(1), Status::Invited).await;
        let invite = || env.stack.invite(&user.id, &env.fixtures.admin_1.key);
        let replies = env.race(&[invite; INVITES]).await;

        let (accepted, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
        assert_eq!(accepted.len(), 1, "round {round}");
        assert_eq!(accepted[0].json(), json!({"status": "success"}));
        for reply in refused {
            assert_eq!((reply.status, reply.header("retry-after")), (429, "300"), "{}", reply.text);
        }
        let stored = env.stack.stored(&user.id).await.expect("the user");
        assert_eq!((stored.mails.len(), stored.user.version), (1, 2), "the refused calls changed nothing");
        env.check().await;
    }
}
