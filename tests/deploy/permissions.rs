//! Permissions of a function: actions on a table or on one of its indexes.

use std::collections::BTreeSet;

use presence_tests::Attempt;
use serde_json::Value;

/// Permission that IAM requires for one part of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Permission {
    /// Action, such as `GetItem`.
    pub(super) action: String,
    /// Full name of the table.
    pub(super) table: String,
    /// Index, if one is read.
    pub(super) index: Option<String>,
}

/// Returns the permissions that IAM requires for a call. A transaction requires those of its parts, a batch one for each table.
pub(super) fn required(attempt: &Attempt) -> BTreeSet<Permission> {
    let right = |action: &str, table: &str, index: Option<&str>| Permission {
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
