//! Settings of AWS.

use aws_sdk_dynamodb::config::Credentials;

use super::{ConfigError, env_var};

/// Settings of AWS, as Lambda sets them for a function.
#[derive(Clone, Debug)]
pub struct AwsSettings {
    /// Region of the function.
    pub region: String,
    /// Endpoint of `DynamoDB`, if it is not the region's.
    pub dynamodb_url: Option<String>,
    /// Endpoint of SES, if it is not the region's.
    pub ses_url: Option<String>,
    /// Endpoint of S3, if it is not the region's.
    pub s3_url: Option<String>,
    /// Endpoint of SQS, if it is not the region's.
    pub sqs_url: Option<String>,
    /// Endpoint of `EventBridge`, if it is not the region's.
    pub event_bridge_url: Option<String>,
    pub(crate) credentials: Credentials,
    /// Path of a file of certificates.
    ca_bundle: Option<String>,
}

impl AwsSettings {
    /// Reads the environment. Lambda sets `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Other
    /// endpoints are named by `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL_SESV2`, `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL_SQS`,
    /// `AWS_ENDPOINT_URL_EVENTBRIDGE` and `AWS_CA_BUNDLE`.
    pub fn from_env() -> Result<Self, ConfigError> {
        let (id, secret) = (env_var("AWS_ACCESS_KEY_ID"), env_var("AWS_SECRET_ACCESS_KEY"));
        let (Some(id), Some(secret)) = (id, secret) else {
            return Err(ConfigError("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set, as Lambda does"));
        };
        Ok(Self {
            region: env_var("AWS_REGION").ok_or(ConfigError("AWS_REGION must be set, as Lambda does"))?,
            dynamodb_url: env_var("AWS_ENDPOINT_URL_DYNAMODB"),
            ses_url: env_var("AWS_ENDPOINT_URL_SESV2"),
            s3_url: env_var("AWS_ENDPOINT_URL_S3"),
            sqs_url: env_var("AWS_ENDPOINT_URL_SQS"),
            event_bridge_url: env_var("AWS_ENDPOINT_URL_EVENTBRIDGE"),
            credentials: Credentials::new(id, secret, env_var("AWS_SESSION_TOKEN"), None, "environment"),
            ca_bundle: env_var("AWS_CA_BUNDLE"),
        })
    }

    /// Reads the certificates to trust in the place of Amazon's, if `AWS_CA_BUNDLE` names a file.
    pub fn ca_bundle(&self) -> Result<Option<Vec<u8>>, ConfigError> {
        let read = self.ca_bundle.as_ref().map(std::fs::read).transpose();
        read.map_err(|_| ConfigError("AWS_CA_BUNDLE must name a file that can be read"))
    }
}
