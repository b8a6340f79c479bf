//! Connection to the tables, from the options and the environment.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aws_config::ConfigLoader;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use aws_types::SdkConfig;
use clap::Args;
use presence_runtime::aws::{behavior_version, https_client};
use presence_runtime::clock::{SystemClock, SystemTimer};
use presence_runtime::config::Config;
use presence_runtime::local_stack::{RunningStack, is_on_this_machine};
use presence_store::{Database, RetryPolicy, Stores, WriteRate};
use url::Url;

use crate::aws_program::AwsProgram;
use crate::credentials::{NamedProfile, OperatorCredentials, OperatorCredentialsError};
use crate::error::CommandError;
use crate::target::Target;
use crate::{Console, Context, local_stack};

/// Longest wait for a connection. The operator's machine is farther from DynamoDB than a Lambda is.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest wait for one attempt of a call. No client of the API waits for it.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for a call with its retries.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(30);
/// Attempts of a call, the first included. With the backoff below, an import survives some seconds of throttling. A wrong
/// endpoint is reported after three seconds at most.
const ATTEMPTS: u32 = 6;
/// Longest backoff before the second attempt. It doubles for each further attempt.
const INITIAL_BACKOFF: Duration = Duration::from_millis(100);
/// Placeholder region. An endpoint on this machine accepts any region, but the SDK requires one.
const LOCAL_REGION: &str = "eu-west-1";

/// Options that choose the tables and the credentials. The environment supplies what is not given.
#[derive(Args, Clone, Debug, Default)]
#[expect(clippy::doc_markdown, reason = "clap prints these texts as they are")]
pub(crate) struct ConnectionOptions {
    /// Profile of the AWS CLI; overrides AWS_PROFILE and the keys in the environment
    #[arg(long, global = true, value_name = "NAME", display_order = 101)]
    profile: Option<String>,
    /// Region; overrides AWS_REGION and the region of the profile
    #[arg(long, global = true, value_name = "REGION", display_order = 102)]
    region: Option<String>,
    /// URL of DynamoDB; overrides AWS_ENDPOINT_URL_DYNAMODB
    #[arg(long, global = true, value_name = "URL", value_parser = parse_endpoint, display_order = 103)]
    endpoint: Option<Url>,
    /// Use the tables of the local stack that runs on this machine
    #[arg(long, global = true, conflicts_with_all = ["profile", "region", "endpoint"], display_order = 103)]
    local: bool,
    /// Prefix of the names of the tables; overrides TABLE_PREFIX
    #[arg(long, global = true, value_name = "PREFIX", display_order = 104)]
    pub(crate) prefix: Option<String>,
    /// Full name of the table of reviews, if it was made from a build; overrides REVIEWS_TABLE
    #[arg(long, global = true, value_name = "NAME", display_order = 105)]
    reviews_table: Option<String>,
}

/// Settings of the options and the environment that this program reads itself. The SDK reads the others.
#[derive(Debug, Default)]
struct Settings {
    endpoint_url: Option<String>,
    /// Endpoint that an option names, or the local stack. The SDK reads that of the environment.
    endpoint_of_option: Option<String>,
    /// Profile that an option names, or `AWS_PROFILE` if the environment has no keys.
    profile: Option<String>,
    has_credentials: bool,
    has_region: bool,
    /// True if the environment names an endpoint of STS.
    has_sts_endpoint: bool,
}

