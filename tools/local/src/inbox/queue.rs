//! FIFO queue in memory, with the rules of SQS: a group's messages are in order, and those behind one that is invisible wait.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_domain::ingest::delivery::{BATCH_MESSAGES, INVISIBLE_TIME, MAX_RECEIVES};
use presence_ingest::{GivenBack, Queue, QueueMessage};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Stopwatch;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// Time for which the queue drops a message with the same deduplication id.
const DEDUPLICATION_TIME: Duration = Duration::from_mins(5);

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
    /// Groups with invisible messages, and the instant at which these are visible again; none while they are in flight.
    busy: HashMap<String, Option<Instant>>,
    /// Times after which messages in flight are visible again, by the handles of their receives.
    given_back: HashMap<String, Duration>,
    /// Time since each deduplication id was seen.
    seen: HashMap<String, Stopwatch>,
    /// Group that was served last, so that each has its turn.
    last_group: String,
    last_number: u64,
    /// Number of messages that were set aside.
    set_aside: usize,
    /// Largest number of receives of a message that is done.
    most_receives: u32,
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
            let taken = self.state().take(Instant::now());
            match taken {
                Ok(batch) => {
                    // There may be more for another receiver.
                    self.changed.notify_one();
                    return batch;
                }
                Err(Some(visible_at)) => drop(timeout_at(visible_at, changed).await),
                Err(None) => changed.await,
            }
        }
    }

    /// Removes the messages of a batch that are done. The others go back to the front of their groups, and are visible again when ingest
    /// said so, or later. `answer` is that of ingest; without one, all failed.
    pub fn record_outcome(&self, batch: Batch, answer: Option<&BatchResponse>) {
        let mut state = self.state();
        for stored in &batch.0 {
            state.busy.remove(&stored.message.group_id);
        }
        for stored in batch.0.into_iter().rev() {
            let after = state.given_back.remove(&stored.receipt_handle()).unwrap_or(INVISIBLE_TIME);
            if answer.is_some_and(|answer| !answer.names(&stored.id)) {
                state.most_receives = state.most_receives.max(stored.receives);
                continue;
            }
            let group_id = stored.message.group_id.clone();
            if stored.receives >= MAX_RECEIVES {
                state.set_aside += 1;
                tracing::error!(group = %group_id, "a message of the queue failed too often and is set aside");
                continue;
            }
            let visible_at = state.busy.entry(group_id.clone()).or_default();
            *visible_at = (*visible_at).max(Some(Instant::now() + after));
            state.waiting.entry(group_id).or_default().push_front(stored);
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Returns the number of messages that were set aside.
    pub fn set_aside(&self) -> usize {
        self.state().set_aside
    }

    /// Returns the largest number of receives that a message took until it was done.
    pub fn most_receives(&self) -> u32 {
        self.state().most_receives
    }

    /// True if no message waits or is in flight.
    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && state.busy.values().all(Option::is_some)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the next messages of the group whose turn it is. If no group has any that may be taken, returns the next instant at which one
    /// has.
    fn take(&mut self, now: Instant) -> Result<Batch, Option<Instant>> {
        let is_free =
            |group: &&String| self.busy.get(*group).is_none_or(|until| until.is_some_and(|until| until <= now));
        let mut groups = self.waiting.keys().filter(is_free);
        let next = groups.clone().find(|group| **group > self.last_group).or_else(|| groups.next()).cloned();
        let Some(next) = next else { return Err(self.busy.values().flatten().min().copied()) };
        let waiting = self.waiting.entry(next.clone()).or_default();
        let mut batch: Vec<Stored> = waiting.drain(..waiting.len().min(BATCH_MESSAGES)).collect();
        for stored in &mut batch {
            stored.receives += 1;
        }
        if waiting.is_empty() {
            self.waiting.remove(&next);
        }
        self.busy.insert(next.clone(), None);
        self.last_group = next;
        Ok(Batch(batch))
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

    fn give_back<'a>(&'a self, messages: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        let given_back = messages.iter().map(|message| (message.receipt_handle.clone(), message.after));
        self.state().given_back.extend(given_back);
        async { Ok(()) }.boxed()
    }
}

impl Batch {
    /// Returns the event that SQS hands to a function.
    pub fn event(&self) -> Value {
        json!({ "Records": self.0.iter().map(Stored::record).collect::<Vec<_>>() })
    }
}

impl Stored {
    fn receipt_handle(&self) -> String {
        format!("{}-{}", self.id, self.receives)
    }

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
            "receiptHandle": self.receipt_handle(),
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

    #[tokio::test(start_paused = true)]
    async fn group_is_in_order_and_waits_for_its_messages_that_are_invisible() {
        let mut messages: Vec<_> = (0..12).map(|number| message("a", number)).collect();
        messages.push(message("b", 0));
        let queue = queue_of(&messages).await;
        let first = queue.receive().await;
        assert_eq!(bodies(&first), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let other = queue.receive().await;
        assert_eq!(other.0[0].message.group_id, "b");
        assert!(queue.receive().now_or_never().is_none(), "both groups are in flight");
        // SQS hands over the failed one again, and everything behind it that failed with it.
        let (failed, after) = (answer(&first, &[8, 9]), Duration::from_secs(7));
        let given_back =
            [8, 9].map(|number: usize| GivenBack { receipt_handle: first.0[number].receipt_handle(), after });
        queue.give_back(&given_back).await.expect("given back");
        queue.record_outcome(first, Some(&failed));
        let start = Instant::now();
        let again = queue.receive().await;
        assert_eq!(start.elapsed().as_secs(), after.as_secs());
        assert_eq!(bodies(&again), ["8", "9", "10", "11"]);
        queue.record_outcome(again, Some(&BatchResponse::default()));
        assert!(!queue.is_idle());
        queue.record_outcome(other, Some(&BatchResponse::default()));
        assert!(queue.is_idle());
    }

    #[tokio::test]
    async fn second_sending_is_dropped() {
        let queue = queue_of(&[message("a", 1), message("a", 1), message("a", 2)]).await;
        queue.send_batch(&[message("a", 2), message("a", 3)]).await.expect("sent");
        assert_eq!(bodies(&queue.receive().await), ["1", "2", "3"]);
    }

    #[tokio::test(start_paused = true)]
    async fn message_that_fails_each_time_is_set_aside() {
        let queue = queue_of(&[message("a", 1)]).await;
        for receive in 1..=MAX_RECEIVES {
            let batch = queue.receive().await;
            assert_eq!(batch.event()["Records"][0]["attributes"]["ApproximateReceiveCount"], receive.to_string());
            queue.record_outcome(batch, None);
        }
        assert_eq!(queue.set_aside(), 1);
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
