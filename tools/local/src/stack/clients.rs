//! Configurations of the SDK for the stack's own calls and for those of its functions.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::sdk_config::Builder;
use presence_runtime::aws::{http_client_for, https_client};
use presence_store::Database;

use crate::connectors::ConnectorLayer as _;
use crate::embedded::in_process_client;
use crate::options::Options;

/// Region in the requests and ARNs of the stack.
const REGION: &str = "eu-west-1";
/// Timeout of an attempt of the stack's own calls. It is long, so that a busy machine does not fail a start.
const OWN_CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Connects to the tables that the options name.
pub(super) fn database(config: &SdkConfig, options: &Options) -> Database {
    let database = Database::new(config, &options.table_prefix).with_audit_table(options.audit_table.as_deref());
    let database = database.with_reviews_table(options.reviews_table.as_deref());
    if options.aws_limits.is_some() { database.with_partition_pace() } else { database }
}

/// Returns an SDK configuration for an endpoint on this machine, with placeholder credentials.
pub fn sdk_config(endpoint_url: &str) -> SdkConfig {
    local_config(endpoint_url, http_client_for(endpoint_url)).build()
}

/// Returns the configuration of the stack's own calls, with long timeouts.
pub(super) fn own_config(endpoint_url: &str) -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(OWN_CALL_TIMEOUT)
        .operation_timeout(2 * OWN_CALL_TIMEOUT)
        .build();
    within_process(endpoint_url).timeout_config(timeouts).build()
}

/// Returns the configuration of the functions: the service's own, with the timeouts and HTTP client of the options.
pub(super) fn functions_config(dynamodb_url: &str, options: &Options) -> SdkConfig {
    let mut config = within_process(dynamodb_url);
    if let Some(timeouts) = &options.timeouts {
        config = config.timeout_config(timeouts.clone());
    }
    if let Some(client) = &options.http_client {
        config = config.http_client(match options.waves {
            Some(waves) => waves.over(client.clone()),
            None => client.clone(),
        });
    }
    config.build()
}

/// Returns a configuration whose calls reach the embedded database without HTTP.
fn within_process(endpoint_url: &str) -> Builder {
    let is_http = endpoint_url.starts_with("http://");
    local_config(endpoint_url, if is_http { in_process_client() } else { https_client() })
}

/// Returns the configuration that all calls share. A call on a busy machine may stand still for longer than the SDK's protection against
/// stalled streams waits; the timeouts end it.
fn local_config(endpoint_url: &str, client: SharedHttpClient) -> Builder {
    let config = presence_runtime::aws::sdk_config(REGION, Credentials::from_keys("local", "local", None));
    config
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .endpoint_url(endpoint_url)
        .http_client(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_stack_and_of_its_functions_may_stand_still_until_their_timeout() {
        let url = "http://127.0.0.1:1";
        for config in [sdk_config(url), own_config(url), functions_config(url, &Options::default())] {
            let protection = config.stalled_stream_protection().expect("a setting");
            assert!(!protection.upload_enabled() && !protection.download_enabled());
            assert!(config.timeout_config().is_some_and(|timeouts| timeouts.operation_timeout().is_some()));
        }
    }
}
