//! Objects of an S3 bucket.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::Builder;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_s3::operation::get_object::{GetObjectError, GetObjectOutput};
use aws_sdk_s3::operation::head_object::HeadObjectError;
use aws_sdk_s3::primitives::ByteStream;
use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_ingest::{Objects, OpenObject};

use crate::failed;

/// Maximum time until S3 begins its answer, or has taken a report of some megabytes.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time of a call with its retries. The body of an object is read after the call.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(30);

/// Metadata of a summary: the mark of the object that it is about.
const SOURCE_ETAG: &str = "source-etag";

/// Objects of an S3 bucket.
#[derive(Clone, Debug)]
pub struct S3Objects {
    client: Client,
    bucket: String,
}

impl S3Objects {
    /// Builds the client of this bucket. Makes no call.
    #[must_use]
    pub fn new(config: &SdkConfig, bucket: String) -> Self {
        let timeouts =
            TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).operation_timeout(OPERATION_TIMEOUT);
        // Another endpoint than the region's has no host name for each bucket.
        let path_style = config.endpoint_url().is_some();
        let config = Builder::from(config).timeout_config(timeouts.build()).force_path_style(path_style);
        Self { client: Client::from_conf(config.build()), bucket }
    }

    async fn get(&self, key: &str, offset: u64) -> Result<Option<OpenObject>, Error> {
        let get = self.client.get_object().bucket(&self.bucket).key(key);
        let get = if offset == 0 { get } else { get.range(format!("bytes={offset}-")) };
        match get.send().await {
            Ok(output) => Ok(Some(open(output)?)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) if error.as_service_error().and_then(|error| error.code()) == Some("InvalidRange") => {
                self.head(key).await
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Opens an object behind its end.
    async fn head(&self, key: &str) -> Result<Option<OpenObject>, Error> {
        let head = self.client.head_object().bucket(&self.bucket).key(key).send().await;
        let head = match head {
            Ok(head) => head,
            Err(error) if error.as_service_error().is_some_and(HeadObjectError::is_not_found) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let modified_at = parse_time(head.last_modified)?;
        let etag = head.e_tag.unwrap_or_default();
        Ok(Some(OpenObject { etag, modified_at, body: Box::new(tokio::io::empty()) }))
    }
}

fn open(output: GetObjectOutput) -> Result<OpenObject, Error> {
    let modified_at = parse_time(output.last_modified)?;
    let etag = output.e_tag.unwrap_or_default();
    Ok(OpenObject { etag, modified_at, body: Box::new(output.body.into_async_read()) })
}

fn parse_time(time: Option<aws_sdk_s3::primitives::DateTime>) -> Result<Timestamp, Error> {
    let time = time.ok_or_else(|| Error::internal("an object has no time of its upload"))?;
    Timestamp::new(time.secs(), i32::try_from(time.subsec_nanos()).map_err(Error::internal)?).map_err(Error::internal)
}

fn is_missing<R>(error: &SdkError<GetObjectError, R>) -> bool {
    error.as_service_error().is_some_and(GetObjectError::is_no_such_key)
}

impl Objects for S3Objects {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        self.get(key, offset).boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        source_etag: Option<&'a str>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let is_summary = key.strip_suffix(".json").is_some();
        let media_type = if is_summary { "application/json" } else { "application/x-ndjson" };
        let put = self.client.put_object().bucket(&self.bucket).key(key).content_type(media_type);
        let metadata = source_etag.map(|etag| HashMap::from([(SOURCE_ETAG.to_owned(), etag.to_owned())]));
        let put = put.set_metadata(metadata).body(ByteStream::from(bytes));
        async { put.send().await.map(|_| ()).map_err(failed) }.boxed()
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        let delete = self.client.delete_object().bucket(&self.bucket).key(key);
        async { delete.send().await.map(|_| ()).map_err(failed) }.boxed()
    }
}
