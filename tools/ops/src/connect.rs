//! The tables and the time, from the options and the environment.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use clap::Args;
use presence_runtime::aws::behavior_version;
use presence_runtime::clock::{MachineTimer, SystemClock};
use presence_runtime::config::Config;
use presence_store::{Pace, Patience, Store};
use url::{Host, Url};

use crate::credentials::{CredentialsTrouble, NamedProfile, OperatorCredentials};
use crate::{Console, Context};

/// Longest wait for a connection: from a desk, not from inside AWS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest wait for one attempt of a call. Nobody waits for an answer as a client of the API does.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for a call with its retries.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(30);
/// Attempts of a call, the first included. With the pauses below, an import rides out some seconds of throttling, and a
/// wrong endpoint is told of after at most three.
const ATTEMPTS: u32 = 6;
/// The longest pause before the second attempt; it doubles for each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// An endpoint on this machine takes any region; some SDK part still asks for one.
const LOCAL_REGION: &str = "eu-west-1";

/// Where a command works, and as whom. What is not given comes from the environment.
#[derive(Args, Clone, Debug, Default)]
#[expect(clippy::doc_markdown, reason = "clap prints these texts as they are")]
pub(crate) struct Connection {
    /// Profile of the AWS CLI; goes before AWS_PROFILE and before keys in the environment
    #[arg(long, global = true, value_name = "NAME", display_order = 101)]
    profile: Option<String>,
    /// Region; goes before AWS_REGION and the profile's
    #[arg(long, global = true, value_name = "REGION", display_order = 102)]
    region: Option<String>,
    /// URL of DynamoDB; goes before AWS_ENDPOINT_URL_DYNAMODB
    #[arg(long, global = true, value_name = "URL", display_order = 103)]
    endpoint: Option<Url>,
    /// Prefix of the names of the tables; goes before TABLE_PREFIX
    #[arg(long, global = true, value_name = "PREFIX", display_order = 104)]
    prefix: Option<String>,
}

/// The settings of options and environment beyond those that the SDK reads itself.
#[derive(Debug, Default)]
struct Surroundings {
    endpoint_url: Option<String>,
    /// The profile that is named by an option, or by the environment where no keys are in it.
    profile: Option<String>,
    has_credentials: bool,
    has_region: bool,
}

impl Context {
    /// The tables that options and environment name, the machine's clock, standard output and standard error. Makes no call.
    pub(crate) async fn connect(connection: &Connection) -> Result<Self, CredentialsTrouble> {
        let surroundings = Surroundings::of(connection);
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .operation_attempt_timeout(ATTEMPT_TIMEOUT)
            .operation_timeout(OPERATION_TIMEOUT)
            .build();
        let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_PAUSE);
        let mut loader = aws_config::defaults(behavior_version()).timeout_config(timeouts).retry_config(retries);
        if let Some(profile) = &connection.profile {
            loader = loader.profile_name(profile);
        }
        if let Some(endpoint) = &connection.endpoint {
            loader = loader.endpoint_url(endpoint.as_str());
        }
        let region = connection.region.clone().map(Region::new);
        if let Some(region) = region.or_else(|| surroundings.needs_made_up_region().then(local_region)) {
            loader = loader.region(region);
        }
        let config = if surroundings.needs_made_up_credentials() {
            let credentials = Credentials::new("local", "local", None, None, "local endpoint");
            loader.credentials_provider(credentials).load().await
        } else {
            let profile = match &surroundings.profile {
                Some(name) => Some(NamedProfile::find(name, &config_file()).await?),
                None => None,
            };
            let config = loader.load().await;
            let credentials = OperatorCredentials::new(profile, config.region().cloned()).await;
            config.into_builder().credentials_provider(SharedCredentialsProvider::new(credentials)).build()
        };
        let prefix = connection.prefix.clone().unwrap_or_else(|| Config::from_env().table_prefix);
        let pace = Pace::new(Arc::new(MachineTimer::start()));
        let store = Store::new(&config, &prefix).with_patience(Patience::Import(Arc::new(pace)));
        Ok(Self { store, clock: Arc::new(SystemClock), console: Console::standard() })
    }
}

fn local_region() -> Region {
    Region::from_static(LOCAL_REGION)
}

/// The file that profiles are in, as an operator knows it.
fn config_file() -> String {
    variable("AWS_CONFIG_FILE").unwrap_or_else(|| "~/.aws/config".to_owned())
}

impl Surroundings {
    fn of(connection: &Connection) -> Self {
        let any = |names: &[&str]| names.iter().find_map(|name| variable(name));
        let has_keys = variable("AWS_ACCESS_KEY_ID").is_some();
        let of_environment = || variable("AWS_PROFILE").filter(|_| !has_keys);
        let profile = connection.profile.clone().or_else(of_environment);
        let endpoint = connection.endpoint.as_ref().map(Url::to_string);
        Self {
            endpoint_url: endpoint.or_else(|| any(&["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"])),
            has_credentials: has_keys || profile.is_some() || variable("AWS_WEB_IDENTITY_TOKEN_FILE").is_some(),
            has_region: any(&["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"]).is_some()
                || connection.profile.is_some(),
            profile,
        }
    }

    fn needs_made_up_credentials(&self) -> bool {
        self.is_local() && !self.has_credentials
    }

    fn needs_made_up_region(&self) -> bool {
        self.is_local() && !self.has_region
    }

    fn is_local(&self) -> bool {
        self.endpoint_url.as_deref().is_some_and(is_loopback)
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the tool reads its surroundings")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_loopback(endpoint_url: &str) -> bool {
    let url = Url::parse(endpoint_url);
    match url.as_ref().ok().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_endpoints_on_this_machine_are_local() {
        for local in ["http://127.0.0.1:8000", "http://localhost:8000/", "http://[::1]:1", "http://db.localhost"] {
            assert!(is_loopback(local), "{local}");
        }
        for remote in ["", "127.0.0.1:8000", "https://dynamodb.eu-west-1.amazonaws.com", "http://localhost.example.org"]
        {
            assert!(!is_loopback(remote), "{remote}");
        }
    }

    #[test]
    fn credentials_are_made_up_only_for_this_machine_and_only_when_there_are_none() {
        let surroundings = |url: &str, has_credentials| Surroundings {
            endpoint_url: Some(url.to_owned()),
            has_credentials,
            ..Surroundings::default()
        };
        assert!(surroundings("http://127.0.0.1:1", false).needs_made_up_credentials());
        assert!(!surroundings("http://127.0.0.1:1", true).needs_made_up_credentials());
        assert!(!surroundings("https://db.example.org", false).needs_made_up_credentials());
        assert!(!Surroundings::default().needs_made_up_region());
    }
}
