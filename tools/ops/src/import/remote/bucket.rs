//! Calls to the bucket of ingest.

use std::time::Duration;

use anyhow::Context as _;
use aws_sdk_s3::Client;
use aws_sdk_s3::config::Builder;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::primitives::{ByteStream, DateTime};
use aws_sdk_s3::types::{CompletedMultipartUpload, CompletedPart};
use aws_types::SdkConfig;
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

/// Metadata of a report: the mark of the object that it is about.
const SOURCE_ETAG: &str = "source-etag";

/// Bucket of ingest.
pub(super) struct Bucket {
    client: Client,
    name: String,
}

/// Object of the bucket, without its content.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    /// Time of its upload, in whole seconds.
    modified_at: DateTime,
    etag: Option<String>,
    /// Mark of the object that a report is about; none on other objects, and on reports of earlier versions of ingest.
    source_etag: Option<String>,
    /// Id of the version, which no other object has; none if the bucket keeps no versions.
    version: Option<String>,
}

impl Head {
    /// True if this report may be about the object: it is not older, and on no other content. Ingest may just have written a report on an
    /// object that this one replaced.
    pub(super) fn is_about(&self, object: &Self) -> bool {
        self.modified_at >= object.modified_at && (self.source_etag.is_none() || self.source_etag == object.etag)
    }
}

impl Bucket {
    /// Returns a client for a bucket. Makes no call.
    pub(super) fn new(config: &SdkConfig, name: String) -> Self {
        let timeouts = TimeoutConfig::builder()
            .operation_attempt_timeout(ATTEMPT_TIMEOUT)
            .operation_timeout(OPERATION_TIMEOUT)
            .build();
        // Another endpoint than the region's has no host name for each bucket.
        let path_style = config.endpoint_url().is_some();
        let config = Builder::from(config).timeout_config(timeouts).force_path_style(path_style).build();
        Self { client: Client::from_conf(config), name }
    }

    /// Uploads a file of this size, and moves the bar by the bytes that have arrived.
    pub(super) async fn upload(
        &self,
        object: &RemoteObject,
        file: File,
        size: u64,
        bar: &Progress,
    ) -> anyhow::Result<()> {
        let key = object.key();
        if size <= PART_BYTES {
            let bytes = read_part(&mut { file }, size.max(1)).await?;
            let put = self.client.put_object().bucket(&self.name).key(key).body(ByteStream::from(bytes));
            put.send().await.with_context(|| format!("cannot upload {object}"))?;
            bar.advance(size, 0);
            return Ok(());
        }
        let create = self.client.create_multipart_upload().bucket(&self.name).key(&key).send();
        let created = create.await.with_context(|| format!("cannot upload {object}"))?;
        let id = created.upload_id.context("S3 names no upload")?;
        let uploaded = self.upload_parts(&key, &id, file, size, bar).await;
        if uploaded.is_err() {
            // What has arrived would cost something until the bucket forgets it. The first error is the one to report.
            let _ = self.client.abort_multipart_upload().bucket(&self.name).key(&key).upload_id(&id).send().await;
        }
        uploaded.with_context(|| format!("cannot upload {object}"))
    }

    async fn upload_parts(&self, key: &str, id: &str, mut file: File, size: u64, bar: &Progress) -> anyhow::Result<()> {
        let part_bytes = PART_BYTES.max(size.div_ceil(MAX_PARTS));
        let mut parts = Vec::new();
        for number in 1.. {
            let bytes = read_part(&mut file, part_bytes).await?;
            if bytes.is_empty() {
                break;
            }
            let length = bytes.len() as u64;
            let put = self.client.upload_part().bucket(&self.name).key(key).upload_id(id).part_number(number);
            let put = put.body(ByteStream::from(bytes)).send().await?;
            parts.push(CompletedPart::builder().part_number(number).set_e_tag(put.e_tag).build());
            bar.advance(length, 0);
        }
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        let complete = self.client.complete_multipart_upload().bucket(&self.name).key(key).upload_id(id);
        complete.multipart_upload(parts).send().await?;
        Ok(())
    }

    /// Looks for an object. Returns `None` if there is none.
    pub(super) async fn head(&self, key: &str) -> anyhow::Result<Option<Head>> {
        let found = match self.client.head_object().bucket(&self.name).key(key).send().await {
            Ok(found) => found,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot look for s3://{}/{key}", self.name)),
        };
        let modified_at = found.last_modified.context("an object has no time of its upload")?;
        let source_etag = found.metadata.and_then(|mut metadata| metadata.remove(SOURCE_ETAG));
        Ok(Some(Head { modified_at, etag: found.e_tag, source_etag, version: found.version_id }))
    }

    /// Reads a small object. Returns `None` if there is none.
    pub(super) async fn read(&self, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let found = self.copy(key, &mut bytes).await?;
        Ok(found.then_some(bytes))
    }

    /// Copies an object to a writer. Returns false if there is no such object.
    pub(super) async fn copy<W: tokio::io::AsyncWrite + Unpin>(&self, key: &str, to: &mut W) -> anyhow::Result<bool> {
        let cannot_read = || format!("cannot read s3://{}/{key}", self.name);
        let found = match self.client.get_object().bucket(&self.name).key(key).send().await {
            Ok(found) => found,
            Err(error) if is_missing(&error) => return Ok(false),
            Err(error) => return Err(error).with_context(cannot_read),
        };
        tokio::io::copy(&mut found.body.into_async_read(), to).await.with_context(cannot_read)?;
        to.flush().await.with_context(cannot_read)?;
        Ok(true)
    }
}

/// Reads up to this number of bytes; fewer at the end of the file.
async fn read_part(file: &mut File, bytes: u64) -> anyhow::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.take(bytes).read_to_end(&mut part).await.context("cannot read the file")?;
    Ok(part)
}

fn is_missing<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> bool {
    matches!(error.as_service_error().and_then(ProvideErrorMetadata::code), Some("NoSuchKey" | "NotFound"))
}
