//! Canaries: values that the log must never show, sent through every operation and every way for it to fail.

mod planted;
mod refusals;
mod requests;

use std::sync::atomic::{AtomicU64, Ordering};

use presence_tests::logs::{self, NAME_CANARY, PHONE_CANARY};
use presence_tests::{Cast, Reply, World, address, send};
use presence_users::{Operation, ROUTES};
use serde_json::{Value, json};

/// What the line of a request tells, and nothing else.
const FIELDS: [&str; 12] = [
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
    "waves",
    "write_units",
];

/// The answer has the status, and its line in the log the documented fields.
#[track_caller]
fn assert_logged(reply: &Reply, operation: &str, status: u16) {
    assert_eq!(reply.status, status, "{operation}: {}", reply.text);
    let line = logs::of_request(reply.header("x-request-id"));
    let mut fields: Vec<&str> = line.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(fields, FIELDS, "{operation}");
    assert_eq!((&line["operation"], &line["status"]), (&json!(operation), &json!(status)));
}

fn name_of(operation: Operation) -> &'static str {
    ROUTES.iter().find(|route| route.operation == operation).expect("every operation has a route").name
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

/// Asks for the operation with canaries wherever it takes a value. `extra` is put behind the path.
async fn ask(world: &World, key: &str, id: &str, operation: Operation, extra: &str) -> Reply {
    let path = format!("/user/{id}");
    match operation {
        Operation::Me => world.get(&format!("/user/me{extra}"), key).await,
        Operation::Stats => world.get(&format!("/user/stats{extra}"), key).await,
        Operation::Get => world.get(&format!("{path}{extra}"), key).await,
        Operation::Search => {
            let filters = format!("query={NAME_CANARY}&last_name={NAME_CANARY}&email={}", address("nobody"));
            let mark = if extra.is_empty() { '?' } else { '&' };
            world.get(&format!("/user/search{extra}{mark}{filters}"), key).await
        }
        Operation::Create => world.post(&format!("/user{extra}"), key, &body(&format!("new-{}", fresh()))).await,
        Operation::Update => {
            let body = body(&format!("changed-{}", fresh()));
            world.post(&format!("{path}{extra}"), key, &body).await
        }
        Operation::Delete => world.delete(&format!("{path}{extra}"), key).await,
        Operation::Invite => {
            let request = world.request("POST", &format!("{path}/invite{extra}")).header("x-api-key", key);
            send(request).await
        }
    }
}

/// A guest of organisation 1 to be acted upon: invited, and of no other use.
async fn guest(world: &World, cast: &Cast) -> String {
    let mut body = body(&format!("guest-{}", fresh()));
    body["status"] = json!("invited");
    body["send_invitation"] = json!(false);
    let created = world.post("/user", &cast.admin_1.key, &body).await;
    created.json()["id"].as_str().expect("an id").to_owned()
}
