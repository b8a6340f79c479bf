//! Settings, read from the environment. Nothing else in the service reads it.

mod audit;
mod aws;
mod ingest;
mod mail;
mod web_address;

use std::path::PathBuf;

use presence_domain::rate_limit::{MAX_REQUESTS_PER_MINUTE, RateLimit};

pub use audit::AuditConfig;
pub use aws::AwsSettings;
pub use ingest::IngestConfig;
pub use mail::MailConfig;
#[cfg(test)]
pub(crate) use web_address::MAX_ADDRESS_BYTES;
pub(crate) use web_address::is_web_address;

/// Settings of every function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Prefix of the names of all tables.
    pub table_prefix: String,
    /// Full name of the table with the audit trail, if it does not follow from the prefix: restored tables go on with the trail of
    /// those before them.
    pub audit_table: Option<String>,
    /// Full name of the table of reviews, if it does not follow from the prefix: one that was made from a build of all reviews.
    pub reviews_table: Option<String>,
    /// Full name of the table of events, if it does not follow from the prefix: a feed goes on after a restore of the other tables.
    pub events_table: Option<String>,
}

impl Config {
    /// Prefix of table names if `TABLE_PREFIX` is not set.
    pub const DEFAULT_TABLE_PREFIX: &str = "presence-";

    /// Returns the settings of tables whose names all begin with the prefix.
    pub fn of_prefix(table_prefix: &str) -> Self {
        Self { table_prefix: table_prefix.to_owned(), audit_table: None, reviews_table: None, events_table: None }
    }

    /// Reads `TABLE_PREFIX`, `AUDIT_TABLE`, `REVIEWS_TABLE` and `EVENTS_TABLE` from the environment.
    pub fn from_env() -> Self {
        let table_prefix = env_var("TABLE_PREFIX").unwrap_or_else(|| Self::DEFAULT_TABLE_PREFIX.to_owned());
        let [audit_table, reviews_table, events_table] = ["AUDIT_TABLE", "REVIEWS_TABLE", "EVENTS_TABLE"].map(env_var);
        Self { table_prefix, audit_table, reviews_table, events_table }
    }
}

/// Reads the limit of the requests of a key that has none of its own, from `RATE_LIMIT_PER_MINUTE`. Returns `None` for no limit.
pub fn rate_limit_from_env() -> Result<Option<RateLimit>, ConfigError> {
    parse_rate_limit(&env_text("RATE_LIMIT_PER_MINUTE"))
}

/// Reads the URL of the queue whose messages make the deliverer look at a webhook, from `WEBHOOK_QUEUE_URL`.
pub fn wake_queue_from_env() -> Result<String, ConfigError> {
    env_var("WEBHOOK_QUEUE_URL").ok_or(ConfigError("WEBHOOK_QUEUE_URL must be the URL of a queue"))
}

/// Parses the limit of the requests of a key that has none of its own. Blank text and 0 are no limit.
fn parse_rate_limit(requests_per_minute: &str) -> Result<Option<RateLimit>, ConfigError> {
    let number = match requests_per_minute.trim() {
        "" => Ok(0),
        text => text.parse::<u32>(),
    };
    match number {
        Ok(0) => Ok(None),
        Ok(number) if number <= MAX_REQUESTS_PER_MINUTE => Ok(RateLimit::new(number)),
        _ => Err(ConfigError("RATE_LIMIT_PER_MINUTE must be a number of requests from 0 to 1000000")),
    }
}

/// True if replies to reviews are sent to their partners: `REPLIES` is `true`.
pub fn replies_from_env() -> bool {
    env_text("REPLIES") == "true"
}

/// True if the feeds have the events of changes: `EVENTS` is `true`.
pub fn events_from_env() -> bool {
    env_text("EVENTS") == "true"
}

/// True if webhooks are set up: `WEBHOOKS` is `true`.
pub fn webhooks_from_env() -> bool {
    env_text("WEBHOOKS") == "true"
}

