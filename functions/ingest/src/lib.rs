//! Ingest: reviews as they arrive.
//!
//! S3 tells it of objects in the inbox: it splits each into messages of a FIFO queue, of one organisation and one lane each. The
//! queue hands the messages back to it: it writes their rows as `ops import reviews` does. `shared/docs/ingest.md` explains both.

mod batch;
mod calls;
mod event;
mod ingest;
mod outside;
mod part;
mod report;
mod sending;
mod source;
mod split;
mod write;

pub use calls::calls;
pub use event::handle;
pub use ingest::Ingest;
pub use outside::{ObjectBody, Objects, OpenObject, Queue, QueueMessage};
