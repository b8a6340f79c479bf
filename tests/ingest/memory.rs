//! Memory of the splitter: an object of 96 MiB, more than twice of what it may take, and then several objects in one batch. They are made
//! while they are read.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use peak_alloc::PeakAlloc;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_ingest::{GivenBack, Ingest, Objects, OpenObject, Queue, QueueMessage, handle};
use presence_local::{Options, Stack};
use presence_runtime::clock::Deadline;
use presence_store::Business;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Size of the large object.
const BYTES: u64 = 96 << 20;
/// Size of each object of the batch.
const BATCH_BYTES: u64 = 9 << 20;
/// Memory that the splitter may take in addition to that of the database in this process: a segment of 8 MiB, its messages, and what
/// the runtime holds.
const MAX_MEMORY_MIB: f32 = 40.0;

/// Rows that are made while they are read.
struct Rows {
    number: u64,
    left: u64,
    row: Vec<u8>,
    position: usize,
}

impl Rows {
    fn next_row(&mut self) {
        // 9,000 bytes. Texts are checked character by character, so most have characters of four bytes.
        let text = if self.number.is_multiple_of(8) { "x".repeat(9_000) } else { "\u{1f642}".repeat(2_250) };
        let row = json!({
            "business_id": "s1", "partner": "partner_8", "partner_id": format!("{}", self.number), "date": "2024-03-01",
            "rating": 5, "state": "treated", "content": text,
        });
        self.row = (row.to_string() + "\n").into_bytes();
        (self.number, self.position) = (self.number + 1, 0);
    }
}

impl AsyncRead for Rows {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.position == self.row.len() && self.left > 0 {
            self.next_row();
            self.left = self.left.saturating_sub(self.row.len() as u64);
        }
        let end = self.row.len().min(self.position + buffer.remaining());
        buffer.put_slice(&self.row[self.position..end]);
        self.position = end;
        Poll::Ready(Ok(()))
    }
}

/// Bucket in which each object is there, and queue that only counts.
#[derive(Default)]
struct Outside {
    rows: AtomicU64,
    messages: AtomicU64,
    continued: Mutex<Vec<QueueMessage>>,
}

impl Objects for Outside {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        assert_eq!(offset, 0, "one run reads the object");
        let modified_at = Timestamp::from_second(1_780_000_000).expect("an instant");
        let left = if key == "inbox/large.jsonl" { BYTES } else { BATCH_BYTES };
        let body = Rows { number: 0, left, row: Vec::new(), position: 0 };
        async move { Ok(Some(OpenObject { etag: "x".to_owned(), modified_at, body: Box::new(body) })) }.boxed()
    }

    fn put<'a>(&'a self, _: &'a str, _: Vec<u8>, _: Option<&'a str>) -> BoxFuture<'a, Result<(), Error>> {
        async { Ok(()) }.boxed()
    }

    fn delete<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async { Ok(()) }.boxed()
    }
}

impl Queue for Outside {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        for message in messages {
            assert!(message.body.len() <= 200_000 && message.size() < 256 << 10, "{}", message.size());
            self.rows.fetch_add(message.body.lines().count() as u64, Ordering::Relaxed);
            self.messages.fetch_add(1, Ordering::Relaxed);
            if message.attributes.contains_key("continue") {
                self.continued.lock().expect("nobody panics").push(message.clone());
            }
        }
        async { Ok(()) }.boxed()
    }

    fn give_back<'a>(&'a self, _: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        unreachable!("nothing is received")
    }
}

#[tokio::test]
async fn objects_are_split_in_bounded_memory() {
    let stack = Stack::start(Options::default()).await.expect("a free port");
    let business = Business {
        id: BusinessId::parse("s1").expect("an id"),
        org_id: OrgId::new(1).expect("an id"),
        name: "Shop".to_owned(),
        city: "Lyon".to_owned(),
    };
    stack.stores().businesses.put(&business).await.expect("the store answers");
    let outside = Arc::new(Outside::default());
    let ingest = Ingest::new(&stack.stores().database, Arc::clone(&outside) as _, Arc::clone(&outside) as _);
    split(&ingest, &json!({ "Records": [{ "s3": { "object": { "key": "inbox/large.jsonl" } } }] })).await;
    let rows = outside.rows.load(Ordering::Relaxed);
    assert!(rows > 10_000 && rows * 9_200 > BYTES, "{rows} rows");
    assert!(outside.continued.lock().expect("nobody panics").is_empty(), "there was time");
    let continuation = |number: u32| {
        json!({
            "messageId": number.to_string(), "eventSource": "aws:sqs", "body": "",
            "attributes": { "MessageGroupId": format!("split-{number}") },
            "messageAttributes": { "continue": { "stringValue": format!("{number}.jsonl") } },
        })
    };
    split(&ingest, &json!({ "Records": (0..8).map(continuation).collect::<Vec<_>>() })).await;
    let rows_of_batch = outside.rows.load(Ordering::Relaxed) - rows;
    assert!(rows_of_batch > 8 * 800, "at least a segment of each object: {rows_of_batch} rows");
}

/// Hands an event to ingest, and asserts the peak of the memory.
async fn split(ingest: &Ingest, event: &Value) {
    let before = ALLOCATOR.current_usage_as_mb();
    ALLOCATOR.reset_peak_usage();
    let deadline = Deadline::after(Duration::from_hours(1_000_000));
    let answer = handle(ingest, event, deadline).await.expect("the objects are split");
    let peak = ALLOCATOR.peak_usage_as_mb() - before;
    assert!(peak < MAX_MEMORY_MIB, "{peak} MiB");
    assert!(answer.failures.is_empty(), "{:?}", answer.failures);
}
