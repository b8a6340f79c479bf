//! Answer to a call that is broken by a fault.

use std::io::{Error as IoError, ErrorKind as IoErrorKind};
use std::time::Duration;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;

use super::super::{Answer, Next};
use super::{FaultKind, replies};
use crate::wire::{Call, RecordedReply};

/// Answers the attempt of this number as the fault does.
pub(super) async fn answer(kind: FaultKind, number: u64, call: &Call, request: HttpRequest, next: &Next) -> Answer {
    let item = item_of_attempt(number, call);
    match kind {
        FaultKind::Throttle => replies::throttled().into_response(),
        FaultKind::ServerError => replies::server_error().into_response(),
        FaultKind::RefuseConnection => Err(io_error(IoErrorKind::ConnectionRefused).never_connected()),
        FaultKind::Delay(time) => delayed(time, request, next).await,
        FaultKind::CutBody => {
            let mut reply = RecordedReply::of(next, request).await?;
            reply.body.truncate(reply.body.len() / 2);
            reply.into_response()
        }
        FaultKind::TransactionConflict => replies::conflict(call, &[item]).into_response(),
        FaultKind::TransactionThrottle => replies::throttled_transaction(call, number, item).into_response(),
        FaultKind::TransactionInProgress => replies::in_progress().into_response(),
        FaultKind::UnprocessedKeys => replies::unprocessed(call).into_response(),
        FaultKind::LoseReply => {
            RecordedReply::of(next, request).await?;
            Err(io_error(IoErrorKind::ConnectionReset))
        }
        FaultKind::Hang => Err(hang(next).await),
    }
}

/// Carries the call out at once, and answers after the delay or when the read timeout ends, whichever is sooner.
async fn delayed(delay: Duration, request: HttpRequest, next: &Next) -> Answer {
    let reply = RecordedReply::of(next, request).await;
    if next.settings().read_timeout().is_some_and(|timeout| timeout < delay) {
        return Err(hang(next).await);
    }
    tokio::time::sleep(delay).await;
    reply?.into_response()
}

/// Returns the place of an item of the transaction: the next one with each attempt.
fn item_of_attempt(number: u64, call: &Call) -> usize {
    let items = u64::try_from(call.actions().len()).unwrap_or(u64::MAX).max(1);
    usize::try_from((number - 1) % items).unwrap_or_default()
}

/// Waits as for a server that does not answer. The connector keeps the read timeout; the SDK keeps the other timeouts.
async fn hang(next: &Next) -> ConnectorError {
    match next.settings().read_timeout() {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
    ConnectorError::timeout(IoError::from(IoErrorKind::TimedOut).into())
}

fn io_error(kind: IoErrorKind) -> ConnectorError {
    ConnectorError::io(IoError::from(kind).into())
}
