//! Items as each released version writes them (`tests/stored/v1`, one item a line in `DynamoDB`'s JSON): they are read and changed by every
//! operation; items of a later version are refused by name, and never overwritten.
//!
//! The files are the tables of a small stack, and what it answered. A version that changes a format adds files of its own.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::base64;
use presence_store::schema::{API_KEYS, AUDIT, BUSINESSES, CATEGORIES, REVIEWS, Table, USERS};
use presence_tests::{Item, TestStack};
use serde_json::{Value, json};

const FILES: [(Table, &str); 6] = [
    (USERS, include_str!("../stored/v1/users.jsonl")),
    (API_KEYS, include_str!("../stored/v1/api-keys.jsonl")),
    (BUSINESSES, include_str!("../stored/v1/businesses.jsonl")),
    (CATEGORIES, include_str!("../stored/v1/categories.jsonl")),
    (REVIEWS, include_str!("../stored/v1/reviews.jsonl")),
    (AUDIT, include_str!("../stored/v1/audit.jsonl")),
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
        ("B", Value::String(text)) => AttributeValue::B(Blob::new(base64::decode(text).expect("base64"))),
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

/// Starts a stack with these items, and no others.
async fn stack() -> TestStack {
    let stack = TestStack::start().await;
    let client = stack.dynamodb_client();
    for (table, text) in FILES {
        for line in lines(text) {
            let put = client.put_item().table_name(stack.stores().database.name(&table)).set_item(Some(item(&line)));
            put.send().await.expect("DynamoDB answers");
        }
    }
    stack
}

async fn assert_answers(stack: &TestStack) {
    let key = caller("key");
    for line in lines(ANSWERS) {
        let path = line["path"].as_str().expect("a path");
        let reply = stack.get(path, &key).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        assert_eq!(reply.json(), line["body"], "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_each_released_version_are_read_and_changed_by_every_operation() {
    let stack = stack().await;
    assert_answers(&stack).await;
    assert_eq!(stack.audit().await, []);
    let audited = stack.stores().users.audit().await.expect("an answer");
    assert_eq!((audited.users, audited.keys, audited.mails), (4, 2, 1));
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
async fn items_of_a_later_version_are_refused_by_name_and_never_overwritten() {
    let stack = stack().await;
    let (key, client) = (caller("key"), stack.dynamodb_client());
    let text = |value: &str| AttributeValue::S(value.to_owned());
    let pk_sk = |pk: &str, sk: &str| vec![("pk", text(pk)), ("sk", text(sk))];
    let invited = caller("invited");
    let review = "43x0dx2c6z9a";
    let cases = [
        (USERS, pk_sk(&format!("USER#{invited}"), "USER"), format!("/user/{invited}"), "user"),
        (USERS, pk_sk("EMAIL#joan@example.org", "EMAIL"), "/user/search?email=joan@example.org".to_owned(), "lock"),
        (USERS, pk_sk("ROSTERS#10", "0000000000000042"), "/user/stats".to_owned(), "roster"),
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
        if matches!(kind, "user" | "lock" | "roster" | "category") {
            let refused = stack.stores().database.check_formats().await.expect_err("an item of a later version");
            let cause = std::error::Error::source(&refused).map(ToString::to_string).unwrap_or_default();
            assert_eq!(cause, format!("a stored {kind} has format 9, and this version knows those up to 1"));
        }
        update("REMOVE #format").send().await.expect("DynamoDB answers");
        stack.stores().database.check_formats().await.expect("all formats are known");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_answer_of_a_later_version_is_refused_and_never_overwritten() {
    let stack = stack().await;
    let (client, table) = (stack.dynamodb_client(), stack.stores().database.name(&API_KEYS));
    let change = || {
        let request = stack.request("POST", &format!("/user/{}", caller("invited"))).header("x-api-key", caller("key"));
        let request = request.header("idempotency-key", "k").header("content-type", "application/json");
        presence_tests::send(request.body(r#"{"phone": "1"}"#))
    };
    assert_eq!(change().await.status, 200);
    let items = stack.scan(&table).await;
    let is_answer = |item: &Item| item["key_hash"].as_s().is_ok_and(|key| key.starts_with("ANSWER#"));
    for mut later in items.into_iter().filter(is_answer) {
        later.insert("format".to_owned(), AttributeValue::N("9".into()));
        client.put_item().table_name(&table).set_item(Some(later)).send().await.expect("DynamoDB answers");
    }
    let before = stack.snapshot().await;
    let refused = change().await;
    assert_eq!((refused.status, refused.text.contains("format")), (503, false), "{}", refused.text);
    assert_eq!(stack.snapshot().await, before);
}
