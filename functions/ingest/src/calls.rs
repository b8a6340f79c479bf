//! Calls to the queue: which messages go into one.

use crate::outside::QueueMessage;

/// Maximum number of messages in a call: SQS's limit.
const MAX_MESSAGES: usize = 10;
/// Maximum number of bytes in a call, bodies and attributes: the least limit that SQS ever had.
const MAX_BYTES: usize = 256 * 1024;
/// Returns the messages of each call, in their order.
pub(crate) fn calls(messages: &[QueueMessage]) -> Vec<&[QueueMessage]> {
    let (mut calls, mut rest) = (Vec::new(), messages);
    while !rest.is_empty() {
        let (call, later) = rest.split_at(count_fitting(rest));
        calls.push(call);
        rest = later;
    }
    calls
}

/// Returns how many of the messages, from the first on, fit into one call. The first one always fits.
fn count_fitting(messages: &[QueueMessage]) -> usize {
    let mut bytes = 0;
    let fitting = messages.iter().take(MAX_MESSAGES).take_while(|message| {
        bytes += message.size();
        bytes <= MAX_BYTES
    });
    fitting.count().max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn message(bytes: usize) -> QueueMessage {
        let (group_id, deduplication_id) = ("42-3".to_owned(), "x".to_owned());
        QueueMessage { group_id, deduplication_id, body: "x".repeat(bytes), attributes: BTreeMap::new() }
    }

    #[test]
    fn a_call_has_ten_messages_and_256_kib_at_most() {
        assert_eq!(count_fitting(&vec![message(10); 25]), 10);
        assert_eq!(count_fitting(&vec![message(100_000); 25]), 2);
        assert_eq!(count_fitting(&[message(300_000)]), 1);
        assert_eq!(count_fitting(&[message(10), message(MAX_BYTES - 10), message(1)]), 2);
    }
}
