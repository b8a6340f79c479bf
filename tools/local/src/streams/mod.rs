//! Streams of the tables, read as Lambda reads them: batches of records in order, and again those that failed.

mod lambda_event;
mod table_stream;

pub(crate) use lambda_event::{with_records, with_records_from};
pub(crate) use table_stream::POLL_INTERVAL;
pub use table_stream::TableStream;
