//! Calls to services of AWS that are called too seldom for an SDK of their own.
//!
//! The generated SDKs of S3, SQS and `EventBridge` take longer to compile than everything that calls them. This module uses the crates
//! below all SDKs: signatures, credentials, retries, timeouts, and the correction of a wrong clock are theirs.

use std::fmt;

use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::auth::{SigV4OperationSigningConfig, SigningOptions};
use aws_runtime::retries::classifiers::AwsErrorCodeClassifier;
use aws_runtime::service_clock_skew::{ServiceClockSkewClassifier, ServiceClockSkewInterceptor};
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime::client::retries::classifiers::{HttpStatusCodeClassifier, TransientErrorClassifier};
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::auth::{AuthSchemeOptionResolverParams, SharedAuthScheme};
use aws_smithy_runtime_api::client::interceptors::context::{Error as AnyError, Output};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::StaticRuntimePlugin;
use aws_smithy_runtime_api::client::ser_de::DeserializeResponse;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::{FrozenLayer, Layer};
use aws_smithy_types::error::ErrorMetadata;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::region::SigningRegion;
use aws_types::{SdkConfig, SigningName};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Failure of a call, with its retries.
pub type CallError = SdkError<ServiceError, HttpResponse>;

/// Service of AWS in one region.
#[derive(Clone, Debug)]
pub struct Service(Operation<http::Request<SdkBody>, HttpResponse, ServiceError>);

/// Answer of a service that says why it did not do what was asked.
#[derive(Debug)]
pub struct ServiceError {
    status: u16,
    metadata: ErrorMetadata,
}

impl ServiceError {
    /// Status of HTTP.
    pub fn status(&self) -> u16 {
        self.status
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.metadata.code().unwrap_or("no code");
        write!(f, "{} {code}", self.status)?;
        self.metadata.message().map_or(Ok(()), |message| write!(f, ": {message}"))
    }
}

impl std::error::Error for ServiceError {}

impl ProvideErrorMetadata for ServiceError {
    fn meta(&self) -> &ErrorMetadata {
        &self.metadata
    }
}

/// Returns the code of a service error; none if the service did not answer.
pub fn code_of(error: &CallError) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

impl Service {
    /// Builds a client. Makes no call. `name` is the name that signatures have: `s3`, `sqs`, `events`. `host` is the host name before the
    /// region. An endpoint of the configuration replaces both.
    ///
    /// A body that is streamed is read after the call, without its timeouts and retries.
    ///
    /// # Panics
    ///
    /// Without a region, credentials or an HTTP client, which `sdk_config` and the SDK's own loader set.
    pub fn new(config: &SdkConfig, name: &'static str, host: &str, body: AnswerBody) -> Self {
        let retries = config.retry_config().cloned().unwrap_or_else(RetryConfig::standard);
        let timeouts = config.timeout_config().cloned().unwrap_or_else(TimeoutConfig::disabled);
        let mut builder = Operation::builder()
            .service_name(name)
            .operation_name("call")
            .behavior_version(super::behavior_version())
            .http_client(config.http_client().expect("an HTTP client"))
            .endpoint_url(&endpoint_url(config, host))
            .standard_retry(&retries)
            .timeout_config(timeouts)
            .retry_classifier(TransientErrorClassifier::<ServiceError>::new())
            .retry_classifier(AwsErrorCodeClassifier::<ServiceError>::new())
            .retry_classifier(ServiceClockSkewClassifier::<ServiceError>::new())
            .retry_classifier(HttpStatusCodeClassifier::default())
            .interceptor(ServiceClockSkewInterceptor::new())
            .with_connection_poisoning()
            .runtime_plugin(signing_plugin(config, name));
        if let Some(sleep) = config.sleep_impl() {
            builder = builder.sleep_impl(sleep);
        }
        if let Some(time) = config.time_source() {
            builder = builder.time_source(time);
        }
        if let Some(protection) = config.stalled_stream_protection() {
            builder = builder.stalled_stream_protection(protection);
        }
        Self(builder.serializer(|request| Ok(HttpRequest::try_from(request)?)).deserializer_impl(body).build())
    }

    /// Sends a request, whose URI is a path, and returns an answer of status 200 to 299.
    pub async fn call(&self, request: http::Request<SdkBody>) -> Result<HttpResponse, CallError> {
        self.0.invoke(request).await
    }

