//! Answers of keys with a limit.

use presence_domain::ids::UserId;
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::Role;
use presence_runtime::clock::Clock as _;
use presence_store::NewApiKey;
use presence_tests::{TestStack, path_of, routes, send};
use serde_json::json;

use super::{advance, exhaust, expiries, limited, set_limit, start};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_beyond_its_limit_is_refused_until_it_has_waited() {
    let (stack, fixtures) = start(limited(30)).await;
    let (key, other) = (&fixtures.admin_1.key, &fixtures.manager_1.key);
    let (passed, refusal) = exhaust(&stack, key).await;
    assert_eq!(passed, 30);
    // A token takes two seconds. Half a second more makes up for clocks that differ.
    assert_eq!(refusal.header("retry-after"), "3");
    assert_eq!(refusal.json(), json!({"errors": {"json": "too many requests with this key: try again in 3 s"}}));
    assert_eq!(refusal.header("ratelimit-policy"), "\"key\";q=30;w=60");
    assert_eq!(refusal.header("ratelimit"), "\"key\";r=0;t=3");
    assert_eq!(stack.get("/user/me", other).await.status, 200, "each key has its own limit");
    advance(&stack, 2_000);
    assert_eq!(stack.get("/user/me", key).await.header("retry-after"), "1", "the refusal counts down");
    advance(&stack, 1_000);
    assert_eq!(stack.get("/user/me", key).await.status, 200);
    assert_eq!(stack.get("/user/me", key).await.status, 429, "one token was there");
    advance(&stack, 70_000);
    assert_eq!(exhaust(&stack, key).await.0, 30, "the bucket is full again, and no more than full");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_to_a_valid_key_tells_the_limit_and_what_is_left() {
    let (stack, fixtures) = start(limited(600)).await;
    let (key, target) = (&fixtures.admin_1.key, &fixtures.manager_1.id);
    let mut left = 600;
    for route in routes() {
        for (user, category, query) in
            [(target.as_str(), "c-bank", ""), ("7", "nothing", ""), ("x", "y", "?nonsense=1")]
        {
            let path = format!("{}{query}", path_of(&route, user, category));
            let request = stack.request(route.method, &path).header("content-type", "application/json").body("{}");
            let reply = send(request.header("x-api-key", key)).await;
            let what = format!("{} of {}: {}", reply.status, route.name, reply.text);
            assert_eq!(reply.header("ratelimit-policy"), "\"key\";q=600;w=60", "{what}");
            left -= 1;
            // Another function may hold tokens that this one does not know of.
            let told = reply.header("ratelimit");
            let remaining = told.strip_prefix("\"key\";r=").and_then(|rest| rest.strip_suffix(";t=1"));
            let remaining: u32 =
                remaining.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{what}: {told}"));
            assert!((left - 60..=left + 60).contains(&remaining), "{what}: {told}, {left} are left");
        }
        let request = stack.request(route.method, &path_of(&route, target, "c-bank")).header("x-api-key", "x");
        let refused = send(request.header("content-type", "application/json").body("{}")).await;
        assert_eq!((refused.status, refused.header("ratelimit"), refused.header("ratelimit-policy")), (401, "", ""));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_that_are_off_add_no_header_and_no_write() {
    let (stack, fixtures) = start(presence_tests::long_timeouts()).await;
    let reply = stack.get("/user/me", &fixtures.admin_1.key).await;
    assert_eq!((reply.status, reply.header("ratelimit"), reply.header("ratelimit-policy")), (200, "", ""));
    assert_eq!(expiries(&stack).await, Vec::<i64>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_expires_a_day_after_its_last_write() {
    let (stack, fixtures) = start(limited(60)).await;
    stack.get("/user/me", &fixtures.admin_1.key).await;
    assert_eq!(expiries(&stack).await, [stack.clock.now().as_second() + 86_400]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_its_own_limit_keeps_it_whatever_the_default_is() {
    for options in [presence_tests::long_timeouts(), limited(300)] {
        let has_default = options.rate_limit.is_some();
        let (stack, fixtures) = start(options).await;
        let key = &fixtures.admin_1.key;
        assert_eq!(stack.get("/user/me", key).await.status, 200);
        set_limit(&stack, key, KeyLimit::from_number(5).expect("a limit")).await;
        let (passed, refusal) = exhaust(&stack, key).await;
        assert!((4..=5).contains(&passed), "from the next request on, with what was taken before: {passed}");
        assert_eq!(refusal.header("ratelimit-policy"), "\"key\";q=5;w=60");
        set_limit(&stack, key, KeyLimit::Unlimited).await;
        for _ in 0..20 {
            let reply = stack.get("/user/me", key).await;
            assert_eq!((reply.status, reply.header("ratelimit")), (200, ""), "0 is no limit: {}", reply.text);
        }
        set_limit(&stack, key, KeyLimit::Default).await;
        let policy = if has_default { "\"key\";q=300;w=60" } else { "" };
        assert_eq!(stack.get("/user/me", key).await.header("ratelimit-policy"), policy);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_comes_after_the_key_and_before_everything_else() {
    let (stack, fixtures) = start(limited(30)).await;
    let user = &fixtures.manager_1;
    exhaust(&stack, &user.key).await;
    for (path, body) in [("/user/7", json!({})), ("/user", json!({"nonsense": 1})), ("/user/x/invite", json!({}))] {
        assert_eq!(stack.post(path, &user.key, &body).await.status, 429, "{path}");
    }
    assert_eq!(stack.get("/category/search?nonsense=1", &user.key).await.status, 429);
    assert_eq!(stack.get("/nowhere", &user.key).await.status, 404, "no key is read for an unknown path");
    assert_eq!(stack.delete(&format!("/user/{}", user.id), &fixtures.admin_1.key).await.status, 200);
    let revoked = stack.get("/user/me", &user.key).await;
    assert_eq!((revoked.status, revoked.header("ratelimit")), (401, ""), "a key that gives no access has no limit");
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_change_changes_nothing() {
    let (stack, fixtures) = start(limited(30)).await;
    exhaust(&stack, &fixtures.admin_1.key).await;
    let before = stack.snapshot().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    assert_eq!(stack.post(&path, &fixtures.admin_1.key, &json!({"phone": "1"})).await.status, 429);
    assert_eq!(stack.delete(&path, &fixtures.admin_1.key).await.status, 429);
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_give_no_access_cause_no_write() {
    let (stack, fixtures) = start(limited(30)).await;
    let unknown = presence_domain::api_key::PlaintextApiKey::generate();
    let gone = fixtures.manager_1.key.clone();
    assert_eq!(stack.delete(&format!("/user/{}", fixtures.manager_1.id), &fixtures.admin_1.key).await.status, 200);
    let before = stack.snapshot().await;
    for key in [unknown.expose(), &gone, "", "nonsense"] {
        for route in routes() {
            let path = path_of(&route, &fixtures.admin_1.id, "c-bank");
            let request = stack.request(route.method, &path).header("content-type", "application/json").body("{}");
            assert_eq!(send(request.header("x-api-key", key)).await.status, 401);
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_keeps_its_limit_when_its_owner_changes_and_when_it_is_rotated() {
    let (stack, fixtures) = start(presence_tests::long_timeouts()).await;
    let (key, owner) = (&fixtures.manager_1.key, &fixtures.manager_1.id);
    set_limit(&stack, key, KeyLimit::from_number(40).expect("a limit")).await;
    let promoted = json!({"role": Role::OrgAdmin.as_str()});
    assert_eq!(stack.post(&format!("/user/{owner}"), &fixtures.admin_1.key, &promoted).await.status, 200);
    let policy = "\"key\";q=40;w=60";
    assert_eq!(stack.get("/user/me", key).await.header("ratelimit-policy"), policy);
    let (users, now, by) = (&stack.stores().users, stack.clock.now(), presence_tests::operator());
    let keys = users.list_keys(UserId::parse(owner).expect("an id")).await.expect("an answer").expect("the user");
    let new = NewApiKey { label: None, rights: keys[0].rights() };
    let rotated = users.rotate_key(keys[0].id(), &new, now, &by, now).await.expect("a live key");
    let reply = stack.get("/user/me", rotated.key.expose()).await;
    assert_eq!((reply.status, reply.header("ratelimit-policy")), (200, policy));
    // A key that was limited makes no key with more requests, a new one or one in the place of another.
    let path = format!("/user/{owner}/keys");
    let made = stack.post(&path, rotated.key.expose(), &json!({"label": "another"})).await.json();
    let by_admin = stack.post(&path, &fixtures.admin_1.key, &json!({"label": "free"})).await.json();
    let rotate = format!("{path}/{}/rotate", by_admin["id"].as_str().expect("an id"));
    let replaced = stack.post(&rotate, rotated.key.expose(), &json!({})).await.json();
    for (key, expected) in [(&made, policy), (&by_admin, ""), (&replaced, policy)] {
        let reply = stack.get("/user/me", key["key"].as_str().expect("a key")).await;
        assert_eq!((reply.status, reply.header("ratelimit-policy")), (200, expected), "{key}");
    }
    audit_names_each_limit(&stack, owner).await;
}

/// Asserts that the audit trail has the change of the limit, once: the same limit again changes nothing.
async fn audit_names_each_limit(stack: &TestStack, owner: &str) {
    let id = UserId::parse(owner).expect("an id");
    let keys = stack.stores().users.list_keys(id).await.expect("an answer").expect("the user");
    let (by, limit) = (presence_tests::operator(), KeyLimit::from_number(40).expect("a limit"));
    let limited = keys.iter().find(|key| key.rights().limit == limit).expect("a limited key").id();
    for _ in 0..2 {
        stack.stores().users.set_key_limit(limited, limit, &by, stack.clock.now()).await.expect("a stored key");
    }
    let table = stack.stores().database.name(&presence_store::schema::AUDIT);
    let records = stack.items(&table).await;
    assert_eq!(records.iter().filter(|record| record.contains("set_key_limit")).count(), 1, "{records:?}");
}
