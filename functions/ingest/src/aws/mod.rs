//! Bucket and queue of AWS.

mod objects;
mod queue;

pub use objects::S3Objects;
pub use queue::SqsQueue;
#[cfg(test)]
pub(crate) use queue::calls;

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
