//! A form that is sent while something else happens to the same user: one comes first, and the other meets what it left.

use futures::future::{BoxFuture, FutureExt as _};
use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Lang, Role, Status};
use presence_tests::{Reply, StoredUser, TestUser, address, send};
use presence_texts::{Notice, Texts};
use rstest::rstest;
use serde_json::json;

use super::ROUNDS;
use super::race_env::{ConflictMode, RaceEnv, count};

/// Forms of one link at the same time.
const FORMS: usize = 4;

type Calling<'a> = BoxFuture<'a, Reply>;

async fn person(env: &RaceEnv, local: String, status: Status) -> (TestUser, ActivationToken) {
    let person = env.stack.create_user(&local, Role::BusinessManager, Some(1), status).await;
    let token = env.stack.link(&person.id).await;
    (person, token)
}

/// Sends the form until it is not answered with 503, against a call that is made at the same time: both answers.
async fn against<'a>(
    env: &'a RaceEnv,
    (person, token): &'a (TestUser, ActivationToken),
    call: impl Fn() -> Calling<'a> + 'a,
) -> (Reply, Reply) {
    let accept: Box<dyn Fn() -> Calling<'a>> =
        Box::new(move || env.stack.accept(&person.id, token, "canary-pass-1").boxed());
    let mut replies = env.race(&[accept, Box::new(call)]).await;
    let other = replies.pop().expect("two answers");
    (replies.pop().expect("two answers"), other)
}

fn assert_says(reply: &Reply, notice: Notice) {
    assert!(reply.text.contains(notice.title) && !reply.text.contains("<form"), "{}", reply.text);
}

fn english() -> &'static presence_texts::PageTexts {
    &Texts::of(Lang::En).page
}

/// An active user has a password, and no link that works.
fn assert_settled(stored: &StoredUser, password: &str) {
    assert_eq!(stored.user.status, Status::Active);
    assert!(stored.has_password(password) && !stored.has_live_link() && stored.mails.is_empty());
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn of_forms_sent_at_once_one_sets_the_password_and_the_others_find_the_link_used(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let (user, token) = person(&env, format!("chooser-{round}"), Status::Invited).await;
        let passwords: Vec<_> = (0..FORMS).map(|number| format!("canary-pass-{number}")).collect();
        let forms: Vec<_> = passwords
            .iter()
            .map(|password| {
                let (env, user, token) = (&env, &user, &token);
                move || env.stack.accept(&user.id, token, password)
            })
            .collect();
        let replies = env.race(&forms).await;

        let winner = replies.iter().position(|reply| reply.status == 200).expect("one comes first");
        assert_eq!((count(&replies, 200), count(&replies, 410)), (1, FORMS - 1), "round {round}");
        assert_says(&replies[winner], english().done);
        replies.iter().filter(|reply| reply.status == 410).for_each(|reply| assert_says(reply, english().used));
        let stored = env.stack.stored(&user.id).await.expect("the user");
        assert_settled(&stored, &passwords[winner]);
        assert_eq!(stored.user.version, 3, "the others wrote nothing");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn a_form_against_a_new_invitation_leaves_an_active_user_without_mail(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let linked = person(&env, format!("asked-{round}"), Status::Invited).await;
        let (id, key) = (&linked.0.id, &env.fixtures.admin_1.key);
        let (accepted, invited) = against(&env, &linked, || env.stack.invite(id, key).boxed()).await;

        assert_eq!(accepted.status, 200, "round {round}: {}", accepted.text);
        assert_says(&accepted, english().done);
        assert!([200, 400].contains(&invited.status), "accepted before, or no longer invited: {}", invited.text);
        assert_settled(&env.stack.stored(id).await.expect("the user"), "canary-pass-1");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn a_form_against_a_deletion_never_brings_the_user_back(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let linked = person(&env, format!("gone-{round}"), Status::Invited).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let (accepted, deleted) = against(&env, &linked, || env.stack.delete(&path, key).boxed()).await;

        assert_eq!(deleted.status, 200, "round {round}: {}", deleted.text);
        assert!([200, 404].contains(&accepted.status), "round {round}: {}", accepted.text);
        assert_says(&accepted, if accepted.status == 200 { english().done } else { english().unknown });
        assert!(env.stack.stored(&linked.0.id).await.is_none());
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn a_form_against_an_activation_by_an_administrator_never_wins_over_it(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let linked = person(&env, format!("activated-{round}"), Status::Invited).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let activate = || {
            let body = json!({"status": "active", "password": "canary-pass-2"});
            let (env, path) = (&env, &path);
            async move { env.stack.post(path, key, &body).await }.boxed()
        };
        let (accepted, activated) = against(&env, &linked, activate).await;

        assert_eq!(activated.status, 200, "round {round}: {}", activated.text);
        assert!([200, 410].contains(&accepted.status), "round {round}: {}", accepted.text);
        assert_says(&accepted, if accepted.status == 200 { english().done } else { english().used });
        // Before the activation its password was replaced, after it the link was used up.
        assert_settled(&env.stack.stored(&linked.0.id).await.expect("the user"), "canary-pass-2");
        env.check().await;
    }
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn a_form_against_a_user_being_disabled_leaves_it_active_or_invited_and_never_between(
    #[case] mode: ConflictMode,
) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let linked = person(&env, format!("disabled-{round}"), Status::Active).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let disable = || {
            let (env, path) = (&env, &path);
            async move { env.stack.post(path, key, &json!({"status": "invited"})).await }.boxed()
        };
        let (accepted, disabled) = against(&env, &linked, disable).await;

        assert_eq!((accepted.status, disabled.status), (200, 200), "round {round}: {}", accepted.text);
        let stored = env.stack.stored(&linked.0.id).await.expect("the user");
        if stored.user.status == Status::Active {
            assert_settled(&stored, "canary-pass-1");
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
async fn a_form_against_a_change_of_address_counts_only_if_it_came_first(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    for round in 0..ROUNDS {
        let linked = person(&env, format!("moving-{round}"), Status::Invited).await;
        let (path, key) = (format!("/user/{}", linked.0.id), &env.fixtures.admin_1.key);
        let change = || {
            let body = json!({"email": address(&format!("moved-{round}"))});
            let (env, path) = (&env, &path);
            async move { env.stack.post(path, key, &body).await }.boxed()
        };
        let (accepted, changed) = against(&env, &linked, change).await;

        assert_eq!(changed.status, 200, "round {round}: {}", changed.text);
        let stored = env.stack.stored(&linked.0.id).await.expect("the user");
        if accepted.status == 200 {
            assert_settled(&stored, "canary-pass-1");
        } else {
            assert_eq!(accepted.status, 404, "round {round}: the link went to another mailbox");
            assert_says(&accepted, english().unknown);
            assert!(stored.user.status == Status::Invited && stored.user.password.is_none() && !stored.has_live_link());
        }
        let again =
            send(env.stack.page("GET").query(&[("user", &linked.0.id), ("token", &linked.1.expose().to_owned())]));
        assert!([404, 503].contains(&again.await.status), "the link is gone with the address");
        env.check().await;
    }
}
