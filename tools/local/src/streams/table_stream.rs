//! Stream of a table, with a position in each shard.

use std::time::Duration;

use anyhow::Context as _;
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::ShardIteratorType;
use aws_types::SdkConfig;
use serde_json::Value;

use super::lambda_event;

/// Interval between two reads of an idle stream. Lambda polls four times a second, too.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Pause before the stream is read again after an error.
const ERROR_PAUSE: Duration = Duration::from_secs(1);
/// Largest number of records in a batch. The template has smaller ones; here, fewer calls matter more.
const BATCH_SIZE: i32 = 100;

/// Stream of a table.
#[derive(Debug)]
pub struct TableStream {
    client: Client,
    arn: String,
    shards: Vec<Shard>,
}

/// Shard of a stream. A shard without an iterator is closed and read to its end.
#[derive(Debug)]
struct Shard {
    id: String,
    iterator: Option<String>,
}

impl TableStream {
    /// Opens the table's stream at its end, or returns `None` if the table has no stream.
    pub async fn open(config: &SdkConfig, table: &str) -> anyhow::Result<Option<Self>> {
        let tables = aws_sdk_dynamodb::Client::new(config);
        let described = tables.describe_table().table_name(table).send().await.context("cannot describe a table")?;
        let Some(arn) = described.table.and_then(|table| table.latest_stream_arn) else { return Ok(None) };
        let mut stream = Self { client: Client::new(config), arn, shards: Vec::new() };
        stream.open_new_shards(&ShardIteratorType::Latest).await?;
        Ok(Some(stream))
    }

    /// Waits for the next batch, and returns it as a Lambda event.
    pub(crate) async fn next_event(&mut self) -> Value {
        loop {
            match self.next_batch_if_any().await {
                Some(event) => return event,
                None => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// Returns the next batch as a Lambda event, or `None` if there are no new records now. A failure is logged, and the stream is read
    /// again after a pause.
    pub(crate) async fn next_batch_if_any(&mut self) -> Option<Value> {
        match self.next_batch().await {
            Ok(batch) => batch,
            Err(error) => {
                tracing::warn!(%error, stream = self.arn, "the stream of a table cannot be read");
                tokio::time::sleep(ERROR_PAUSE).await;
                None
            }
        }
    }

    /// Returns the next batch as a Lambda event, or `None` if there are no new records.
    pub async fn next_batch(&mut self) -> anyhow::Result<Option<Value>> {
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
                return Ok(Some(lambda_event::build(&records, &self.arn)));
            }
        }
        Ok(None)
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
}
