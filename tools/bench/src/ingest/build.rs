//! `ops reviews build` in a process of its own, with the peak of its memory.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_runtime::config::Config;
use presence_store::{Database, Stores};
use serde_json::Value;
use tokio::process::Command;

use super::rows;
use crate::ops_import::import_rows;
use crate::sandbox::process::{peak_mb, process_id};

/// Number of organisations.
const ORGS: usize = 20;
/// Interval between two looks at the memory of the process. What counts is its peak, which the system keeps.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Figures of a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildFigures {
    pub(super) seconds: f64,
    /// Peak of resident memory in MB of 2^20 bytes.
    pub(super) peak_mb: f64,
    pub(super) items: u64,
    pub(super) parts: u64,
    /// Bytes before compression.
    pub(super) bytes: u64,
}

/// Measures the build of a file with so many rows.
pub(super) async fn measure(rows: usize, ops: &Path) -> anyhow::Result<BuildFigures> {
    let folder = tempfile::tempdir_in(".")?;
    let dynamodb = EmbeddedDynamo::start(0, None)?;
    let store = Stores::new(Database::new(&sdk_config(&dynamodb.endpoint_url()), Config::DEFAULT_TABLE_PREFIX));
    store.database.create_tables().await?;
    import_rows(&store, folder.path(), "orgs", &rows::orgs(ORGS)).await?;
    import_rows(&store, folder.path(), "businesses", &rows::businesses(ORGS)).await?;
    let path = folder.path().join("reviews.jsonl");
    let mut file = BufWriter::new(File::create(&path)?);
    rows::write_reviews(rows, ORGS, &mut file)?;
    file.flush()?;

    let watch = Stopwatch::start();
    let mut child = Command::new(ops)
        .args(["--json", "--endpoint", &dynamodb.endpoint_url(), "reviews", "build"])
        .arg(&path)
        .arg("--out")
        .arg(folder.path().join("parts"))
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot run {}", ops.display()))?;
    let (id, mut peak) = (process_id(&child)?, 0_f64);
    while child.try_wait()?.is_none() {
        // The process may end meanwhile.
        peak = peak.max(peak_mb(id).unwrap_or_default());
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let seconds = watch.elapsed().as_secs_f64();
    let output = child.wait_with_output().await?;
    ensure!(output.status.success(), "the build ended with {}", output.status);
    let summary: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(summary["created"] == rows, "not all rows are built: {summary}");
    let count = |name: &str| summary[name].as_u64().with_context(|| format!("{name} is missing"));
    Ok(BuildFigures { seconds, peak_mb: peak, items: count("items")?, parts: count("parts")?, bytes: count("bytes")? })
}
