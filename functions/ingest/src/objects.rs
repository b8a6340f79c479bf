//! Objects of an S3 bucket.

use std::time::Duration;

use aws_types::SdkConfig;
use aws_types::sdk_config::TimeoutConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_runtime::aws::{Bucket, Head, S3Error};

use crate::failed_call;
use crate::outside::{ObjectBody, Objects, OpenObject};

/// Maximum time until S3 begins its answer, or has taken a report of some megabytes.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time of a call with its retries. The body of an object is read after the call.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(30);

/// Objects of an S3 bucket.
#[derive(Clone, Debug)]
pub struct S3Objects(Bucket);

impl S3Objects {
    /// Builds the client of this bucket. Makes no call.
    pub fn new(config: &SdkConfig, bucket: &str) -> Self {
        let timeouts =
            TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).operation_timeout(OPERATION_TIMEOUT);
        Self(Bucket::new(&config.to_builder().timeout_config(timeouts.build()).build(), bucket))
    }

    async fn get(&self, key: &str, offset: u64) -> Result<Option<OpenObject>, S3Error> {
        match self.0.get(key, offset).await {
            Ok(found) => Ok(found.map(|(head, body)| open(head, Box::new(body.into_async_read())))),
            // The offset is the end of the object.
            Err(error) if error.code() == Some("InvalidRange") => {
                Ok(self.0.head(key).await?.map(|head| open(head, Box::new(tokio::io::empty()))))
            }
            Err(error) => Err(error),
        }
    }
}

fn open(head: Head, body: ObjectBody) -> OpenObject {
    OpenObject { etag: head.etag, modified_at: head.modified_at, body }
}

impl Objects for S3Objects {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        async move { self.get(key, offset).await.map_err(failed) }.boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        source_etag: Option<&'a str>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let is_summary = key.strip_suffix(".json").is_some();
        let media_type = if is_summary { "application/json" } else { "application/x-ndjson" };
        async move { self.0.put(key, media_type, source_etag, bytes).await.map_err(failed) }.boxed()
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async { self.0.delete(key).await.map_err(failed) }.boxed()
    }
}

fn failed(error: S3Error) -> Error {
    failed_call(error, S3Error::code)
}
