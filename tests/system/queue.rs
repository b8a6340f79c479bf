//! FIFO queue of the simulation. Some messages are refused. Others become visible late, are handed over again although they were settled,
//! and now and then not in their order, or while others of their group are in flight.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ingest::delivery::{BATCH_MESSAGES, INVISIBLE_TIME, MAX_RECEIVES};
use presence_ingest::{GivenBack, Queue as IngestQueue, QueueMessage};
use presence_runtime::aws::OPERATION_TIMEOUT;
use presence_runtime::batch_response::BatchResponse;
use presence_tests::connectors::{NetworkConnector, NetworkFault};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// Time for which the queue drops a message with the same deduplication id.
const DEDUPLICATION_TIME: Duration = Duration::from_mins(5);
/// Longest time until a sent message is visible, in milliseconds.
const LONGEST_DELAY: u64 = 20_000;
/// Longest time until a message comes again whose deletion is lost, in milliseconds.
const LONGEST_ABSENCE: u64 = 60_000;

struct Stored {
    message: QueueMessage,
    sent_at: Timestamp,
    receives: u32,
    visible_at: Instant,
}

#[derive(Default)]
struct State {
    /// Messages by their numbers, which tell the order.
    messages: BTreeMap<u64, Stored>,
    last_number: u64,
    /// Instant at which each deduplication id was seen.
    seen: BTreeMap<String, Instant>,
    dead: Vec<QueueMessage>,
    /// Bodies of all messages that the queue took.
    bodies: Vec<String>,
    receives: usize,
}

/// Queue with its dead-letter queue.
pub(crate) struct Queue {
    network: NetworkConnector,
    rng: Mutex<Rng>,
    state: Mutex<State>,
    changed: Notify,
    start: Instant,
    at_start: Timestamp,
}

impl Queue {
    pub(crate) fn new(network: NetworkConnector, rng: Rng, at_start: Timestamp) -> Self {
        let (state, changed, start) = (Mutex::default(), Notify::new(), Instant::now());
        Self { network, rng: Mutex::new(rng), state, changed, start, at_start }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    /// Returns a random number of milliseconds while the network fails, and none later.
    fn delay(&self, longest: u64) -> Duration {
        let delay = if self.network.has(NetworkFault::UnorderedQueue) {
            self.rng.lock().expect("no panic").u64(..longest)
        } else {
            0
        };
        Duration::from_millis(delay)
    }

    /// True for one draw of so many while the network fails.
    fn happens(&self, one_of: u8) -> bool {
        self.network.has(NetworkFault::UnorderedQueue) && self.rng.lock().expect("no panic").u8(..one_of) == 0
    }

    /// Takes a message, unless it came a short time before. Returns its number, and the time of its sending in milliseconds.
    pub(crate) fn push(&self, message: QueueMessage) -> Option<(u64, i64)> {
        let now = Instant::now();
        let sent_at = self.at_start + (now - self.start);
        let visible_at = now + self.delay(LONGEST_DELAY);
        let mut state = self.state();
        state.seen.retain(|_, seen| now - *seen < DEDUPLICATION_TIME);
        if state.seen.contains_key(&message.deduplication_id) {
            return None;
        }
        state.seen.insert(message.deduplication_id.clone(), now);
        state.bodies.push(message.body.clone());
        state.last_number += 1;
        let number = state.last_number;
        state.messages.insert(number, Stored { message, sent_at, receives: 0, visible_at });
        drop(state);
        self.changed.notify_waiters();
        Some((number, sent_at.as_millisecond()))
    }

    /// Takes a message. Now and then returns the reason why it does not.
    pub(crate) fn take_or_refuse(&self, message: QueueMessage) -> Option<String> {
        let is_refused = self.happens(10);
        if !is_refused {
            self.push(message);
        }
        is_refused.then(|| "InternalError".to_owned())
    }

    /// Waits for messages, and takes the next ones, as an event of the function.
    pub(crate) async fn receive(&self) -> Value {
        loop {
            let changed = self.changed.notified();
            let next = match self.take() {
                Ok(records) => return json!({ "Records": records }),
                Err(next) => next,
            };
            match next {
                Some(visible_at) => drop(timeout_at(visible_at, changed).await),
                None => changed.await,
            }
        }
    }

    /// Takes the next messages. Returns the instant at which another one is visible if there is none.
    fn take(&self) -> Result<Vec<Value>, Option<Instant>> {
        let (now, is_unordered) = (Instant::now(), self.happens(6));
        let mut state = self.state();
        let is_in_flight = |stored: &&Stored| stored.receives > 0 && stored.visible_at > now;
        let busy: BTreeSet<&str> =
            state.messages.values().filter(is_in_flight).map(|stored| &*stored.message.group_id).collect();
        let is_free = |stored: &Stored| is_unordered || !busy.contains(&*stored.message.group_id);
        let free = state.messages.iter().filter(|(_, stored)| stored.visible_at <= now && is_free(stored));
        let mut numbers: Vec<u64> = free.map(|(number, _)| *number).collect();
        if is_unordered {
            self.rng.lock().expect("no panic").shuffle(&mut numbers);
        }
        numbers.truncate(self.rng.lock().expect("no panic").usize(1..=BATCH_MESSAGES));
        if numbers.is_empty() {
            let later = state.messages.values().map(|stored| stored.visible_at).filter(|visible_at| *visible_at > now);
            return Err(later.min());
        }
        Ok(numbers.into_iter().filter_map(|number| state.hand_over(number, now)).collect())
    }

    /// Deletes the messages that did not fail. A deletion may be lost.
    pub(crate) fn record_outcome(&self, event: &Value, answer: &BatchResponse) {
        for record in event["Records"].as_array().expect("records") {
            let id = record["messageId"].as_str().expect("an id");
            let number = id.parse().expect("a number");
            if answer.names(id) {
                continue;
            }
            if self.happens(8) {
                let again = Instant::now() + self.delay(LONGEST_ABSENCE);
                self.state().messages.entry(number).and_modify(|stored| stored.visible_at = again);
            } else {
                self.state().messages.remove(&number);
            }
        }
        self.changed.notify_waiters();
    }

    /// Returns the number of messages that wait, and those that were set aside.
    pub(crate) fn left(&self) -> (usize, Vec<QueueMessage>) {
        let state = self.state();
        (state.messages.len(), state.dead.clone())
    }

    /// Returns the bodies of all messages that the queue took.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.state().bodies.clone()
    }

