//! Settings. Nothing else in the service reads the environment.

use aws_sdk_dynamodb::config::Credentials;
use jiff::SignedDuration;

use presence_domain::email::EmailAddress;

/// How long the link of an invitation works unless `INVITATION_LIFE_HOURS` says otherwise.
const DEFAULT_LIFE_HOURS: i64 = 72;
/// The longest life of a link: a year.
const MAX_LIFE_HOURS: i64 = 366 * 24;

/// The settings of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the names of all tables start with.
    pub table_prefix: String,
}

impl Config {
    /// The prefix of table names unless `TABLE_PREFIX` says otherwise.
    pub const DEFAULT_TABLE_PREFIX: &str = "presence-";

    /// Reads the environment: `TABLE_PREFIX`.
    #[must_use]
    pub fn from_env() -> Self {
        Self { table_prefix: variable("TABLE_PREFIX").unwrap_or_else(|| Self::DEFAULT_TABLE_PREFIX.to_owned()) }
    }
}

/// Where AWS is and who asks, as Lambda tells a function.
#[derive(Clone, Debug)]
pub struct AwsSettings {
    /// The region.
    pub region: String,
    /// Where `DynamoDB` is, in the place of the region's own.
    pub dynamodb_url: Option<String>,
    /// Where SES is, likewise.
    pub ses_url: Option<String>,
    credentials: Credentials,
    ca_bundle: Option<String>,
}

impl AwsSettings {
    /// Reads the environment: `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, which Lambda sets;
    /// and, for endpoints of one's own, `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL_SESV2` and `AWS_CA_BUNDLE`.
    pub fn from_env() -> Result<Self, BadSetting> {
        let (id, secret) = (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"));
        let (Some(id), Some(secret)) = (id, secret) else {
            return Err(BadSetting("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set, as Lambda does"));
        };
        Ok(Self {
            region: variable("AWS_REGION").ok_or(BadSetting("AWS_REGION must be set, as Lambda does"))?,
            dynamodb_url: variable("AWS_ENDPOINT_URL_DYNAMODB"),
            ses_url: variable("AWS_ENDPOINT_URL_SESV2"),
            credentials: Credentials::new(id, secret, variable("AWS_SESSION_TOKEN"), None, "environment"),
            ca_bundle: variable("AWS_CA_BUNDLE"),
        })
    }

    /// Who asks. They are the function's for as long as its sandbox lives.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    /// The certificates to be trusted in the place of Amazon's, if any are named.
    pub fn ca_bundle(&self) -> Result<Option<Vec<u8>>, BadSetting> {
        let read = self.ca_bundle.as_ref().map(std::fs::read).transpose();
        read.map_err(|_| BadSetting("AWS_CA_BUNDLE must name a file that can be read"))
    }
}

/// What the log tells, from `RUST_LOG`: levels by target.
#[must_use]
pub fn log_levels() -> String {
    variable("RUST_LOG").unwrap_or_default()
}

/// A variable that is set to something.
#[expect(clippy::disallowed_methods, reason = "this is where settings are read")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The settings of invitations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailConfig {
    /// The sender of mails: an address, or a name and an address in angle brackets.
    pub sender: String,
    /// What the links in mails start with: a URL with scheme and host, without a slash at its end.
    pub public_base_url: String,
    /// How long a link works.
    pub link_life: SignedDuration,
}

/// A setting that is missing or makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSetting(&'static str);

impl BadSetting {
    /// In words that name the setting.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }
}

impl std::fmt::Display for BadSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BadSetting {}

impl MailConfig {
    /// Reads the environment: `MAIL_SENDER`, `PUBLIC_BASE_URL`, `INVITATION_LIFE_HOURS`.
    pub fn from_env() -> Result<Self, BadSetting> {
        let get = |name| variable(name).unwrap_or_default();
        Self::parse(&get("MAIL_SENDER"), &get("PUBLIC_BASE_URL"), &get("INVITATION_LIFE_HOURS"))
    }

    /// Reads the three settings; a blank life is the default of three days.
    pub fn parse(sender: &str, public_base_url: &str, life_hours: &str) -> Result<Self, BadSetting> {
        let address = sender.rsplit_once('<').map_or(sender, |(_, rest)| rest.trim_end_matches('>'));
        if EmailAddress::parse(address).is_err() || sender.chars().any(char::is_control) {
            return Err(BadSetting("MAIL_SENDER must be an e-mail address, or a name and <an address>"));
        }
        // SES refuses every mail from a name with other letters.
        if !sender.is_ascii() {
            return Err(BadSetting("MAIL_SENDER must be ASCII: write other letters as =?UTF-8?B?...?= (RFC 2047)"));
        }
        let url = public_base_url.trim_end_matches('/');
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
        if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\"<>".contains(&byte)) {
            return Err(BadSetting("PUBLIC_BASE_URL must be a URL such as https://presence.example.com"));
        }
        let hours = if life_hours.trim().is_empty() { Ok(DEFAULT_LIFE_HOURS) } else { life_hours.trim().parse() };
        match hours {
            Ok(hours @ 1..=MAX_LIFE_HOURS) => Ok(Self {
                sender: sender.trim().to_owned(),
                public_base_url: url.to_owned(),
                link_life: SignedDuration::from_hours(hours),
            }),
            _ => Err(BadSetting("INVITATION_LIFE_HOURS must be a number of hours, at most those of a year")),
        }
    }
}

/// The settings of the auditor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditConfig {
    /// Units that a run spends before it begins no other step.
    pub units: f64,
    /// True if what is wrong is rewritten.
    pub mends: bool,
}

impl AuditConfig {
    /// Read and write units of a run unless `AUDIT_UNITS` says otherwise.
    pub const DEFAULT_UNITS: f64 = 2_500.0;
    /// The most units of a run. A day of such runs, 288, costs some 40 dollars.
    const MAX_UNITS: u32 = 1_000_000;

    /// Reads the environment: `AUDIT_UNITS`, `AUDIT_MENDS`.
    pub fn from_env() -> Result<Self, BadSetting> {
        let get = |name| variable(name).unwrap_or_default();
        Self::parse(&get("AUDIT_UNITS"), &get("AUDIT_MENDS"))
    }

    /// Reads the two settings; blank they are 2,500 units, and mending.
    pub fn parse(units: &str, mends: &str) -> Result<Self, BadSetting> {
        let units = match units.trim() {
            "" => Self::DEFAULT_UNITS,
            text => match text.parse::<u32>() {
                Ok(units @ 1..=Self::MAX_UNITS) => units.into(),
                _ => return Err(BadSetting("AUDIT_UNITS must be a number of units from 1 to 1000000")),
            },
        };
        let mends = match mends.trim() {
            "" | "true" => true,
            "false" => false,
            _ => return Err(BadSetting("AUDIT_MENDS must be true or false")),
        };
        Ok(Self { units, mends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_mails_are_checked_when_they_are_read() {
        let good = MailConfig::parse("Presence <no-reply@presence.example>", "https://presence.example/", "");
        let good = good.expect("good settings");
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
    fn settings_of_audits_are_checked_when_they_are_read() {
        let read = |units, mends| AuditConfig::parse(units, mends).map(|config| (config.units, config.mends));
        assert_eq!(read("", ""), Ok((AuditConfig::DEFAULT_UNITS, true)));
        assert_eq!(read("400", "false"), Ok((400.0, false)));
        for (units, mends) in [("0", ""), ("-1", ""), ("1.5", ""), ("1000001", ""), ("", "yes")] {
            assert!(read(units, mends).is_err(), "{units} {mends}");
        }
    }
}
