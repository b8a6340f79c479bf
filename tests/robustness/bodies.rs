//! Hostile values in every field of create and update, and as the whole body.

use std::collections::BTreeSet;

use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::user::User;
use presence_tests::{Fixtures, Reply, TestStack, address, send};
use serde_json::Value;

use super::hostile_values::{FIELD_NAMES, json_values, json_values_of, malformed_bodies, malformed_json};
use super::outcomes::Outcomes;
use super::raw_http::RawRequest;
use super::{Origin, check_envelope};
use crate::api::send_all;

/// Returns the fields of a body in the interface, without the key, and an unknown one.
pub(super) fn fields(schema: &str) -> Vec<String> {
    let description: Value = serde_json::from_str(presence_categories::OPENAPI).expect("JSON");
    let fields = description["components"]["schemas"][schema]["properties"].as_object().expect("fields").keys();
    fields.filter(|name| *name != "api_key").cloned().chain(["bogus".to_owned()]).collect()
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

/// Fields that get malformed JSON, too. It is refused before fields are read, so the key and an unknown one of each body suffice.
const FIELDS_WITH_MALFORMED_JSON: [&str; 2] = ["api_key", "bogus"];

/// Returns the hostile texts for a field, each with its value if it is JSON.
pub(super) fn values(field: &str) -> Vec<(String, Option<Value>)> {
    let read = |text: String| {
        let value = serde_json::from_str(&text).expect("JSON");
        (text, Some(value))
    };
    let malformed = if FIELDS_WITH_MALFORMED_JSON.contains(&field) { malformed_json() } else { Vec::new() };
    json_values_of(field).into_iter().map(read).chain(malformed.into_iter().map(|text| (text, None))).collect()
}

/// Returns the value that was accepted, and notes the answer.
pub(super) fn accepted<'a>(
    outcomes: &mut Outcomes,
    (operation, field): (&str, &str),
    (text, value): &'a (String, Option<Value>),
    reply: &Reply,
) -> Option<&'a Value> {
    let place = format!("{operation} {field}");
    assert_eq!(check_envelope(reply, &place), Origin::Service, "{place}");
    // 1.0 and 1e2 are whole numbers: ids of organisations that are not the caller's.
    let is_expected = [200, 400].contains(&reply.status) || (field == "org_id" && reply.status == 403);
    assert!(is_expected, "{place}: {}", reply.text);
    outcomes.note(&place, field, text.as_bytes(), reply);
    (reply.status == 200).then(|| value.as_ref().expect("only JSON is accepted"))
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
    let (stack, fixtures) = &Fixtures::start().await;
    let key = fixtures.admin_1.key.as_str();
    let before = items_without_logs(stack).await;
    let mut outcomes = Outcomes::default();
    for field in &fields("UserCreation") {
        let values = values(field);
        let calls = values.iter().enumerate();
        let calls = calls.map(|(number, (text, _))| post(stack, "/user", key, body("create", number, field, text)));
        let answers = send_all(calls.collect()).await;
        let mut created = Vec::new();
        for (value, reply) in values.iter().zip(&answers) {
            let value = accepted(&mut outcomes, ("create", field), value, reply);
            created.extend(value.map(|value| (reply.json()["id"].as_str().expect("an id").to_owned(), value)));
        }
        send_all(created.iter().map(|(id, value)| assert_found(stack, key, id, field, value)).collect()).await;
        assert_eq!(stack.audit().await, [], "{field}");
        let paths: Vec<_> = created.iter().map(|(id, _)| format!("/user/{id}")).collect();
        for reply in send_all(paths.iter().map(|path| stack.delete(path, key)).collect()).await {
            assert_eq!(reply.status, 200, "{field}: {}", reply.text);
        }
        assert_eq!(
            without_records(&items_without_logs(stack).await),
            without_records(&before),
            "{field}: what was created is gone, and nothing else is there"
        );
    }
    outcomes.assert_expected("fields_of_create");
}

/// Returns the stored items without those that outlive a user on purpose: the log of changes and the pauses of mailboxes.
async fn items_without_logs(stack: &TestStack) -> Vec<String> {
    let passing = |item: &String| item.contains("CHANGES#") || item.contains("MAILBOX#");
    let items = stack.snapshot().await;
    items.into_iter().filter(|item| !passing(item)).collect()
}

/// Returns the items without the records of the audit trail, which outlive the users that they name.
fn without_records(items: &[String]) -> Vec<&String> {
    items.iter().filter(|item| !item.contains("\"actor\"")).collect()
}

