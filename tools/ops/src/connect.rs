//! The tables and the time, from the environment.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{Credentials, Region};
use presence::aws::behavior_version;
use presence::clock::SystemClock;
use presence::config::Config;
use presence::store::Store;
use url::{Host, Url};

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

/// What the environment says beyond what the SDK reads itself.
#[derive(Debug, Default)]
struct Surroundings {
    endpoint_url: Option<String>,
    has_credentials: bool,
    has_region: bool,
}

impl Context {
    /// The tables that the environment names, the machine's clock, standard output and standard error. Makes no call.
    pub async fn from_env() -> Self {
        let surroundings = Surroundings::from_env();
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .operation_attempt_timeout(ATTEMPT_TIMEOUT)
            .operation_timeout(OPERATION_TIMEOUT)
            .build();
        let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_PAUSE);
        let mut loader = aws_config::defaults(behavior_version()).timeout_config(timeouts).retry_config(retries);
        if surroundings.needs_made_up_credentials() {
            loader = loader.credentials_provider(Credentials::new("local", "local", None, None, "local endpoint"));
        }
        if surroundings.needs_made_up_region() {
            loader = loader.region(Region::from_static(LOCAL_REGION));
        }
        let store = Store::new(&loader.load().await, &Config::from_env().table_prefix);
        Self { store, clock: Arc::new(SystemClock), console: Console::standard() }
    }
}

impl Surroundings {
    fn from_env() -> Self {
        let any = |names: &[&str]| names.iter().find_map(|name| variable(name));
        Self {
            endpoint_url: any(&["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"]),
            has_credentials: any(&["AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"]).is_some(),
            has_region: any(&["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"]).is_some(),
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
            has_region: false,
        };
        assert!(surroundings("http://127.0.0.1:1", false).needs_made_up_credentials());
        assert!(!surroundings("http://127.0.0.1:1", true).needs_made_up_credentials());
        assert!(!surroundings("https://db.example.org", false).needs_made_up_credentials());
        assert!(!Surroundings::default().needs_made_up_region());
    }
}
