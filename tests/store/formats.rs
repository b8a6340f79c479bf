//! Items as an earlier version wrote them (`tests/stored/v1`, one item a line in `DynamoDB`'s JSON): they are read, rewritten
//! by `ops migrate`, and never over somebody's change; items of a later version are refused by name.
//!
//! The files are the tables of a small stack of that version, and what it answered. One category is as the version before it
//! wrote it, in maps; nothing else differs between the two.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use presence_domain::audit::AuditAction;
use presence_domain::ids::UserId;
use presence_domain::user::{PersonName, User, UserChange};
use presence_runtime::clock::Clock as _;
use presence_store::Stores;
use presence_store::schema::{API_KEYS, BUSINESSES, CATEGORIES, REVIEWS, Table, USERS};
use presence_tests::ConnectorLayer as _;
use presence_tests::InterleavingConnector;
use presence_tests::{TestStack, long_timeouts, plain_http};
use serde_json::{Value, json};

use super::bulk;
use crate::api::categories::{load, parse};

type Item = HashMap<String, AttributeValue>;

const FILES: [(Table, &str); 5] = [
    (USERS, include_str!("../stored/v1/users.jsonl")),
    (API_KEYS, include_str!("../stored/v1/api-keys.jsonl")),
    (BUSINESSES, include_str!("../stored/v1/businesses.jsonl")),
    (CATEGORIES, include_str!("../stored/v1/categories.jsonl")),
    (REVIEWS, include_str!("../stored/v1/reviews.jsonl")),
];
const ANSWERS: &str = include_str!("../stored/v1/answers.jsonl");
const CALLER: &str = include_str!("../stored/v1/caller.json");

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

fn caller(name: &str) -> String {
    let caller: Value = serde_json::from_str(CALLER).expect("JSON");
    caller[name].as_str().expect("text").to_owned()
}

fn attribute(value: &Value) -> AttributeValue {
    let (kind, value) = value.as_object().and_then(|value| value.iter().next()).expect("a kind and a value");
    match (kind.as_str(), value) {
        ("S", Value::String(text)) => AttributeValue::S(text.clone()),
        ("N", Value::String(digits)) => AttributeValue::N(digits.clone()),
        ("BOOL", Value::Bool(bool)) => AttributeValue::Bool(*bool),
        ("L", Value::Array(values)) => AttributeValue::L(values.iter().map(attribute).collect()),
        ("M", value) => AttributeValue::M(item(value)),
        other => panic!("{other:?} is in no item"),
    }
}

fn item(value: &Value) -> Item {
    let attributes = value.as_object().expect("an item").iter();
    attributes.map(|(name, value)| (name.clone(), attribute(value))).collect()
}

/// Starts a stack with these items, and no others. Their reviews are migrated: `ledger/migration.rs` tests them before.
async fn stack() -> TestStack {
    let stack = TestStack::start().await;
    let client = bulk::client(&stack);
    for (table, text) in FILES {
        for line in lines(text) {
            let put = client.put_item().table_name(stack.stores().database.name(&table)).set_item(Some(item(&line)));
            put.send().await.expect("DynamoDB answers");
        }
    }
    stack.stores().reviews.migrate_ledger(false).await.expect("the store answers");
    stack
}

async fn assert_answers(stack: &TestStack) {
    let key = caller("key");
    for line in lines(ANSWERS) {
        let path = line["path"].as_str().expect("a path");
        let reply = stack.get(path, &key).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        let mut expected = line["body"].clone();
        // It is in every review since.
        for review in expected.get_mut("reviews").and_then(Value::as_array_mut).into_iter().flatten() {
            if review["update_date"].is_null() {
                review["update_date"] = review["date"].clone();
            }
        }
        assert_eq!(reply.json(), expected, "{path}");
    }
}

fn counts(migrated: &Value) -> [u64; 8] {
    let count = |kind: &str, what: &str| migrated[kind][what].as_u64().unwrap_or(u64::MAX);
    let of = |kind: &str| ["current", "rewritten", "overtaken", "unreadable"].map(|what| count(kind, what));
    let both = [of("user"), of("category")].concat();
    both.try_into().expect("four each")
}

