//! Responses of `DynamoDB`, and the errors that the limits answer with.

use serde_json::{Value, json};

use super::state::Throttled;
use super::token_buckets::{CapacityKind, ExceededLimit};

/// Response of `DynamoDB`.
#[derive(Clone, Debug)]
pub(super) struct DynamoDbResponse {
    pub(super) status: u16,
    pub(super) body: Value,
}

/// Reason of an item in a cancelled transaction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CancellationReason {
    None,
    Throttled,
    Conflict,
    /// Reason that DynamoDB itself gave.
    FromDynamoDb(Value),
}

const ERROR_NAMESPACE: &str = "com.amazonaws.dynamodb.v20120810";
const ONGOING_TRANSACTION: &str = "Transaction is ongoing for the item";
const THROTTLED: &str = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling \
    your table or index so please try again shortly. If exceptions persist, check if you have a hot key: \
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html";
const THROUGHPUT_EXCEEDED: &str = "The level of configured provisioned throughput for the table was exceeded. \
    Consider increasing your provisioning level with the UpdateTable API.";

impl DynamoDbResponse {
    /// Returns a response of success.
    pub(super) fn success(body: Value) -> Self {
        Self { status: 200, body }
    }

    pub(super) fn is_success(&self) -> bool {
        self.status == 200
    }

    fn error(code: &str, mut body: Value) -> Self {
        body["__type"] = json!(format!("{ERROR_NAMESPACE}#{code}"));
        Self { status: 400, body }
    }

    /// Returns a `ValidationException`.
    pub(super) fn validation_error(message: &str) -> Self {
        let body = json!({ "__type": "com.amazon.coral.validate#ValidationException", "message": message });
        Self { status: 400, body }
    }

    /// Returns the error of a throttled call that is not a transaction.
    pub(super) fn throttled(throttled: &Throttled) -> Self {
        let (code, message, limit) = match throttled.limit {
            ExceededLimit::Table => ("ThrottlingException", THROTTLED, "AccountLimitExceeded"),
            ExceededLimit::Partition => {
                ("ProvisionedThroughputExceededException", THROUGHPUT_EXCEEDED, "KeyRangeThroughputExceeded")
            }
        };
        let scope = &throttled.scope;
        let (kind, index) = match &scope.index {
            Some(index) => ("Index", format!("/index/{index}")),
            None => ("Table", String::new()),
        };
        let access = match scope.kind {
            CapacityKind::Read => "Read",
            CapacityKind::Write => "Write",
        };
        let resource = format!("arn:aws:dynamodb:local:000000000000:table/{}{index}", scope.table);
        let reasons = json!([{ "reason": format!("{kind}{access}{limit}"), "resource": resource }]);
        Self::error(code, json!({ "message": message, "throttlingReasons": reasons }))
    }

    /// Returns the error of a single write that conflicts with a transaction.
    pub(super) fn transaction_conflict() -> Self {
        Self::error("TransactionConflictException", json!({ "message": ONGOING_TRANSACTION }))
    }

    /// Returns the error of a cancelled transaction, with a reason for each item.
    pub(super) fn transaction_cancelled(reasons: &[CancellationReason]) -> Self {
        let documents: Vec<Value> = reasons.iter().map(CancellationReason::document).collect();
        let codes: Vec<&str> = documents.iter().filter_map(|reason| reason["Code"].as_str()).collect();
        let message = format!(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
            codes.join(", ")
        );
        Self::error("TransactionCanceledException", json!({ "Message": message, "CancellationReasons": documents }))
    }
}

impl CancellationReason {
    fn document(&self) -> Value {
        match self {
            Self::None => json!({ "Code": "None" }),
            Self::Throttled => json!({ "Code": "ThrottlingError", "Message": THROTTLED }),
            Self::Conflict => json!({ "Code": "TransactionConflict", "Message": ONGOING_TRANSACTION }),
            Self::FromDynamoDb(document) => document.clone(),
        }
    }
}
