//! Error documents of `DynamoDB`, word for word where the SDK reads them.

use serde_json::{Value, json};

use crate::wire::{Call, RecordedReply};

const CONFLICT: &str = "TransactionConflict";
const ONGOING: &str = "Transaction is ongoing for the item";
const THROTTLED: &str =
    "Throughput exceeds the current capacity for one or more global secondary indexes or for the table.";

pub(in super::super) fn throttled() -> RecordedReply {
    let message = "The level of configured provisioned throughput for the table was exceeded. \
                   Consider increasing your provisioning level with the UpdateTable API.";
    RecordedReply::error(400, "ProvisionedThroughputExceededException", json!({ "message": message }))
}

pub(in super::super) fn server_error() -> RecordedReply {
    RecordedReply::error(500, "InternalServerError", json!({ "message": "Internal server error" }))
}

/// Returns a cancelled transaction, or a refused write if the call is a single one.
pub(in super::super) fn conflict(call: &Call, items: &[usize]) -> RecordedReply {
    if !call.is_transaction() {
        return RecordedReply::error(400, "TransactionConflictException", json!({ "message": ONGOING }));
    }
    let codes: Vec<&str> =
        (0..call.actions().len()).map(|at| if items.contains(&at) { CONFLICT } else { "None" }).collect();
    cancelled(&codes)
}

/// Returns a transaction that throttling cancelled, in one of four forms by the number of the attempt.
pub(in super::super) fn throttled_transaction(call: &Call, number: u64, place: usize) -> RecordedReply {
    let count = call.actions().len();
    let mut codes = vec!["None"; count];
    match number % 4 {
        0 => codes[place] = "ThrottlingError",
        1 => codes[place] = "ProvisionedThroughputExceeded",
        2 => codes.fill("ThrottlingError"),
        _ => {
            codes[(place + 1) % count] = CONFLICT;
            codes[place] = "ThrottlingError";
        }
    }
    cancelled(&codes)
}

pub(super) fn in_progress() -> RecordedReply {
    let message = "The transaction with the given request token is already in progress.";
    RecordedReply::error(400, "TransactionInProgressException", json!({ "Message": message }))
}

/// Returns a batch of which nothing was read.
pub(super) fn unprocessed(call: &Call) -> RecordedReply {
    RecordedReply::success(&json!({ "Responses": {}, "UnprocessedKeys": call.body["RequestItems"] }))
}

fn cancelled(codes: &[&str]) -> RecordedReply {
    let reasons: Vec<Value> = codes.iter().map(|code| reason(code)).collect();
    let message =
        format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{}]", codes.join(", "));
    RecordedReply::error(
        400,
        "TransactionCanceledException",
        json!({ "Message": message, "CancellationReasons": reasons }),
    )
}

fn reason(code: &str) -> Value {
    match code {
        "None" => json!({ "Code": code }),
        CONFLICT => json!({ "Code": code, "Message": ONGOING }),
        _ => json!({ "Code": code, "Message": THROTTLED }),
    }
}