impl Context {
    /// Returns a context with the tables that options and environment name, the machine's clock and the standard streams.
    /// Makes no call. A command that `reads_only` takes the running local stack if nothing names other tables.
    pub(crate) async fn connect(options: &ConnectionOptions, reads_only: bool) -> Result<Self, CommandError> {
        let settings = Settings::read(options)?;
        let found = match options.local {
            true => Some(local_stack::find()?),
            false if reads_only && settings.name_nothing() => local_stack::find().ok(),
            false => None,
        };
        let (stack, message) = found.unzip();
        let settings = stack.as_ref().map_or(settings, Settings::of_local_stack);
        let config = load_config(options, &settings).await?;
        let environment = stack.map_or_else(Config::from_env, |stack| Config {
            audit_table: stack.audit_table,
            reviews_table: stack.reviews_table,
            ..Config::of_prefix(&stack.table_prefix)
        });
        let tables = Config {
            table_prefix: options.prefix.clone().unwrap_or(environment.table_prefix),
            reviews_table: options.reviews_table.clone().or(environment.reviews_table),
            ..environment
        };
        let mut console = Console::standard();
        if let Some(message) = message {
            console.write_message(message);
        }
        let pace = WriteRate::new(Arc::new(SystemTimer::start()));
        let target = settings.target(&tables, &config);
        let database = Database::of(&config, &tables);
        let database = if target.is_in_aws() { database } else { database.without_partition_pace() };
        let stores = Stores::new(database.with_retry_policy(RetryPolicy::WhileImporting(Arc::new(pace))));
        let aws = AwsProgram::new("aws").with_settings(target.region.clone(), options.profile.clone());
        let aws = target.is_in_aws().then_some(aws);
        let s3 = Some(s3_config(&config));
        Ok(Self { stores, clock: Arc::new(SystemClock), console, target, s3, aws })
    }
}

/// Returns the SDK's configuration with the credentials of the operator.
async fn load_config(options: &ConnectionOptions, settings: &Settings) -> Result<SdkConfig, OperatorCredentialsError> {
    let loader = config_loader(options, settings);
    if settings.needs_placeholder_credentials() {
        let credentials = Credentials::new("local", "local", None, None, "local endpoint");
        return Ok(loader.credentials_provider(credentials).load().await);
    }
    // The profile is looked up before the SDK loads it, so that the error for a missing profile is clear.
    let profile = match &settings.profile {
        Some(name) => Some(NamedProfile::find(name, &config_file()).await?),
        None => None,
    };
    let config = loader.load().await;
    let credentials = OperatorCredentials::new(profile, config.region().cloned()).await;
    Ok(config.into_builder().credentials_provider(SharedCredentialsProvider::new(credentials)).build())
}

/// Returns the SDK's loader with timeouts, retries and the options.
fn config_loader(options: &ConnectionOptions, settings: &Settings) -> ConfigLoader {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(OPERATION_TIMEOUT)
        .build();
    let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(INITIAL_BACKOFF);
    let loader = aws_config::defaults(behavior_version()).http_client(https_client());
    let mut loader = loader.timeout_config(timeouts).retry_config(retries);
    if let Some(profile) = &options.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(endpoint) = settings.endpoint_of_option.as_deref() {
        loader = loader.endpoint_url(endpoint);
    }
    if let Some(region) = &options.region {
        loader = loader.region(Region::new(region.clone()));
    } else if settings.needs_placeholder_region() {
        loader = loader.region(Region::from_static(LOCAL_REGION));
    }
    loader
}

/// Returns the path of the file that holds the profiles, in the form that operators write.
fn config_file() -> String {
    variable("AWS_CONFIG_FILE").unwrap_or_else(|| "~/.aws/config".to_owned())
}

impl Settings {
    /// Reads the settings. The error is a variable that names no endpoint: the SDK would take it for one of AWS.
    fn read(options: &ConnectionOptions) -> Result<Self, CommandError> {
        // As in the AWS CLI: an explicit profile overrides keys in the environment, and these override AWS_PROFILE.
        let has_keys = variable("AWS_ACCESS_KEY_ID").is_some();
        let environment_profile = if has_keys { None } else { variable("AWS_PROFILE") };
        let profile = options.profile.clone().or(environment_profile);
        let endpoint = match &options.endpoint {
            Some(url) => Some(url.to_string()),
            None => endpoint_of_environment().transpose()?,
        };
        let region_variables = ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"];
        Ok(Self {
            endpoint_url: endpoint,
            endpoint_of_option: options.endpoint.as_ref().map(ToString::to_string),
            has_credentials: has_keys || profile.is_some() || variable("AWS_WEB_IDENTITY_TOKEN_FILE").is_some(),
            has_region: first_variable(&region_variables).is_some() || options.profile.is_some(),
            has_sts_endpoint: variable("AWS_ENDPOINT_URL_STS").is_some(),
            profile,
        })
    }

