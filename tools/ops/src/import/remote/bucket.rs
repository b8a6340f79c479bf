//! Transfers from and to the bucket of ingest.

use std::time::Duration;

use anyhow::Context as _;
use aws_types::SdkConfig;
use aws_types::sdk_config::TimeoutConfig;
use presence_runtime::aws::{Bucket, Head};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::location::RemoteObject;
use crate::import::progress::Progress;

/// Longest wait for one attempt of a call: a part of 16 MiB over a slow line.
const ATTEMPT_TIMEOUT: Duration = Duration::from_mins(5);
/// Longest wait for a call with its retries.
const OPERATION_TIMEOUT: Duration = Duration::from_mins(20);
/// Size in bytes of a part of a large file. A file of one part is sent in one call.
const PART_BYTES: u64 = 16 << 20;
/// Largest number of parts that S3 takes.
const MAX_PARTS: u64 = 10_000;

/// Returns a client for a bucket, which waits for slow lines. Makes no call.
pub(super) fn client(config: &SdkConfig, name: &str) -> Bucket {
    let timeouts =
        TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).operation_timeout(OPERATION_TIMEOUT);
    Bucket::new(&config.to_builder().timeout_config(timeouts.build()).build(), name)
}

/// True if this report may be about the object: it is not older, and on no other content. Ingest may just have written a report on an
/// object that this one replaced.
pub(super) fn is_about(report: &Head, object: &Head) -> bool {
    report.modified_at >= object.modified_at && report.source_etag.as_ref() == Some(&object.etag)
}

/// Uploads a file of this size, and moves the bar by the bytes that have arrived.
pub(super) async fn upload(
    bucket: &Bucket,
    object: &RemoteObject,
    mut file: File,
    size: u64,
    bar: &Progress,
) -> anyhow::Result<()> {
    let (key, cannot_upload) = (object.key(), || format!("cannot upload {object}"));
    if size <= PART_BYTES {
        let bytes = read_part(&mut file, size.max(1)).await?;
        bucket.put(&key, "application/octet-stream", None, bytes).await.with_context(cannot_upload)?;
        bar.advance(size, 0);
        return Ok(());
    }
    let id = bucket.create_upload(&key).await.with_context(cannot_upload)?;
    let uploaded = upload_parts(bucket, &key, &id, file, size, bar).await;
    if uploaded.is_err() {
        // What has arrived would cost something until the bucket forgets it. The first error is the one to report.
        let _ = bucket.abort_upload(&key, &id).await;
    }
    uploaded.with_context(cannot_upload)
}

async fn upload_parts(
    bucket: &Bucket,
    key: &str,
    id: &str,
    mut file: File,
    size: u64,
    bar: &Progress,
) -> anyhow::Result<()> {
    let part_bytes = PART_BYTES.max(size.div_ceil(MAX_PARTS));
    let mut etags = Vec::new();
    loop {
        let bytes = read_part(&mut file, part_bytes).await?;
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len() as u64;
        etags.push(bucket.upload_part(key, id, etags.len() + 1, bytes).await?);
        bar.advance(length, 0);
    }
    Ok(bucket.complete_upload(key, id, &etags).await?)
}

/// Reads a small object. Returns `None` if there is none.
pub(super) async fn read(bucket: &Bucket, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let found = copy(bucket, key, &mut bytes).await?;
    Ok(found.then_some(bytes))
}

/// Copies an object to a writer. Returns false if there is no such object.
pub(super) async fn copy<W: tokio::io::AsyncWrite + Unpin>(
    bucket: &Bucket,
    key: &str,
    to: &mut W,
) -> anyhow::Result<bool> {
    let cannot_read = || format!("cannot read {}", bucket.url(key));
    let Some((_, body)) = bucket.get(key, 0).await.with_context(cannot_read)? else { return Ok(false) };
    tokio::io::copy(&mut body.into_async_read(), to).await.with_context(cannot_read)?;
    to.flush().await.with_context(cannot_read)?;
    Ok(true)
}

/// Looks for an object. Returns `None` if there is none.
pub(super) async fn head(bucket: &Bucket, key: &str) -> anyhow::Result<Option<Head>> {
    bucket.head(key).await.with_context(|| format!("cannot look for {}", bucket.url(key)))
}

/// Reads up to this number of bytes; fewer at the end of the file.
async fn read_part(file: &mut File, bytes: u64) -> anyhow::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.take(bytes).read_to_end(&mut part).await.context("cannot read the file")?;
    Ok(part)
}
