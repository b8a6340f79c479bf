//! Benchmark of importing reviews: speed and cost of `ops import reviews` on the embedded `DynamoDB` in a file.

mod generated_rows;
pub(crate) mod metering_connector;

use std::time::Duration;

use anyhow::ensure;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use presence_local::connectors::ConnectorLayer as _;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::aws::http_client;
use presence_runtime::clock::Stopwatch;
use presence_runtime::config::Config;
use presence_store::{Database, Stores};
use tempfile::TempDir;

use generated_rows::ImportRows;
use metering_connector::{MeteringConnector, Usage};

use crate::ops_import::import_rows;

/// Timeouts of the operator's command line: for one attempt, and for a call with its retries.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Database in a file with organisations and businesses, and a client that meters calls.
struct ImportEnvironment {
    _dynamodb: EmbeddedDynamo,
    folder: TempDir,
    meter: MeteringConnector,
    store: Stores,
}

/// Measures all imports and renders the report. It uses a runtime of many threads, as the operator's command line does.
pub(crate) async fn run(reviews: usize) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure(reviews)))).await?
}

async fn measure(reviews: usize) -> anyhow::Result<String> {
    let rows = ImportRows::new(reviews);
    let mut report = format!(
        "# Imports of reviews\n\nMade by `cargo run --profile bench -p presence-bench -- import`. It runs the code of `ops import \
         reviews` in this process, on the embedded `DynamoDB` in a file. {}\n\nUnits, calls and transactions are exact. Rows per \
         second are those of one run on {} processors, and depend on the embedded `DynamoDB`.\n\n\
         | import | rows | rows per second | write units per row | read units per row | calls per 1,000 rows | of these \
         transactions |\n|---|---:|---:|---:|---:|---:|---:|\n",
        generated_rows::DESCRIPTION,
        std::thread::available_parallelism()?,
    );
    let environment = ImportEnvironment::start().await?;
    report.push_str(&environment.measure_import("first, ordered by date", &rows.ordered(), reviews).await?);
    report
        .push_str(&environment.measure_import("the same again: nothing has changed", &rows.ordered(), reviews).await?);
    report.push_str(&environment.measure_import("half of the rows have changed", &rows.updated(), reviews).await?);
    environment.audit(reviews).await?;
    let environment = ImportEnvironment::start().await?;
    report.push_str(&environment.measure_import("first, in random order", &rows.shuffled(), reviews).await?);
    environment.audit(reviews).await?;
    Ok(report)
}

impl ImportEnvironment {
    async fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
        let meter = MeteringConnector::default();
        let timeouts =
            TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).operation_timeout(CALL_TIMEOUT).build();
        let config = sdk_config(&dynamodb.endpoint_url())
            .into_builder()
            .http_client(meter.over(http_client()))
            .timeout_config(timeouts)
            .build();
        let store = Stores::new(Database::new(&config, Config::DEFAULT_TABLE_PREFIX));
        store.database.create_tables().await?;
        import_rows(&store, folder.path(), "orgs", &generated_rows::orgs()).await?;
        import_rows(&store, folder.path(), "businesses", &generated_rows::businesses()).await?;
        Ok(Self { _dynamodb: dynamodb, folder, meter, store })
    }

    /// Imports the rows. Returns a row of the report with the speed and the cost.
    async fn measure_import(&self, label: &str, rows: &str, reviews: usize) -> anyhow::Result<String> {
        let before = self.meter.usage();
        let watch = Stopwatch::start();
        import_rows(&self.store, self.folder.path(), "reviews", rows).await?;
        let seconds = watch.elapsed().as_secs_f64();
        let Usage { calls, transactions, read_units, write_units } = self.meter.usage().since(before);
        let per_row = |number: f64| number / reviews as f64;
        Ok(format!(
            "| {label} | {reviews} | {:.0} | {:.1} | {:.1} | {:.0} | {:.0} |\n",
            reviews as f64 / seconds,
            per_row(write_units),
            per_row(read_units),
            per_row(calls as f64) * 1_000.0,
            per_row(transactions as f64) * 1_000.0,
        ))
    }

    /// Fails if the ledger does not match the reviews.
    async fn audit(&self, reviews: usize) -> anyhow::Result<()> {
        let audit = self.store.reviews.audit_reviews(None).await?;
        ensure!(audit.findings.is_empty() && audit.reviews == reviews, "the ledger is wrong: {audit:?}");
        Ok(())
    }
}
