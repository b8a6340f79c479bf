//! Matrix of every operation, every caller and every target.

use presence_domain::user::{Role, Status};
use presence_tests::{Fixtures, Reply, StoredUser, TestStack, route, routes};
use rstest::rstest;
use serde_json::{Value, json};

use super::expected_policy::{ON_NO_USER, Operation, Verdict, creation_verdict};
use super::requests::{Caller, NOT_FOUND, Target, call, newcomer};
use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;
use crate::api::send_all;

/// Cell of the matrix: one operation on one target, as a request.
#[derive(Clone, Debug)]
struct MatrixCell {
    operation: Operation,
    target: Target,
    body: Value,
    verdict: Verdict,
}

impl MatrixCell {
    /// Returns the cells of a caller.
    fn all(caller: Caller) -> Vec<Self> {
        let mut cells = Vec::new();
        for operation in Operation::ALL {
            for target in Target::all(caller) {
                let verdict = operation.verdict(caller.role(), target.relation(caller));
                let bodies = bodies(operation, target).into_iter();
                cells.extend(bodies.map(|body| Self { operation, target, body, verdict }));
            }
        }
        cells
    }

    async fn send(&self, stack: &TestStack, id: &str, key: &str) -> Reply {
        call(stack, &route(self.operation.route()), id, key, &self.body).await
    }

    /// Returns the status of an allowed call, which depends on the state of the target only.
    fn allowed_status(&self) -> u16 {
        match (self.operation, self.target.status()) {
            (Operation::Invite, Status::Active) | (Operation::CreateKey, Status::Invited) => 400,
            // An invited user has no key.
            (Operation::RotateKey | Operation::RevokeKey, Status::Invited) => 404,
            _ => 200,
        }
    }
}

/// Returns the bodies of an operation: for an update one for each field.
fn bodies(operation: Operation, target: Target) -> Vec<Value> {
    let other_role = if target.role() == Role::BusinessManager { Role::OrgAdmin } else { Role::BusinessManager };
    let other_org = if target.org() == Some(1) { 2 } else { 1 };
    let business = target.org().map(|org| json!({"business_ids": [format!("b{org}-1")]}));
    let role = match target.org() {
        Some(_) => json!({"role": other_role.as_str()}),
        // Only a PROVIDER may have no organisation.
        None => json!({"role": other_role.as_str(), "org_id": 1}),
    };
    let status = match target.status() {
        Status::Active => json!({"status": "invited"}),
        Status::Invited => json!({"status": "active", "password": "canary-pass-1"}),
    };
    let present = json!({
        "role": target.role().as_str(), "status": target.status().as_str(), "org_id": target.org(), "business_ids": [],
    });
    match operation {
        Operation::Update => vec![json!({"last_name": "Changed"}), present],
        Operation::ChangeMembership => [Some(role), Some(status), business].into_iter().flatten().collect(),
        Operation::Move => vec![json!({"org_id": other_org})],
        Operation::CreateKey => vec![json!({"label": "till"})],
        Operation::RotateKey => vec![json!({})],
        Operation::Get | Operation::Delete | Operation::Invite | Operation::ListKeys | Operation::RevokeKey => {
            vec![Value::Null]
        }
    }
}

