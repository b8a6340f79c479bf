//! Bus that takes events, and the result of a call.

use futures::future::BoxFuture;

use crate::wire::BusEntry;

/// Largest number of events in a call: the limit of `EventBridge`.
pub const MAX_ENTRIES: usize = 10;

/// Error of a call to the bus. It may have taken some of the events, or all. The code names the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutError(pub String);

/// Bus that takes events.
pub trait Bus: Send + Sync {
    /// Sends at most [`MAX_ENTRIES`] events. Returns for each of them `None`, or the code of the reason why the bus did not take it.
    fn put<'a>(&'a self, entries: &'a [BusEntry]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>>;
}
