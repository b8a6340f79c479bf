//! FIFO queue of replies in memory, with the rules of SQS: a message waits for the earlier ones of its review until they are deleted.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use presence_publisher::{Bus, PutError, ReplyMessage};
use presence_runtime::aws::QueueMessage;
use presence_runtime::clock::Stopwatch;
use serde_json::Value;
use tokio::sync::Notify;

use crate::events::BusMode;

/// Number of messages that are kept, deleted ones too. The oldest are dropped first.
const MAX_MESSAGES: usize = 10_000;
/// Time for which the queue drops a message with the same deduplication id.
const DEDUPLICATION_TIME: Duration = Duration::from_mins(5);
/// Time after which a message that was received and not deleted can be received again: that of the template.
pub(super) const VISIBILITY_TIMEOUT: Duration = Duration::from_mins(2);
/// Number of times that a message is received before it is set aside: that of the template.
const MAX_RECEIVES: u32 = 30;
/// Code of a refusal that may pass.
const THROTTLED: &str = "ThrottlingException";

/// Queue of this process. What it holds is lost at a stop; the replies stay pending, and the next start sends them again.
#[derive(Debug, Default)]
pub struct ReplyQueue {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Stored>,
    last_number: u64,
    mode: BusMode,
}

#[derive(Debug)]
struct Stored {
    id: String,
    message: QueueMessage,
    sent: Stopwatch,
    receives: u32,
    /// Receipt of the last receive, and the time since it.
    receipt: Option<(String, Stopwatch)>,
    /// True if the message was deleted or set aside.
    is_done: bool,
}

/// Message in the hands of a receiver.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) id: String,
    pub(super) receipt: String,
    pub(super) group_id: String,
    pub(super) body: String,
    pub(super) receives: u32,
}

impl ReplyQueue {
    /// Returns the bodies of all messages that the queue took, oldest first.
    pub fn messages(&self) -> Vec<Value> {
        let body = |stored: &Stored| serde_json::from_str(&stored.message.body).unwrap_or_default();
        self.state().messages.iter().map(body).collect()
    }

    /// Sets the mode for the next calls that send.
    pub fn set_mode(&self, mode: BusMode) {
        self.state().mode = mode;
    }

    /// Takes the messages of a call, as the mode says. Returns for each of them `None`, or the code of the refusal. After an error, they
    /// may have been taken.
    pub(super) fn send(&self, messages: &[QueueMessage]) -> Result<Vec<Option<String>>, PutError> {
        let mut state = self.state();
        let mode = state.mode;
        if mode == BusMode::Throttle {
            return Err(PutError(THROTTLED.to_owned()));
        }
        let take = |(index, message): (usize, &QueueMessage)| {
            let is_refused = mode == BusMode::RefuseHalf && !index.is_multiple_of(2);
            if !is_refused {
                state.add(message);
            }
            is_refused.then(|| THROTTLED.to_owned())
        };
        let codes = messages.iter().enumerate().map(take).collect();
        self.changed.notify_waiters();
        if mode == BusMode::LoseReply { Err(PutError("NoConnection".to_owned())) } else { Ok(codes) }
    }

    /// Waits for at most this time for messages, and takes those of as many reviews as asked for, one of each.
    pub(super) async fn receive(&self, most: usize, wait: Duration) -> Vec<Received> {
        let waiting = Stopwatch::start();
        loop {
            let changed = self.changed.notified();
            let received = self.state().receive(most);
            let left = wait.saturating_sub(waiting.elapsed());
            if !received.is_empty() || left.is_zero() {
                return received;
            }
            // A message whose time has passed comes back without a change.
            let _ = tokio::time::timeout(left.min(Duration::from_secs(1)), changed).await;
        }
    }

    /// Deletes a message. An earlier receipt than the last one deletes nothing.
    pub(super) fn delete(&self, receipt: &str) {
        let mut state = self.state();
        let is_named = |stored: &&mut Stored| stored.receipt.as_ref().is_some_and(|(last, _)| last == receipt);
        if let Some(stored) = state.messages.iter_mut().find(is_named) {
            stored.is_done = true;
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, message: &QueueMessage) {
        let is_known = |stored: &Stored| {
            stored.message.deduplication_id == message.deduplication_id && stored.sent.elapsed() < DEDUPLICATION_TIME
        };
        if self.messages.iter().any(is_known) {
            return;
        }
        if self.messages.len() == MAX_MESSAGES {
            self.messages.pop_front();
        }
        self.last_number += 1;
        self.messages.push_back(Stored {
            id: self.last_number.to_string(),
            message: message.clone(),
            sent: Stopwatch::start(),
            receives: 0,
            receipt: None,
            is_done: false,
        });
    }

    fn receive(&mut self, most: usize) -> Vec<Received> {
        let (mut received, mut groups) = (Vec::new(), HashSet::new());
        for stored in self.messages.iter_mut().filter(|stored| !stored.is_done) {
            if received.len() == most {
                break;
            }
            if stored.is_in_flight() || groups.contains(&stored.message.group_id) {
                groups.insert(stored.message.group_id.clone());
                continue;
            }
            if stored.receives == MAX_RECEIVES {
                tracing::error!(group = %stored.message.group_id, "a reply was received too often and is set aside");
                stored.is_done = true;
                continue;
            }
            groups.insert(stored.message.group_id.clone());
            received.push(stored.receive());
        }
        received
    }
}

impl Stored {
    fn is_in_flight(&self) -> bool {
        self.receipt.as_ref().is_some_and(|(_, since)| since.elapsed() < VISIBILITY_TIMEOUT)
    }

    fn receive(&mut self) -> Received {
        self.receives += 1;
        let receipt = format!("{}-{}", self.id, self.receives);
        self.receipt = Some((receipt.clone(), Stopwatch::start()));
        let QueueMessage { group_id, body, .. } = self.message.clone();
        Received { id: self.id.clone(), receipt, group_id, body, receives: self.receives }
    }
}

impl Bus for ReplyQueue {
    type Entry = ReplyMessage;

    fn put<'a>(&'a self, entries: &'a [ReplyMessage]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        let messages: Vec<_> = entries.iter().map(|ReplyMessage(message)| message.clone()).collect();
        ready(self.send(&messages)).boxed()
    }
}