/// Reads the secret that the edge adds to each request, from `EDGE_SECRET`. Returns `None` if there is no edge.
pub fn edge_secret_from_env() -> Option<String> {
    env_var("EDGE_SECRET")
}

/// Receiver of what a publisher sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublisherTarget {
    /// Bus of `EventBridge` for events, by its name, and the feeds of the organisations.
    EventBus(String),
    /// FIFO queue of SQS for replies, by its URL.
    ReplyQueue(String),
}

impl PublisherTarget {
    /// Reads `EVENT_BUS` and `REPLY_QUEUE_URL`. Exactly one of them must be set.
    pub fn from_env() -> Result<Self, ConfigError> {
        match (env_var("EVENT_BUS"), env_var("REPLY_QUEUE_URL")) {
            (Some(name), None) => Ok(Self::EventBus(name)),
            (None, Some(url)) => Ok(Self::ReplyQueue(url)),
            _ => Err(ConfigError(
                "one of these must be set: EVENT_BUS to a bus of EventBridge, or REPLY_QUEUE_URL to a queue of SQS",
            )),
        }
    }
}

/// Reads the URL below which the documentation is, from `DOCS_URL`. Returns `None` if there is none.
pub fn docs_url_from_env() -> Result<Option<String>, ConfigError> {
    parse_docs_url(&env_text("DOCS_URL"))
}

fn parse_docs_url(text: &str) -> Result<Option<String>, ConfigError> {
    match text.trim().trim_end_matches('/') {
        "" => Ok(None),
        text if is_web_address(text) && !text.contains(['?', '#']) => Ok(Some(text.to_owned())),
        _ => Err(ConfigError(
            "DOCS_URL must be a URL such as https://docs.example.com, without a query; http only on 127.0.0.1",
        )),
    }
}

/// Returns the namespace of metrics in `CloudWatch`, from `METRIC_NAMESPACE`. Without it, as on the local stack, it is `presence`.
pub fn metric_namespace() -> String {
    env_var("METRIC_NAMESPACE").unwrap_or_else(|| "presence".to_owned())
}

/// Returns the log levels by target, from `RUST_LOG`.
pub fn log_levels() -> String {
    env_var("RUST_LOG").unwrap_or_default()
}

/// Returns the folder of this user's state, from `XDG_STATE_HOME`, else below `HOME`.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let of_home = || Some(PathBuf::from(env_var("HOME")?).join(".local/state"));
    env_var("XDG_STATE_HOME").map(PathBuf::from).or_else(of_home)
}

/// Error of a setting. Occurs when a variable of the environment is missing or invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigError(&'static str);

impl ConfigError {
    /// Returns an error with a text that names the setting.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ConfigError {}

/// Returns the value of a variable, unless it is missing or empty.
#[expect(clippy::disallowed_methods, reason = "this is where settings are read")]
fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the value of a variable, or an empty text.
pub(crate) fn env_text(name: &str) -> String {
    env_var(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_of_requests_or_none() {
        let read = |text| parse_rate_limit(text).map(|limit| limit.map(RateLimit::requests_per_minute));
        for (text, limit) in
            [("", None), ("0", None), ("1", Some(1)), (" 300 ", Some(300)), ("1000000", Some(1_000_000))]
        {
            assert_eq!(read(text), Ok(limit), "{text}");
        }
        for text in ["-1", "1000001", "many", "1.5", "4294967297"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn documentation_is_at_a_url_to_which_a_path_can_be_added() {
        for (text, expected) in [
            ("", None),
            (" https://docs.example.com/ ", Some("https://docs.example.com")),
            ("https://example.com/presence", Some("https://example.com/presence")),
        ] {
            assert_eq!(parse_docs_url(text), Ok(expected.map(str::to_owned)), "{text}");
        }
        for text in
            ["docs.example.com", "http://docs.example.com", "https://example.com/?page=", "https://example.com/#/"]
        {
            assert!(parse_docs_url(text).is_err(), "{text}");
        }
    }
}
