//! Imports of reviews: how fast `ops import reviews` is on the embedded `DynamoDB`, in a file, and what it costs.

mod generated_rows;
mod metering_client;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use aws_sdk_dynamodb::config::SharedHttpClient;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_smithy_http_client::Builder;
use clap::Parser as _;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_ops::{Cli, Console, Exit};
use presence_runtime::clock::{Stopwatch, SystemClock};
use presence_runtime::config::Config;
use presence_store::{Database, Stores};
use tempfile::TempDir;

use generated_rows::ImportRows;
use metering_client::{MeteringClient, Usage};

/// What the operator's command line waits for one attempt, and for a call with its retries.
const TIMEOUTS: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(30)];

/// An empty database in a file, and an operator whose calls are counted.
struct ImportEnvironment {
    _dynamodb: EmbeddedDynamo,
    folder: TempDir,
    client: MeteringClient,
    store: Stores,
}

/// Runs everything and renders the report, on a runtime of many threads, as the operator's command line has it.
pub(crate) async fn run(reviews: usize) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure(reviews)))).await?
}

async fn measure(reviews: usize) -> anyhow::Result<String> {
    let rows = ImportRows::new(reviews);
    let mut report = format!(
        "# Imports of reviews\n\nMade by `cargo run --profile bench -p presence-bench -- import`: the code of `ops import \
         reviews` in this process, the embedded `DynamoDB` in a file beside it. {}\n\nUnits, calls and transactions are \
         exact; reviews per second are those of one run, on {} processors, and are as good as the embedded `DynamoDB`.\n\n\
         | import | rows | rows per second | write units per row | read units per row | calls per 1,000 rows | of these \
         transactions |\n|---|---:|---:|---:|---:|---:|---:|\n",
        generated_rows::DESCRIPTION,
        std::thread::available_parallelism()?,
    );
    let operator = ImportEnvironment::start().await?;
    operator.row("first, ordered by date", &rows.first(), reviews, &mut report).await?;
    operator.row("the same again: nothing has changed", &rows.first(), reviews, &mut report).await?;
    operator.row("half of the rows have changed", &rows.updated(), reviews, &mut report).await?;
    operator.audit(reviews).await?;
    let operator = ImportEnvironment::start().await?;
    operator.row("first, in no order", &rows.shuffled(), reviews, &mut report).await?;
    operator.audit(reviews).await?;
    Ok(report)
}

impl ImportEnvironment {
    async fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
        let client = MeteringClient::over(Builder::new().build_http());
        let [attempt, operation] = TIMEOUTS;
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(attempt).operation_timeout(operation).build();
        let config = sdk_config(&dynamodb.endpoint_url()).into_builder();
        let config = config.http_client(SharedHttpClient::new(client.clone())).timeout_config(timeouts).build();
        let store = Stores::new(Database::new(&config, Config::DEFAULT_TABLE_PREFIX));
        store.database.create_tables().await?;
        let operator = Self { _dynamodb: dynamodb, folder, client, store };
        operator.import("orgs", &generated_rows::orgs()).await?;
        operator.import("businesses", &generated_rows::businesses()).await?;
        Ok(operator)
    }

    /// Imports the rows, and adds to the report what that cost.
    async fn row(&self, name: &str, rows: &str, reviews: usize, report: &mut String) -> anyhow::Result<()> {
        let before = self.client.usage();
        let watch = Stopwatch::start();
        self.import("reviews", rows).await?;
        let seconds = watch.elapsed().as_secs_f64();
        let Usage { calls, transactions, read_units, write_units } = self.client.usage().since(before);
        let per_row = |number: f64| number / reviews as f64;
        writeln!(
            report,
            "| {name} | {reviews} | {:.0} | {:.1} | {:.1} | {:.0} | {:.0} |",
            reviews as f64 / seconds,
            per_row(write_units),
            per_row(read_units),
            per_row(calls as f64) * 1_000.0,
            per_row(transactions as f64) * 1_000.0,
        )?;
        Ok(())
    }

    async fn import(&self, what: &str, rows: &str) -> anyhow::Result<()> {
        let file = self.folder.path().join(format!("{what}.jsonl"));
        std::fs::write(&file, rows)?;
        let cli = Cli::try_parse_from(["ops", "import", what, text(&file)?])?;
        let console = Console::new(Box::new(std::io::sink()), Box::new(std::io::stderr()));
        let mut context = presence_ops::Context { stores: self.store.clone(), clock: Arc::new(SystemClock), console };
        let exit = Box::pin(presence_ops::run(cli, &mut context)).await;
        ensure!(exit == Exit::Done, "the import of {what} ended with {exit:?}");
        Ok(())
    }

    /// Whether everything is counted as it should be.
    async fn audit(&self, reviews: usize) -> anyhow::Result<()> {
        let audit = self.store.reviews.audit_reviews(None).await?;
        ensure!(audit.findings.is_empty() && audit.reviews == reviews, "the ledger is wrong: {audit:?}");
        Ok(())
    }
}

fn text(file: &Path) -> anyhow::Result<&str> {
    file.to_str().context("the temporary folder's path is not UTF-8")
}