    /// Returns the settings of the tables of a local stack. What the environment names is for others.
    fn of_local_stack(stack: &RunningStack) -> Self {
        let endpoint = Some(stack.dynamodb_url.clone());
        Self { endpoint_url: endpoint.clone(), endpoint_of_option: endpoint, ..Self::default() }
    }

    /// True if neither options nor environment nor the files of the AWS CLI say which tables are meant.
    fn name_nothing(&self) -> bool {
        let is_container = first_variable(&[
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_CONFIG_FILE",
            "AWS_SHARED_CREDENTIALS_FILE",
        ]);
        let of_cli = |name| variable("HOME").is_some_and(|home| Path::new(&home).join(".aws").join(name).exists());
        let is_named = self.endpoint_url.is_some() || self.has_credentials || self.has_region;
        !is_named && is_container.is_none() && !of_cli("config") && !of_cli("credentials")
    }

    fn needs_placeholder_credentials(&self) -> bool {
        self.is_local() && !self.has_credentials
    }

    fn needs_placeholder_region(&self) -> bool {
        self.is_local() && !self.has_region
    }

    /// Returns the description of the tables. Outside AWS nobody asks STS, unless the environment names an endpoint of it.
    fn target(&self, tables: &Config, config: &SdkConfig) -> Target {
        let endpoint = self.endpoint_url.as_deref();
        let target = if endpoint.is_none_or(is_of_aws) || self.has_sts_endpoint {
            Target::in_aws(&tables.table_prefix, endpoint, config)
        } else {
            Target::outside_aws(&tables.table_prefix, endpoint)
        };
        target.with_reviews_table(tables.reviews_table.clone())
    }

    fn is_local(&self) -> bool {
        self.endpoint_url.as_deref().is_some_and(is_on_this_machine)
    }
}

/// Parses the URL of an endpoint. The usual mistake is an address without `http://`.
fn parse_endpoint(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok().filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    url.ok_or("must be a URL such as http://127.0.0.1:8000")
}

/// Returns the endpoint that the environment names, as it is written there; `None` if it names none.
fn endpoint_of_environment() -> Option<Result<String, CommandError>> {
    let names = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];
    let (name, text) = names.iter().find_map(|name| variable(name).map(|text| (name, text)))?;
    Some(match parse_endpoint(&text) {
        Ok(_) => Ok(text),
        Err(reason) => Err(CommandError::Usage(format!("{name}: {reason}, not {text}"))),
    })
}

/// Returns the settings of the calls to S3. An endpoint of DynamoDB is none of S3.
fn s3_config(config: &SdkConfig) -> SdkConfig {
    let mut s3 = config.clone().into_builder();
    s3.set_endpoint_url(first_variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]));
    s3.build()
}

fn first_variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| variable(name))
}

/// Returns a variable of the environment. An empty one counts as missing.
#[expect(clippy::disallowed_methods, reason = "the settings of the AWS CLI are no settings of the service")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// True if an endpoint is one of AWS, such as that of a region or of a VPC.
fn is_of_aws(endpoint_url: &str) -> bool {
    let url = Url::parse(endpoint_url);
    let host = url.as_ref().ok().and_then(Url::host_str).unwrap_or_default();
    [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"].iter().any(|domain| host.ends_with(domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_aws_have_accounts() {
        for aws in ["https://dynamodb.eu-west-1.amazonaws.com", "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com/"]
        {
            assert!(is_of_aws(aws), "{aws}");
        }
        for other in ["", "http://127.0.0.1:8000", "http://dynamodb:8000", "https://amazonaws.com.example.org"] {
            assert!(!is_of_aws(other), "{other}");
        }
    }

    #[test]
    fn placeholder_credentials_are_used_only_for_a_local_endpoint_without_credentials() {
        let settings = |url: &str, has_credentials| Settings {
            endpoint_url: Some(url.to_owned()),
            has_credentials,
            ..Settings::default()
        };
        assert!(settings("http://127.0.0.1:1", false).needs_placeholder_credentials());
        assert!(!settings("http://127.0.0.1:1", true).needs_placeholder_credentials());
        assert!(!settings("https://db.example.org", false).needs_placeholder_credentials());
        assert!(!Settings::default().needs_placeholder_region());
    }
}
