//! Settings, read from the environment. Nothing else in the service reads it.

use aws_sdk_dynamodb::config::Credentials;
use jiff::SignedDuration;

use crate::sign_in_url::SignInUrl;
use presence_domain::email::EmailAddress;
use presence_domain::rate_limit::{MAX_REQUESTS_PER_MINUTE, RateLimit};

/// Lifetime of an invitation's link in hours, if `INVITATION_LIFE_HOURS` is not set.
const DEFAULT_LINK_LIFE_HOURS: i64 = 72;
/// Maximum lifetime of a link in hours: a year.
const MAX_LINK_LIFE_HOURS: i64 = 366 * 24;

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
}

impl Config {
    /// Prefix of table names if `TABLE_PREFIX` is not set.
    pub const DEFAULT_TABLE_PREFIX: &str = "presence-";

    /// Reads `TABLE_PREFIX`, `AUDIT_TABLE` and `REVIEWS_TABLE` from the environment.
    #[must_use]
    pub fn from_env() -> Self {
        let table_prefix = env_var("TABLE_PREFIX").unwrap_or_else(|| Self::DEFAULT_TABLE_PREFIX.to_owned());
        Self { table_prefix, audit_table: env_var("AUDIT_TABLE"), reviews_table: env_var("REVIEWS_TABLE") }
    }
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

/// Reads the limit of the requests of a key that has none of its own, from `RATE_LIMIT_PER_MINUTE`. Returns `None` for no limit.
pub fn rate_limit_from_env() -> Result<Option<RateLimit>, ConfigError> {
    parse_rate_limit(&env_text("RATE_LIMIT_PER_MINUTE"))
}

/// Reads the secret that the edge adds to each request, from `EDGE_SECRET`. Returns `None` if there is no edge.
#[must_use]
pub fn edge_secret_from_env() -> Option<String> {
    env_var("EDGE_SECRET")
}

/// Reads the address of the page where users sign in, from `SIGN_IN_URL`. Returns `None` if there is no such page.
pub fn sign_in_url_from_env() -> Result<Option<SignInUrl>, ConfigError> {
    SignInUrl::parse(&env_text("SIGN_IN_URL"))
}

/// Reads the name of the bus that takes events, from `EVENT_BUS`.
pub fn event_bus_from_env() -> Result<String, ConfigError> {
    env_var("EVENT_BUS").ok_or(ConfigError("EVENT_BUS must be the name of a bus of EventBridge"))
}

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
    credentials: Credentials,
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

    /// Returns the credentials of the function. They are valid as long as its sandbox lives.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    /// Reads the certificates to trust in the place of Amazon's, if `AWS_CA_BUNDLE` names a file.
    pub fn ca_bundle(&self) -> Result<Option<Vec<u8>>, ConfigError> {
        let read = self.ca_bundle.as_ref().map(std::fs::read).transpose();
        read.map_err(|_| ConfigError("AWS_CA_BUNDLE must name a file that can be read"))
    }
}

/// Returns the namespace of metrics in `CloudWatch`, from `METRIC_NAMESPACE`. Without it, as on the local stack, it is `presence`.
#[must_use]
pub fn metric_namespace() -> String {
    env_var("METRIC_NAMESPACE").unwrap_or_else(|| "presence".to_owned())
}

/// Returns the log levels by target, from `RUST_LOG`.
#[must_use]
pub fn log_levels() -> String {
    env_var("RUST_LOG").unwrap_or_default()
}

/// Returns the value of a variable, unless it is missing or empty.
#[expect(clippy::disallowed_methods, reason = "this is where settings are read")]
fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the value of a variable, or an empty text.
fn env_text(name: &str) -> String {
    env_var(name).unwrap_or_default()
}

/// Settings of invitations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailConfig {
    /// Sender of mails: an address, or a name and an address in angle brackets.
    pub sender: String,
    /// Start of the links in mails: a URL with scheme and host, without a slash at its end.
    pub public_base_url: String,
    /// Lifetime of a link.
    pub link_life: SignedDuration,
}

/// Error of a setting. Occurs when a variable of the environment is missing or invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigError(&'static str);

impl ConfigError {
    /// Returns an error with a text that names the setting.
    #[must_use]
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

impl MailConfig {
    /// Reads `MAIL_SENDER`, `PUBLIC_BASE_URL` and `INVITATION_LIFE_HOURS` from the environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::parse(&env_text("MAIL_SENDER"), &env_text("PUBLIC_BASE_URL"), &env_text("INVITATION_LIFE_HOURS"))
    }

