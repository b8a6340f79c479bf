//! Batches of the streams, appended to the feeds of the organisations that their events belong to.
//!
//! A feed knows how far each shard is in it, so that a batch that comes again is in once. Lambda names the shard of a batch only where the
//! stream's events are in windows, which the template asks for. A batch without a shard is refused: nobody could tell if it is in.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt as _;
use presence_domain::error::Error;
use presence_domain::event::Event;
use presence_domain::feed::{SequenceNumber, ShardId};
use presence_domain::ids::OrgId;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Clock, Deadline};
use presence_runtime::telemetry::{self, Metric, log_metric};
use presence_store::streamed_change::feed_events_of;
use presence_store::{FeedStore, SourceRecord, with_deadline};
use serde::Serialize;
use serde_json::Value;

use crate::bus::Entry;
use crate::publish::read;

/// Number of feeds that are appended to at a time.
const CONCURRENCY: usize = 16;
/// Time that is kept for the answer.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Answer to a batch of a window. Lambda takes an answer without a state as a failure.
#[derive(Debug, Default, Serialize)]
pub struct WindowResponse {
    /// Records that failed.
    #[serde(flatten)]
    pub batch: BatchResponse,
    /// State of the window, which the function does not use.
    pub(crate) state: BTreeMap<String, String>,
}

/// Event as it enters a feed.
#[derive(Clone, Debug)]
struct FeedEntry(Event);

impl Entry for FeedEntry {
    const SENT: Metric = Metric::EventsAppended;

    fn of_record(record: &Value) -> Result<Vec<Self>, Error> {
        Ok(feed_events_of(record)?.into_iter().map(Self).collect())
    }

    fn group(&self) -> Option<&str> {
        None
    }
}

/// Records of a batch with events for one feed.
#[derive(Default)]
struct FeedBatch {
    records: Vec<SourceRecord>,
    /// Position in the batch and number of the first record.
    first: Option<(usize, String)>,
}

/// Appends the events of a batch of a shard. The answer names the first record of which a feed lacks an event.
pub async fn append(feed: &FeedStore, clock: &dyn Clock, event: &Value, deadline: Deadline) -> WindowResponse {
    let Some(records) = event["Records"].as_array().filter(|records| !records.is_empty()) else {
        // The end of a window has no records.
        return WindowResponse::default();
    };
    let batch = read::<FeedEntry>(records);
    let count = batch.outgoing.len();
    let failed = if let (Some(shard), Some(batches)) = (shard(event), by_feed(batch.outgoing)) {
        append_all(feed, clock, shard, batches, deadline).await
    } else {
        tracing::error!("a batch without a shard, or with a record without a number, was refused");
        records[0]["dynamodb"]["SequenceNumber"].as_str().map(str::to_owned)
    };
    if failed.is_none() && count > 0 {
        log_metric(Metric::EventsAppended, u32::try_from(count).map_or(f64::INFINITY, f64::from));
        tracing::info!(records = records.len(), events = count, "events appended");
    }
    WindowResponse { batch: BatchResponse::failed(failed.or(batch.stopped_at)), ..WindowResponse::default() }
}

fn shard(event: &Value) -> Option<ShardId> {
    let stream = event["Records"][0]["eventSourceARN"].as_str()?;
    Some(ShardId::new(stream, event["shardId"].as_str()?))
}

/// Returns the events by feed; `None` if a record has no number.
fn by_feed(outgoing: Vec<crate::publish::Outgoing<FeedEntry>>) -> Option<BTreeMap<Option<OrgId>, FeedBatch>> {
    let mut batches: BTreeMap<_, FeedBatch> = BTreeMap::new();
    for (position, one) in outgoing.into_iter().enumerate() {
        let sequence = SequenceNumber::parse(&one.sequence_number)?;
        let FeedEntry(event) = one.entry;
        let batch = batches.entry(event.org_id).or_default();
        batch.first.get_or_insert((position, one.sequence_number));
        match batch.records.last_mut().filter(|last| last.sequence == sequence) {
            Some(last) => last.events.push(event),
            None => batch.records.push(SourceRecord { sequence, events: vec![event] }),
        }
    }
    Some(batches)
}

/// Appends to each feed. Returns the number of the first record that failed.
async fn append_all(
    feed: &FeedStore,
    clock: &dyn Clock,
    shard: ShardId,
    batches: BTreeMap<Option<OrgId>, FeedBatch>,
    deadline: Deadline,
) -> Option<String> {
    let appends = batches.into_iter().map(async |(org_id, FeedBatch { records, first })| {
        let left = deadline.time_left().map_or(Duration::MAX, |left| left.saturating_sub(ANSWER_TIME));
        let append = feed.append(org_id, shard, &records, clock.now());
        let result = with_deadline(left, append).await;
        match result.unwrap_or_else(|| Err(Error::Unavailable("the time of the invocation is over".into()))) {
            Ok(()) => None,
            Err(error) => {
                telemetry::log_background_error("append_events", &error);
                first
            }
        }
    });
    let failed: Vec<_> = futures::stream::iter(appends).buffer_unordered(CONCURRENCY).collect().await;
    failed.into_iter().flatten().min().map(|(_, number)| number)
}
