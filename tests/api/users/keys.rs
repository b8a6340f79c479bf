//! `GET` and `POST /api/v2/user/{user_id}/keys`, and below them `POST …/rotate` and `DELETE`

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::instant::format_second;
use presence_runtime::clock::Clock as _;
use presence_store::AuditSource;
use presence_store::schema::API_KEYS;
use presence_tests::{Fixtures, Reply, TestStack, send};
use serde_json::{Value, json};

use super::fixture::{Case, CaseRunner, call, delete, get, post};

const NOT_OTHERS: &str = "a BUSINESS_MANAGER may not manage the keys of users other than itself";
const CIDR: &str = "must have networks in CIDR notation only, such as 203.0.113.0/24, 203.0.113.7/32 or 2001:db8::/32";

pub(super) fn cases() -> Vec<Case> {
    [mistakes(), rights(), paths()].concat()
}

/// Returns mistakes that neither `robustness` has, with each type of value in each field, nor the page of `mistakes`, with each limit.
fn mistakes() -> Vec<Case> {
    let own = "/user/<admin_1>/keys";
    let choices = r#"{"access":{"explanation":"is not one of the choices","choices":["all","read"]}}"#;
    let too_long = r#"{"label":"a","allowed_networks":["203.0.113.0/33"]}"#;
    let rotate = "/user/<admin_1>/keys/<admin_1.key_id>/rotate";
    vec![
        post("an access in another case", own, r#"{"label":"a","access":"Read"}"#).bad_fields(choices),
        post("a prefix that is too long", own, too_long).bad_field("allowed_networks", CIDR),
        post("a parameter", "/user/<admin_1>/keys?label=a", r#"{"label":"a"}"#).unknown_parameter("label"),
        post("all mistakes at once", own, r#"{"expires_at":1,"foo":1}"#).bad_fields(
            r#"{"expires_at":"must be a string","foo":"is not a field of this operation","label":"is required"}"#,
        ),
        post("an overlap of more than a week", rotate, r#"{"overlap_seconds":604801}"#)
            .bad_field("overlap_seconds", "must be an integer from 0 to 604800"),
        post("label is no field of a rotation", rotate, r#"{"label":"a"}"#)
            .bad_field("label", "is not a field of this operation"),
        get("no parameter of the list", "/user/<admin_1>/keys?page=1").unknown_parameter("page"),
        delete("no parameter of a revocation", "/user/<admin_1>/keys/<admin_1.key_id>?force=1")
            .unknown_parameter("force"),
    ]
}

fn rights() -> Vec<Case> {
    vec![
        post("403 before bad fields", "/user/<admin_1>/keys", "{}").by("manager_1").forbidden(NOT_OTHERS),
        post("403 before the state of the owner", "/user/<invited_1>/keys", "{}").by("manager_1").forbidden(NOT_OTHERS),
        delete("403 before the 404 of a key", "/user/<admin_1>/keys/x").by("manager_1").forbidden(NOT_OTHERS),
        delete("403 of a key that exists", "/user/<admin_1>/keys/<admin_1.key_id>")
            .by("manager_1")
            .forbidden(NOT_OTHERS),
        post("no key of a PROVIDER, though visible", "/user/<provider_in_1>/keys", r#"{"label":"a"}"#)
            .forbidden("an ORG_ADMIN may not manage the keys of users with the role PROVIDER"),
        get("no keys of another organisation", "/user/<manager_2>/keys").not_found(),
        delete("a key of another organisation", "/user/<manager_2>/keys/<manager_2.key_id>").not_found(),
        get("401 before 404", "/user/1/keys").by("").unauthenticated(),
    ]
}

fn paths() -> Vec<Case> {
    vec![
        delete("a key of another user", "/user/<manager_1>/keys/<admin_1.key_id>").not_found(),
        delete("an unknown key", "/user/<admin_1>/keys/<admin_1>-000000000000").not_found(),
        delete("a malformed key", "/user/<admin_1>/keys/x").not_found(),
        delete("404 of a key before a bad parameter", "/user/<admin_1>/keys/x?force=1").not_found(),
        post("an unknown key before bad fields", "/user/<admin_1>/keys/x/rotate", r#"{"a":1}"#).not_found(),
        call("no other method of the list", "PUT", "/user/<admin_1>/keys").not_allowed("GET, HEAD, POST"),
        call("no other method of a key", "GET", "/user/<admin_1>/keys/<admin_1.key_id>").not_allowed("DELETE"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_keys_gets_its_answer_and_effect() {
    let mut runner = CaseRunner::start().await;
    for name in ["admin_1", "manager_2"] {
        let id = runner.stack.newest_key(runner.value(name)).await;
        runner.define(&format!("{name}.key_id"), &id);
    }
    runner.run(&cases()).await;
}

/// Keys of a user, by the caller with a key.
struct Keys<'a> {
    stack: &'a TestStack,
    owner: &'a str,
    key: &'a str,
}

impl Keys<'_> {
    fn path(&self) -> String {
        format!("/user/{}/keys", self.owner)
    }

    async fn list(&self) -> Vec<Value> {
        let reply = self.stack.get(&self.path(), self.key).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()["keys"].as_array().expect("keys").clone()
    }

    async fn create(&self, body: &Value) -> Reply {
        self.stack.post(&self.path(), self.key, body).await
    }

    async fn rotate(&self, id: &Value, body: &Value) -> Reply {
        self.stack.post(&format!("{}/{}/rotate", self.path(), text(id)), self.key, body).await
    }

    async fn revoke(&self, id: &Value) -> Reply {
        self.stack.delete(&format!("{}/{}", self.path(), text(id)), self.key).await
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_shown_once_and_listed_until_90_days_after_its_end() {
    let (stack, fixtures) = Fixtures::start().await;
    let keys = Keys { stack: &stack, owner: &fixtures.manager_1.id, key: &fixtures.admin_1.key };
    stack.clock.advance(SignedDuration::from_secs(1));
    let created = keys
        .create(&json!({"label": " till\u{7} 1 ", "access": "read", "expires_at": "2026-06-01T02:00:00.9+02:00",
            "allowed_networks": ["127.0.0.0/8", "::ffff:127.0.0.0/104", "2001:DB8::/32"]}))
        .await;
    assert_eq!(created.status, 200, "{}", created.text);
    let mut shown = created.json();
    let plain = shown["key"].take();
    let created_at = format_second(stack.clock.now().as_second());
    let mut expected = json!({"id": shown["id"], "label": "till 1", "access": "read", "allowed_networks": ["127.0.0.0/8", "2001:db8::/32"],
        "created_at": created_at, "expires_at": "2026-06-01T00:00:00+00:00", "last_used_at": null, "revoked_at": null});
    shown.as_object_mut().expect("an object").remove("key");
    assert_eq!(shown, expected);
    assert_eq!(stack.get("/user/me", text(&plain)).await.json()["id"], fixtures.manager_1.id);
    expected["last_used_at"] = json!(format!("{}:00:00+00:00", &created_at[..13]));
    let listed = keys.list().await;
    assert_eq!((listed.len(), &listed[0]), (2, &expected), "the newest first");
    assert!(!stack.snapshot().await.iter().any(|item| item.contains(text(&plain))), "nothing keeps the key");

    for _ in 0..2 {
        let revoked = keys.revoke(&shown["id"]).await;
        assert_eq!(revoked.json(), json!({"status": "success", "id": shown["id"]}), "{}", revoked.text);
        assert_eq!(keys.list().await[0]["revoked_at"], created_at);
        stack.clock.advance(SignedDuration::from_secs(60));
    }
    assert_eq!(stack.get("/user/me", text(&plain)).await.status, 401);
    assert_eq!(keys.rotate(&shown["id"], &json!({})).await.status, 400, "it gives no access any more");
    stack.clock.advance(SignedDuration::from_hours(90 * 24) - SignedDuration::from_secs(121));
    assert_eq!(keys.list().await.len(), 2);
    stack.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(keys.list().await.len(), 1, "90 days after its end");
    let records = stack.records(AuditSource::Actor(fixtures.admin_1.id.clone())).await;
    let mut actions: Vec<_> = records.iter().map(|record| record.action.as_str()).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["issue_key", "revoke_key"], "the second revocation changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_expired_is_listed_for_90_days_and_deleted_with_the_next_one() {
    let (stack, fixtures) = Fixtures::start().await;
    let keys = Keys { stack: &stack, owner: &fixtures.manager_1.id, key: &fixtures.admin_1.key };
    let ends_at = format_second(stack.clock.now().as_second() + 60);
    let created = keys.create(&json!({"label": "short", "expires_at": ends_at})).await.json();
    let hash = PlaintextApiKey::parse(text(&created["key"])).expect("a key").hash();
    for (seconds, listed) in [(61, 2), (90 * 24 * 3_600, 1)] {
        stack.clock.advance(SignedDuration::from_secs(seconds));
        assert_eq!(keys.list().await.len(), listed);
    }
    assert!(stack.stores().api_keys.get(&hash).await.expect("an answer").is_some());
    assert_eq!(keys.create(&json!({"label": "next"})).await.status, 200);
    assert!(stack.stores().api_keys.get(&hash).await.expect("an answer").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_has_five_live_keys_and_may_rotate_each() {
    let (stack, fixtures) = Fixtures::start().await;
    // A key in its overlap makes no key that outlives it: an ORG_ADMIN rotates them.
    let keys = Keys { stack: &stack, owner: &fixtures.manager_1.id, key: &fixtures.admin_1.key };
    for number in 2..=5 {
        assert_eq!(keys.create(&json!({"label": format!("key {number}")})).await.status, 200);
    }
    let refused = keys.create(&json!({"label": "key 6"})).await;
    let too_many = |live: usize| json!({"errors": {"json": format!("the user has {live} keys that give access, and may have no more: revoke one first")}});
    assert_eq!((refused.status, refused.json()), (400, too_many(5)));
    let mut newest = Value::Null;
    for key in keys.list().await {
        let rotated = keys.rotate(&key["id"], &json!({"overlap_seconds": 60})).await;
        assert_eq!((rotated.status, &rotated.json()["label"]), (200, &key["label"]), "{}", rotated.text);
        assert_eq!(stack.get("/user/me", text(&rotated.json()["key"])).await.status, 200);
        newest = rotated.json()["id"].clone();
    }
    assert_eq!(keys.list().await.len(), 10);
    let refused = keys.rotate(&newest, &json!({})).await;
    assert_eq!((refused.status, refused.json()), (400, too_many(10)));
    stack.clock.advance(SignedDuration::from_secs(60));
    assert_eq!(stack.get("/user/me", &fixtures.manager_1.key).await.status, 401, "the overlap is over");
    let at_once = keys.rotate(&newest, &json!({"overlap_seconds": 0})).await;
    assert_eq!(at_once.status, 200, "five live keys: {}", at_once.text);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_that_is_rotated_again_and_again_leaves_five() {
    let (stack, fixtures) = Fixtures::start().await;
    let keys = Keys { stack: &stack, owner: &fixtures.manager_1.id, key: &fixtures.admin_1.key };
    let first = keys.list().await[0]["id"].clone();
    for _ in 0..5 {
        assert_eq!(keys.rotate(&first, &json!({})).await.status, 200);
    }
    let refused = keys.rotate(&first, &json!({})).await;
    assert_eq!((refused.status, keys.list().await.len()), (400, 6), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_makes_no_key_that_may_more_than_itself() {
    let (stack, fixtures) = Fixtures::start().await;
    let (owner, admin) = (&fixtures.admin_1.id, &fixtures.admin_1.key);
    let keys = Keys { stack: &stack, owner, key: admin };
    let limited = json!({"label": "office", "allowed_networks": ["127.0.0.0/8"], "expires_at": "2026-06-01"});
    let limited = keys.create(&limited).await.json();
    let by_limited = Keys { key: text(&limited["key"]), ..keys };
    let more =
        |what: &str| json!({"errors": {"authorization": format!("this key may not make a key {what} than itself")}});
    for (body, expected) in [
        (json!({"label": "a", "allowed_networks": []}), more("for more networks")),
        (json!({"label": "a", "allowed_networks": ["127.0.0.0/8", "10.0.0.0/8"]}), more("for more networks")),
        (json!({"label": "a", "expires_at": "2026-06-02"}), more("that ends later")),
        (json!({"allowed_networks": []}), more("for more networks")),
    ] {
        let refused = by_limited.create(&body).await;
        assert_eq!((refused.status, refused.json()), (403, expected));
    }
    let made = by_limited.create(&json!({"label": "b"})).await.json();
    assert_eq!(
        (&made["expires_at"], &made["allowed_networks"]),
        (&limited["expires_at"], &limited["allowed_networks"])
    );
    // The key of the fixtures has no label.
    let free = keys.list().await.into_iter().find(|key| key["label"].is_null()).expect("the first key")["id"].clone();
    let refused = by_limited.rotate(&free, &json!({})).await;
    assert_eq!((refused.status, refused.json()), (403, more("for more networks")));
    let itself = by_limited.rotate(&limited["id"], &json!({"overlap_seconds": 0})).await;
    assert_eq!((itself.status, &itself.json()["expires_at"]), (200, &limited["expires_at"]));
    assert_eq!(by_limited.create(&json!({"label": "c"})).await.status, 401, "its overlap is over");
    let ends_itself = Keys { stack: &stack, owner, key: text(&made["key"]) };
    assert_eq!(ends_itself.revoke(&made["id"]).await.status, 200);
    assert_eq!(ends_itself.revoke(&made["id"]).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_gets_the_answer_without_the_key_which_nothing_keeps() {
    let (stack, fixtures) = Fixtures::start().await;
    let path = format!("/user/{}/keys", fixtures.manager_1.id);
    let send_once = |path: String, body: Value| {
        let request =
            stack.request("POST", &path).header("x-api-key", &fixtures.admin_1.key).header("idempotency-key", "once");
        send(request.header("content-type", "application/json").body(body.to_string()))
    };
    let created = send_once(path.clone(), json!({"label": "a"})).await;
    let rotate = format!("{path}/{}/rotate", text(&created.json()["id"]));
    let rotated = send_once(rotate.clone(), json!({})).await;
    for (path, body, first) in [(path, json!({"label": "a"}), &created), (rotate, json!({}), &rotated)] {
        let again = send_once(path, body).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (200, "true"), "{}", again.text);
        let mut expected = first.json();
        assert_eq!(stack.get("/user/me", text(&expected["key"])).await.status, 200);
        let items = stack.items(&stack.stores().database.name(&API_KEYS)).await;
        assert!(!items.iter().any(|item| item.contains(text(&expected["key"]))));
        expected["key"] = Value::Null;
        assert_eq!(again.json(), expected);
    }
    assert_eq!(stack.stored(&fixtures.manager_1.id).await.expect("a user").user.keys.len(), 3, "made once each");
}
