//! Concurrent requests for one invited user: the invitation form against other changes of the user, and simultaneous invitations.

use futures::future::{BoxFuture, FutureExt as _};
use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Lang, Role, Status};
use presence_tests::{Reply, StoredUser, TestUser, address, send};
use presence_texts::{Notice, Texts};
use rstest::rstest;
use serde_json::json;

use super::race_env::{ConflictMode, RaceEnv, count};
use super::rounds;

/// Simultaneous invitations of one user.
const INVITES: usize = 32;
/// Simultaneous forms of one link.
const FORMS: usize = 4;

type ReplyFuture<'a> = BoxFuture<'a, Reply>;

/// Creates a user, and returns it with an open link.
async fn linked_user(env: &RaceEnv, local: String, status: Status) -> (TestUser, ActivationToken) {
    let user = env.stack.create_user(&local, Role::BusinessManager, Some(1), status).await;
    let token = env.stack.link(&user.id).await;
    (user, token)
}

/// Races the form against another call, and returns both final answers.
async fn race_form<'a>(
    env: &'a RaceEnv,
    (user, token): &'a (TestUser, ActivationToken),
    call: impl Fn() -> ReplyFuture<'a> + 'a,
) -> (Reply, Reply) {
    let accept: Box<dyn Fn() -> ReplyFuture<'a>> =
        Box::new(move || env.stack.accept(&user.id, token, "canary-pass-1").boxed());
    let mut replies = env.race(&[accept, Box::new(call)]).await;
    let other = replies.pop().expect("two answers");
    (replies.pop().expect("two answers"), other)
}

/// Asserts that the page shows the notice and no form.
fn assert_shows(reply: &Reply, notice: Notice) {
    assert!(reply.text.contains(notice.title) && !reply.text.contains("<form"), "{}", reply.text);
}

fn english() -> &'static presence_texts::PageTexts {
    &Texts::of(Lang::En).page
}

/// Asserts that the user is active with this password, and has neither a live link nor a waiting mail.
fn assert_active(stored: &StoredUser, password: &str) {
    assert_eq!(stored.user.status, Status::Active);
    assert!(stored.has_password(password) && !stored.has_live_link() && stored.mails.is_empty());
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn only_one_of_simultaneous_forms_sets_the_password(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let (user, token) = linked_user(&env, format!("chooser-{round}"), Status::Invited).await;
        let passwords: Vec<_> = (0..FORMS).map(|number| format!("canary-pass-{number}")).collect();
        let forms: Vec<_> = passwords
            .iter()
            .map(|password| {
                let (env, user, token) = (&env, &user, &token);
                move || env.stack.accept(&user.id, token, password)
            })
            .collect();
        let replies = env.race(&forms).await;

        let winner = replies.iter().position(|reply| reply.status == 200).expect("one form succeeds");
        assert_eq!((count(&replies, 200), count(&replies, 410)), (1, FORMS - 1), "round {round}");
        assert_shows(&replies[winner], english().done);
        replies.iter().filter(|reply| reply.status == 410).for_each(|reply| assert_shows(reply, english().used));
        let stored = env.stack.stored(&user.id).await.expect("the user");
        assert_active(&stored, &passwords[winner]);
        assert_eq!(stored.user.version, 3, "refused forms write nothing");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn form_beside_a_new_invitation_leaves_an_active_user_without_mail(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let linked = linked_user(&env, format!("asked-{round}"), Status::Invited).await;
        let (id, key) = (&linked.0.id, &env.fixtures.admin_1.key);
        let (accepted, invited) = race_form(&env, &linked, || env.stack.invite(id, key).boxed()).await;

        assert_eq!(accepted.status, 200, "round {round}: {}", accepted.text);
        assert_shows(&accepted, english().done);
        assert!([200, 400].contains(&invited.status), "invited before the form, or refused after it: {}", invited.text);
        assert_active(&env.stack.stored(id).await.expect("the user"), "canary-pass-1");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn form_beside_a_deletion_never_restores_the_user(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let linked = linked_user(&env, format!("gone-{round}"), Status::Invited).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let (accepted, deleted) = race_form(&env, &linked, || env.stack.delete(&path, key).boxed()).await;

        assert_eq!(deleted.status, 200, "round {round}: {}", deleted.text);
        assert!([200, 404].contains(&accepted.status), "round {round}: {}", accepted.text);
        assert_shows(&accepted, if accepted.status == 200 { english().done } else { english().unknown });
        assert!(env.stack.stored(&linked.0.id).await.is_none());
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn form_beside_an_activation_by_an_administrator_never_replaces_its_password(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let linked = linked_user(&env, format!("activated-{round}"), Status::Invited).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let activate = || {
            let body = json!({"status": "active", "password": "canary-pass-2"});
            let (env, path) = (&env, &path);
            async move { env.stack.post(path, key, &body).await }.boxed()
        };
        let (accepted, activated) = race_form(&env, &linked, activate).await;

        assert_eq!(activated.status, 200, "round {round}: {}", activated.text);
        assert!([200, 410].contains(&accepted.status), "round {round}: {}", accepted.text);
        assert_shows(&accepted, if accepted.status == 200 { english().done } else { english().used });
        // If the form came first, the activation replaced its password. Otherwise the activation had used the link.
        assert_active(&env.stack.stored(&linked.0.id).await.expect("the user"), "canary-pass-2");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn form_beside_a_disabled_user_leaves_it_either_active_or_invited(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let linked = linked_user(&env, format!("disabled-{round}"), Status::Active).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let disable = || {
            let (env, path) = (&env, &path);
            async move { env.stack.post(path, key, &json!({"status": "invited"})).await }.boxed()
        };
        let (accepted, disabled) = race_form(&env, &linked, disable).await;

        assert_eq!((accepted.status, disabled.status), (200, 200), "round {round}: {}", accepted.text);
        let stored = env.stack.stored(&linked.0.id).await.expect("the user");
        if stored.user.status == Status::Active {
            assert_active(&stored, "canary-pass-1");
        } else {
            assert!(stored.user.password.is_none() && !stored.has_live_link() && stored.mails.len() == 1);
        }
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn form_beside_a_change_of_address_succeeds_only_if_it_comes_first(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
        let linked = linked_user(&env, format!("moving-{round}"), Status::Invited).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let change = || {
            let body = json!({"email": address(&format!("moved-{round}"))});
            let (env, path) = (&env, &path);
            async move { env.stack.post(path, key, &body).await }.boxed()
        };
        let (accepted, changed) = race_form(&env, &linked, change).await;

        assert_eq!(changed.status, 200, "round {round}: {}", changed.text);
        let stored = env.stack.stored(&linked.0.id).await.expect("the user");
        if accepted.status == 200 {
            assert_active(&stored, "canary-pass-1");
        } else {
            assert_eq!(accepted.status, 404, "round {round}: the link was sent to the old address");
            assert_shows(&accepted, english().unknown);
            assert!(stored.user.status == Status::Invited && stored.user.password.is_none() && !stored.has_live_link());
        }
        let again =
            send(env.stack.page("GET").query(&[("user", &linked.0.id), ("token", &linked.1.expose().to_owned())]));
        assert!([404, 503].contains(&again.await.status), "the link ends with the address");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn only_one_of_32_simultaneous_invitations_is_accepted(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..rounds() {
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
        assert_eq!((stored.mails.len(), stored.user.version), (1, 2), "refused invitations change nothing");
        env.check().await;
    }
}
