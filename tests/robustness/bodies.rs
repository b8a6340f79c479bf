//! Hostile values in every field of create and update, and as the whole body.

use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::user::User;
use presence_tests::{Fixtures, Reply, TestStack, address, send};
use serde_json::Value;

use super::hostile_values::{json_values, malformed_json};
use super::raw_http::RawRequest;
use super::{Origin, check_envelope};
use crate::api::send_all;

/// Fields of create in the interface, without the key, and an unknown one.
const CREATE: [&str; 12] = [
    "email",
    "first_name",
    "last_name",
    "lang",
    "status",
    "role",
    "org_id",
    "password",
    "send_invitation",
    "business_ids",
    "phone",
    "bogus",
];

/// Fields of update in the interface, without the key, and an unknown one.
const UPDATE: [&str; 11] = [
    "email",
    "first_name",
    "last_name",
    "lang",
    "status",
    "role",
    "org_id",
    "password",
    "business_ids",
    "phone",
    "bogus",
];

/// Returns the text of a value, or nothing if it has control characters.
fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.chars().any(char::is_control))
}

/// True if the field accepts this hostile value. None of the hostile values is an address, an organisation or a language.
fn is_valid(field: &str, value: &Value) -> bool {
    let characters = |text: &str| text.chars().count();
    match field {
        "first_name" | "last_name" => text(value).is_some_and(|text| (1..=100).contains(&characters(text.trim()))),
        "phone" => value.is_null() || text(value).is_some_and(|text| is_phone(text.trim())),
        "password" => value.is_null() || text(value).is_some_and(|text| text.len() <= 512 && is_password(text)),
        "business_ids" => {
            value.is_null() || *value == serde_json::json!([]) || *value == serde_json::json!(["b1-1", "b1-1"])
        }
        "send_invitation" => {
            let words = ["true", "false", "0", "1"];
            value.is_null()
                || value.is_boolean()
                || *value == 0
                || value.as_str().is_some_and(|text| words.contains(&text))
        }
        "lang" | "status" | "role" | "org_id" => value.is_null(),
        _ => false,
    }
}

fn is_phone(text: &str) -> bool {
    text.chars().count() <= 32 && text.chars().all(|char| "0123456789 +-.()/".contains(char))
}

fn is_password(text: &str) -> bool {
    (6..=128).contains(&text.chars().count())
}