async fn migrate(stack: &TestStack, dry_run: bool) -> [u64; 8] {
    let migrated = stack.stores().database.migrate(dry_run).await.expect("the store answers");
    counts(&serde_json::to_value(migrated).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_the_previous_version_are_read_and_changed_by_every_operation() {
    let stack = stack().await;
    assert_answers(&stack).await;
    assert_eq!(stack.audit().await, []);
    let audited = stack.stores().users.audit().await.expect("an answer");
    assert_eq!((audited.users, audited.keys, audited.mails, audited.outdated), (4, 2, 1, 4));
    assert_eq!(stack.stores().reviews.audit_reviews(None).await.expect("an answer").findings, []);

    let (key, invited) = (caller("key"), caller("invited"));
    assert_eq!(stack.get("/user/search?email=joan@example.org", &key).await.json()["count"], 1);
    assert_eq!(stack.post(&format!("/user/{invited}"), &key, &json!({"phone": "1"})).await.status, 200);
    assert_eq!(stack.invite(&invited, &key).await.status, 429, "its mail waits");
    assert_eq!(stack.delete(&format!("/user/{invited}"), &key).await.status, 200);
    let again = json!({"email": "joan@example.org", "first_name": "Joan", "last_name": "C", "business_ids": ["b42-2"]});
    assert_eq!(stack.post("/user", &key, &again).await.status, 200, "its address is free");
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn migration_rewrites_old_items_once_and_changes_no_answer() {
    let stack = stack().await;
    let before = stack.items(&stack.stores().database.name(&USERS)).await;
    assert_eq!(migrate(&stack, true).await, [0, 4, 0, 0, 0, 2, 0, 0], "a dry run counts");
    assert_eq!(stack.items(&stack.stores().database.name(&USERS)).await.len(), before.len());
    assert_eq!(migrate(&stack, false).await, [0, 4, 0, 0, 0, 2, 0, 0], "and has written nothing");
    assert_eq!(migrate(&stack, false).await, [4, 0, 0, 0, 2, 0, 0, 0], "a second run has nothing to do");
    assert_answers(&stack).await;
    assert_eq!(stack.stores().users.audit().await.expect("an answer").outdated, 0);
    assert_eq!(stack.audit().await, [], "the index has them all");
    let categories = stack.items(&stack.stores().database.name(&CATEGORIES)).await;
    assert!(categories.iter().all(|item| !item.contains("\"body\": {")), "every body is text: {categories:?}");
}

/// Renames the invited user, and imports other categories.
async fn change(store: Stores, invited: UserId, now: Timestamp) {
    let record =
        store.users.get_record(presence_tests::operator_scope(), invited).await.expect("an answer").expect("a user");
    let renamed = User { last_name: PersonName::parse("King").expect("a name"), ..record.user.clone() };
    store
        .users
        .write(Some(&record), &UserChange::by(&presence_tests::operator(), AuditAction::Update, renamed, now))
        .await
        .expect("nobody else writes");
    load(&store, parse(r#"{"id": "c-shop", "code": "shop", "names": {"GB": "Stall"}}"#)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migration_never_overwrites_a_change_at_any_call() {
    let invited = UserId::parse(&caller("invited")).expect("an id");
    // Two scans, and a write for each of four users and two categories.
    for call in 1..=8 {
        let stack = stack().await;
        let interleaving = InterleavingConnector::new();
        let store = stack.stores_through(interleaving.over(plain_http()), long_timeouts(), stack.table_prefix());
        interleaving.before(call, Box::pin(change(stack.stores().clone(), invited, stack.clock.now()))).await;
        let migrated = store.database.migrate(false).await.expect("the store answers");
        assert!(interleaving.end().await.1.is_none(), "the change comes before call {call}");
        let user = stack.stored(&caller("invited")).await.expect("a user").user;
        assert_eq!(user.last_name.as_str(), "King", "before call {call}: {migrated:?}");
        let found = stack.get("/category/search?lang=GB", &caller("key")).await.json();
        let name = &found["categories"][1]["name"];
        assert_eq!((&found["count"], name), (&2.into(), &"Stall".into()), "before call {call}: {found}");
        assert_eq!(stack.audit().await, [], "before call {call}");
        let left = migrate(&stack, false).await;
        assert_eq!((left[1], left[5]), (0, 0), "before call {call}, a second run has nothing to do");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_a_later_version_are_refused_by_name_and_never_overwritten() {
    let stack = stack().await;
    let (key, client) = (caller("key"), bulk::client(&stack));
    let text = |value: &str| AttributeValue::S(value.to_owned());
    let pk_sk = |pk: &str, sk: &str| vec![("pk", text(pk)), ("sk", text(sk))];
    let invited = caller("invited");
    let review = "43x0dx2c6z9a";
    let cases = [
        (USERS, pk_sk(&format!("USER#{invited}"), "USER"), format!("/user/{invited}"), "user"),
        (USERS, pk_sk("EMAIL#joan@example.org", "EMAIL"), "/user/search?email=joan@example.org".to_owned(), "lock"),
        (USERS, pk_sk("ROSTERS", "0000000000000042"), "/user/stats".to_owned(), "roster"),
        (CATEGORIES, vec![("pk", text("CATEGORY#c-shop"))], "/category/search?lang=FR".to_owned(), "category"),
        (REVIEWS, pk_sk(&format!("R#{review}"), "R"), "/reviews".to_owned(), "review"),
    ];
    for (table, item_key, path, kind) in cases {
        let update = |expression: &str| {
            let update =
                client.update_item().table_name(stack.stores().database.name(&table)).update_expression(expression);
            let item_key = item_key.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            update.set_key(Some(item_key)).expression_attribute_names("#format", "format")
        };
        let later = update("SET #format = :later").expression_attribute_values(":later", AttributeValue::N("9".into()));
        later.send().await.expect("DynamoDB answers");
        let reply = stack.get(&path, &key).await;
        assert_eq!(reply.status, 503, "{kind}: {}", reply.text);
        assert!(!reply.text.contains("format"), "{kind}: {}", reply.text);
        if matches!(kind, "user" | "category") {
            let refused = stack.stores().database.migrate(false).await.expect_err("an item of a later version");
            let cause = std::error::Error::source(&refused).map(ToString::to_string).unwrap_or_default();
            let expected = format!("a stored {kind} has format 9, and this version knows those up to 2");
            assert_eq!(cause, expected);
        }
        update("REMOVE #format").send().await.expect("DynamoDB answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_answer_of_a_later_version_is_refused_and_never_overwritten() {
    let stack = stack().await;
    let (client, table) = (bulk::client(&stack), stack.stores().database.name(&API_KEYS));
    let change = || {
        let request = stack.request("POST", &format!("/user/{}", caller("invited"))).header("x-api-key", caller("key"));
        let request = request.header("idempotency-key", "k").header("content-type", "application/json");
        presence_tests::send(request.body(r#"{"phone": "1"}"#))
    };
    assert_eq!(change().await.status, 200);
    let items = client.scan().table_name(&table).send().await.expect("DynamoDB answers").items.expect("items");
    let is_answer = |item: &&Item| item["key_hash"].as_s().is_ok_and(|key| key.starts_with("ANSWER#"));
    let mut later = items.iter().find(is_answer).expect("a kept answer").clone();
    later.insert("format".to_owned(), AttributeValue::N("9".into()));
    client.put_item().table_name(&table).set_item(Some(later)).send().await.expect("DynamoDB answers");
    let before = stack.snapshot().await;
    let refused = change().await;
    assert_eq!((refused.status, refused.text.contains("format")), (503, false), "{}", refused.text);
    assert_eq!(stack.snapshot().await, before);
}
