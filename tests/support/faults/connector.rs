//! One attempt: decided about, then sent on, broken or answered in the database's stead.

use std::fmt;
use std::io::{Error as IoError, ErrorKind as IoErrorKind};
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;

use super::{FaultKind, Shared, Step, replies};
use crate::wire::{Call, Reply};

pub(super) struct Connector {
    pub(super) inner: SharedHttpConnector,
    pub(super) shared: Arc<Shared>,
    /// What the SDK set: kept for what this connector makes late, and for nothing else.
    pub(super) read_timeout: Option<Duration>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("faults::Connector").finish_non_exhaustive()
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, shared, read_timeout) = (self.inner.clone(), self.shared.clone(), self.read_timeout);
        HttpConnectorFuture::new(async move {
            let call = Call::read(&request);
            match shared.decide(&call)? {
                Step::Pass(None) => inner.call(request).await,
                Step::Pass(hold) => {
                    // The items are held until the last byte of the answer is here, not only its head.
                    let reply = Reply::of(&inner, request).await;
                    drop(hold);
                    reply?.into_response()
                }
                Step::Conflict(items) => replies::conflict(&call, &items).into_response(),
                Step::Break(kind, number) => broken(kind, number, &call, &inner, request, read_timeout).await,
            }
        })
    }
}

async fn broken(
    kind: FaultKind,
    number: u64,
    call: &Call,
    inner: &SharedHttpConnector,
    request: HttpRequest,
    read_timeout: Option<Duration>,
) -> Result<HttpResponse, ConnectorError> {
    match kind {
        FaultKind::Throttle => replies::throttled().into_response(),
        FaultKind::ServerError => replies::server_error().into_response(),
        FaultKind::RefuseConnection => Err(io(IoErrorKind::ConnectionRefused).never_connected()),
        FaultKind::Delay(time) => {
            let reply = Reply::of(inner, request).await;
            if read_timeout.is_some_and(|patience| patience < time) {
                return Err(hang(read_timeout).await);
            }
            tokio::time::sleep(time).await;
            reply?.into_response()
        }
        FaultKind::CutBody => {
            let mut reply = Reply::of(inner, request).await?;
            reply.body.truncate(reply.body.len() / 2);
            reply.into_response()
        }
        FaultKind::TransactionConflict => replies::conflict(call, &[place(number, call)]).into_response(),
        FaultKind::TransactionThrottle => {
            replies::throttled_transaction(call, number, place(number, call)).into_response()
        }
        FaultKind::TransactionInProgress => replies::in_progress().into_response(),
        FaultKind::UnprocessedKeys => replies::unprocessed(call).into_response(),
        FaultKind::LoseReply => {
            Reply::of(inner, request).await?;
            Err(io(IoErrorKind::ConnectionReset))
        }
        FaultKind::Hang => Err(hang(read_timeout).await),
    }
}

/// An item of a transaction: another one with each attempt.
fn place(number: u64, call: &Call) -> usize {
    let places = u64::try_from(call.actions().len()).unwrap_or(u64::MAX).max(1);
    usize::try_from((number - 1) % places).unwrap_or_default()
}

/// A server that does not answer: the read timeout is the connector's to keep, the others are the SDK's.
async fn hang(read_timeout: Option<Duration>) -> ConnectorError {
    match read_timeout {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
    ConnectorError::timeout(IoError::from(IoErrorKind::TimedOut).into())
}

fn io(kind: IoErrorKind) -> ConnectorError {
    ConnectorError::io(IoError::from(kind).into())
}
