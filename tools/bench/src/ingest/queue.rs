//! Rows through the queue, on the embedded `DynamoDB` in a file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use presence_ingest::{Ingest, handle};
use presence_local::connectors::ConnectorLayer as _;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::inbox::{FolderObjects, LocalQueue, consume};
use presence_local::sdk_config;
use presence_runtime::aws::http_client;
use presence_runtime::clock::{Stopwatch, SystemTimer, deadline_in};
use presence_runtime::config::Config;
use presence_store::{Database, RetryPolicy, Stores, WriteRate};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::rows;
use crate::import::metering_connector::{MeteringConnector, Usage};
use crate::ops_import::import_rows;

/// Time limit of an invocation, as on AWS.
const INVOCATION: Duration = Duration::from_mins(15);
/// Interval between two looks at the queue.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Figures of rows through the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueFigures {
    pub(super) rows_per_second: f64,
    pub(super) split_per_second: f64,
    /// Units of all writes, by row.
    pub(super) write_units: f64,
    /// Units of all reads, by row.
    pub(super) read_units: f64,
}

/// Measures a file of rows of some organisations, of which so many batches are written at a time.
pub(super) async fn measure(rows: usize, orgs: usize, batches: usize) -> anyhow::Result<QueueFigures> {
    let folder = tempfile::tempdir()?;
    let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
    let meter = MeteringConnector::default();
    let config = sdk_config(&dynamodb.endpoint_url()).into_builder().http_client(meter.over(http_client())).build();
    let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let database = Database::new(&config, Config::DEFAULT_TABLE_PREFIX);
    let database = database.with_retry_policy(RetryPolicy::WhileImporting(rate));
    let store = Stores::new(database.clone());
    database.create_tables().await?;
    import_rows(&store, folder.path(), "orgs", &rows::orgs(orgs)).await?;
    import_rows(&store, folder.path(), "businesses", &rows::businesses(orgs)).await?;
    let objects = FolderObjects::open(folder.path())?;
    let mut file = BufWriter::new(File::create(folder.path().join("inbox/reviews.jsonl"))?);
    rows::write_reviews(rows, orgs, &mut file)?;
    file.flush()?;
    let queue = Arc::new(LocalQueue::default());
    let ingest = Ingest::new(&database, Arc::new(objects), Arc::clone(&queue) as _);

    let before = meter.usage();
    let watch = Stopwatch::start();
    let event =
        json!({ "Records": [{ "eventSource": "aws:s3", "s3": { "object": { "key": "inbox/reviews.jsonl" } } }] });
    handle(&ingest, &event, deadline_in(INVOCATION)).await?;
    let split_seconds = watch.elapsed().as_secs_f64();
    let watch = Stopwatch::start();
    let mut consumers = JoinSet::new();
    for _ in 0..batches {
        consumers.spawn(consume(ingest.clone(), Arc::clone(&queue)));
    }
    while !queue.is_idle() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let seconds = watch.elapsed().as_secs_f64();
    consumers.shutdown().await;
    let Usage { read_units, write_units, .. } = meter.usage().since(before);
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.path().join("done/reviews.jsonl.json"))?)?;
    ensure!(summary["created"] == rows, "not all rows are written: {summary}");
    let by_row = |number: f64| number / rows as f64;
    Ok(QueueFigures {
        rows_per_second: rows as f64 / seconds,
        split_per_second: rows as f64 / split_seconds,
        write_units: by_row(write_units),
        read_units: by_row(read_units),
    })
}
