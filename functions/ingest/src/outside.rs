//! Bucket of objects and queue of messages, as ingest uses them.

use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use tokio::io::AsyncRead;

pub use presence_runtime::aws::QueueMessage;

/// Bytes of an object, as they arrive.
pub type ObjectBody = Box<dyn AsyncRead + Send + Unpin>;

/// Object that is open for reading.
pub struct OpenObject {
    /// Mark of its content. A replaced object has another one, unless its content is the same.
    pub etag: String,
    /// Time of its upload.
    pub modified_at: Timestamp,
    /// Bytes from the offset on that was asked for; none if the object is shorter.
    pub body: ObjectBody,
}

/// Objects of one bucket, or of a folder in its place.
///
/// Keys are whole: `inbox/<object>`, `rejected/<object>.jsonl`, `done/<object>.json`. A failure is [`Error::Unavailable`] if the same
/// call may succeed later.
pub trait Objects: Send + Sync {
    /// Opens the object for reading from an offset in bytes. Returns `None` if there is no such object.
    ///
    /// The body is one version of the object, also if the object is replaced meanwhile.
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>>;

    /// Writes a whole object, in the place of an earlier one. `source_etag` is the mark of the object that a summary is about. It is stored
    /// beside the content, where the bucket has a place for it.
    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        source_etag: Option<&'a str>,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Deletes an object. There may be none.
    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>>;
}

/// Message that was received and is not settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenBack {
    /// Handle of the receive.
    pub receipt_handle: String,
    /// Time after which the message is visible again.
    pub after: Duration,
}

/// FIFO queue that ingest writes to.
pub trait Queue: Send + Sync {
    /// Sends any number of messages, in this order within a group. After an error some of them may have been sent.
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>>;

    /// Makes up to ten received messages visible again after their times, instead of the queue's own time.
    fn give_back<'a>(&'a self, messages: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>>;
}
