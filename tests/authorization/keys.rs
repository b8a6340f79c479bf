//! Keys that give no access, and the instant from which they give none.

use jiff::{SignedDuration, Timestamp};
use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::ids::UserId;
use presence_domain::key_rights::KeyRights;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::NewApiKey;
use presence_tests::{Fixtures, Reply, TestStack, path_of, routes, send};
use rstest::rstest;
use serde_json::{Value, json};

use super::matrix::assert_forbidden;
use super::requests::{UNKNOWN_IDS, call, newcomer};
use crate::api::send_all;

/// Issues a key that expires at the instant, and returns its id for operators and the key.
async fn issue_key_until(stack: &TestStack, user: &str, expires_at: Option<Timestamp>) -> (ApiKeyId, String) {
    let new = NewApiKey { rights: KeyRights { expires_at, ..KeyRights::default() }, ..NewApiKey::default() };
    let user = UserId::parse(user).expect("an id");
    let issued = stack
        .stores()
        .users
        .issue_key(user, &new, &presence_tests::operator(), stack.clock.now())
        .await
        .expect("an active user");
    (issued.id, issued.key.expose().to_owned())
}

/// Returns a key for each reason to refuse one. With a valid key, its owner could call every route.
async fn refused_keys(stack: &TestStack, fixtures: &Fixtures) -> Vec<(&'static str, String)> {
    let owner = &fixtures.provider.id;
    let good = &fixtures.provider.key;
    let (revoked_id, revoked) = issue_key_until(stack, owner, None).await;
    stack
        .stores()
        .users
        .revoke_key(revoked_id, &presence_tests::operator(), stack.clock.now())
        .await
        .expect("a live key");
    let (_, expired) = issue_key_until(stack, owner, Some(stack.clock.now())).await;
    let demoted = stack.create_user("made-invited", Role::Provider, None, Status::Active).await;
    let suspend = stack.post(&format!("/user/{}", demoted.id), good, &json!({"status": "invited"})).await;
    assert_eq!(suspend.status, 200, "{}", suspend.text);
    let deleted = stack.create_user("deleted", Role::Provider, None, Status::Active).await;
    assert_eq!(stack.delete(&format!("/user/{}", deleted.id), good).await.status, 200);
    let last = if good.ends_with('0') { "1" } else { "0" };
    vec![
        ("none", String::new()),
        ("no key at all", "hunter2".to_owned()),
        ("a wrong checksum", format!("{}{last}", &good[..good.len() - 1])),
        ("the other case", good.to_uppercase()),
        ("cut", good[..good.len() - 1].to_owned()),
        ("one more character", format!("{good}0")),
        ("unknown", PlaintextApiKey::generate().expose().to_owned()),
        ("revoked", revoked),
        ("expired", expired),
        ("of a user made invited", demoted.key),
        ("of a deleted user", deleted.key),
    ]
}

