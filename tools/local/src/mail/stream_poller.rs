//! Invocations of the mailer as AWS makes them: batches of the users table's stream, the sweep of the schedule, and feedback of SES.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::ShardIteratorType;
use aws_types::SdkConfig;
use presence_mailer::{BatchResponse, OutboxProcessor, handle};
use presence_runtime::clock::deadline_in;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::mailbox::Mailbox;
use super::stream_event;

/// Interval between two reads of an idle stream. Lambda polls four times a second, too.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Interval between two sweeps: that of the schedule in the template.
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);
/// Interval between two sweeps of a database without streams, where the sweep alone finds new mails.
const SWEEP_INTERVAL_WITHOUT_STREAM: Duration = Duration::from_secs(1);
/// Pause before the stream is read again after an error.
const ERROR_PAUSE: Duration = Duration::from_secs(1);
/// Time limit of an invocation: the mailer's timeout in the template.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(1);
/// Largest number of records in a batch. The template has smaller ones; here, fewer calls matter more.
const BATCH_SIZE: i32 = 100;
/// Number of retries for failed records and feedback. The template allows more for records, but the sweep finds the mails as well.
const RETRIES: u32 = 2;

/// Background tasks that invoke the mailer. Dropping it stops them.
#[derive(Debug)]
pub(crate) struct StreamPoller(Vec<JoinHandle<()>>);

/// Stream of a table, with a position in each shard.
struct Stream {
    client: Client,
    arn: String,
    shards: Vec<Shard>,
}

/// Shard of a stream. A shard without an iterator is closed and read to its end.
struct Shard {
    id: String,
    iterator: Option<String>,
}

impl StreamPoller {
    /// Starts to sweep, to poll the table's stream for writes from now on, and to hand over the feedback of the local SES.
    pub(crate) async fn start(
        outbox: OutboxProcessor,
        config: &SdkConfig,
        table: &str,
        mailbox: Arc<Mailbox>,
    ) -> anyhow::Result<Self> {
        let stream = Stream::open(config, table).await?;
        let interval = if stream.is_some() { SWEEP_INTERVAL } else { SWEEP_INTERVAL_WITHOUT_STREAM };
        let mut tasks =
            vec![tokio::spawn(sweep(outbox.clone(), interval)), tokio::spawn(hand_over(outbox.clone(), mailbox))];
        if let Some(stream) = stream {
            tasks.push(tokio::spawn(poll(outbox, stream)));
        }
        Ok(Self(tasks))
    }
}

impl Drop for StreamPoller {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

async fn sweep(outbox: OutboxProcessor, interval: Duration) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let event = json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} });
        // The mailer logs its failure, and the next sweep tries again.
        let _ = handle(&outbox, &event, deadline_in(INVOCATION_TIMEOUT)).await;
    }
}

async fn hand_over(outbox: OutboxProcessor, mailbox: Arc<Mailbox>) {
    loop {
        let event = mailbox.next_feedback().await;
        for _ in 0..=RETRIES {
            if handle(&outbox, &event, deadline_in(INVOCATION_TIMEOUT)).await.is_ok() {
                break;
            }
            // The mailer logged its failure. Lambda tries again, too.
            tokio::time::sleep(ERROR_PAUSE).await;
        }
    }
}

async fn poll(outbox: OutboxProcessor, mut stream: Stream) {
    loop {
        match stream.next_batch().await {
            Ok(Some(event)) => invoke_with_retries(&outbox, event).await,
            Ok(None) => tokio::time::sleep(POLL_INTERVAL).await,
            Err(error) => {
                tracing::warn!(%error, "the stream of the users table cannot be read");
                tokio::time::sleep(ERROR_PAUSE).await;
            }
        }
    }
}

/// Invokes the mailer with a batch, then with the records that failed, as Lambda does with `ReportBatchItemFailures`.
async fn invoke_with_retries(outbox: &OutboxProcessor, event: Value) {
    let mut batch = Some(event);
    for _ in 0..=RETRIES {
        let Some(event) = batch else { return };
        let answer = handle(outbox, &event, deadline_in(INVOCATION_TIMEOUT)).await;
        let BatchResponse { failures } = answer.unwrap_or_default();
        let failed: Vec<_> = failures.into_iter().map(|failure| failure.id).collect();
        batch = stream_event::with_records(&event, &failed);
    }
}

impl Stream {
    /// Opens the table's stream at its end, or returns `None` if the table has no stream.
    async fn open(config: &SdkConfig, table: &str) -> anyhow::Result<Option<Self>> {
        let tables = aws_sdk_dynamodb::Client::new(config);
        let described = tables.describe_table().table_name(table).send().await.context("cannot describe a table")?;
        let Some(arn) = described.table.and_then(|table| table.latest_stream_arn) else { return Ok(None) };
        let mut stream = Self { client: Client::new(config), arn, shards: Vec::new() };
        stream.open_new_shards(&ShardIteratorType::Latest).await?;
        Ok(Some(stream))
    }

    /// Gets an iterator for each shard that is not known yet.
    async fn open_new_shards(&mut self, position: &ShardIteratorType) -> anyhow::Result<()> {
        let described = self.client.describe_stream().stream_arn(&self.arn).send().await?;
        let shards = described.stream_description.and_then(|stream| stream.shards).unwrap_or_default();
        for id in shards.into_iter().filter_map(|shard| shard.shard_id) {
            if self.shards.iter().any(|known| known.id == id) {
                continue;
            }
            let request = self.client.get_shard_iterator().stream_arn(&self.arn).shard_id(&id);
            let response = request.shard_iterator_type(position.clone()).send().await?;
            self.shards.push(Shard { id, iterator: response.shard_iterator });
        }
        Ok(())
    }

    /// Reads the next batch as a Lambda event, or returns `None` if there are no new records.
    async fn next_batch(&mut self) -> anyhow::Result<Option<Value>> {
        // A closed shard has successors. They are read from their start, so that no record is missed.
        if self.shards.iter().any(|shard| shard.iterator.is_none()) {
            self.open_new_shards(&ShardIteratorType::TrimHorizon).await?;
        }
        for shard in &mut self.shards {
            let Some(iterator) = &shard.iterator else { continue };
            let response = self.client.get_records().shard_iterator(iterator).limit(BATCH_SIZE).send().await?;
            shard.iterator = response.next_shard_iterator;
            let records = response.records.unwrap_or_default();
            if !records.is_empty() {
                return Ok(Some(stream_event::build(&records, &self.arn)));
            }
        }
        Ok(None)
    }
}
