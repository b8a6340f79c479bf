//! Meaning of a failed DynamoDB call for the service.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::CancellationReason;
use aws_smithy_runtime_api::http::Response;

use presence_domain::error::Error;

/// Reason of an item that another transaction held.
const CONFLICT: &str = "TransactionConflict";

/// Translates a failure that is not the client's fault. A call that DynamoDB rejects is [`Error::Internal`]: it is a bug. Every
/// other failure is [`Error::Unavailable`]: a later attempt may succeed.
pub(crate) fn failed<E>(error: SdkError<E, Response>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let is_rejected = matches!(&error, SdkError::ServiceError(service)
        if service.raw().status().is_client_error() && error.code().is_some_and(|code| !is_transient_code(code)));
    let is_unsent = matches!(&error, SdkError::ConstructionFailure(_));
    if is_rejected || is_unsent { Error::Internal(error.into()) } else { Error::Unavailable(error.into()) }
}

/// True for codes of answers with a 4xx status that a later attempt may not meet again.
fn is_transient_code(code: &str) -> bool {
    const TRANSIENT: [&str; 7] = [
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionCanceledException",
        "TransactionConflictException",
        "TransactionInProgressException",
    ];
    TRANSIENT.contains(&code)
}

/// Codes of a throttled call, and of a transaction whose earlier attempt is still under way. The same call succeeds later.
const THROTTLES: [&str; 5] = [
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionInProgressException",
];

/// True if DynamoDB throttled the call, and also the retries of the SDK.
pub(crate) fn is_throttled<E: ProvideErrorMetadata>(error: &SdkError<E, Response>) -> bool {
    error.code().is_some_and(|code| THROTTLES.contains(&code))
}

/// True if DynamoDB refused the call for now: it was throttled, or a transaction held the item of a single write.
pub(crate) fn is_refused_for_now<E: ProvideErrorMetadata>(error: &SdkError<E, Response>) -> bool {
    is_throttled(error) || error.code() == Some("TransactionConflictException")
}

/// Meaning of the cancellation reasons of a transaction.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cancellation {
    /// The conditions of the items at these positions failed. The caller reads again.
    ConditionsFailed(Vec<usize>),
    /// The same transaction may succeed later.
    Transient {
        /// Positions of the items that other transactions held.
        held: Vec<usize>,
        /// True if DynamoDB throttled an item.
        throttled: bool,
    },
    /// The transaction fails on every attempt.
    Permanent,
}

impl Cancellation {
    /// Interprets the codes of the reasons, one for each item in order. A failed condition takes precedence: the transaction
    /// would fail again.
    pub(crate) fn of(codes: &[&str]) -> Self {
        let positions =
            |wanted: &str| (0..codes.len()).filter(|position| codes[*position] == wanted).collect::<Vec<_>>();
        let conditions = positions("ConditionalCheckFailed");
        if !conditions.is_empty() {
            return Self::ConditionsFailed(conditions);
        }
        let is_throttle = |code: &&str| ["ThrottlingError", "ProvisionedThroughputExceeded"].contains(code);
        if !codes.iter().all(|code| ["None", CONFLICT].contains(code) || is_throttle(code)) {
            return Self::Permanent;
        }
        Self::Transient { held: positions(CONFLICT), throttled: codes.iter().any(is_throttle) }
    }
}

/// Returns the reason code of each item of a cancelled transaction, in order; `None` if the transaction failed without being
/// cancelled.
pub(crate) fn cancellation_codes(error: &SdkError<TransactWriteItemsError, Response>) -> Option<Vec<&str>> {
    match error.as_service_error()? {
        TransactWriteItemsError::TransactionCanceledException(cancelled) => {
            Some(cancelled.cancellation_reasons().iter().map(|reason| reason.code().unwrap_or("None")).collect())
        }
        _ => None,
    }
}

/// Occurs when items of a transaction would exceed the 400 KB limit of DynamoDB. Holds their positions in the transaction.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ItemTooLargeError(pub(crate) Vec<usize>);

impl ItemTooLargeError {
    /// Returns the items that are too large, if the transaction was cancelled for that. DynamoDB reports a `ValidationError`: "Item
    /// size to update has exceeded the maximum allowed size", or for a put "Item size has exceeded the maximum allowed size".
    pub(crate) fn of(error: &SdkError<TransactWriteItemsError, Response>) -> Option<Self> {
        let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) = error.as_service_error() else {
            return None;
        };
        let is_too_large = |reason: &CancellationReason| {
            let message = reason.message().unwrap_or_default();
            reason.code() == Some("ValidationError") && message.starts_with("Item size") && message.contains("exceeded")
        };
        let reasons = cancelled.cancellation_reasons().iter().enumerate();
        let positions: Vec<usize> =
            reasons.filter(|(_, reason)| is_too_large(reason)).map(|(position, _)| position).collect();
        (!positions.is_empty()).then_some(Self(positions))
    }
}

impl std::fmt::Display for ItemTooLargeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} items would be larger than the 400 KB that DynamoDB takes", self.0.len())
    }
}

impl std::error::Error for ItemTooLargeError {}

/// True if the condition of a single write failed.
pub(crate) fn is_condition_failed<E: ProvideErrorMetadata>(error: &SdkError<E, Response>) -> bool {
    error.code() == Some("ConditionalCheckFailedException")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_condition_takes_precedence_and_throttles_and_conflicts_are_transient() {
        use Cancellation::{ConditionsFailed, Permanent};
        let transient = |held: &[usize], throttled| Cancellation::Transient { held: held.to_vec(), throttled };
        let cases: [(&[&str], Cancellation); 9] = [
            (&["None", "ConditionalCheckFailed"], ConditionsFailed(vec![1])),
            (&["ConditionalCheckFailed", "ThrottlingError", "ConditionalCheckFailed"], ConditionsFailed(vec![0, 2])),
            (&["TransactionConflict", "ConditionalCheckFailed", "ValidationError"], ConditionsFailed(vec![1])),
            (&["None", "TransactionConflict", "None"], transient(&[1], false)),
            (&["ThrottlingError", "None"], transient(&[], true)),
            (&["None", "ProvisionedThroughputExceeded"], transient(&[], true)),
            (&["ThrottlingError", "TransactionConflict", "None"], transient(&[1], true)),
            (&["ValidationError", "ThrottlingError"], Permanent),
            (&["ItemCollectionSizeLimitExceeded", "None"], Permanent),
        ];
        for (codes, expected) in cases {
            assert_eq!(Cancellation::of(codes), expected, "{codes:?}");
        }
    }
}
