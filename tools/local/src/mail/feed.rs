//! What invokes the mailer: batches of the users table's stream, and the sweep.

use std::time::Duration;

use anyhow::Context as _;
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::ShardIteratorType;
use aws_types::SdkConfig;
use presence_mailer::{BatchAnswer, Outbox, handle};
use presence_runtime::clock::deadline_in;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::records;

/// How often the stream is asked for news: Lambda asks four times a second.
const POLL: Duration = Duration::from_millis(250);
/// How often the sweep runs, as the schedule says.
const SWEEP: Duration = Duration::from_mins(1);
/// The same where the database has no stream.
const SWEEP_WITHOUT_STREAM: Duration = Duration::from_secs(1);
/// How long one invocation may take, as the template says.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Records of one batch.
const BATCH: i32 = 100;
/// How often records that failed are handed over again, as the template says.
const RETRIES: u32 = 2;

/// The running feeds. Dropped, they stop.
#[derive(Debug)]
pub(crate) struct Feed(Vec<JoinHandle<()>>);

/// A shard of the stream, read up to somewhere.
struct Shard {
    id: String,
    iterator: Option<String>,
}

/// The stream of a table.
struct Stream {
    client: Client,
    arn: String,
    shards: Vec<Shard>,
}

impl Feed {
    /// Feeds the mailer with what is written from now on to the table, and sweeps.
    pub(crate) async fn start(outbox: Outbox, config: &SdkConfig, table: &str) -> anyhow::Result<Self> {
        let stream = Stream::open(config, table).await?;
        let pause = if stream.is_some() { SWEEP } else { SWEEP_WITHOUT_STREAM };
        let sweeping = tokio::spawn(sweep(outbox.clone(), pause));
        let following = stream.map(|stream| tokio::spawn(follow(outbox, stream)));
        Ok(Self(std::iter::once(sweeping).chain(following).collect()))
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

async fn sweep(outbox: Outbox, pause: Duration) {
    let mut clock = tokio::time::interval(pause);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let event = json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} });
        // A failure was logged; the next sweep comes in a minute.
        let _ = handle(&outbox, &event, deadline_in(TIMEOUT)).await;
    }
}

async fn follow(outbox: Outbox, mut stream: Stream) {
    loop {
        match stream.next().await {
            Ok(Some(event)) => invoke(&outbox, event).await,
            Ok(None) => tokio::time::sleep(POLL).await,
            Err(error) => {
                tracing::warn!(%error, "the stream of the users table cannot be read");
                tokio::time::sleep(SWEEP_WITHOUT_STREAM).await;
            }
        }
    }
}

/// Hands a batch to the mailer, and what failed of it again, as Lambda does.
async fn invoke(outbox: &Outbox, event: Value) {
    let mut batch = Some(event);
    for _ in 0..=RETRIES {
        let Some(event) = batch.take() else { return };
        let answer = handle(outbox, &event, deadline_in(TIMEOUT)).await;
        let BatchAnswer { failures } = answer.unwrap_or_default();
        let failed: Vec<_> = failures.into_iter().map(|failure| failure.id).collect();
        batch = records::only(&event, &failed);
    }
}

impl Stream {
    /// The stream of the table, from now on; none where it has none.
    async fn open(config: &SdkConfig, table: &str) -> anyhow::Result<Option<Self>> {
        let tables = aws_sdk_dynamodb::Client::new(config);
        let described = tables.describe_table().table_name(table).send().await.context("cannot describe a table")?;
        let Some(arn) = described.table.and_then(|table| table.latest_stream_arn) else { return Ok(None) };
        let mut stream = Self { client: Client::new(config), arn, shards: Vec::new() };
        stream.find_shards(&ShardIteratorType::Latest).await?;
        Ok(Some(stream))
    }

    /// Begins to read the shards that are new.
    async fn find_shards(&mut self, from: &ShardIteratorType) -> anyhow::Result<()> {
        let described = self.client.describe_stream().stream_arn(&self.arn).send().await?;
        let shards = described.stream_description.and_then(|stream| stream.shards).unwrap_or_default();
        for id in shards.into_iter().filter_map(|shard| shard.shard_id) {
            if self.shards.iter().any(|known| known.id == id) {
                continue;
            }
            let iterator = self.client.get_shard_iterator().stream_arn(&self.arn).shard_id(&id);
            let iterator = iterator.shard_iterator_type(from.clone()).send().await?.shard_iterator;
            self.shards.push(Shard { id, iterator });
        }
        Ok(())
    }

    /// The next batch, if there is something new.
    async fn next(&mut self) -> anyhow::Result<Option<Value>> {
        if self.shards.iter().any(|shard| shard.iterator.is_none()) {
            self.find_shards(&ShardIteratorType::TrimHorizon).await?;
        }
        for shard in &mut self.shards {
            let Some(iterator) = &shard.iterator else { continue };
            let got = self.client.get_records().shard_iterator(iterator).limit(BATCH).send().await?;
            shard.iterator = got.next_shard_iterator;
            let records = got.records.unwrap_or_default();
            if !records.is_empty() {
                return Ok(Some(records::event(&records, &self.arn)));
            }
        }
        Ok(None)
    }
}
