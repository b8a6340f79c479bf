//! Check of the `DynamoDB` that a developer names: one call tells a wrong URL from a right one.

use std::time::Duration;

use anyhow::{bail, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata as _, SdkError};
use aws_smithy_types::timeout::TimeoutConfig;
use url::Url;

use crate::sdk_config;

/// Time to connect. A server on this machine or in this network answers within milliseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time for the answer. A busy machine must not fail a start.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// Number of attempts: one broken connection must not fail a start.
const ATTEMPTS: u32 = 2;

/// Checks that `DynamoDB` answers at a URL.
///
/// # Errors
/// Returns an error of one line if the URL is not one of HTTP, nothing answers there, or the answer is not that of `DynamoDB`.
pub(crate) async fn check(url: &str) -> anyhow::Result<()> {
    let is_http = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    ensure!(is_http, "--dynamodb-url: {url:?} is not an http or https URL, such as http://127.0.0.1:8000");
    let timeouts =
        TimeoutConfig::builder().connect_timeout(CONNECT_TIMEOUT).operation_attempt_timeout(ANSWER_TIMEOUT).build();
    let config = sdk_config(url)
        .into_builder()
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS))
        .build();
    match Client::new(&config).list_tables().limit(1).send().await {
        Ok(tables) if tables.table_names.is_some() => Ok(()),
        Err(SdkError::DispatchFailure(_)) => {
            bail!("--dynamodb-url: nothing answers at {url}; is DynamoDB running there?")
        }
        Err(SdkError::TimeoutError(_)) => bail!("--dynamodb-url: the server at {url} does not answer in time"),
        // A database that refuses a call by a code of DynamoDB, or fails, may take the next one. The stack's own calls repeat.
        Err(SdkError::ServiceError(error))
            if error.err().code().is_some() || error.raw().status().is_server_error() =>
        {
            Ok(())
        }
        Ok(_) | Err(_) => bail!("--dynamodb-url: the server at {url} is not DynamoDB"),
    }
}
