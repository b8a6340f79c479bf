//! Ingest: reviews as they arrive.
//!
//! S3 tells it of objects in the inbox: it splits each into messages of a FIFO queue, of one organisation and one lane each. The
//! queue hands the messages back to it: it writes their rows as `ops import reviews` does. `shared/docs/ingest.md` explains both.

mod batch;
mod calls;
mod event;
mod ingest;
mod objects;
mod outside;
mod part;
mod queue;
mod report;
mod sending;
mod source;
mod split;
mod write;

pub use event::handle;
pub use ingest::Ingest;
pub use objects::S3Objects;
pub use outside::{GivenBack, ObjectBody, Objects, OpenObject, Queue, QueueMessage};
pub use presence_runtime::aws::SqsQueue;

use presence_domain::error::Error;

/// Returns the failure of a call of AWS, by its code. An error of rights or form is a bug, everything else may pass.
fn failed_call<E: std::error::Error + Send + Sync + 'static>(error: E, code_of: fn(&E) -> Option<&str>) -> Error {
    match code_of(&error) {
        Some("AccessDenied" | "AccessDeniedException" | "NoSuchBucket" | "InvalidParameterValue") => {
            Error::internal(error)
        }
        _ => Error::Unavailable(error.into()),
    }
}
