//! Bounds that every request obeys. Its shape tells the rest: [`super::shapes`].

use std::collections::BTreeSet;

use presence_tests::{Attempt, AttemptOutcome};
use serde_json::{Value, json};

use super::expression::{longest_in, loose_ends};

/// Items of one transaction, and keys of one `BatchGetItem`, and operands of one `IN`: `DynamoDB`'s limits.
const LIMIT: usize = 100;
/// The largest item, in bytes. The document is longer than the item that it stands for.
const MAX_ITEM_BYTES: usize = 400 << 10;

/// Returns the rules that a request breaks.
pub(super) fn broken_by(attempt: &Attempt) -> Vec<String> {
    let request = &attempt.request;
    let mut broken = Vec::new();
    if let Some(actions) = request["TransactItems"].as_array() {
        let actions: Vec<_> = actions.iter().filter_map(|item| item.as_object()?.values().next()).collect();
        // The key of a put is in its item.
        let key = |action: &&Value| {
            let of = |name: &str| if action["Key"].is_object() { &action["Key"][name] } else { &action["Item"][name] };
            json!([action["TableName"], of("pk"), of("sk"), of("key_hash"), of("target"), of("at")]).to_string()
        };
        check_number(actions.iter().map(key), "items", &mut broken);
        for action in actions {
            check_parts(action, &mut broken);
        }
    } else if let Some(tables) = request["RequestItems"].as_object() {
        for wanted in tables.values() {
            check_number(wanted["Keys"].as_array().into_iter().flatten().map(Value::to_string), "keys", &mut broken);
            check_parts(wanted, &mut broken);
        }
    } else {
        check_parts(request, &mut broken);
    }
    broken
}

fn check_number(keys: impl Iterator<Item = String>, what: &str, broken: &mut Vec<String>) {
    let keys: Vec<_> = keys.collect();
    let number = keys.len();
    if !(1..=LIMIT).contains(&number) {
        broken.push(format!("{number} {what}"));
    }
    if keys.into_iter().collect::<BTreeSet<_>>().len() < number {
        broken.push(format!("one of the {what} comes twice"));
    }
}

fn check_parts(request: &Value, broken: &mut Vec<String>) {
    broken.extend(loose_ends(request).into_iter().map(|name| format!("{name} is a loose end")));
    if longest_in(request) > LIMIT {
        broken.push("an IN has too many operands".to_owned());
    }
    if request["Item"].to_string().len() > MAX_ITEM_BYTES {
        broken.push("an item is too large".to_owned());
    }
}

#[test]
fn request_that_breaks_a_rule_is_found() {
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let delete = json!({"Delete": {"TableName": "t", "Key": &key}});
    let operands = (0..=LIMIT).map(|number| format!(":v{number}")).collect::<Vec<_>>().join(", ");
    for (rule, request) in [
        ("IN has too many", json!({"FilterExpression": format!("id IN ({operands})")})),
        (":l is a loose end", json!({"FilterExpression": "phone = :l"})),
        ("#l is a loose end", json!({"ExpressionAttributeNames": {"#l": "lang"}})),
        ("one of the keys comes twice", json!({"RequestItems": {"t": {"Keys": [&key, &key]}}})),
        ("101 keys", json!({"RequestItems": {"t": {"Keys": vec![&key; 101]}}})),
        ("0 items", json!({"TransactItems": []})),
        ("101 items", json!({"TransactItems": vec![&delete; 101]})),
        ("one of the items comes twice", json!({"TransactItems": [&delete, &delete]})),
        ("too large", json!({"Item": {"pk": {"S": "x".repeat(MAX_ITEM_BYTES)}}})),
    ] {
        let outcome = AttemptOutcome::Passed;
        let broken = broken_by(&Attempt { number: 1, operation: String::new(), tables: Vec::new(), request, outcome });
        assert!(broken.iter().any(|found| found.contains(rule)), "{rule}: {broken:?}");
    }
}
