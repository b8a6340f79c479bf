//! FIFO queue in memory, with the rules of SQS: a group's messages are in order, and those behind one in flight wait.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_ingest::{Queue, QueueMessage};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Stopwatch;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

/// Messages of a batch: the limit of SQS for FIFO queues.
const BATCH: usize = 10;
/// Time for which the queue drops a message with the same deduplication id.
const DEDUPLICATION_TIME: Duration = Duration::from_mins(5);
/// Number of times that a message is received before it is set aside, as in the dead-letter queue of AWS.
const MAX_RECEIVES: u32 = 5;

/// Queue of this process. What it holds is lost at a stop; the files that it came from have no reports then, and are read again.
#[derive(Debug, Default)]
pub struct LocalQueue {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Messages that wait, by group.
    waiting: BTreeMap<String, VecDeque<Stored>>,
    /// Groups with messages in flight.
    busy: HashSet<String>,
    /// Time since each deduplication id was seen.
    seen: HashMap<String, Stopwatch>,
    /// Group that was served last, so that each has its turn.
    last_group: String,
    last_number: u64,
    /// Number of messages that were set aside.
    dead: usize,
}

#[derive(Clone, Debug)]
struct Stored {
    id: String,
    receives: u32,
    message: QueueMessage,
}

/// Messages in flight, of one group or several.
#[derive(Debug)]
pub struct Batch(Vec<Stored>);

impl LocalQueue {
    /// Waits for messages, and takes the next ones.
    pub async fn receive(&self) -> Batch {
        loop {
            let changed = self.changed.notified();
            if let Some(batch) = self.state().take() {
                // There may be more for another receiver.
                self.changed.notify_one();
                return batch;
            }
            changed.await;
        }
    }

    /// Removes the messages of a batch that are done. The others go back to the front of their groups, with the later ones. `answer`
    /// is that of ingest; without one, all failed. Returns true if all are done.
    pub fn record_outcome(&self, batch: Batch, answer: Option<&BatchResponse>) -> bool {
        let (mut state, mut is_done) = (self.state(), true);
        for stored in batch.0.into_iter().rev() {
            let group_id = stored.message.group_id.clone();
            state.busy.remove(&group_id);
            if answer.is_some_and(|answer| !answer.names(&stored.id)) {
                continue;
            }
            is_done = false;
            if stored.receives >= MAX_RECEIVES {
                state.dead += 1;
                tracing::error!(group = %group_id, "a message of the queue failed too often and is set aside");
            } else {
                state.waiting.entry(group_id).or_default().push_front(stored);
            }
        }
        drop(state);
        self.changed.notify_one();
        is_done
    }

    /// True if no message waits or is in flight.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && state.busy.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the next messages of the group whose turn it is; `None` if no group has any that may be taken.
    fn take(&mut self) -> Option<Batch> {
        let is_free = |group: &&String| !self.busy.contains(*group);
        let mut groups = self.waiting.keys().filter(is_free);
        let next = groups.clone().find(|group| **group > self.last_group).or_else(|| groups.next())?.clone();
        let waiting = self.waiting.get_mut(&next)?;
        let mut batch: Vec<Stored> = waiting.drain(..waiting.len().min(BATCH)).collect();
        for stored in &mut batch {
            stored.receives += 1;
        }
        if waiting.is_empty() {
            self.waiting.remove(&next);
        }
        self.busy.insert(next.clone());
        self.last_group = next;
        Some(Batch(batch))
    }

    /// Adds a message, unless it was sent before.
    fn add(&mut self, message: &QueueMessage) {
        if self.seen.contains_key(&message.deduplication_id) {
            return;
        }
        self.seen.insert(message.deduplication_id.clone(), Stopwatch::start());
        self.last_number += 1;
        let stored = Stored { id: self.last_number.to_string(), receives: 0, message: message.clone() };
        self.waiting.entry(message.group_id.clone()).or_default().push_back(stored);
    }
}

impl Queue for LocalQueue {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            let mut state = self.state();
            state.seen.retain(|_, sent| sent.elapsed() < DEDUPLICATION_TIME);
            for message in messages {
                state.add(message);
            }
            drop(state);
            self.changed.notify_one();
            Ok(())
        }
        .boxed()
    }
}

impl Batch {
    /// Returns the event that SQS hands to a function.
    #[must_use]
    pub fn event(&self) -> Value {
        json!({ "Records": self.0.iter().map(Stored::record).collect::<Vec<_>>() })
    }
}