/// Returns a body with the value, valid or not, in the field. Each `number` has an address of its own.
fn body(operation: &str, number: usize, field: &str, value: &str) -> String {
    let email = format!("{:?}", address(&format!("hostile-{number}")));
    let needed = [("email", email.as_str()), ("first_name", r#""First""#), ("last_name", r#""Last""#)];
    let needed = needed.into_iter().filter(|(name, _)| operation == "create" && *name != field);
    let fields = needed.chain([(field, value)]).map(|(name, value)| format!("{name:?}:{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

async fn post(stack: &TestStack, path: &str, key: &str, body: String) -> Reply {
    let request = stack.request("POST", path).header("x-api-key", key);
    send(request.header("content-type", "application/json").body(body)).await
}

/// Returns all hostile texts, each with its value if it is JSON.
fn values() -> Vec<(String, Option<Value>)> {
    let read = |text: String| {
        let value = serde_json::from_str(&text).expect("JSON");
        (text, Some(value))
    };
    json_values().into_iter().map(read).chain(malformed_json().into_iter().map(|text| (text, None))).collect()
}

fn assert_status(reply: &Reply, valid: bool, what: &str) {
    assert_eq!(check_envelope(reply, what), Origin::Service, "{what}");
    assert_eq!(reply.status, if valid { 200 } else { 400 }, "{what}: {}", reply.text);
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Returns an accepted value as get shows it: trimmed, without repeats, and null for a blank.
fn as_shown(field: &str, value: &Value) -> Option<Value> {
    match (field, value) {
        ("first_name" | "last_name", Value::String(text)) => Some(text.trim().into()),
        ("phone", value) => Some(value.as_str().map(str::trim).filter(|text| !text.is_empty()).into()),
        ("business_ids", Value::Array(ids)) => Some(ids.iter().take(1).cloned().collect()),
        _ => None,
    }
}

/// Asserts that get shows the value exactly, and that a search for the name finds the user.
async fn assert_found(stack: &TestStack, key: &str, id: &str, field: &str, value: &Value) {
    let got = stack.get(&format!("/user/{id}"), key).await;
    if let Some(expected) = as_shown(field, value) {
        assert_eq!(got.json()[field], expected, "{field}");
    }
    let (parameter, Some(name)) = (if field == "last_name" { "last_name" } else { "query" }, value.as_str()) else {
        return;
    };
    if !["first_name", "last_name"].contains(&field) {
        return;
    }
    let search = stack.request("GET", "/user/search").query(&[
        (parameter, name),
        ("display_business_ids", "0"),
        ("per_page", "100"),
    ]);
    let reply = send(search.header("x-api-key", key)).await;
    // A name of combining marks only is empty after folding.
    if name.chars().all(|char| ('\u{300}'..='\u{36f}').contains(&char)) {
        assert_eq!(reply.status, 400, "{name:?}");
    } else {
        let body = reply.json();
        let users = body["users"].as_array().unwrap_or_else(|| panic!("{name:?}: {}", reply.text));
        assert!(users.iter().any(|user| user["id"] == id), "{name:?} finds the user of that name");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_in_every_field_of_create_are_refused_or_stored_exactly() {
    let stack = &TestStack::start().await;
    let fixtures = Fixtures::create(stack).await;
    let key = fixtures.admin_1.key.as_str();
    let before = without_records(items_without_logs(stack).await);
    for field in CREATE {
        let values = values();
        let calls = values.iter().enumerate();
        let calls = calls.map(|(number, (text, _))| post(stack, "/user", key, body("create", number, field, text)));
        let answers = send_all(calls.collect()).await;
        let mut created = Vec::new();
        for ((text, value), reply) in values.iter().zip(&answers) {
            let valid = value.as_ref().is_some_and(|value| is_valid(field, value));
            assert_status(reply, valid, &format!("create with {field} {}", shown(text)));
            created.extend(
                value.as_ref().filter(|_| valid).map(|value| (reply.json()["id"].as_str().map(str::to_owned), value)),
            );
        }
        let created: Vec<_> = created.into_iter().map(|(id, value)| (id.expect("an id"), value)).collect();
        send_all(created.iter().map(|(id, value)| assert_found(stack, key, id, field, value)).collect()).await;
        assert_eq!(stack.audit().await, [], "{field}");
        let paths: Vec<_> = created.iter().map(|(id, _)| format!("/user/{id}")).collect();
        for reply in send_all(paths.iter().map(|path| stack.delete(path, key)).collect()).await {
            assert_eq!(reply.status, 200, "{field}: {}", reply.text);
        }
        assert_eq!(
            without_records(items_without_logs(stack).await),
            before,
            "{field}: what was created is gone, and nothing else is there"
        );
    }
}

/// Returns the stored items without those that outlive a user on purpose: the log of changes and the pauses of mailboxes.
async fn items_without_logs(stack: &TestStack) -> Vec<String> {
    let passing = |item: &String| item.contains("CHANGES#") || item.contains("MAILBOX#");
    let items = stack.snapshot().await;
    items.into_iter().filter(|item| !passing(item)).collect()
}

/// Returns the items without the records of the audit trail, which outlive the users that they name.
fn without_records(items: Vec<String>) -> Vec<String> {
    items.into_iter().filter(|item| !item.contains("\"actor\"")).collect()
}

/// Stores fresh users without keys, one for each value.
async fn store_users(stack: &TestStack, fixtures: &Fixtures, count: usize) -> Vec<String> {
    let model = stack.stored(&fixtures.manager_1.id).await.expect("a user").user;
    let users: Vec<_> = (0..count)
        .map(|number| User {
            id: UserId::random(),
            email: EmailAddress::parse(&address(&format!("victim-{number}"))).expect("an address"),
            keys: Vec::new(),
            ..model.clone()
        })
        .collect();
    send_all(users.iter().map(|user| stack.put_user(user)).collect()).await;
    users.iter().map(|user| user.id.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_in_every_field_of_update_are_refused_or_stored_exactly() {
    let stack = &TestStack::start().await;
    let fixtures = Fixtures::create(stack).await;
    let key = fixtures.admin_1.key.as_str();
    let values = values();
    let users = store_users(stack, &fixtures, values.len()).await;
    for field in UPDATE {
        let before = items_without_logs(stack).await;
        let paths: Vec<_> = users.iter().map(|id| format!("/user/{id}")).collect();
        let calls = values.iter().zip(&paths);
        let calls = calls.map(|((text, _), path)| post(stack, path, key, body("update", 0, field, text)));
        let answers = send_all(calls.collect()).await;
        let after = items_without_logs(stack).await;
        let mut kept = Vec::new();
        for (((text, value), id), reply) in values.iter().zip(&users).zip(&answers) {
            let valid = value.as_ref().is_some_and(|value| is_valid(field, value));
            let what = format!("update with {field} {}", shown(text));
            assert_status(reply, valid, &what);
            let about =
                |snapshot: &[String]| snapshot.iter().filter(|item| item.contains(id)).cloned().collect::<Vec<_>>();
            assert!(valid || about(&before) == about(&after), "{what}");
            kept.extend(value.as_ref().filter(|_| valid).map(|value| assert_found(stack, key, id, field, value)));
        }
        send_all(kept).await;
        assert_eq!(without_records(after).len(), without_records(before).len(), "{field}");
        assert_eq!(stack.audit().await, [], "{field}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_as_the_whole_body_are_refused() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    let before = stack.snapshot().await;
    let paths = ["/user".to_owned(), format!("/user/{}", fixtures.manager_1.id)];
    let broken: [&[u8]; 9] = [
        b"\xff",
        b"{\"phone\":\"\xff\"}",
        b"{\"phone\":\"\xc0\xaf\"}",
        b"\xef\xbb\xbf{\"phone\":\"1\"}",
        b"\xff\xfe{\0}\0",
        b"{\"phone\":\"1\",\"phone\":\"2\"}",
        b"{\"phone\":\"1\",\"ph\\u006fne\":\"2\"}",
        b"{\"phone\":\"1\"}{}",
        b"{\"phone\":\"1\"}\0",
    ];
    let texts = json_values().into_iter().filter(|text| text != "{}").chain(malformed_json()).map(String::into_bytes);
    for body in texts.chain(broken.map(<[u8]>::to_vec)) {
        for path in &paths {
            let what = format!("{path} {}", shown(&String::from_utf8_lossy(&body)));
            let reply =
                RawRequest::new("POST", path).with("x-api-key", &fixtures.admin_1.key).json(&body).send(&stack).await;
            assert_status(&reply, false, &what);
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_128_kib_is_refused_with_any_content() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    let before = stack.snapshot().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    for (unit, bytes, status) in
        [("[", 131_072, 400), ("[", 131_073, 413), (" ", 131_073, 413), ("{\"a\":", 1_000_000, 413)]
    {
        let body = unit.repeat(bytes / unit.len() + 1)[..bytes].to_owned();
        let reply = post(&stack, &path, &fixtures.admin_1.key, body).await;
        assert_eq!((check_envelope(&reply, unit), reply.status), (Origin::Service, status), "{bytes} of {unit}");
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_keys_in_a_body_give_no_access() {
    let stack = &TestStack::start().await;
    let fixtures = Fixtures::create(stack).await;
    let before = stack.snapshot().await;
    let path = &format!("/user/{}", fixtures.manager_1.id);
    for (operation, path) in [("create", "/user"), ("update", path)] {
        let bodies = values().into_iter().enumerate().map(|(number, (text, value))| {
            let body = body(operation, number, "api_key", &text);
            async move {
                let request = stack.request("POST", path).header("content-type", "application/json");
                (text, value, send(request.body(body)).await)
            }
        });
        for (text, value, reply) in send_all(bodies.collect()).await {
            let what = format!("{operation} with api_key {}", shown(&text));
            assert_eq!(check_envelope(&reply, &what), Origin::Service);
            assert_eq!(reply.status, if value.is_some() { 401 } else { 400 }, "{what}");
        }
    }
    assert_eq!(stack.snapshot().await, before);
}