/// Returns the answer without the headers that differ from answer to answer.
fn comparable(reply: &Reply) -> (u16, String, Vec<(String, String)>) {
    let text = |value: &reqwest::header::HeaderValue| value.to_str().expect("text").to_owned();
    let changing = ["x-request-id", "apigw-requestid", "date"];
    let kept = reply.headers.iter().filter(|(name, _)| !changing.contains(&name.as_str()));
    (reply.status, reply.text.clone(), kept.map(|(name, value)| (name.to_string(), text(value))).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_give_no_access_are_refused_alike_on_every_route_whatever_the_target() {
    let (stack, fixtures) = Fixtures::start().await;
    let keys = refused_keys(&stack, &fixtures).await;
    let before = stack.snapshot().await;
    let targets =
        [fixtures.provider.id.as_str(), &fixtures.manager_1.id, &fixtures.invited_2.id].into_iter().chain(UNKNOWN_IDS);
    let mut calls = Vec::new();
    for route in routes() {
        let named = route.path.contains("{user_id}");
        for target in targets.clone().take(if named { usize::MAX } else { 1 }) {
            for (what, key) in &keys {
                let what = format!("{} on {target} with a key that is {what}", route.name);
                let stack = &stack;
                calls.push(async move { (what, call(stack, &route, target, key, &newcomer()).await) });
            }
        }
    }
    // Eight routes have a user in their path; the others are called once for each key.
    assert_eq!(calls.len(), keys.len() * (8 * (3 + UNKNOWN_IDS.len()) + routes().len() - 8));
    let answers = send_all(calls).await;
    let first = comparable(&answers[0].1);
    assert_eq!(
        (first.0, first.1.as_str()),
        (
            401,
            r#"{"errors":{"authentication":"a valid API key is required: in the header x-api-key or Authorization: Bearer, or in the parameter api_key"}}"#
        )
    );
    assert_eq!(answers[0].1.header("www-authenticate"), r#"Bearer realm="presence""#);
    for (what, answer) in answers {
        assert_eq!(comparable(&answer), first, "{what}");
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_gives_access_in_each_of_its_places_on_every_route() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.provider.key;
    let bearer = format!("Bearer {key}");
    for route in routes() {
        let path = path_of(&route, UNKNOWN_IDS[0], "nothing");
        for (header, value) in [("x-api-key", key), ("x-apikey", key), ("authorization", &bearer), ("accept", &bearer)]
        {
            let query = if header == "accept" { format!("?api_key={key}") } else { String::new() };
            let request = stack.request(route.method, &format!("{path}{query}")).header(header, value);
            let reply = send(request.header("content-type", "application/json").body("{}")).await;
            assert!([200, 400, 404].contains(&reply.status), "{} with {header}: {}", route.name, reply.text);
        }
        if route.body == presence_api::Body::Json {
            let reply = send(stack.request(route.method, &path).json(&json!({ "api_key": key }))).await;
            assert!([200, 400, 404].contains(&reply.status), "{} with the key in its body: {}", route.name, reply.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_gives_access_until_the_instant_of_its_expiry() {
    let (stack, fixtures) = Fixtures::start().await;
    let expires_at = stack.clock.now() + SignedDuration::from_hours(1);
    let (_, key) = issue_key_until(&stack, &fixtures.admin_1.id, Some(expires_at)).await;
    for (offset, status) in [(-3_600_000, 200), (-1, 200), (0, 401), (1, 401), (86_400_000, 401)] {
        let instant = expires_at + SignedDuration::from_millis(offset);
        stack.clock.advance(instant.duration_since(stack.clock.now()));
        assert_eq!(stack.get("/user/me", &key).await.status, status, "{offset} ms after the expiry");
        assert_eq!(
            stack.get("/user/me", &fixtures.admin_1.key).await.status,
            200,
            "another key of the user stays valid"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_is_refused_on_the_next_request_and_other_keys_stay_valid() {
    let (stack, fixtures) = Fixtures::start().await;
    let (id, key) = issue_key_until(&stack, &fixtures.admin_1.id, None).await;
    assert_eq!(stack.get("/user/search", &key).await.status, 200);
    stack.stores().users.revoke_key(id, &presence_tests::operator(), stack.clock.now()).await.expect("a live key");
    assert_eq!(stack.get("/user/search", &key).await.status, 401);
    assert_eq!(stack.get("/user/search", &fixtures.admin_1.key).await.status, 200);
}

#[rstest]
#[case::deleted(None)]
#[case::suspended(Some(json!({"status": "invited"})))]
#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_deleted_or_suspended_user_are_refused_on_the_next_request(#[case] change: Option<Value>) {
    let (stack, fixtures) = Fixtures::start().await;
    let (_, second) = issue_key_until(&stack, &fixtures.manager_1.id, None).await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let keys = [&fixtures.manager_1.key, &second];
    for key in keys {
        assert_eq!(stack.get("/user/search?query=admin", key).await.status, 200, "warm");
    }
    let done = match &change {
        Some(change) => stack.post(&path, &fixtures.admin_1.key, change).await,
        None => stack.delete(&path, &fixtures.admin_1.key).await,
    };
    assert_eq!(done.status, 200, "{}", done.text);
    for key in keys {
        for path in ["/user/me", "/user/search?query=admin", "/user/stats", &path] {
            assert_eq!(stack.get(path, key).await.status, 401, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_user_made_invited_stay_revoked_after_activation() {
    let (stack, fixtures) = Fixtures::start().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    for change in [json!({"status": "invited"}), json!({"status": "active", "password": "canary-pass-1"})] {
        assert_eq!(stack.post(&path, &fixtures.admin_1.key, &change).await.status, 200);
        assert_eq!(stack.get("/user/me", &fixtures.manager_1.key).await.status, 401, "{change}");
    }
    let fresh = stack.issue_key(&fixtures.manager_1.id).await;
    assert_eq!(stack.get("/user/me", &fresh).await.status, 200);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demotion_and_a_promotion_take_effect_on_the_next_request() {
    let (stack, fixtures) = Fixtures::start().await;
    let (path, key) = (format!("/user/{}", fixtures.other_admin_1.id), &fixtures.other_admin_1.key);
    let target = format!("/user/{}", fixtures.manager_1.id);
    let rename = |name: &'static str| json!({"first_name": name});
    assert_eq!(stack.post(&target, key, &rename("One")).await.status, 200);
    stack.post(&path, &fixtures.admin_1.key, &json!({"role": "BUSINESS_MANAGER"})).await;
    assert_forbidden(&stack.post(&target, key, &rename("Two")).await, "update");
    assert_forbidden(&stack.delete(&target, key).await, "delete");
    assert_forbidden(&stack.post("/user", key, &newcomer()).await, "create");
    assert_forbidden(&stack.invite(&fixtures.invited_1.id, key).await, "invite");
    stack.post(&path, &fixtures.provider.key, &json!({"role": "PROVIDER"})).await;
    assert_eq!(stack.get(&format!("/user/{}", fixtures.admin_2.id), key).await.status, 200);
    assert_eq!(stack.post(&target, key, &rename("Three")).await.status, 200);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_user_sees_only_its_new_organisation_from_the_next_request() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.manager_1.key;
    let names = |reply: &Reply| reply.json()["users"].to_string();
    assert!(names(&stack.get("/user/search?query=admin", key).await).contains(&fixtures.admin_1.id));
    let moved =
        stack.post(&format!("/user/{}", fixtures.manager_1.id), &fixtures.provider.key, &json!({"org_id": 2})).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    let found = names(&stack.get("/user/search?query=admin", key).await);
    assert!(found.contains(&fixtures.admin_2.id) && !found.contains(&fixtures.admin_1.id));
    assert_eq!(stack.get(&format!("/user/{}", fixtures.admin_1.id), key).await.status, 404);
    assert_eq!(stack.get(&format!("/user/{}", fixtures.admin_2.id), key).await.status, 200);
    assert_forbidden(&stack.get("/user/search?org_id=1", key).await, "the old organisation");
    assert_eq!(stack.get("/user/stats", key).await.json()["count"], 4);
}