    /// Parses the three settings. A blank lifetime is the default of three days.
    pub fn parse(sender: &str, public_base_url: &str, life_hours: &str) -> Result<Self, ConfigError> {
        let address = sender.rsplit_once('<').map_or(sender, |(_, rest)| rest.trim_end_matches('>'));
        if EmailAddress::parse(address).is_err() || sender.chars().any(char::is_control) {
            return Err(ConfigError("MAIL_SENDER must be an e-mail address, or a name and <an address>"));
        }
        // SES refuses every mail whose sender has other letters.
        if !sender.is_ascii() {
            return Err(ConfigError("MAIL_SENDER must be ASCII: write other letters as =?UTF-8?B?...?= (RFC 2047)"));
        }
        let url = public_base_url.trim_end_matches('/');
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
        if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\"<>".contains(&byte)) {
            return Err(ConfigError("PUBLIC_BASE_URL must be a URL such as https://presence.example.com"));
        }
        let hours = if life_hours.trim().is_empty() { Ok(DEFAULT_LINK_LIFE_HOURS) } else { life_hours.trim().parse() };
        match hours {
            Ok(hours @ 1..=MAX_LINK_LIFE_HOURS) => Ok(Self {
                sender: sender.trim().to_owned(),
                public_base_url: url.to_owned(),
                link_life: SignedDuration::from_hours(hours),
            }),
            _ => Err(ConfigError("INVITATION_LIFE_HOURS must be a number of hours, at most those of a year")),
        }
    }
}

/// Settings of the auditor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditConfig {
    /// Capacity units after which a run starts no other step.
    pub units: f64,
    /// True if the auditor rewrites wrong counts.
    pub mends: bool,
}

impl AuditConfig {
    /// Read and write units of a run if `AUDIT_UNITS` is not set.
    pub const DEFAULT_UNITS: f64 = 4_000.0;
    /// Maximum number of units of a run. A day of such runs (288) costs about 40 dollars.
    const MAX_UNITS: u32 = 1_000_000;

    /// Reads `AUDIT_UNITS` and `AUDIT_MENDS` from the environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::parse(&env_text("AUDIT_UNITS"), &env_text("AUDIT_MENDS"))
    }

    /// Parses the two settings. Blank settings are 4,000 units, and true.
    pub fn parse(units: &str, mends: &str) -> Result<Self, ConfigError> {
        let units = match units.trim() {
            "" => Self::DEFAULT_UNITS,
            text => match text.parse::<u32>() {
                Ok(units @ 1..=Self::MAX_UNITS) => units.into(),
                _ => return Err(ConfigError("AUDIT_UNITS must be a number of units from 1 to 1000000")),
            },
        };
        let mends = match mends.trim() {
            "" | "true" => true,
            "false" => false,
            _ => return Err(ConfigError("AUDIT_MENDS must be true or false")),
        };
        Ok(Self { units, mends })
    }
}

/// Settings of ingest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestConfig {
    /// Name of the bucket with the inbox and the reports.
    pub bucket: String,
    /// URL of the FIFO queue.
    pub queue_url: String,
}

impl IngestConfig {
    /// Reads `INGEST_BUCKET` and `INGEST_QUEUE_URL` from the environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            bucket: env_var("INGEST_BUCKET").ok_or(ConfigError("INGEST_BUCKET must name a bucket"))?,
            queue_url: env_var("INGEST_QUEUE_URL").ok_or(ConfigError("INGEST_QUEUE_URL must be the URL of a queue"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_settings_of_mails_are_refused() {
        let good = MailConfig::parse("Presence <no-reply@presence.example>", "https://presence.example/", "")
            .expect("good settings");
        assert_eq!(good.public_base_url, "https://presence.example");
        assert_eq!(good.link_life, SignedDuration::from_hours(72));
        let encoded = "=?UTF-8?B?UHLDqXNlbmNl?= <a@b.example>";
        assert!(MailConfig::parse(encoded, "https://presence.example", "").is_ok());
        for (sender, url, hours) in [
            ("", "https://presence.example", ""),
            ("nobody", "https://presence.example", ""),
            ("a@b.example\r\nBcc: c@d.example", "https://presence.example", ""),
            ("Présence <a@b.example>", "https://presence.example", ""),
            ("a@b.example", "presence.example", ""),
            ("a@b.example", "https://", ""),
            ("a@b.example", "https://x.example/?a=b", ""),
            ("a@b.example", "https://x.example", "0"),
            ("a@b.example", "https://x.example", "soon"),
            ("a@b.example", "https://x.example", "9000"),
        ] {
            assert!(MailConfig::parse(sender, url, hours).is_err(), "{sender} {url} {hours}");
        }
    }

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
    fn invalid_settings_of_audits_are_refused() {
        let read = |units, mends| AuditConfig::parse(units, mends).map(|config| (config.units, config.mends));
        assert_eq!(read("", ""), Ok((AuditConfig::DEFAULT_UNITS, true)));
        assert_eq!(read("400", "false"), Ok((400.0, false)));
        for (units, mends) in [("0", ""), ("-1", ""), ("1.5", ""), ("1000001", ""), ("", "yes")] {
            assert!(read(units, mends).is_err(), "{units} {mends}");
        }
    }
}
