//! Bucket and queue of ingest on AWS: S3 and SQS.
//!
//! They are a crate of their own, because the local stack runs ingest without them, and their SDKs take long to compile.

mod objects;
mod queue;

pub use objects::S3Objects;
pub use queue::SqsQueue;

use std::error::Error as StdError;

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use presence_domain::error::Error;

/// Returns the failure of a call: a refusal by rights or form is a bug, everything else may pass.
fn failed<E, R>(error: SdkError<E, R>) -> Error
where
    E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
    match code {
        Some("AccessDenied" | "AccessDeniedException" | "NoSuchBucket" | "InvalidParameterValue") => {
            Error::internal(error)
        }
        _ => Error::Unavailable(error.into()),
    }
}
