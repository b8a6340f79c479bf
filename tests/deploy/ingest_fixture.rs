//! Fixture of ingest on a bucket and a queue in memory, with a record of what it does to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_ingest::{GivenBack, Ingest, Objects, OpenObject, Queue, QueueMessage, handle};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_store::Database;
use serde_json::{Value, json};

use super::fixture::TIMEOUT;

/// Key of the object that the event of a new object names.
const KEY: &str = "inbox/partner 8/may.jsonl";
/// Rows of the object: enough for a fold of the log.
const ROWS: u32 = 1_500;

/// Ingest with everything outside the tables.
pub(super) struct IngestFixture {
    ingest: Ingest,
    outside: Arc<Outside>,
}

#[derive(Default)]
struct Outside(Mutex<State>);

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    messages: Vec<QueueMessage>,
    actions: BTreeSet<(&'static str, String)>,
}

impl IngestFixture {
    pub(super) fn new(database: &Database) -> Self {
        let outside = Arc::new(Outside::default());
        let ingest = Ingest::new(database, Arc::clone(&outside) as _, Arc::clone(&outside) as _);
        Self { ingest, outside }
    }

    /// Returns the actions so far.
    pub(super) fn actions(&self) -> BTreeSet<(&'static str, String)> {
        self.outside.lock().actions.clone()
    }

    /// Returns the answer to an event, the number of messages that it sent, and the reports once these are written.
    ///
    /// The object is replaced by one without rejected rows, and split again, so that ingest removes the earlier report.
    pub(super) async fn answer(&self, event: &Value) -> Value {
        let rows: String = (0..ROWS).map(row).collect();
        self.outside.lock().objects.insert(KEY.to_owned(), format!("{rows}no JSON\n").into_bytes());
        let (answer, sent) = self.serve(event).await;
        let mut reports = self.reports();
        if sent > 0 {
            self.outside.lock().objects.insert(KEY.to_owned(), rows.into_bytes());
            self.serve(event).await;
            reports["replaced"] = self.reports();
        }
        json!({ "answer": answer, "messages": sent, "reports": reports })
    }

    /// Serves an event, and the messages that it sent.
    async fn serve(&self, event: &Value) -> (BatchResponse, usize) {
        let answer = handle(&self.ingest, event, Deadline::after(TIMEOUT)).await.expect("an answer");
        let messages = std::mem::take(&mut self.outside.lock().messages);
        for message in &messages {
            let batch = json!({ "Records": [record(message)] });
            // Its time is that of a busy machine: what is not written comes again.
            while handle(&self.ingest, &batch, Deadline::after(TIMEOUT)).await.expect("an answer")
                != BatchResponse::default()
            {}
        }
        (answer, messages.len())
    }

    fn reports(&self) -> Value {
        let state = self.outside.lock();
        let texts = state.objects.iter().filter(|(key, _)| key.starts_with("done/") || key.starts_with("rejected/"));
        texts
            .map(|(key, bytes)| (key.clone(), json!(String::from_utf8_lossy(bytes))))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

fn row(number: u32) -> String {
    let row = json!({
        "business_id": "5409c35a97bbc544d8e26737", "partner": "partner_8", "partner_id": format!("may-{number}"),
        "date": "2026-02-01", "rating": 4, "state": "not_treated",
    });
    format!("{row}\n")
}

/// Returns a message as an event has it.
fn record(message: &QueueMessage) -> Value {
    let attributes = message
        .attributes
        .iter()
        .map(|(name, value)| (name.clone(), json!({ "stringValue": value, "dataType": "String" })));
    json!({
        "messageId": message.deduplication_id, "body": message.body, "eventSource": "aws:sqs",
        "attributes": { "MessageGroupId": message.group_id }, "messageAttributes": attributes.collect::<serde_json::Map<_, _>>(),
    })
}

impl Outside {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, action: &'static str, key: &str) {
        let folder = key.split('/').next().unwrap_or_default().to_owned();
        self.lock().actions.insert((action, folder));
    }
}

impl Objects for Outside {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        self.note("s3:GetObject", key);
        let found = self.lock().objects.get(key).cloned();
        let opened = found.map(|bytes| {
            let etag = format!("\"{}\"", bytes.len());
            let start = usize::try_from(offset).expect("a small number").min(bytes.len());
            let modified_at = Timestamp::from_second(1_772_357_400).expect("an instant");
            OpenObject { etag, modified_at, body: Box::new(std::io::Cursor::new(bytes[start..].to_vec())) }
        });
        async { Ok(opened) }.boxed()
    }

    fn put<'a>(&'a self, key: &'a str, bytes: Vec<u8>, _: Option<&'a str>) -> BoxFuture<'a, Result<(), Error>> {
        self.note("s3:PutObject", key);
        self.lock().objects.insert(key.to_owned(), bytes);
        async { Ok(()) }.boxed()
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        self.note("s3:DeleteObject", key);
        self.lock().objects.remove(key);
        async { Ok(()) }.boxed()
    }
}

impl Queue for Outside {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        self.note("sqs:SendMessage", "queue");
        self.lock().messages.extend_from_slice(messages);
        async { Ok(()) }.boxed()
    }

    fn give_back<'a>(&'a self, _: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        self.note("sqs:ChangeMessageVisibility", "queue");
        async { Ok(()) }.boxed()
    }
}
