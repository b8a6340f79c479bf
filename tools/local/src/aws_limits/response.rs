//! `DynamoDB`'s own error documents.

use serde_json::{Value, json};

use super::token_buckets::ExceededLimit;

/// An answer of `DynamoDB`.
#[derive(Clone, Debug)]
pub(super) struct DynamoDbResponse {
    pub(super) status: u16,
    pub(super) body: Value,
}

const SERVICE: &str = "com.amazonaws.dynamodb.v20120810";
const ONGOING: &str = "Transaction is ongoing for the item";
const THROTTLED: &str = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling \
    your table or index so please try again shortly. If exceptions persist, check if you have a hot key: \
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html";
const EXCEEDED: &str = "The level of configured provisioned throughput for the table was exceeded. \
    Consider increasing your provisioning level with the UpdateTable API.";

/// The reason that kept an item of a transaction from being read or written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CancellationReason {
    None,
    Throttled,
    Conflict,
    /// Reason that DynamoDB itself gave.
    FromDynamoDb(Value),
}

impl DynamoDbResponse {
    pub(super) fn is_success(&self) -> bool {
        self.status == 200
    }

    fn error(code: &str, mut rest: Value) -> Self {
        rest["__type"] = json!(format!("{SERVICE}#{code}"));
        Self { status: 400, body: rest }
    }

    /// A request that breaks a rule of the interface.
    pub(super) fn validation(message: &str) -> Self {
        let body = json!({ "__type": "com.amazon.coral.validate#ValidationException", "message": message });
        Self { status: 400, body }
    }

    /// A single call that met a limit of throughput: on demand, tables scale and hot keys are exceeded.
    pub(super) fn throttled(exceeded: ExceededLimit, resource: &str, what: &str) -> Self {
        let (code, message, limit) = match exceeded {
            ExceededLimit::Table => ("ThrottlingException", THROTTLED, "AccountLimitExceeded"),
            ExceededLimit::Partition => {
                ("ProvisionedThroughputExceededException", EXCEEDED, "KeyRangeThroughputExceeded")
            }
        };
        let reasons = json!([{ "reason": format!("{what}{limit}"), "resource": resource }]);
        Self::error(code, json!({ "message": message, "throttlingReasons": reasons }))
    }

    /// A single write of an item that a transaction holds.
    pub(super) fn conflict() -> Self {
        Self::error("TransactionConflictException", json!({ "message": ONGOING }))
    }

    /// A cancelled transaction.
    pub(super) fn cancelled(reasons: &[CancellationReason]) -> Self {
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
            Self::Conflict => json!({ "Code": "TransactionConflict", "Message": ONGOING }),
            Self::FromDynamoDb(document) => document.clone(),
        }
    }
}
