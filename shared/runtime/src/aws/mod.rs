//! Clients of AWS, configured by what Lambda sets.
//!
//! The SDK's own loader looks for profiles, a metadata service and the system's certificates. That takes most of the time of a cold
//! start, and a function needs none of it.

mod s3;
#[cfg(test)]
mod scripted;
mod service;
mod sqs;

pub use s3::{Bucket, Head, S3Error};
pub use service::{AnswerBody, CallError, Service, ServiceError, code_of};
pub use sqs::{QueueMessage, RefusedMessageError, SqsQueue};

use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_types::SdkConfig;
use aws_types::sdk_config::Builder;

use crate::config::{AwsSettings, ConfigError};

/// Root certificates of all endpoints of AWS: <https://www.amazontrust.com/repository/>. A system's store holds 140 others, which take
/// a millisecond to read.
pub const AMAZON_ROOTS: &[u8] = include_bytes!("amazon-roots.pem");

/// Maximum time to open a connection. Inside AWS it takes milliseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time of one attempt of a call.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum time of a call with its retries. A request makes a few calls within the 10 s of a function.
pub const OPERATION_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of attempts of a call that is throttled or gets no answer, with the first one.
const MAX_ATTEMPTS: u32 = 3;
/// Maximum pause before the second attempt. It doubles before each further one.
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);

/// Returns the version of the SDK's behaviour that the service was tested with.
pub fn behavior_version() -> BehaviorVersion {
    BehaviorVersion::v2026_01_12()
}

/// Returns the SDK's configuration with the timeouts and retries of the service. The caller may replace any part of it.
pub fn sdk_config(region: &str, credentials: Credentials) -> Builder {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(OPERATION_TIMEOUT);
    SdkConfig::builder()
        .behavior_version(behavior_version())
        .region(Region::new(region.to_owned()))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .timeout_config(timeouts.build())
        .retry_config(RetryConfig::standard().with_max_attempts(MAX_ATTEMPTS).with_initial_backoff(INITIAL_BACKOFF))
}

/// Returns an HTTP client for https and http that trusts the certificates of this machine. It belongs to one runtime of tokio.
pub fn https_client() -> SharedHttpClient {
    https_client_with(TlsContext::default())
}

/// Returns an HTTP client for http only. It loads no certificates, which takes longer than the start of a local stack.
pub fn http_client() -> SharedHttpClient {
    aws_smithy_http_client::Builder::new().build_http()
}

/// Returns an HTTP client for one endpoint, by the scheme of its URL.
pub fn http_client_for(endpoint_url: &str) -> SharedHttpClient {
    if endpoint_url.starts_with("http://") { http_client() } else { https_client() }
}

fn https_client_with(tls: TlsContext) -> SharedHttpClient {
    let tls_provider = Provider::Rustls(CryptoMode::Ring);
    aws_smithy_http_client::Builder::new().tls_provider(tls_provider).tls_context(tls).build_https()
}

/// Configuration of all clients of AWS. They share one HTTP client.
#[derive(Debug)]
pub struct Aws {
    settings: AwsSettings,
    sdk: SdkConfig,
}

impl Aws {
    /// Reads the environment. Makes no call.
    pub fn from_env() -> Result<Self, ConfigError> {
        let settings = AwsSettings::from_env()?;
        let roots = settings.ca_bundle()?.unwrap_or_else(|| AMAZON_ROOTS.to_vec());
        let tls = TlsContext::builder().with_trust_store(TrustStore::empty().with_pem_certificate(roots)).build();
        let tls = tls.map_err(|_| ConfigError::new("AWS_CA_BUNDLE must name a file of certificates"))?;
        let client = https_client_with(tls);
        let sdk = sdk_config(&settings.region, settings.credentials.clone()).http_client(client).build();
        Ok(Self { settings, sdk })
    }

    /// Returns the configuration of a client of `DynamoDB`.
    pub fn dynamodb(&self) -> SdkConfig {
        self.with_endpoint(self.settings.dynamodb_url.as_deref())
    }

    /// Returns the configuration of a client of SES.
    pub fn ses(&self) -> SdkConfig {
        self.with_endpoint(self.settings.ses_url.as_deref())
    }

    /// Returns the configuration of a client of S3.
    pub fn s3(&self) -> SdkConfig {
        self.with_endpoint(self.settings.s3_url.as_deref())
    }

    /// Returns the configuration of a client of SQS.
    pub fn sqs(&self) -> SdkConfig {
        self.with_endpoint(self.settings.sqs_url.as_deref())
    }

    /// Returns the configuration of a client of `EventBridge`.
    pub fn event_bridge(&self) -> SdkConfig {
        self.with_endpoint(self.settings.event_bridge_url.as_deref())
    }

    fn with_endpoint(&self, endpoint_url: Option<&str>) -> SdkConfig {
        let mut sdk = self.sdk.to_builder();
        sdk.set_endpoint_url(endpoint_url.map(str::to_owned));
        sdk.build()
    }
}

/// Returns the text between two tags of XML.
fn xml_text<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amazon_roots_are_five_certificates() {
        let text = std::str::from_utf8(AMAZON_ROOTS).expect("text");
        assert_eq!(text.matches("-----BEGIN CERTIFICATE-----").count(), 5);
        assert_eq!(text.matches("-----END CERTIFICATE-----").count(), 5);
    }
}
