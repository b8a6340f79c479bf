//! Bucket and FIFO queue in memory, each of whose calls may end the process.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_ingest::{GivenBack, Objects, OpenObject, Queue, QueueMessage};
use presence_tests::{CrashConnector, CrashPoint};
use serde_json::{Value, json};

/// Object in the bucket.
#[derive(Clone, Debug)]
struct StoredObject {
    etag: String,
    modified_at: Timestamp,
    bytes: Vec<u8>,
}

/// Message in the queue.
#[derive(Clone, Debug)]
pub(super) struct StoredMessage {
    pub(super) id: String,
    pub(super) message: QueueMessage,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<String, StoredObject>,
    /// Mark of the object that each summary is about, by key.
    source_etags: BTreeMap<String, String>,
    messages: VecDeque<StoredMessage>,
    /// Second of the last upload.
    second: i64,
    is_clock_held: bool,
    sent: u64,
    calls: u64,
    crashes_at: Option<(u64, CrashPoint)>,
    /// Object that takes the place of another one at a call of this number.
    replacement: Option<(u64, String, Option<Vec<u8>>)>,
}

/// Bucket and queue. Clones share one state.
#[derive(Clone)]
pub(super) struct Outside {
    state: Arc<Mutex<State>>,
    crash: CrashConnector,
}

impl Outside {
    pub(super) fn new(crash: CrashConnector) -> Self {
        Self { state: Arc::default(), crash }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with the lock")
    }

    /// Uploads an object, one second after the one before unless the clock is held.
    pub(super) fn upload(&self, key: &str, bytes: Vec<u8>) {
        upload(&mut self.state(), key, bytes);
    }

    /// Lets all uploads from now on fall into the second of the last one. S3 tells whole seconds only.
    pub(super) fn hold_clock(&self) {
        self.state().is_clock_held = true;
    }

    /// Deletes an object.
    pub(super) fn remove(&self, key: &str) {
        self.state().objects.remove(key);
    }

    /// Uploads an object, or deletes it, at a call of this number, counted from now.
    pub(super) fn replace_at(&self, call: u64, key: &str, bytes: Option<Vec<u8>>) {
        let mut state = self.state();
        state.calls = 0;
        state.replacement = Some((call, key.to_owned(), bytes));
    }

    /// True if no replacement is left.
    pub(super) fn is_replaced(&self) -> bool {
        self.state().replacement.is_none()
    }

    /// Crashes the process at its call of this number, counted from now.
    pub(super) fn crash_at(&self, crashes_at: Option<(u64, CrashPoint)>) {
        let mut state = self.state();
        (state.calls, state.crashes_at) = (0, crashes_at);
    }

    /// Returns the number of calls since then.
    pub(super) fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Returns an object as text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let bytes = self.state().objects.get(key)?.bytes.clone();
        Some(String::from_utf8(bytes).expect("text"))
    }

    /// True if the summary of an object is about its present content.
    pub(super) fn is_summary_of_present_content(&self, object: &str) -> bool {
        let state = self.state();
        let etag = state.objects.get(&format!("inbox/{object}")).map(|stored| &stored.etag);
        etag.is_some() && etag == state.source_etags.get(&format!("done/{object}.json"))
    }

    /// Returns the keys of all objects in a folder.
    pub(super) fn keys(&self, folder: &str) -> Vec<String> {
        self.state().objects.keys().filter(|key| key.starts_with(folder)).cloned().collect()
    }

    /// Returns the messages that wait.
    pub(super) fn messages(&self) -> Vec<StoredMessage> {
        self.state().messages.iter().cloned().collect()
    }

    /// Deletes messages, as the queue does with those that a batch did not fail.
    pub(super) fn delete(&self, ids: &[String]) {
        self.state().messages.retain(|message| !ids.contains(&message.id));
    }

    /// Adds a message of another sender.
    pub(super) fn send(&self, message: QueueMessage) {
        enqueue(&mut self.state(), message);
    }

    /// True if the process has died at an earlier call.
    fn is_crashed(&self) -> bool {
        let state = self.state();
        state.crashes_at.is_some_and(|(at, _)| state.calls > at)
    }

    /// Makes a call, unless the process crashes before or after it.
    async fn call<T>(&self, act: impl FnOnce(&mut State) -> T + Send) -> T {
        let crash = {
            let mut state = self.state();
            state.calls += 1;
            let calls = state.calls;
            if state.replacement.as_ref().is_some_and(|(at, ..)| *at == calls)
                && let Some((_, key, bytes)) = state.replacement.take()
            {
                match bytes {
                    Some(bytes) => upload(&mut state, &key, bytes),
                    None => drop(state.objects.remove(&key)),
                }
            }
            state.crashes_at.filter(|(at, _)| *at == calls).map(|(_, point)| point)
        };
        if self.is_crashed() {
            // A call beside the one at which the process died.
            return std::future::pending().await;
        }
        if crash == Some(CrashPoint::Before) {
            return self.crash.crash().await;
        }
        let output = act(&mut self.state());
        if crash == Some(CrashPoint::After) { self.crash.crash().await } else { output }
    }
}

