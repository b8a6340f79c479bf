//! Settings of mails.

use jiff::SignedDuration;
use presence_domain::email::EmailAddress;

use super::{ConfigError, env_text};

/// Lifetime of an invitation's link in hours, if `INVITATION_LIFE_HOURS` is not set.
const DEFAULT_LINK_LIFE_HOURS: i64 = 72;
/// Maximum lifetime of a link in hours: a year.
const MAX_LINK_LIFE_HOURS: i64 = 366 * 24;

/// Settings of mails: their sender, and the links in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailConfig {
    /// Sender of mails: an address, or a name and an address in angle brackets.
    pub sender: String,
    /// Start of the links in mails: a URL with scheme and host, without a slash at its end.
    pub public_base_url: String,
    /// Lifetime of a link.
    pub link_life: SignedDuration,
}

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
}
