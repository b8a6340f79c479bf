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
    pub(crate) table: String,
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
        let Some(mut stream) = Self::find(config, table).await? else { return Ok(None) };
        stream.open_new_shards(&ShardIteratorType::Latest, None).await?;
        Ok(Some(stream))
    }

    /// Opens the table's stream after the record with this number, or at its start, as [`TableStream::open`]. The stream has one shard.
    pub(crate) async fn open_after(
        config: &SdkConfig,
        table: &str,
        sequence_number: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(mut stream) = Self::find(config, table).await? else { return Ok(None) };
        let position = match sequence_number {
            Some(_) => ShardIteratorType::AfterSequenceNumber,
            None => ShardIteratorType::TrimHorizon,
        };
        stream.open_new_shards(&position, sequence_number).await?;
        Ok(Some(stream))
    }

    /// Returns the number of the last record in the table's stream of the embedded database; `None` if there is none. On AWS, a shard that
    /// is open tells no such number.
    pub(crate) async fn last_sequence(config: &SdkConfig, table: &str) -> anyhow::Result<Option<String>> {
        let Some(stream) = Self::find(config, table).await? else { return Ok(None) };
        let described = stream.client.describe_stream().stream_arn(&stream.arn).send().await?;
        let shards = described.stream_description.and_then(|stream| stream.shards).unwrap_or_default();
        let ends = shards.into_iter().filter_map(|shard| shard.sequence_number_range?.ending_sequence_number);
        Ok(ends.max())
    }

    /// Returns the stream of a table without its shards; `None` if the table has none.
    async fn find(config: &SdkConfig, table: &str) -> anyhow::Result<Option<Self>> {
        let tables = aws_sdk_dynamodb::Client::new(config);
        let described = tables.describe_table().table_name(table).send().await.context("cannot describe a table")?;
        let arn = described.table.and_then(|table| table.latest_stream_arn);
        let (client, table) = (Client::new(config), table.to_owned());
        Ok(arn.map(|arn| Self { client, table, arn, shards: Vec::new() }))
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
            self.open_new_shards(&ShardIteratorType::TrimHorizon, None).await?;
        }
        for shard in &mut self.shards {
            let Some(iterator) = &shard.iterator else { continue };
            let response = self.client.get_records().shard_iterator(iterator).limit(BATCH_SIZE).send().await?;
            shard.iterator = response.next_shard_iterator;
            let records = response.records.unwrap_or_default();
            if !records.is_empty() {
                return Ok(Some(lambda_event::build(&records, &self.arn, &shard.id)));
            }
        }
        Ok(None)
    }

    /// Gets an iterator for each shard that is not known yet.
    async fn open_new_shards(
        &mut self,
        position: &ShardIteratorType,
        sequence_number: Option<&str>,
    ) -> anyhow::Result<()> {
        let described = self.client.describe_stream().stream_arn(&self.arn).send().await?;
        let shards = described.stream_description.and_then(|stream| stream.shards).unwrap_or_default();
        for id in shards.into_iter().filter_map(|shard| shard.shard_id) {
            if self.shards.iter().any(|known| known.id == id) {
                continue;
            }
            let request = self.client.get_shard_iterator().stream_arn(&self.arn).shard_id(&id);
            let request = request.set_sequence_number(sequence_number.map(str::to_owned));
            let response = request.shard_iterator_type(position.clone()).send().await?;
            self.shards.push(Shard { id, iterator: response.shard_iterator });
        }
        Ok(())
    }
}
