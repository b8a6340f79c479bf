//! The line that each request writes to the log, on the way of a client through the gateway.

mod callers;
mod errors;
mod ids;

use presence_tests::{Reply, logs};
use serde_json::Value;

/// Returns the line of the request with this answer.
fn line(reply: &Reply) -> Value {
    logs::request_line(reply.header("x-request-id"))
}
