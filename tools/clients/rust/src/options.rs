//! Settings of a client and of a call.

use std::env;
use std::time::Duration;

use secrecy::SecretString;

use crate::Retry;

/// Settings of a client. Its `Debug` does not show the key.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) base_url: String,
    pub(crate) api_key: SecretString,
    pub(crate) timeout: Duration,
    pub(crate) user_agent: Option<String>,
    pub(crate) retry: Retry,
}

/// Error of a setting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// A variable of the environment is not set, or is no text.
    #[error("the environment variable {0} is not set")]
    Missing(&'static str),
    /// The key or the user agent cannot be sent as a header.
    #[error("{0} has characters that a header cannot have")]
    Header(&'static str),
    /// The HTTP client cannot be built.
    #[error("the HTTP client cannot be built")]
    Client(#[from] reqwest::Error),
}

impl Options {
    /// Returns settings for the service at an address, with or without `/api/v2`.
    pub fn new(base_url: &str, api_key: impl Into<SecretString>) -> Self {
        let trimmed = base_url.trim_end_matches('/');
        let base_url = trimmed.strip_suffix("/api/v2").unwrap_or(trimmed).to_owned();
        Self {
            base_url,
            api_key: api_key.into(),
            timeout: Duration::from_secs(30),
            user_agent: None,
            retry: Retry::default(),
        }
    }

    /// Returns settings from `PRESENCE_URL` and `PRESENCE_API_KEY`.
    pub fn from_env() -> Result<Self, OptionsError> {
        let read = |name| env::var(name).ok().filter(|value| !value.is_empty()).ok_or(OptionsError::Missing(name));
        Ok(Self::new(&read("PRESENCE_URL")?, read("PRESENCE_API_KEY")?))
    }

    /// Bounds the time of one attempt, with its body. Default 30 s.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Puts a text before the client's own `user-agent`, such as `shop/1.2`.
    #[must_use]
    pub fn user_agent(mut self, text: impl Into<String>) -> Self {
        self.user_agent = Some(text.into());
        self
    }

    /// Sets the rules of repetition.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }
}

/// Key under which the service makes a change once in 24 hours.
#[derive(Clone, Debug, Default)]
pub enum IdempotencyKey {
    /// A new key for each call.
    #[default]
    Automatic,
    /// A key of the caller, for a call that the caller repeats.
    Own(String),
    /// No key. The call is not repeated where it may have been made.
    Off,
}

/// Options of a call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Key of a change. Reads send none.
    pub idempotency_key: IdempotencyKey,
    /// Id under which the service logs the call, too: 1 to 128 letters, digits, or `-_.:`.
    pub client_request_id: Option<String>,
}
