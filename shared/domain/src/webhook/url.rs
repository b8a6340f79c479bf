//! Address of a receiver.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::address::is_public;
use crate::error::FieldError;
use crate::text::has_control;

/// Largest number of bytes.
pub const MAX_URL_BYTES: usize = 2_048;
/// Least port besides that of HTTPS: those below belong to services of the system.
const FIRST_PORT: u16 = 1_024;
const HTTPS_PORT: u16 = 443;

/// Receivers that a stack reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookReach {
    /// Public addresses, by HTTPS.
    #[default]
    Public,
    /// Besides these, this machine by plain HTTP. Only the local stack reaches it.
    ThisMachine,
}

/// Address of a receiver. It may hold a secret of the receiver, so it never prints itself.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookUrl {
    text: String,
    url: Url,
}

impl WebhookUrl {
    /// Parses an address. A name is not resolved: what it stands for is checked at each attempt.
    pub fn parse(text: &str, reach: WebhookReach) -> Result<Self, FieldError> {
        let text = text.trim();
        if text.len() > MAX_URL_BYTES {
            return Err(format!("must have at most {MAX_URL_BYTES} bytes").into());
        }
        let parsed = Self::from_stored(text).filter(|_| !has_control(text));
        let parsed = parsed.ok_or("must be an address such as https://example.com/events")?;
        match parsed.error(reach) {
            Some(error) => Err(error.into()),
            None => Ok(parsed),
        }
    }

    /// Returns an address that was parsed before; `None` for text that is none.
    pub fn from_stored(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok().filter(Url::has_host)?;
        Some(Self { text: text.to_owned(), url })
    }

    fn error(&self, reach: WebhookReach) -> Option<&'static str> {
        let url = &self.url;
        let is_here = reach == WebhookReach::ThisMachine && url.scheme() == "http" && self.is_this_machine();
        if url.scheme() != "https" && !is_here {
            Some("must begin with https://")
        } else if !url.username().is_empty() || url.password().is_some() {
            Some("must have no user name and no password")
        } else if url.fragment().is_some() {
            Some("must have no fragment")
        } else if !url.port_or_known_default().is_some_and(|port| port == HTTPS_PORT || port >= FIRST_PORT) {
            Some("must have port 443 or one above 1023")
        } else if !is_here && self.literal_address().is_some_and(|address| !is_public(address)) {
            Some("must be a public address")
        } else {
            None
        }
    }

    /// True if the host is the loopback address of the machine that sends.
    pub fn is_this_machine(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => self.literal_address().is_some_and(|address| address.is_loopback()),
            None => false,
        }
    }

    /// Returns the address that stands in the place of a name; `None` for a name.
    pub fn literal_address(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// Returns the text as its owner wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the parsed address.
    pub fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookUrl(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL_ONLY: [&str; 4] =
        ["http://127.0.0.1:8080/hook", "http://localhost:8080/", "http://[::1]:9000", "http://127.8.9.1:1024/"];

    #[test]
    fn public_addresses_are_https_without_credentials_on_a_port_of_programs() {
        for text in [
            "https://example.com",
            "https://example.com/events?token=a%20b",
            "https://example.com:443/",
            "https://example.com:1024/",
            "https://bücher.example/",
            "https://intern",
            "https://1.1.1.1/",
            "https://[2606:4700::1111]/",
        ] {
            for reach in [WebhookReach::Public, WebhookReach::ThisMachine] {
                assert_eq!(WebhookUrl::parse(text, reach).map(|url| url.as_str().to_owned()), Ok(text.to_owned()));
            }
        }
        let longest = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES - 20));
        assert!(WebhookUrl::parse(&longest, WebhookReach::Public).is_ok());
        assert!(WebhookUrl::parse(&format!("{longest}a"), WebhookReach::Public).is_err());
    }

    #[test]
    fn only_the_local_stack_takes_this_machine_and_only_by_http() {
        for text in LOCAL_ONLY {
            assert!(WebhookUrl::parse(text, WebhookReach::Public).is_err(), "{text}");
            assert!(WebhookUrl::parse(text, WebhookReach::ThisMachine).is_ok(), "{text}");
        }
        for text in [
            "",
            "example.com",
            "/events",
            "https://",
            "https:///",
            "http://example.com",
            "http://127.0.0.1/",
            "http://localhost.example:8080/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "https://user@example.com/",
            "https://:secret@example.com/",
            "https://example.com:80/",
            "https://example.com:1023/",
            "https://example.com:0/",
            "https://example.com:65536/",
            "https://10.0.0.1/",
            // The same host in other spellings: 127.0.0.1, and 169.254.169.254.
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f.0.0.1/",
            "https://0251.0376.0251.0376/",
            "https://①②⑦.0.0.1/",
            "https://[::ffff:127.0.0.1]/",
            "https://[fd00:ec2::254]/",
            "https://example.com/#part",
            "https://exa mple.com/",
            "https://example.com/\u{0}",
            "https://exam\nple.com/",
        ] {
            for reach in [WebhookReach::Public, WebhookReach::ThisMachine] {
                assert!(WebhookUrl::parse(text, reach).is_err(), "{text:?}");
            }
        }
    }

    #[test]
    fn an_address_never_prints_itself() {
        let url = WebhookUrl::parse("https://example.com/secret", WebhookReach::Public).expect("an address");
        assert_eq!(format!("{url:?}"), "WebhookUrl(..)");
    }
}
