//! Concurrent calls.

use std::future::Future;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use presence_domain::error::Error;

/// Runs calls concurrently, at most `in_flight` at a time. Returns their outputs in order, or the first error.
pub fn parallel<T, F>(in_flight: u16, calls: impl IntoIterator<Item = F>) -> impl Future<Output = Result<Vec<T>, Error>>
where
    F: Future<Output = Result<T, Error>>,
{
    // The iterator is consumed at once: a future that held its closures would not be `Send` to the compiler.
    let calls: Vec<_> = calls.into_iter().collect();
    stream::iter(calls).buffered(usize::from(in_flight)).try_collect()
}
