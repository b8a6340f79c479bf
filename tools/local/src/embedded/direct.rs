//! Calls of the emulator without HTTP. HTTP on both sides takes nearly half of the CPU of a call.

use dynoxide::{Database, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Runs an operation on items or streams, and returns the status and JSON of its answer, which may be an error.
///
/// `None` for another operation, and for one whose request has another form: the server of the emulator knows how these errors look.
pub(super) fn run(database: &Database, operation: &str, body: &str) -> Option<(u16, String)> {
    match operation {
        "BatchGetItem" => answer(body, |request| database.batch_get_item(request)),
        "BatchWriteItem" => answer(body, |request| database.batch_write_item(request)),
        "DeleteItem" => answer(body, |request| database.delete_item(request)),
        "DescribeStream" => answer(body, |request| database.describe_stream(request)),
        "GetItem" => answer(body, |request| database.get_item(request)),
        "GetRecords" => answer(body, |request| database.get_records(request)),
        "GetShardIterator" => answer(body, |request| database.get_shard_iterator(request)),
        "PutItem" => answer(body, |request| database.put_item(request)),
        "Query" => answer(body, |request| database.query(request)),
        "Scan" => answer(body, |request| database.scan(request)),
        "TransactGetItems" => answer(body, |request| database.transact_get_items(request)),
        "TransactWriteItems" => answer(body, |request| database.transact_write_items(request)),
        "UpdateItem" => answer(body, |request| database.update_item(request)),
        _ => None,
    }
}

fn answer<I: DeserializeOwned, O: Serialize>(body: &str, run: impl FnOnce(I) -> Result<O>) -> Option<(u16, String)> {
    Some(match run(serde_json::from_str(body).ok()?) {
        Ok(answer) => (200, serde_json::to_string(&answer).expect("an answer is JSON")),
        Err(error) => (error.status_code(), error.to_json()),
    })
}
