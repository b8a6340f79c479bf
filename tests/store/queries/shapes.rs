//! Distinct shapes of requests: the requests of the store without their values.

use std::collections::BTreeSet;

use presence_tests::Attempt;
use serde_json::Value;

use super::PREFIX;
use super::expression::{EXPRESSIONS, spelled_out};

/// Returns the shapes of these requests, each once, in order: operation, table, index, attributes and partition of the key, how it reads,
/// and the expressions with their attributes spelled out.
pub(super) fn of(attempts: &[Attempt]) -> String {
    let shapes: BTreeSet<_> = attempts.iter().flat_map(shapes).collect();
    shapes.into_iter().collect::<Vec<_>>().join("\n")
}

fn shapes(attempt: &Attempt) -> Vec<String> {
    let request = &attempt.request;
    let uncounted = if request["ReturnConsumedCapacity"] == "TOTAL" { "" } else { "uncounted " };
    let operation = format!("{uncounted}{}", attempt.operation);
    if let Some(actions) = request["TransactItems"].as_array() {
        let token = if request["ClientRequestToken"].is_string() { " with a token" } else { "" };
        let kinds = actions.iter().filter_map(Value::as_object).flatten();
        return kinds.map(|(kind, action)| shape(&format!("{operation}{token} {kind}"), action, "")).collect();
    }
    if let Some(tables) = request["RequestItems"].as_object() {
        let keys = |wanted: &Value| wanted["Keys"].as_array().cloned().unwrap_or_default();
        let of_table = |(name, wanted): (&String, &Value)| -> Vec<String> {
            let with_key = |key| {
                let mut one = wanted.clone();
                (one["TableName"], one["Key"]) = (name.as_str().into(), key);
                shape(&operation, &one, consistency(wanted))
            };
            keys(wanted).into_iter().map(with_key).collect()
        };
        return tables.iter().flat_map(of_table).collect();
    }
    let reads = ["GetItem", "Query", "Scan"].contains(&attempt.operation.as_str());
    vec![shape(&operation, request, if reads { consistency(request) } else { "" })]
}

fn consistency(request: &Value) -> &'static str {
    if request["ConsistentRead"] == true { " strongly" } else { " eventually" }
}

fn shape(operation: &str, request: &Value, consistency: &str) -> String {
    let name = request["TableName"].as_str().unwrap_or_default();
    let table = name.strip_prefix(PREFIX).unwrap_or(name);
    let index = request["IndexName"].as_str().map(|index| format!(" {index}")).unwrap_or_default();
    let limit = if request["Limit"].as_u64() > Some(0) { " with a limit" } else { "" };
    let given = EXPRESSIONS.iter().filter(|name| request[**name].is_string());
    let parts: String = given.flat_map(|name| [" | ".to_owned(), spelled_out(request, name)]).collect();
    format!("{operation} {table}{index}{}{consistency}{limit}{parts}", key(request))
}

/// Returns the attributes of a key, and the beginning of the partition, which names the kind of item.
fn key(request: &Value) -> String {
    let Some(key) = request["Key"].as_object() else { return String::new() };
    let names: Vec<_> = key.keys().map(String::as_str).collect();
    let partition = key.get("pk").and_then(|pk| pk["S"].as_str()).unwrap_or_default();
    let kind = partition.split_once('#').map_or(partition, |(kind, _)| kind);
    format!(" {}={kind}", names.join(","))
}
