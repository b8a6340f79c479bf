//! Functions that streams invoke, with batches such as those in `events/mailer` and `events/publisher`.

use std::time::Duration;

use presence_local::replay::{deliver, publish};
use presence_runtime::clock::Deadline;
use serde_json::Value;

use crate::stack::with_stack;

/// Checks that mailer and publisher take any batch, and that the publisher names at most one record.
pub fn events(bytes: &[u8]) {
    // Any other event is a call to sweep, which waits for tables.
    let Some(event) = serde_json::from_slice::<Value>(bytes).ok().filter(|event| event["Records"].is_array()) else {
        return;
    };
    let deadline = Deadline::after(Duration::from_secs(10));
    with_stack(async |stack| {
        // An error hands the event over again.
        let _ = deliver(stack, stack.outbox(), &event, deadline).await;
        let published = publish(stack, &stack.stores().feed, &event, deadline).await;
        let failed = published["answer"]["batchItemFailures"].as_array().map_or(0, Vec::len);
        assert!(failed <= 1, "the first record that failed is named");
    });
}