fn upload(state: &mut State, key: &str, bytes: Vec<u8>) {
    // Reports do not move the time of the uploads.
    state.second += i64::from(key.starts_with("inbox/") && !state.is_clock_held);
    let modified_at = Timestamp::from_second(1_780_000_000 + state.second).expect("an instant");
    let etag = format!("\"{:08x}\"", bytes.iter().fold(7_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(*byte)));
    state.objects.insert(key.to_owned(), StoredObject { etag, modified_at, bytes });
}

fn enqueue(state: &mut State, message: QueueMessage) {
    let is_known = |known: &StoredMessage| known.message.deduplication_id == message.deduplication_id;
    if !state.messages.iter().any(is_known) {
        state.sent += 1;
        let id = format!("message-{}", state.sent);
        state.messages.push_back(StoredMessage { id, message });
    }
}

/// Returns the record of a message in an event.
pub(super) fn record(StoredMessage { id, message }: &StoredMessage) -> Value {
    let attributes = message.attributes.iter();
    let attributes =
        attributes.map(|(name, text)| (name.clone(), json!({ "stringValue": text, "dataType": "String" })));
    let number: u64 = id.trim_start_matches("message-").parse().expect("the number of a message");
    // All of one millisecond, as messages that are sent in one call are.
    let times = json!({
        "MessageGroupId": message.group_id, "SentTimestamp": "1780000000000",
        "SequenceNumber": format!("18867{:015}", number * 256),
    });
    json!({
        "messageId": id, "receiptHandle": "handle", "body": message.body, "eventSource": "aws:sqs", "attributes": times,
        "messageAttributes": attributes.collect::<serde_json::Map<_, _>>(),
    })
}

impl Objects for Outside {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        let open = move |state: &mut State| {
            let StoredObject { etag, modified_at, bytes } = state.objects.get(key)?.clone();
            let rest = bytes.get(usize::try_from(offset).expect("small")..).unwrap_or_default().to_vec();
            Some(OpenObject { etag, modified_at, body: Box::new(std::io::Cursor::new(rest)) })
        };
        async move { Ok(self.call(open).await) }.boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        source_etag: Option<&'a str>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let put = move |state: &mut State| {
            upload(state, key, bytes);
            state.source_etags.extend(source_etag.map(|etag| (key.to_owned(), etag.to_owned())));
        };
        async move {
            if key.len() > 1_024 {
                return Err(Error::internal("KeyTooLongError"));
            }
            self.call(put).await;
            Ok(())
        }
        .boxed()
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            self.call(|state| drop(state.objects.remove(key))).await;
            Ok(())
        }
        .boxed()
    }
}

impl Queue for Outside {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            for message in messages {
                let texts = message.attributes.values().chain([&message.body]);
                // What SQS transports: <https://www.w3.org/TR/REC-xml/#charsets>.
                let is_refused =
                    |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r') || c == '\u{fffe}' || c == '\u{ffff}';
                if texts.into_iter().any(|text| text.contains(is_refused)) {
                    return Err(Error::internal("InvalidMessageContents"));
                }
                // Calls for other messages take turns with this one.
                tokio::task::yield_now().await;
                self.call(|state| enqueue(state, message.clone())).await;
            }
            Ok(())
        }
        .boxed()
    }

    /// Messages are always visible here, so that a call alone is made.
    fn give_back<'a>(&'a self, _: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            self.call(|_| ()).await;
            Ok(())
        }
        .boxed()
    }
}
