//! Bus or queue that takes what the records of the streams ask for, and the result of a call.

use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_runtime::aws::{CallError, code_of};
use presence_runtime::telemetry::Metric;
use serde_json::Value;

/// Largest number of entries in a call: the limit of `EventBridge` and of SQS.
pub const MAX_ENTRIES: usize = 10;

/// Error of a call to the bus. It may have taken some of the entries, or all. The code names the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutError(pub String);

impl PutError {
    /// Returns the code of a failed call, which never has the content of an entry.
    pub(crate) fn of_call(error: &CallError) -> Self {
        let kind = match error {
            CallError::TimeoutError(_) => "Timeout",
            CallError::DispatchFailure(_) => "NoConnection",
            CallError::ConstructionFailure(_) => "InvalidRequest",
            _ => "InvalidAnswer",
        };
        Self(code_of(error).unwrap_or(kind).to_owned())
    }
}

/// Entry that is sent for a record of a stream.
pub trait Entry: Clone + Send + Sync {
    /// Metric that counts the entries that were taken.
    const SENT: Metric;

    /// Returns the entries of a record, in their order; none if nothing is to be sent for it.
    ///
    /// Returns [`Error::Unavailable`] for a record that only a later version of this program can read.
    fn of_record(record: &Value) -> Result<Vec<Self>, Error>;

    /// Returns the group in which entries must keep their order even if a call is taken only in part; `None` for no group.
    fn group(&self) -> Option<&str>;
}

/// Bus or queue that takes entries of one kind.
pub trait Bus: Send + Sync {
    /// Kind of the entries.
    type Entry: Entry;

    /// Sends at most [`MAX_ENTRIES`] entries. Returns for each of them `None`, or the code of the reason why it was not taken.
    fn put<'a>(&'a self, entries: &'a [Self::Entry]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>>;
}
