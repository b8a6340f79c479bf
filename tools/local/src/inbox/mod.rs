//! Folder in the place of the bucket of reviews, and the queue behind it: `cargo run -- --inbox DIR`.
//!
//! Files below `DIR/inbox` are objects. Ingest gets the events that S3 and SQS send it on AWS, and writes its reports to `DIR/rejected`
//! and `DIR/done`.

mod folder;
mod queue;
#[cfg(test)]
mod tests;
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use presence_domain::ingest::delivery::INVOCATION_TIME;
use presence_ingest::{Ingest, handle};
use presence_runtime::clock::Deadline;
use presence_store::Database;
use tokio::task::JoinSet;

pub use folder::FolderObjects;
pub use queue::{Batch, LocalQueue};
use watch::Watcher;

/// Interval between two looks at the folder.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Number of batches that are written at a time: the least that a queue of AWS may be limited to is two, and eight lanes of one
/// organisation can be written side by side.
const BATCHES_IN_FLIGHT: usize = 8;

/// Background tasks that feed ingest. Dropping it stops them; what they had not done is done after the next start.
#[derive(Debug)]
pub(crate) struct Inbox {
    _tasks: JoinSet<()>,
}

impl Inbox {
    /// Starts to watch a folder. Creates it and its folder `inbox` if they are missing.
    pub(crate) fn start(folder: &Path, database: &Database) -> anyhow::Result<Self> {
        let objects = FolderObjects::open(folder).with_context(|| format!("cannot use {}", folder.display()))?;
        let queue = Arc::new(LocalQueue::default());
        let ingest = Ingest::new(database, Arc::new(objects.clone()), Arc::clone(&queue) as _);
        let mut tasks = JoinSet::new();
        tasks.spawn(watch(ingest.clone(), Watcher::new(objects)));
        for _ in 0..BATCHES_IN_FLIGHT {
            tasks.spawn(consume(ingest.clone(), Arc::clone(&queue)));
        }
        Ok(Self { _tasks: tasks })
    }
}

/// Invokes ingest for each file that is complete, one after the other. One that cannot be split is tried again later.
async fn watch(ingest: Ingest, mut watcher: Watcher) {
    loop {
        match watcher.look() {
            Ok(events) => {
                for (key, event) in events {
                    if let Err(error) = handle(&ingest, &event, Deadline::after(INVOCATION_TIME)).await {
                        tracing::warn!(%error, key, "a file of the inbox cannot be split");
                        watcher.announce_again(&key);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the inbox cannot be read"),
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Hands batches of the queue to ingest, and gives back the messages that it could not write.
///
/// Never ends. Several may run side by side: each writes one batch at a time.
pub async fn consume(ingest: Ingest, queue: Arc<LocalQueue>) {
    loop {
        let batch = queue.receive().await;
        let answer = handle(&ingest, &batch.event(), Deadline::after(INVOCATION_TIME)).await;
        let answer = answer.inspect_err(|error| tracing::warn!(%error, "a batch of the queue cannot be written"));
        queue.record_outcome(batch, answer.as_ref().ok());
    }
}