    /// Calls an operation of a service that speaks JSON. `target` is the header `x-amz-target`, `version` that of the protocol: 1.0, 1.1.
    pub async fn call_json<T: DeserializeOwned>(
        &self,
        target: &str,
        version: &str,
        input: &impl Serialize,
    ) -> Result<T, CallError> {
        let body = serde_json::to_vec(input).map_err(SdkError::construction_failure)?;
        let request = http::Request::post("/")
            .header("content-type", format!("application/x-amz-json-{version}"))
            .header("x-amz-target", target)
            .body(SdkBody::from(body))
            .map_err(SdkError::construction_failure)?;
        let answer = self.call(request).await?;
        let read = serde_json::from_slice(answer.body().bytes().unwrap_or_default());
        read.map_err(|error| SdkError::response_error(error, answer))
    }
}

/// Returns the configured endpoint, or that of a service in the configured region.
fn endpoint_url(config: &SdkConfig, host: &str) -> String {
    let region = config.region().expect("a region");
    let domain = if region.as_ref().starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    config.endpoint_url().map_or_else(|| format!("https://{host}.{region}.{domain}"), str::to_owned)
}

fn signing_plugin(config: &SdkConfig, name: &'static str) -> StaticRuntimePlugin {
    let mut components = RuntimeComponentsBuilder::new("signing");
    components.push_auth_scheme(SharedAuthScheme::new(SigV4AuthScheme::new()));
    components.set_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID])));
    components.set_identity_resolver(SCHEME_ID, config.credentials_provider().expect("credentials"));
    if let Some(cache) = config.identity_cache() {
        components.set_identity_cache(Some(cache));
    }
    StaticRuntimePlugin::new().with_config(signing_layer(config, name)).with_runtime_components(components)
}

/// Settings of S3, which the other services understand, too: the hash of the body in a header, and paths as they are.
fn signing_layer(config: &SdkConfig, name: &'static str) -> FrozenLayer {
    let mut signing_options = SigningOptions::default();
    signing_options.double_uri_encode = false;
    signing_options.content_sha256_header = true;
    signing_options.normalize_uri_path = false;
    let mut layer = Layer::new("signing");
    layer.store_put(SigV4OperationSigningConfig {
        region: Some(SigningRegion::from(config.region().expect("a region").clone())),
        region_set: None,
        name: Some(SigningName::from_static(name)),
        signing_options,
    });
    layer.store_put(AuthSchemeOptionResolverParams::new(()));
    layer.freeze()
}

/// Reading of the body of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerBody {
    /// By the call.
    Whole,
    /// By the caller, unless it is a service error.
    Streamed,
}

impl DeserializeResponse for AnswerBody {
    fn deserialize_streaming(
        &self,
        response: &mut HttpResponse,
    ) -> Option<Result<Output, OrchestratorError<AnyError>>> {
        if *self == Self::Whole || !response.status().is_success() {
            return None;
        }
        let taken = HttpResponse::new(response.status(), SdkBody::taken());
        Some(Ok(Output::erase(std::mem::replace(response, taken))))
    }

    fn deserialize_nonstreaming(&self, response: &HttpResponse) -> Result<Output, OrchestratorError<AnyError>> {
        let body = response.body().bytes().unwrap_or_default();
        if !response.status().is_success() {
            let metadata = error_metadata(&String::from_utf8_lossy(body));
            let error = ServiceError { status: response.status().as_u16(), metadata };
            return Err(OrchestratorError::operation(AnyError::erase(error)));
        }
        let mut answer = HttpResponse::new(response.status(), SdkBody::from(body));
        *answer.headers_mut() = response.headers().clone();
        Ok(Output::erase(answer))
    }
}

/// Reads the code and the message of a service error in JSON, or in the XML of S3. An answer to HEAD has neither.
fn error_metadata(body: &str) -> ErrorMetadata {
    let json: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let texts = |names: [&str; 2]| match &json {
        // Before the sign # is the namespace of the code.
        Some(json) => names.iter().find_map(|name| json[*name].as_str()?.rsplit('#').next()),
        None => names.iter().find_map(|name| super::xml_text(body, name)),
    };
    let (code, message) = (texts(["__type", "Code"]), texts(["message", "Message"]));
    let mut metadata = ErrorMetadata::builder();
    if let Some(code) = code {
        metadata = metadata.code(code);
    }
    if let Some(message) = message {
        metadata = metadata.message(message);
    }
    metadata.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_errors_are_read_in_json_and_in_xml() {
        for (body, code, message) in [
            (
                r#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"no"}"#,
                Some("QueueDoesNotExist"),
                Some("no"),
            ),
            (r#"{"__type":"InternalException"}"#, Some("InternalException"), None),
            (
                "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>no key</Message></Error>",
                Some("NoSuchKey"),
                Some("no key"),
            ),
            ("", None, None),
            ("<html>502</html>", None, None),
        ] {
            let metadata = error_metadata(body);
            assert_eq!((metadata.code(), metadata.message()), (code, message), "{body}");
        }
    }
}