#[rstest]
#[case::provider_without_an_organisation(Caller::Provider)]
#[case::provider_in_an_organisation(Caller::ProviderIn1)]
#[case::org_admin(Caller::Admin)]
#[case::business_manager(Caller::Manager)]
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_has_its_exact_status_and_changes_nothing(#[case] caller: Caller) {
    let (stack, fixtures) = Fixtures::start().await;
    let myself = caller.user(&fixtures);
    let mut refused = Vec::new();
    for target in Target::all(caller) {
        let id = target.create(&stack, myself).await;
        let cells = MatrixCell::all(caller)
            .into_iter()
            .filter(|cell| cell.target == target && cell.verdict != Verdict::Allowed);
        refused.extend(cells.map(|cell| (cell, id.clone())));
    }
    assert!(refused.len() >= 70, "{} cells", refused.len());
    let before = stack.snapshot().await;
    let calls = refused.iter().map(|(cell, id)| cell.send(&stack, id, &myself.key)).collect();
    for ((cell, _), reply) in refused.iter().zip(send_all(calls).await) {
        match cell.verdict {
            Verdict::Hidden => assert_eq!((reply.status, reply.text.as_str()), (404, NOT_FOUND), "{cell:?}"),
            _ => assert_forbidden(&reply, &format!("{cell:?}")),
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

/// Asserts a 403 in its envelope.
pub(super) fn assert_forbidden(reply: &Reply, what: &str) {
    assert_eq!(reply.status, 403, "{what}: {}", reply.text);
    let body = reply.json();
    let errors = body["errors"].as_object().expect("an envelope");
    assert!(errors.len() == 1 && errors["authorization"].is_string(), "{what}: {body}");
}

#[rstest]
#[case::provider_without_an_organisation(Caller::Provider)]
#[case::provider_in_an_organisation(Caller::ProviderIn1)]
#[case::org_admin(Caller::Admin)]
#[case::business_manager(Caller::Manager)]
#[tokio::test(flavor = "multi_thread")]
async fn an_allowed_call_has_its_effect(#[case] caller: Caller) {
    let (stack, fixtures) = Fixtures::start().await;
    let myself = caller.user(&fixtures);
    let allowed = MatrixCell::all(caller).into_iter().filter(|cell| cell.verdict == Verdict::Allowed);
    for cell in allowed {
        let id = cell.target.create(&stack, myself).await;
        let before = stack.stored(&id).await.expect("a fresh user");
        let reply = cell.send(&stack, &id, &myself.key).await;
        assert_eq!(reply.status, cell.allowed_status(), "{cell:?}: {}", reply.text);
        assert_effect(&cell, &reply, &before, stack.stored(&id).await);
    }
    assert_eq!(stack.audit().await, []);
}

/// Asserts that the allowed call had its effect on the stored user.
fn assert_effect(cell: &MatrixCell, reply: &Reply, before: &StoredUser, after: Option<StoredUser>) {
    if cell.operation == Operation::Delete {
        assert!(after.is_none(), "{cell:?}");
        return;
    }
    let after = after.expect("it is still there");
    let user = &after.user;
    match cell.operation {
        Operation::Get => assert_eq!(reply.json()["email"], user.email.as_str(), "{cell:?}"),
        Operation::ListKeys => {
            let keys = reply.json()["keys"].as_array().map(Vec::len);
            assert_eq!(keys, Some(user.keys.len()), "{cell:?}");
        }
        Operation::CreateKey | Operation::RotateKey => {
            assert_eq!(user.keys.len() - before.user.keys.len(), usize::from(reply.status == 200), "{cell:?}");
        }
        Operation::RevokeKey => assert_eq!(user.keys, before.user.keys, "{cell:?}"),
        Operation::Invite => {
            let mails = usize::from(cell.target.status() == Status::Invited);
            assert_eq!((after.mails.len(), user.invited_at.is_some()), (mails, mails == 1), "{cell:?}");
        }
        _ => {
            let sent = cell.body.as_object().expect("an update has a body");
            let orgs = user.org_id.map(presence_domain::ids::OrgId::get);
            let businesses: Vec<_> = user.business_ids.iter().map(presence_domain::ids::BusinessId::as_str).collect();
            let now = json!({
                "last_name": user.last_name.as_str(), "role": user.role.as_str(), "status": user.status.as_str(),
                "org_id": orgs, "business_ids": businesses, "password": "canary-pass-1",
            });
            assert!(sent.iter().all(|(field, value)| now[field] == *value), "{cell:?}: {now}");
            let is_no_change = sent.contains_key("role") && sent.contains_key("status");
            assert_eq!(user.version == before.user.version, is_no_change, "{cell:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_without_a_target_are_allowed_as_in_the_table() {
    let (stack, fixtures) = Fixtures::start().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    seed(&stack).await;
    for route in routes().iter().filter(|route| !route.path.contains("{user_id}")) {
        let (_, verdicts) = ON_NO_USER.iter().find(|row| row.0 == route.name).expect("a row for each route");
        for caller in Caller::ALL {
            let body = match route.name {
                "set_review_state" => json!({"state": "treated"}),
                "put_reply" => json!({"content": "Merci"}),
                "report_reply_outcome" => json!({"version": 1, "outcome": "published"}),
                "create_webhook" => json!({"url": "https://example.com/", "org_id": 1}),
                "update_webhook" => json!({"label": "till"}),
                "replay_webhook" => json!({"after": "1-0"}),
                _ => {
                    let mut body = newcomer();
                    body["org_id"] = json!(1);
                    body
                }
            };
            let verdict = verdicts[Role::ALL.iter().position(|role| *role == caller.role()).expect("a column")];
            stack.seed_webhook().await;
            let reply = call(&stack, route, "", &caller.user(&fixtures).key, &body).await;
            match verdict {
                Verdict::Allowed => assert_eq!(reply.status, 200, "{} by {caller:?}: {}", route.name, reply.text),
                _ => assert_forbidden(&reply, &format!("{} by {caller:?}", route.name)),
            }
        }
    }
}

#[rstest]
#[case::provider_without_an_organisation(Caller::Provider)]
#[case::provider_in_an_organisation(Caller::ProviderIn1)]
#[case::org_admin(Caller::Admin)]
#[case::business_manager(Caller::Manager)]
#[tokio::test(flavor = "multi_thread")]
async fn no_caller_creates_above_its_role_or_beyond_its_organisation(#[case] caller: Caller) {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &caller.user(&fixtures).key;
    for org in [None, Some(1), Some(2)] {
        for role in [None].into_iter().chain(Role::ALL.map(Some)) {
            let mut body = newcomer();
            body["org_id"] = json!(org);
            body["role"] = json!(role.map(Role::as_str));
            let (becomes, lands_in) = (role.unwrap_or(Role::BusinessManager), org.or(caller.org()));
            let verdict = creation_verdict(caller.role(), becomes, lands_in != caller.org());
            let what = format!("{caller:?} creates {role:?} in {org:?}");
            let before = stack.snapshot().await;
            let reply = call(&stack, &route("create_user"), "", key, &body).await;
            if verdict != Verdict::Allowed {
                assert_forbidden(&reply, &what);
                assert_eq!(stack.snapshot().await, before, "{what}");
            } else if lands_in.is_none() && becomes != Role::Provider {
                assert_eq!(reply.text, r#"{"errors":{"json":{"org_id":"is required"}}}"#, "{what}");
                assert_eq!(stack.snapshot().await, before, "{what}");
            } else {
                assert_eq!(reply.status, 200, "{what}: {}", reply.text);
                let id = reply.json()["id"].as_str().expect("an id").to_owned();
                let shown = call(&stack, &route("get_user"), &id, &fixtures.provider.key, &Value::Null).await.json();
                assert_eq!((&shown["role"], &shown["org_id"]), (&json!(becomes.as_str()), &json!(lands_in)), "{what}");
            }
        }
    }
    assert_eq!(stack.audit().await, []);
}
