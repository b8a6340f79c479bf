//! `DynamoDB`'s own error documents, word for word where the SDK reads them.

use serde_json::{Value, json};

use crate::wire::{Call, Reply};

const CONFLICT: &str = "TransactionConflict";
const ONGOING: &str = "Transaction is ongoing for the item";

pub(super) fn throttled() -> Reply {
    let message = "The level of configured provisioned throughput for the table was exceeded. \
                   Consider increasing your provisioning level with the UpdateTable API.";
    Reply::error(400, "ProvisionedThroughputExceededException", json!({ "message": message }))
}

pub(super) fn server_error() -> Reply {
    Reply::error(500, "InternalServerError", json!({ "message": "Internal server error" }))
}

/// A cancelled transaction, or a refused single write when the call is none.
pub(super) fn conflict(call: &Call, items: &[usize]) -> Reply {
    if !call.is_transaction() {
        return Reply::error(400, "TransactionConflictException", json!({ "message": ONGOING }));
    }
    let codes: Vec<&str> =
        (0..call.actions().len()).map(|at| if items.contains(&at) { CONFLICT } else { "None" }).collect();
    let reasons: Vec<Value> = codes.iter().map(|code| reason(code)).collect();
    let message =
        format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{}]", codes.join(", "));
    Reply::error(400, "TransactionCanceledException", json!({ "Message": message, "CancellationReasons": reasons }))
}

fn reason(code: &str) -> Value {
    if code == CONFLICT { json!({ "Code": code, "Message": ONGOING }) } else { json!({ "Code": code }) }
}
