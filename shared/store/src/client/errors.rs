//! What a failed DynamoDB call means to the service.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::CancellationReason;
use aws_smithy_runtime_api::http::Response;

use presence_domain::error::Error;

/// The reason of an item that another transaction held.
const CONFLICT: &str = "TransactionConflict";

/// Translates a failure that says nothing about the request: DynamoDB did not answer, or could not now, or its answer
/// cannot be read ([`Error::Unavailable`]), or refused the call itself ([`Error::Internal`]).
pub(crate) fn failed<E>(error: SdkError<E, Response>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let refused = matches!(&error, SdkError::ServiceError(service)
        if service.raw().status().is_client_error() && error.code().is_some_and(|code| !is_transient_code(code)));
    let construction = matches!(&error, SdkError::ConstructionFailure(_));
    if refused || construction { Error::Internal(error.into()) } else { Error::Unavailable(error.into()) }
}

/// Codes of answers with a 4xx status that a later attempt may not meet again.
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

/// Codes of a call that was throttled, and of a transaction whose earlier attempt is under way: the same, tried again later,
/// is done.
const THROTTLES: [&str; 5] = [
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionInProgressException",
];

/// True if the call was not done because there were too many of them, for the SDK's own few attempts too.
pub(crate) fn is_throttled<E: ProvideErrorMetadata>(error: &SdkError<E, Response>) -> bool {
    error.code().is_some_and(|code| THROTTLES.contains(&code))
}

/// The meaning of the reasons of a cancelled transaction for its sender.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cancelled {
    /// The conditions of the items at these places failed: read again.
    Conditions(Vec<usize>),
    /// It came at a bad time: send it again.
    ForNow {
        /// The places of the items that other transactions held.
        held: Vec<usize>,
        /// True if there was too much to write.
        throttled: bool,
    },
    /// An item cannot be written so, now or later.
    ForGood,
}

impl Cancelled {
    /// Reads the codes of the reasons, one for each item in order. A failed condition counts before all else: sent again, the
    /// transaction would fail as well.
    pub(crate) fn of(codes: &[&str]) -> Self {
        let places = |wanted: &str| (0..codes.len()).filter(|place| codes[*place] == wanted).collect::<Vec<_>>();
        let conditions = places("ConditionalCheckFailed");
        if !conditions.is_empty() {
            return Self::Conditions(conditions);
        }
        let is_throttle = |code: &&str| ["ThrottlingError", "ProvisionedThroughputExceeded"].contains(code);
        if !codes.iter().all(|code| ["None", CONFLICT].contains(code) || is_throttle(code)) {
            return Self::ForGood;
        }
        Self::ForNow { held: places(CONFLICT), throttled: codes.iter().any(is_throttle) }
    }
}

/// Why each item of a cancelled transaction was refused, in the order of its items; `None` where the
/// transaction was not cancelled but failed.
pub(crate) fn cancellation_codes(error: &SdkError<TransactWriteItemsError, Response>) -> Option<Vec<&str>> {
    match error.as_service_error()? {
        TransactWriteItemsError::TransactionCanceledException(cancelled) => {
            Some(cancelled.cancellation_reasons().iter().map(|reason| reason.code().unwrap_or("None")).collect())
        }
        _ => None,
    }
}

/// Items of a transaction that would become larger than the 400 KB that DynamoDB takes, by their places in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ItemsTooLarge(pub(crate) Vec<usize>);

impl ItemsTooLarge {
    /// Reads a cancellation. DynamoDB says `ValidationError`, "Item size to update has exceeded the maximum allowed size", and
    /// of a put "Item size has exceeded the maximum allowed size".
    pub(crate) fn of(error: &SdkError<TransactWriteItemsError, Response>) -> Option<Self> {
        let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) = error.as_service_error() else {
            return None;
        };
        let is_too_large = |reason: &CancellationReason| {
            let message = reason.message().unwrap_or_default();
            reason.code() == Some("ValidationError") && message.starts_with("Item size") && message.contains("exceeded")
        };
        let reasons = cancelled.cancellation_reasons().iter().enumerate();
        let places: Vec<usize> = reasons.filter(|(_, reason)| is_too_large(reason)).map(|(place, _)| place).collect();
        (!places.is_empty()).then_some(Self(places))
    }
}

impl std::fmt::Display for ItemsTooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} items would be larger than the 400 KB that DynamoDB takes", self.0.len())
    }
}

impl std::error::Error for ItemsTooLarge {}

/// Whether the condition of a single write failed.
pub(crate) fn is_condition_failed<E: ProvideErrorMetadata>(error: &SdkError<E, Response>) -> bool {
    error.code() == Some("ConditionalCheckFailedException")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_condition_counts_before_all_else_and_throttles_and_conflicts_pass() {
        use Cancelled::{Conditions, ForGood};
        let for_now = |held: &[usize], throttled| Cancelled::ForNow { held: held.to_vec(), throttled };
        let cases: [(&[&str], Cancelled); 9] = [
            (&["None", "ConditionalCheckFailed"], Conditions(vec![1])),
            (&["ConditionalCheckFailed", "ThrottlingError", "ConditionalCheckFailed"], Conditions(vec![0, 2])),
            (&["TransactionConflict", "ConditionalCheckFailed", "ValidationError"], Conditions(vec![1])),
            (&["None", "TransactionConflict", "None"], for_now(&[1], false)),
            (&["ThrottlingError", "None"], for_now(&[], true)),
            (&["None", "ProvisionedThroughputExceeded"], for_now(&[], true)),
            (&["ThrottlingError", "TransactionConflict", "None"], for_now(&[1], true)),
            (&["ValidationError", "ThrottlingError"], ForGood),
            (&["ItemCollectionSizeLimitExceeded", "None"], ForGood),
        ];
        for (codes, expected) in cases {
            assert_eq!(Cancelled::of(codes), expected, "{codes:?}");
        }
    }
}
