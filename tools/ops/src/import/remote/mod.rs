//! `ops import reviews --remote`: hands a file to ingest in AWS, and follows it to its report.

mod bucket;
mod location;

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use presence_runtime::aws::{Bucket, Head};
use presence_runtime::clock::Stopwatch;
use serde::Deserialize;
use tokio::fs::File;

use super::input::Input;
use super::kind::ImportKind;
use super::progress::Progress;
use super::rejects::RejectsFile;
use super::summary::ImportSummary;
use crate::error::CommandError;
use crate::import_error::ImportError;
use crate::{Context, Exit};
pub(super) use location::RemoteLocation;
use location::RemoteObject;

/// Wait between two looks for the report.
const POLL: Duration = Duration::from_secs(1);

/// Report of ingest on an object.
#[derive(Debug, Deserialize)]
struct Report {
    created: u64,
    updated: u64,
    unchanged: u64,
    rejected: u64,
    /// Reason why the object could not be read to its end.
    error: Option<String>,
}

/// Uploads a file, waits for its report, and prints what a local import prints.
pub(super) async fn run(
    path: &Path,
    location: &RemoteLocation,
    longest_wait: Duration,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let object = location.object_of(path).map_err(CommandError::Usage)?;
    let config = context.s3.clone().context("there is no S3 beside these tables")?;
    let bucket = bucket::client(&config, &object.bucket);
    let (file, size) = open(path, &object).await?;
    context.console.write_message(format_args!("object {object}"));
    let progress = Progress::start(Some(size), context.console.shows_progress);
    let earlier = bucket::head(&bucket, &object.done_key()).await?;
    bucket::upload(&bucket, &object, file, size, &progress).await?;
    progress.finish();
    let report = follow(&bucket, &object, earlier, longest_wait, context.console.shows_progress).await?;
    let rejects = fetch_rejected(&bucket, &object, path, report.rejected).await?;
    finish(report, rejects, context)
}

/// Opens the file, after a look at its start unless it is compressed.
async fn open(path: &Path, object: &RemoteObject) -> Result<(File, u64), CommandError> {
    if !object.is_compressed() {
        Input::open(path, ImportKind::Reviews).await?;
    }
    let cannot_read = || format!("cannot read {}", path.display());
    let file = File::open(path).await.with_context(cannot_read)?;
    let metadata = file.metadata().await.with_context(cannot_read)?;
    if !metadata.is_file() {
        return Err(CommandError::from_text(format!("{} is no regular file", path.display())));
    }
    Ok((file, metadata.len()))
}

/// Waits for a report on the object, other than the earlier one.
async fn follow(
    bucket: &Bucket,
    object: &RemoteObject,
    earlier: Option<Head>,
    longest_wait: Duration,
    is_shown: bool,
) -> anyhow::Result<Report> {
    let (progress, stopwatch, key) = (Progress::start(None, is_shown), Stopwatch::start(), object.done_key());
    let report = loop {
        let found = bucket::head(bucket, &key).await?.filter(|report| earlier.as_ref() != Some(report));
        if let Some(report) = found {
            // Looked at again: somebody else may replace it, and the report is on what it is by then.
            let uploaded = bucket::head(bucket, &object.key()).await?.context("the object is gone")?;
            if bucket::is_about(&report, &uploaded) {
                break bucket::read(bucket, &key).await?;
            }
        }
        if stopwatch.elapsed() >= longest_wait {
            progress.finish();
            let waited = longest_wait.as_secs();
            anyhow::bail!(
                "{object} has no report after {waited} s; \"When reviews do not arrive\" in runbooks.md tells what to do"
            );
        }
        progress.show(&format!("uploaded, waiting for the report · {} s", stopwatch.elapsed().as_secs()));
        tokio::time::sleep(POLL).await;
    };
    progress.finish();
    let report = report.with_context(|| format!("the report {key} is gone"))?;
    serde_json::from_slice(&report).with_context(|| format!("the report {key} is of another version"))
}

/// Copies the rejected rows to the file where a local import writes them.
async fn fetch_rejected(
    bucket: &Bucket,
    object: &RemoteObject,
    path: &Path,
    rejected: u64,
) -> anyhow::Result<Option<RejectsFile>> {
    // The file of an earlier run is moved away also if no row was rejected.
    let rejects = RejectsFile::for_import(path, None)?;
    if rejected == 0 {
        return Ok(None);
    }
    let cannot_write = || format!("cannot write {}", rejects.path().display());
    let mut file = File::create(rejects.path()).await.with_context(cannot_write)?;
    let key = object.rejected_key();
    anyhow::ensure!(bucket::copy(bucket, &key, &mut file).await?, "the rejected rows {key} are gone");
    Ok(Some(rejects))
}

fn finish(report: Report, rejects: Option<RejectsFile>, context: &mut Context) -> Result<Exit, CommandError> {
    let Report { created, updated, unchanged, rejected, error } = report;
    let summary = ImportSummary { created, updated, unchanged, rejected, ..ImportSummary::default() };
    let result = match error {
        Some(reason) => {
            Err(ImportError::CutShort(format!("ingest could not read the object to its end: {reason}")).into())
        }
        None => Ok(()),
    };
    let rejects = rejects.map(RejectsFile::into_path);
    summary.print(false, ImportKind::Reviews, result, rejects, &mut context.console)
}
