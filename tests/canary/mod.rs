//! Canaries: values that the log must never show, sent through every operation and every way for it to fail.

mod leaks;
mod refusals;
mod requests;

use std::sync::atomic::{AtomicU64, Ordering};

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;
use presence_store::ReviewWrite;
use presence_tests::logs::{self, NAME_CANARY, PHONE_CANARY};
use presence_tests::{AnyRoute, Fixtures, Reply, TestStack, address, path_of, send};
use serde_json::{Value, json};

use crate::api::categories::{load, parse};
use crate::api::reviews::fixtures::{post, posted};

/// What the line of a request tells, and nothing else.
const FIELDS: [&str; 11] = [
    "calls",
    "duration_ms",
    "level",
    "message",
    "operation",
    "read_units",
    "request_id",
    "status",
    "target",
    "timestamp",
    "write_units",
];

/// The answer has the status, and its line in the log the documented fields.
#[track_caller]
fn assert_logged(reply: &Reply, operation: &str, status: u16) {
    assert_eq!(reply.status, status, "{operation}: {}", reply.text);
    let line = logs::request_line(reply.header("x-request-id"));
    let mut fields: Vec<&str> = line.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(fields, FIELDS, "{operation}");
    assert_eq!((&line["operation"], &line["status"]), (&json!(operation), &json!(status)));
}

/// A number that no other request of this process has.
fn fresh() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// A user whose every field is a canary.
fn body(local: &str) -> Value {
    json!({
        "email": address(local), "first_name": format!("{NAME_CANARY} Ada"), "last_name": format!("Lovelace {NAME_CANARY}"),
        "password": "canary-pass-1", "phone": format!("{PHONE_CANARY}1"), "lang": "fr",
    })
}

/// What the routes need to be answered 200: a category and a review that are canaries, and a directory in memory.
async fn seed(stack: &TestStack, fixtures: &Fixtures) {
    let category = format!(r#"{{"id":"{NAME_CANARY}","code":"{NAME_CANARY}","names":{{"GB":"{NAME_CANARY}"}}}}"#);
    load(stack.stores(), parse(&category)).await;
    assert_eq!(stack.get("/category/search?lang=GB", &fixtures.admin_1.key).await.status, 200);
    stack.create_business(1, NAME_CANARY, NAME_CANARY).await;
    stack.stores().reviews.register_org_with_reviews(OrgId::new(1).expect("an id")).await.expect("the store answers");
    let said = || Some(format!("{NAME_CANARY} of {}", address("author")));
    let business_id = BusinessId::parse(NAME_CANARY).expect("an id");
    let (title, content, link) = (said(), said(), said());
    let new = Review { business_id, author_name: said(), title, content, link, ..posted("a") };
    post(stack, vec![ReviewWrite { old: None, new }]).await;
}

/// Asks for the operation with canaries wherever it takes a value. `extra`, if anything, is put behind the path.
async fn ask(stack: &TestStack, key: &str, id: &str, route: &AnyRoute, extra: &str) -> Reply {
    let query = match route.name {
        "search_users" => format!("query={NAME_CANARY}&last_name={NAME_CANARY}&email={}", address("nobody")),
        "search_categories" => format!("lang=GB&name={NAME_CANARY}"),
        "get_category" => "lang=GB".to_owned(),
        "search_reviews" => format!("business__in={NAME_CANARY}&business__in={}", address("nobody")),
        _ => String::new(),
    };
    let path = path_of(route, id, NAME_CANARY);
    let request = stack.request(route.method, &format!("{path}?{query}&{extra}")).header("x-api-key", key);
    let local = match route.name {
        "create_user" => format!("new-{}", fresh()),
        "update_user" => format!("changed-{}", fresh()),
        _ => return send(request).await,
    };
    send(request.header("content-type", "application/json").body(body(&local).to_string())).await
}

/// A guest of organisation 1 to be acted upon: invited, and of no other use.
async fn guest(stack: &TestStack, fixtures: &Fixtures) -> String {
    let mut body = body(&format!("guest-{}", fresh()));
    body["status"] = json!("invited");
    body["send_invitation"] = json!(false);
    let created = stack.post("/user", &fixtures.admin_1.key, &body).await;
    created.json()["id"].as_str().expect("an id").to_owned()
}
