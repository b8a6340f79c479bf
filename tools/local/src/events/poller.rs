//! Invocations of the publisher as AWS makes them: batches of the streams of users, of the audit trail and of reviews.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_publisher::{Bus, append, handle};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Clock, deadline_in};
use presence_store::FeedStore;
use serde_json::Value;
use tokio::task::JoinSet;

use super::stream_marks::StreamMarks;
use crate::streams::{POLL_INTERVAL, TableStream, with_records_from};

/// Time limit of an invocation: the publisher's timeout in the template.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(1);
/// Pause before records that failed are handed over again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Function that takes a batch.
type Invoke = Box<dyn Fn(Value) -> BoxFuture<'static, BatchResponse> + Send + Sync>;

/// Background task that invokes the publisher. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct EventPoller {
    _task: JoinSet<()>,
}

impl EventPoller {
    /// Starts to send what happens from now on in these tables.
    pub(crate) async fn start<B: Bus + 'static>(
        bus: Arc<B>,
        config: &SdkConfig,
        tables: &[String],
    ) -> anyhow::Result<Self> {
        let mut streams = Vec::with_capacity(tables.len());
        for table in tables {
            streams.extend(stream_of(table, TableStream::open(config, table).await?));
        }
        let invoke = move |event: Value| {
            let bus = Arc::clone(&bus);
            async move { handle(bus.as_ref(), &event, deadline_in(INVOCATION_TIMEOUT)).await }.boxed()
        };
        Ok(Self::spawn(Box::new(invoke), streams, None))
    }

    /// Starts to append what happens in these tables to the feeds. With a folder of data, the task goes on where it was at the last stop.
    pub(crate) async fn start_feed(
        feed: FeedStore,
        clock: Arc<dyn Clock>,
        config: &SdkConfig,
        tables: &[String],
        data: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let marks = StreamMarks::open(config, tables, data).await?;
        let mut streams = Vec::with_capacity(tables.len());
        for table in tables {
            streams.extend(stream_of(table, TableStream::open_after(config, table, marks.of(table)).await?));
        }
        let invoke = move |event: Value| {
            let (feed, clock) = (feed.clone(), Arc::clone(&clock));
            async move { append(&feed, clock.as_ref(), &event, deadline_in(INVOCATION_TIMEOUT)).await.batch }.boxed()
        };
        Ok(Self::spawn(Box::new(invoke), streams, Some(marks)))
    }

    /// Starts the task. Events that one poll finds are sent in the order of the tables. Those of a later table never overtake their causes
    /// in an earlier one.
    fn spawn(invoke: Invoke, streams: Vec<TableStream>, marks: Option<StreamMarks>) -> Self {
        let mut task = JoinSet::new();
        task.spawn(poll(invoke, streams, marks));
        Self { _task: task }
    }
}

/// Returns the stream of a table. A table without one has no events, which is logged.
fn stream_of(table: &str, stream: Option<TableStream>) -> Option<TableStream> {
    if stream.is_none() {
        tracing::warn!(table, "the table has no stream: there are no events of its changes");
    }
    stream
}

async fn poll(invoke: Invoke, mut streams: Vec<TableStream>, mut marks: Option<StreamMarks>) {
    loop {
        // The last table is read first: what led to its changes is in the others by then.
        let mut batches = Vec::with_capacity(streams.len());
        for stream in streams.iter_mut().rev() {
            let batch = stream.next_batch_if_any().await;
            batches.extend(batch.map(|batch| (stream.table().to_owned(), batch)));
        }
        if batches.is_empty() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        for (table, batch) in batches.into_iter().rev() {
            hand_over(&invoke, &batch).await;
            if let Some(marks) = &mut marks {
                marks.set(&table, &batch);
            }
        }
    }
}

/// Hands a batch over, and again what failed.
async fn hand_over(invoke: &Invoke, batch: &Value) {
    let mut batch = Some(batch.clone());
    while let Some(event) = batch {
        let answer = invoke(event.clone()).await;
        batch = answer.failures.first().and_then(|failed| with_records_from(&event, &failed.id));
        if batch.is_some() {
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
}
