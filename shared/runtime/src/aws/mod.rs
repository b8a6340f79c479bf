//! How a function reaches AWS: by what Lambda sets. It looks for nothing (no profile, no metadata service, no store of
//! certificates), which is most of what the usual loader does while a function starts.

use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_types::SdkConfig;
use aws_types::sdk_config::Builder;

use crate::config::{AwsSettings, BadSetting};

/// The roots that every endpoint of AWS is vouched for by: <https://www.amazontrust.com/repository/>. A system's store holds 140
/// others, which take a millisecond to read.
pub const AMAZON_ROOTS: &[u8] = include_bytes!("amazon-roots.pem");

/// Longest wait for a connection. Inside AWS one opens in milliseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);
/// Longest wait for one attempt of a call.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest wait for a call with its retries. A request makes a few of them within the 10 s of a function.
pub const OPERATION_TIMEOUT: Duration = Duration::from_secs(3);
/// Attempts of a call that was throttled or got no answer, the first included.
const ATTEMPTS: u32 = 3;
/// The longest pause before the second attempt; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The SDK's behaviour that the service was tested with.
#[must_use]
pub fn behavior_version() -> BehaviorVersion {
    BehaviorVersion::v2026_01_12()
}

/// The SDK's set-up with the service's timeouts and retries: who asks, and in which region. Whoever uses it may replace any part.
#[must_use]
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
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_PAUSE))
}

/// AWS as a function finds it. One HTTP client serves all of it.
#[derive(Debug)]
pub struct Aws {
    settings: AwsSettings,
    sdk: SdkConfig,
}

impl Aws {
    /// Reads the environment. Makes no call.
    pub fn from_env() -> Result<Self, BadSetting> {
        let settings = AwsSettings::from_env()?;
        let roots = settings.ca_bundle()?.unwrap_or_else(|| AMAZON_ROOTS.to_vec());
        let tls = TlsContext::builder().with_trust_store(TrustStore::empty().with_pem_certificate(roots)).build();
        let client = aws_smithy_http_client::Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
            .tls_context(tls.map_err(|_| BadSetting::new("AWS_CA_BUNDLE must name a file of certificates"))?)
            .build_https();
        let sdk = sdk_config(&settings.region, settings.credentials()).http_client(client).build();
        Ok(Self { settings, sdk })
    }

    /// The set-up of a client of `DynamoDB`.
    #[must_use]
    pub fn dynamodb(&self) -> SdkConfig {
        self.at(self.settings.dynamodb_url.as_deref())
    }

    /// The set-up of a client of SES.
    #[must_use]
    pub fn ses(&self) -> SdkConfig {
        self.at(self.settings.ses_url.as_deref())
    }

    fn at(&self, endpoint_url: Option<&str>) -> SdkConfig {
        let mut sdk = self.sdk.to_builder();
        sdk.set_endpoint_url(endpoint_url.map(str::to_owned));
        sdk.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amazons_roots_are_five_certificates() {
        let text = std::str::from_utf8(AMAZON_ROOTS).expect("text");
        assert_eq!(text.matches("-----BEGIN CERTIFICATE-----").count(), 5);
        assert_eq!(text.matches("-----END CERTIFICATE-----").count(), 5);
    }
}
