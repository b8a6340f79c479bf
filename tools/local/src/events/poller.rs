//! Invocations of the publisher as AWS makes them: batches of the streams of users, of the audit trail and of reviews.

use std::path::Path;
use std::time::Duration;

use aws_types::SdkConfig;
use futures::future::BoxFuture;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use serde_json::Value;
use tokio::task::JoinSet;

use super::stream_marks::StreamMarks;
use crate::streams::{POLL_INTERVAL, TableStream, with_records_from};

/// Time limit of an invocation: the publisher's timeout in the template.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(1);
/// Pause before records that failed are handed over again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Function that takes a batch, until a deadline.
type Invoke = Box<dyn Fn(Value, Deadline) -> BoxFuture<'static, BatchResponse> + Send + Sync>;

/// Background task that invokes the publisher. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct EventPoller {
    _task: JoinSet<()>,
}

impl EventPoller {
    /// Starts to hand over what happens from now on in these tables. With a folder of data, the task goes on where it was at the last stop.
    ///
    /// Batches that one poll finds are handed over in the order of the tables. Those of a later table never overtake their causes in an
    /// earlier one.
    pub(crate) async fn start(
        invoke: impl Fn(Value, Deadline) -> BoxFuture<'static, BatchResponse> + Send + Sync + 'static,
        config: &SdkConfig,
        tables: &[String],
        data: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let marks = match data {
            Some(folder) => Some(StreamMarks::open(config, tables, folder).await?),
            None => None,
        };
        let mut streams = Vec::with_capacity(tables.len());
        for table in tables {
            let stream = match &marks {
                Some(marks) => TableStream::open_after(config, table, marks.of(table)).await?,
                None => TableStream::open(config, table).await?,
            };
            if stream.is_none() {
                tracing::warn!(table, "the table has no stream: there are no events of its changes");
            }
            streams.extend(stream);
        }
        let mut task = JoinSet::new();
        task.spawn(poll(Box::new(invoke), streams, marks));
        Ok(Self { _task: task })
    }
}

async fn poll(invoke: Invoke, mut streams: Vec<TableStream>, mut marks: Option<StreamMarks>) {
    loop {
        // The last table is read first: what led to its changes is in the others by then.
        let mut batches = Vec::with_capacity(streams.len());
        for stream in streams.iter_mut().rev() {
            let batch = stream.next_batch_if_any().await;
            batches.extend(batch.map(|batch| (stream.table.clone(), batch)));
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
        let answer = invoke(event.clone(), Deadline::after(INVOCATION_TIMEOUT)).await;
        batch = answer.failures.first().and_then(|failed| with_records_from(&event, &failed.id));
        if batch.is_some() {
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
}