/// Returns the items that only one of two snapshots has.
fn differences<'a>(one: &'a [String], other: &'a [String]) -> Vec<&'a String> {
    let (one, other): (BTreeSet<_>, BTreeSet<_>) = (one.iter().collect(), other.iter().collect());
    one.symmetric_difference(&other).copied().collect()
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
    let (stack, fixtures) = &Fixtures::start().await;
    let key = fixtures.admin_1.key.as_str();
    let fields = fields("UserChange");
    let most = fields.iter().map(|field| values(field).len()).max().expect("fields");
    let users = store_users(stack, fixtures, most).await;
    let mut outcomes = Outcomes::default();
    let mut before = items_without_logs(stack).await;
    for field in &fields {
        let values = values(field);
        let paths: Vec<_> = users.iter().map(|id| format!("/user/{id}")).collect();
        let calls = values.iter().zip(&paths);
        let calls = calls.map(|((text, _), path)| post(stack, path, key, body("update", 0, field, text)));
        let answers = send_all(calls.collect()).await;
        let after = items_without_logs(stack).await;
        let changed = differences(&before, &after);
        let mut kept = Vec::new();
        for ((value, id), reply) in values.iter().zip(&users).zip(&answers) {
            let accepted = accepted(&mut outcomes, ("update", field), value, reply);
            assert!(accepted.is_some() || !changed.iter().any(|item| item.contains(id)), "{field} {}", value.0);
            kept.extend(accepted.map(|value| assert_found(stack, key, id, field, value)));
        }
        send_all(kept).await;
        assert_eq!(without_records(&after).len(), without_records(&before).len(), "{field}");
        assert_eq!(stack.audit().await, [], "{field}");
        before = after;
    }
    outcomes.assert_expected("fields_of_update");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_as_the_whole_body_are_refused() {
    let (stack, fixtures) = &Fixtures::start().await;
    let before = stack.snapshot().await;
    let mut outcomes = Outcomes::default();
    let texts = json_values().into_iter().filter(|text| text != "{}").chain(malformed_json()).map(String::into_bytes);
    for body in texts.chain(malformed_bodies()) {
        for (operation, path) in
            [("create", "/user".to_owned()), ("update", format!("/user/{}", fixtures.manager_1.id))]
        {
            let raw = RawRequest::new("POST", path).with("x-api-key", &fixtures.admin_1.key).json(&body);
            let reply = raw.send(stack).await;
            assert_eq!((check_envelope(&reply, operation), reply.status), (Origin::Service, 400), "{}", reply.text);
            outcomes.note(operation, "", &body, &reply);
        }
    }
    outcomes.assert_expected("bodies");
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_a_user_does_not_have_are_refused_and_the_nearest_one_is_named() {
    let (stack, fixtures) = &Fixtures::start().await;
    let before = stack.snapshot().await;
    let mut outcomes = Outcomes::default();
    let update = format!("/user/{}", fixtures.invited_1.id);
    for (operation, path) in [("create", "/user"), ("update", &update)] {
        for name in FIELD_NAMES.split_whitespace().chain(["", " phone"]) {
            if operation == "create" && name == "send_invitation" {
                continue;
            }
            let reply = post(stack, path, &fixtures.admin_1.key, body(operation, 0, name, "null")).await;
            assert_eq!((check_envelope(&reply, name), reply.status), (Origin::Service, 400), "{}", reply.text);
            outcomes.note(operation, name, name.as_bytes(), &reply);
        }
    }
    outcomes.assert_expected("unknown_fields");
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_128_kib_is_refused_with_any_content() {
    let (stack, fixtures) = Fixtures::start().await;
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
    let (stack, fixtures) = &Fixtures::start().await;
    let before = stack.snapshot().await;
    let path = &format!("/user/{}", fixtures.manager_1.id);
    for (operation, path) in [("create", "/user"), ("update", path)] {
        let bodies = values("api_key").into_iter().enumerate().map(|(number, (text, value))| {
            let body = body(operation, number, "api_key", &text);
            async move {
                let request = stack.request("POST", path).header("content-type", "application/json");
                (text, value, send(request.body(body)).await)
            }
        });
        for (text, value, reply) in send_all(bodies.collect()).await {
            let what = format!("{operation} with api_key {text}");
            assert_eq!(check_envelope(&reply, &what), Origin::Service);
            assert_eq!(reply.status, if value.is_some() { 401 } else { 400 }, "{what}");
        }
    }
    assert_eq!(stack.snapshot().await, before);
}
