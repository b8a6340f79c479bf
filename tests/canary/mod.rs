//! Canaries: values that must never be logged, sent through every operation and every failure of it.

mod leaks;
mod refusals;
mod request_lines;
mod requests;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;
use presence_domain::user::{Role, Status};
use presence_store::ReviewWrite;
use presence_tests::logs::{self, NAME_CANARY, PHONE_CANARY};
use presence_tests::{AnyRoute, Fixtures, Reply, TestStack, address, no_key_of, path_of, send};
use serde_json::{Value, json};

use crate::api::categories::{load, parse};
use crate::api::reviews::fixtures::{seeded_review, write_reviews};

/// Fields that the log line of every request has.
pub(crate) const LOGGED_FIELDS: [&str; 16] = [
    "calls",
    "cold_start",
    "duration_ms",
    "function_version",
    "gateway_request_id",
    "level",
    "message",
    "operation",
    "read_units",
    "request_id",
    "status",
    "status_class",
    "timestamp",
    "version",
    "waves",
    "write_units",
];
/// Fields that a line has if they are known. It has no others.
pub(crate) const OPTIONAL_FIELDS: [&str; 9] =
    ["bad_fields", "caller", "client_request_id", "error", "key_id", "org_id", "replayed", "role", "trace_id"];

/// Asserts the status of the answer, and the documented fields of its log line.
#[track_caller]
fn assert_logged(reply: &Reply, operation: &str, status: u16) {
    assert_eq!(reply.status, status, "{operation}: {}", reply.text);
    let line = logs::request_line(reply.header("x-request-id"));
    let fields: BTreeSet<&str> = line.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let (always, optional) = (BTreeSet::from(LOGGED_FIELDS), BTreeSet::from(OPTIONAL_FIELDS));
    assert!(fields.is_superset(&always), "{operation}: {fields:?}");
    assert_eq!(
        fields.difference(&always).filter(|name| !optional.contains(**name)).count(),
        0,
        "{operation}: {fields:?}"
    );
    assert_eq!(fields.contains("error"), status >= 400, "{operation}: {fields:?}");
    assert_eq!((&line["operation"], &line["status"]), (&json!(operation), &json!(status)));
}

/// Returns a number that no other request of this process has.
fn next_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// Returns the body of a user with a canary in every field.
fn body(local: &str) -> Value {
    json!({
        "email": address(local), "first_name": format!("{NAME_CANARY} Ada"), "last_name": format!("Lovelace {NAME_CANARY}"),
        "password": "canary-pass-1", "phone": format!("{PHONE_CANARY}1"), "lang": "fr",
    })
}

/// Stores a category, a business and a review with canaries, and loads the directory of categories into memory.
async fn seed(stack: &TestStack, fixtures: &Fixtures) {
    let category = format!(r#"{{"id":"{NAME_CANARY}","code":"{NAME_CANARY}","names":{{"GB":"{NAME_CANARY}"}}}}"#);
    load(stack.stores(), parse(&category)).await;
    assert_eq!(stack.get("/category/search?lang=GB", &fixtures.admin_1.key).await.status, 200);
    stack.create_business(1, NAME_CANARY, NAME_CANARY).await;
    stack.stores().reviews.register_org_with_reviews(OrgId::new(1).expect("an id")).await.expect("the store answers");
    let canary = Some(format!("{NAME_CANARY} of {}", address("author")));
    let business_id = BusinessId::parse(NAME_CANARY).expect("an id");
    let new = Review {
        business_id,
        author_name: canary.clone(),
        title: canary.clone(),
        content: canary.clone(),
        link: canary,
        ..seeded_review("a")
    };
    write_reviews(stack, vec![ReviewWrite { old: None, new }]).await;
}

/// Calls the operation with a canary in every value. `extra` is appended to the query.
async fn call(stack: &TestStack, key: &str, id: &str, route: &AnyRoute, extra: &str) -> Reply {
    let query = match route.name {
        "search_users" => format!("query={NAME_CANARY}&last_name={NAME_CANARY}&email={}", address("nobody")),
        "search_businesses" => format!("query={NAME_CANARY}&city={NAME_CANARY}"),
        "list_events" => "after=now".to_owned(),
        "search_categories" => format!("lang=GB&name={NAME_CANARY}"),
        "get_category" => "lang=GB".to_owned(),
        "search_reviews" | "get_review_stats" => {
            format!("business__in={NAME_CANARY}&business__in={}", address("nobody"))
        }
        _ => String::new(),
    };
    stack.seed_webhook().await;
    let path = path_of(route, id, NAME_CANARY).replace(&no_key_of(id), &stack.newest_key(id).await);
    let request = stack.request(route.method, &format!("{path}?{query}&{extra}")).header("x-api-key", key);
    let body = match route.name {
        "create_user" => body(&format!("new-{}", next_number())),
        "update_user" => body(&format!("changed-{}", next_number())),
        "create_key" => json!({ "label": NAME_CANARY }),
        "rotate_key" => json!({}),
        "set_review_state" => json!({"state": "not_treated"}),
        "put_reply" => json!({ "content": NAME_CANARY }),
        "report_reply_outcome" => json!({"version": 1, "outcome": "rejected", "reason": NAME_CANARY}),
        "create_webhook" => {
            json!({"url": format!("https://{NAME_CANARY}.example/{NAME_CANARY}"), "label": NAME_CANARY})
        }
        "update_webhook" => json!({ "label": format!("{NAME_CANARY} {}", next_number()) }),
        "replay_webhook" => json!({"after": "1-0"}),
        _ => return send(request).await,
    };
    send(request.header("content-type", "application/json").body(body.to_string())).await
}

/// Creates the target of a call, and returns its id: a user with a key for an operation on keys, and else an invited one.
async fn create_target_of(route: &AnyRoute, stack: &TestStack, fixtures: &Fixtures) -> String {
    if !route.path.contains("/keys") {
        return create_target(stack, fixtures).await;
    }
    let local = format!("with-key-{}", next_number());
    stack.create_user(&local, Role::BusinessManager, Some(1), Status::Active).await.id
}

/// Returns the key of a caller who may do the operation.
fn key_for<'a>(fixtures: &'a Fixtures, route: &AnyRoute) -> &'a str {
    if route.name == "report_reply_outcome" { &fixtures.provider.key } else { &fixtures.admin_1.key }
}

/// Creates an invited user of organisation 1, the target of a call, and returns its id.
async fn create_target(stack: &TestStack, fixtures: &Fixtures) -> String {
    let mut body = body(&format!("guest-{}", next_number()));
    body["status"] = json!("invited");
    body["send_invitation"] = json!(false);
    let created = stack.post("/user", &fixtures.admin_1.key, &body).await;
    created.json()["id"].as_str().expect("an id").to_owned()
}
