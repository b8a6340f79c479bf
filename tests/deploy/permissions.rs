//! What a function may do, or did: an action on a table, or on one of its indexes.

use std::collections::BTreeSet;

use presence_tests::Attempt;
use serde_json::Value;

/// One right: what IAM is asked for, for one part of one call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Right {
    /// Such as `GetItem`.
    pub(super) action: String,
    /// The table, by its full name.
    pub(super) table: String,
    /// The index, where one is read.
    pub(super) index: Option<String>,
}

/// What IAM is asked for when a call is made. A transaction asks for what is in it, and not for itself; a batch asks once for
/// each table.
pub(super) fn asked(attempt: &Attempt) -> BTreeSet<Right> {
    let right = |action: &str, table: &str, index: Option<&str>| Right {
        action: action.to_owned(),
        table: table.to_owned(),
        index: index.map(str::to_owned),
    };
    let request = &attempt.request;
    match attempt.operation.as_str() {
        "TransactWriteItems" | "TransactGetItems" => {
            let items = request["TransactItems"].as_array().expect("items").iter();
            let parts = items.flat_map(|item| item.as_object().expect("an item"));
            parts.map(|(kind, part)| right(part_of_transaction(kind), text(&part["TableName"]), None)).collect()
        }
        batch @ ("BatchGetItem" | "BatchWriteItem") => {
            let tables = request["RequestItems"].as_object().expect("tables").keys();
            tables.map(|table| right(batch, table, None)).collect()
        }
        single => [right(single, text(&request["TableName"]), request["IndexName"].as_str())].into(),
    }
}

fn part_of_transaction(kind: &str) -> &'static str {
    match kind {
        "Put" => "PutItem",
        "Update" => "UpdateItem",
        "Delete" => "DeleteItem",
        "ConditionCheck" => "ConditionCheckItem",
        "Get" => "GetItem",
        other => panic!("a part of a transaction: {other}"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
