//! What a failed DynamoDB call means to the service.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_smithy_runtime_api::http::Response;

use crate::error::Error;

/// Translates a failure that says nothing about the request: DynamoDB did not answer, or could not now, or its answer
/// cannot be read ([`Error::Unavailable`]), or refused the call itself ([`Error::Internal`]).
pub(super) fn failed<E>(error: SdkError<E, Response>) -> Error
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

/// Why each item of a cancelled transaction was refused, in the order of its items; `None` where the
/// transaction was not cancelled but failed.
pub(super) fn cancellation_codes(error: &SdkError<TransactWriteItemsError, Response>) -> Option<Vec<&str>> {
    match error.as_service_error()? {
        TransactWriteItemsError::TransactionCanceledException(cancelled) => {
            Some(cancelled.cancellation_reasons().iter().map(|reason| reason.code().unwrap_or("None")).collect())
        }
        _ => None,
    }
}

/// Whether the condition of a single write failed.
pub(super) fn is_condition_failed<E: ProvideErrorMetadata>(error: &SdkError<E, Response>) -> bool {
    error.code() == Some("ConditionalCheckFailedException")
}