    /// Forgets all messages. The queue still knows their deduplication ids, as that of SQS does.
    pub(crate) fn purge(&self) {
        let mut state = self.state();
        let seen = std::mem::take(&mut state.seen);
        *state = State { seen, ..State::default() };
    }

    /// Returns the number of messages that were handed over, repeated ones included.
    pub(crate) fn receives(&self) -> usize {
        self.state().receives
    }

    pub(crate) async fn call<T: Send>(&self, act: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let answer = self.network.call_service("queue", OPERATION_TIMEOUT, act).await;
        answer.ok_or_else(|| Error::Unavailable("the queue does not answer".into()))
    }
}

impl State {
    /// Hands a message over, or sets it aside if it was handed over too often.
    fn hand_over(&mut self, number: u64, now: Instant) -> Option<Value> {
        let stored = self.messages.get_mut(&number)?;
        if stored.receives >= MAX_RECEIVES {
            let stored = self.messages.remove(&number)?;
            self.dead.push(stored.message);
            return None;
        }
        stored.receives += 1;
        stored.visible_at = now + INVISIBLE_TIME;
        self.receives += 1;
        Some(record(number, stored))
    }
}

fn record(number: u64, stored: &Stored) -> Value {
    let QueueMessage { group_id, body, attributes, .. } = &stored.message;
    let typed = |(name, value): (&String, &String)| (name.clone(), json!({ "stringValue": value }));
    json!({
        "messageId": number.to_string(), "receiptHandle": format!("{number}-{}", stored.receives), "body": body,
        "eventSource": "aws:sqs",
        "attributes": {
            "ApproximateReceiveCount": stored.receives.to_string(), "MessageGroupId": group_id,
            "SentTimestamp": stored.sent_at.as_millisecond().to_string(), "SequenceNumber": number.to_string(),
        },
        "messageAttributes": attributes.iter().map(typed).collect::<Map<String, Value>>(),
    })
}

impl IngestQueue for Queue {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            for message in messages {
                self.call(|| self.push(message.clone())).await?;
            }
            Ok(())
        }
        .boxed()
    }

    fn give_back<'a>(&'a self, messages: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        let give_back = move || {
            let mut state = self.state();
            for GivenBack { receipt_handle, after } in messages {
                let is_last = |stored: &&mut Stored, receives: &str| stored.receives.to_string() == receives;
                let (number, receives) = receipt_handle.split_once('-').expect("a handle");
                let stored = state.messages.get_mut(&number.parse().expect("a number"));
                if let Some(stored) = stored.filter(|stored| is_last(stored, receives)) {
                    stored.visible_at = Instant::now() + *after;
                }
            }
            drop(state);
            self.changed.notify_waiters();
        };
        self.call(give_back).boxed()
    }
}
