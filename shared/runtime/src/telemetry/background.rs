//! Invocations without a request: those of the mailer and the auditor.

use std::future::Future;

use super::log_error;
use presence_domain::error::Error;

tokio::task_local! {
    static INVOCATION: Invocation;
}

/// Invocation of a function by a stream or by a schedule.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Id of the invocation, which Lambda's own lines have too.
    pub request_id: String,
    /// Version of the Lambda function.
    pub function_version: String,
}

impl Invocation {
    /// Runs a future as the work of the invocation.
    pub async fn run<F: Future>(self, work: F) -> F::Output {
        INVOCATION.scope(self, work).await
    }
}

/// Logs the causes of an error that occurs outside a request, with the id of the invocation; `none` outside any.
pub fn log_background_error(operation: &str, error: &Error) {
    let log = |invocation: &Invocation| {
        log_error(&invocation.request_id, &invocation.function_version, operation, error);
    };
    if INVOCATION.try_with(log).is_err() {
        log_error("none", "none", operation, error);
    }
}
