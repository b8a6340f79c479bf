//! Functions behind streams: batches, as those in `events/mailer` and `events/publisher`.

use std::time::Duration;

use presence_runtime::clock::{SystemClock, deadline_in};
use serde_json::Value;

use crate::stack::with_stack;

/// Checks that mailer and publisher take any batch, and that the publisher names at most one record.
pub fn events(bytes: &[u8]) {
    // Any other event is a call to sweep, which waits for tables.
    let Some(event) = serde_json::from_slice::<Value>(bytes).ok().filter(|event| event["Records"].is_array()) else {
        return;
    };
    let deadline = deadline_in(Duration::from_secs(10));
    with_stack(async |stack| {
        // An error hands the event over again.
        let _ = presence_mailer::handle(stack.outbox(), &event, deadline).await;
        let feed = &stack.stores().feed;
        let sent = presence_publisher::fan_out(stack.event_bus(), feed, &SystemClock, &event, deadline).await;
        let failed = serde_json::to_value(&sent).expect("JSON")["batchItemFailures"].as_array().map_or(0, Vec::len);
        assert!(failed <= 1, "the first record that failed is named");
    });
}