impl Stored {
    fn record(&self) -> Value {
        let QueueMessage { group_id, deduplication_id, body, attributes } = &self.message;
        let typed = |(name, value): (&String, &String)| {
            (
                name.clone(),
                json!({ "stringValue": value, "stringListValues": [], "binaryListValues": [], "dataType": "String" }),
            )
        };
        json!({
            "messageId": self.id,
            "receiptHandle": format!("{}-{}", self.id, self.receives),
            "body": body,
            "attributes": {
                "ApproximateReceiveCount": self.receives.to_string(),
                "MessageGroupId": group_id,
                "MessageDeduplicationId": deduplication_id,
                "SequenceNumber": format!("{:0>20}", self.id),
            },
            "messageAttributes": attributes.iter().map(typed).collect::<Map<String, Value>>(),
            "eventSource": "aws:sqs",
            "eventSourceARN": "arn:aws:sqs:eu-west-1:000000000000:presence-ingest.fifo",
            "awsRegion": "eu-west-1",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(group: &str, number: usize) -> QueueMessage {
        QueueMessage {
            group_id: group.to_owned(),
            deduplication_id: format!("{group}-{number}"),
            body: number.to_string(),
            attributes: BTreeMap::new(),
        }
    }

    fn bodies(batch: &Batch) -> Vec<&str> {
        batch.0.iter().map(|stored| stored.message.body.as_str()).collect()
    }

    /// Returns the answer of ingest that these messages of the batch failed.
    fn answer(batch: &Batch, failed: &[usize]) -> BatchResponse {
        BatchResponse::failed(failed.iter().map(|number| batch.0[*number].id.clone()))
    }

    async fn queue_of(messages: &[QueueMessage]) -> LocalQueue {
        let queue = LocalQueue::default();
        queue.send_batch(messages).await.expect("sent");
        queue
    }

    #[tokio::test]
    async fn group_is_in_order_and_waits_for_its_messages_in_flight() {
        let mut messages: Vec<_> = (0..12).map(|number| message("a", number)).collect();
        messages.push(message("b", 0));
        let queue = queue_of(&messages).await;
        let first = queue.receive().await;
        assert_eq!(bodies(&first), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let other = queue.receive().await;
        assert_eq!(other.0[0].message.group_id, "b");
        assert!(queue.receive().now_or_never().is_none(), "both groups are in flight");
        // SQS hands over the failed one again, and everything behind it that failed with it.
        let failed = answer(&first, &[8, 9]);
        assert!(!queue.record_outcome(first, Some(&failed)));
        let again = queue.receive().await;
        assert_eq!(bodies(&again), ["8", "9", "10", "11"]);
        assert!(queue.record_outcome(again, Some(&BatchResponse::default())));
        assert!(queue.record_outcome(other, Some(&BatchResponse::default())));
        assert!(queue.state().waiting.is_empty() && queue.state().busy.is_empty());
    }

    #[tokio::test]
    async fn second_sending_is_dropped() {
        let queue = queue_of(&[message("a", 1), message("a", 1), message("a", 2)]).await;
        queue.send_batch(&[message("a", 2), message("a", 3)]).await.expect("sent");
        assert_eq!(bodies(&queue.receive().await), ["1", "2", "3"]);
    }

    #[tokio::test]
    async fn message_that_fails_each_time_is_set_aside() {
        let queue = queue_of(&[message("a", 1)]).await;
        for receive in 1..=MAX_RECEIVES {
            let batch = queue.receive().await;
            assert_eq!(batch.event()["Records"][0]["attributes"]["ApproximateReceiveCount"], receive.to_string());
            assert!(!queue.record_outcome(batch, None));
        }
        assert_eq!(queue.state().dead, 1);
        assert!(queue.receive().now_or_never().is_none());
    }

    #[tokio::test]
    async fn each_group_has_its_turn() {
        let messages: Vec<_> = (0..50).map(|number| message(["a", "b"][number % 2], number)).collect();
        let queue = queue_of(&messages).await;
        let mut groups = Vec::new();
        for _ in 0..4 {
            let batch = queue.receive().await;
            groups.push(batch.0[0].message.group_id.clone());
            queue.record_outcome(batch, Some(&BatchResponse::default()));
        }
        assert_eq!(groups, ["a", "b", "a", "b"]);
    }
}
