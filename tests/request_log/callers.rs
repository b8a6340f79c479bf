//! Caller, key, organisation and role in the line of a request.

use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::ids::UserId;
use presence_domain::key_rights::KeyRights;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::NewApiKey;
use presence_tests::{Fixtures, TestUser};
use serde_json::{Value, json};

use super::line;

/// Returns the fields of a line that say who called.
fn identity(line: &Value) -> [&Value; 4] {
    ["caller", "key_id", "org_id", "role"].map(|name| &line[name])
}

fn key_id(user: &TestUser) -> String {
    let key = PlaintextApiKey::parse(&user.key).expect("a key");
    ApiKeyId::new(UserId::parse(&user.id).expect("an id"), &key.hash()).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn line_names_the_caller_its_key_its_organisation_and_its_role() {
    let (stack, fixtures) = Fixtures::start().await;
    let callers = [
        (&fixtures.provider, Value::Null, "PROVIDER"),
        (&fixtures.admin_1, json!(1), "ORG_ADMIN"),
        (&fixtures.manager_2, json!(2), "BUSINESS_MANAGER"),
    ];
    // The second time the key is known: operations then start before it is verified.
    for path in ["/user/me", "/user/me", "/category/search?lang=FR", "/reviews", "/user/search", "/user/search"] {
        for (user, org, role) in &callers {
            let line = line(&stack.get(path, &user.key).await);
            let expected = [&json!(user.id), &json!(key_id(user)), org, &json!(role)];
            assert_eq!(identity(&line), expected, "{path}: {line}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn line_of_a_refused_operation_names_its_caller() {
    let (stack, fixtures) = Fixtures::start().await;
    let manager = &fixtures.manager_1;
    let refused = stack.delete(&format!("/user/{}", fixtures.admin_1.id), &manager.key).await;
    assert_eq!(refused.status, 403);
    assert_eq!(identity(&line(&refused))[..2], [&json!(manager.id), &json!(key_id(manager))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn line_of_a_401_names_the_key_if_it_is_known_and_never_a_caller() {
    let (stack, fixtures) = Fixtures::start().await;
    let owner = UserId::parse(&fixtures.admin_1.id).expect("an id");
    let issue = |expires_at| {
        let new = NewApiKey { rights: KeyRights { expires_at, ..KeyRights::default() }, ..NewApiKey::default() };
        let users = stack.stores().users.clone();
        let now = stack.clock.now();
        async move { users.issue_key(owner, &new, &presence_tests::operator(), now).await.expect("an active user") }
    };
    let (revoked, expired) = (issue(None).await, issue(Some(stack.clock.now())).await);
    stack
        .stores()
        .users
        .revoke_key(revoked.id, &presence_tests::operator(), stack.clock.now())
        .await
        .expect("a live key");
    let demoted = stack.create_user("made-invited", Role::OrgAdmin, Some(1), Status::Active).await;
    let path = format!("/user/{}", demoted.id);
    assert_eq!(stack.post(&path, &fixtures.admin_1.key, &json!({"status": "invited"})).await.status, 200);
    let unknown = PlaintextApiKey::generate();
    let cases = [
        (revoked.key.expose(), json!(revoked.id.to_string())),
        (expired.key.expose(), json!(expired.id.to_string())),
        (&demoted.key, json!(key_id(&demoted))),
        (unknown.expose(), Value::Null),
        ("no key at all", Value::Null),
        ("", Value::Null),
    ];
    for path in ["/user/me", "/category/search", "/reviews"] {
        for (key, id) in &cases {
            let refused = stack.get(path, key).await;
            assert_eq!(refused.status, 401);
            assert_eq!(identity(&line(&refused)), [&Value::Null, id, &Value::Null, &Value::Null], "{path}");
        }
    }
}
