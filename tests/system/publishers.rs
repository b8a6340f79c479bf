//! Streams of the tables, and the publishers that put their changes into the feed, or into the queue of replies.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use presence_domain::error::Error;
use presence_local::TableStream;
use presence_publisher::append;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Clock, Deadline};
use presence_store::FeedStore;
use presence_store::schema::Table;
use serde_json::Value;
use tokio::sync::Notify;

use super::background::{INVOCATION, invoke};
use super::replies::ReplyQueue;
use super::simulation::Simulation;
use crate::events::fixture::remaining;

/// Longest time until a stream shows a write, in milliseconds.
const STREAM_LAG: u64 = 2_000;

/// Notifies of each write. A `watch` would do so in a random order.
#[derive(Default)]
pub(crate) struct WriteNotifier {
    any: Notify,
    /// By the full name of the table.
    of_tables: Mutex<BTreeMap<String, Arc<Notify>>>,
}

impl WriteNotifier {
    fn of_table(&self, table: &str) -> Arc<Notify> {
        Arc::clone(self.of_tables.lock().expect("no panic").entry(table.to_owned()).or_default())
    }

    /// Notifies of a write of items of these tables.
    pub(crate) fn notify<'a>(&self, tables: impl IntoIterator<Item = &'a str>) {
        self.any.notify_waiters();
        for table in tables {
            self.of_table(table).notify_waiters();
        }
    }

    /// Waits for the next write.
    pub(crate) async fn notified(&self) {
        self.any.notified().await;
    }
}

/// Stream of a table, which shows writes after a while.
pub(crate) struct Stream {
    records: TableStream,
    writes: Arc<Notify>,
    rng: Rng,
}

impl Stream {
    pub(crate) async fn open(simulation: &Simulation, table: &Table) -> Self {
        let name = simulation.truth().database.name(table);
        let stream = TableStream::open(&simulation.instant_config(), &name).await.expect("the database answers");
        Self {
            records: stream.expect("a stream"),
            writes: simulation.writes.of_table(&name),
            rng: simulation.fork_rng(),
        }
    }

    /// Returns the next batch, when there is one.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            let mut write = pin!(self.writes.notified());
            write.as_mut().enable();
            if let Some(batch) = self.records.next_batch().await.expect("the database answers") {
                return batch;
            }
            write.await;
            tokio::time::sleep(Duration::from_millis(self.rng.u64(..STREAM_LAG))).await;
        }
    }
}

/// Function that publishes the changes in a stream.
pub(crate) enum Publisher {
    /// To the feed.
    Feed(FeedStore, Arc<dyn Clock>),
    /// Requests of replies, to their queue.
    Replies(ReplyQueue),
}

impl Publisher {
    pub(crate) fn of_feed(simulation: &Simulation) -> Self {
        Self::Feed(simulation.stores().feed, simulation.clock_of_process(simulation.clock_error))
    }

    /// Returns a process that was just started.
    fn restarted(&self, simulation: &Simulation) -> Self {
        match self {
            Self::Feed(..) => Self::of_feed(simulation),
            Self::Replies(ReplyQueue(queue)) => Self::Replies(ReplyQueue(Arc::clone(queue))),
        }
    }

    async fn handle(&self, batch: &Value, deadline: Deadline) -> Result<BatchResponse, Error> {
        Ok(match self {
            Self::Feed(feed, clock) => append(feed, clock.as_ref(), batch, deadline).await.batch,
            Self::Replies(queue) => presence_publisher::handle(queue, batch, deadline).await,
        })
    }
}

/// Hands a stream to a publisher, and again from the record that failed on; now and then all of it again.
pub(crate) async fn publish(simulation: Arc<Simulation>, mut publisher: Publisher, mut stream: Stream) {
    let mut rng = simulation.fork_rng();
    loop {
        let batch = stream.next().await;
        let mut next = Some(batch.clone());
        while let Some(part) = next {
            let publish = |deadline| publisher.handle(&part, deadline);
            next = match invoke(&simulation, "a publisher", INVOCATION, publish).await {
                Some(answer) => remaining(&part, &answer).or_else(|| (rng.u8(..10) == 0).then(|| batch.clone())),
                // A panic may come again each time.
                None => simulation.history().findings.is_empty().then_some(part),
            };
            if rng.u8(..20) == 0 {
                publisher = publisher.restarted(&simulation);
            }
        }
    }
}
