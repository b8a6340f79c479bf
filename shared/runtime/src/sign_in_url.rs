//! Address of the page where users sign in. It belongs to another program: this service has no such page.

use std::str::FromStr as _;

use http::Uri;
use http::uri::Scheme;

use crate::config::{ConfigError, env_text};

/// Largest number of bytes of an address, as browsers and mail programs take them.
const MAX_BYTES: usize = 2_048;
/// Hosts of this machine, on which an address may lack TLS.
const LOCAL_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
/// Error of every address that is refused.
const ERROR: ConfigError = ConfigError::new(
    "SIGN_IN_URL must be a URL such as https://app.example.com/sign-in, without a user name; http only on 127.0.0.1",
);

/// Absolute URL of the page where users sign in: `https`, or `http` on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInUrl(String);

impl SignInUrl {
    /// Reads the address from `SIGN_IN_URL`. Returns `None` if there is no such page.
    pub fn from_env() -> Result<Option<Self>, ConfigError> {
        Self::parse(&env_text("SIGN_IN_URL"))
    }

    /// Parses an address. Blank text is none.
    pub fn parse(text: &str) -> Result<Option<Self>, ConfigError> {
        match text.trim() {
            "" => Ok(None),
            text if is_web_address(text) => Ok(Some(Self(text.to_owned()))),
            _ => Err(ERROR),
        }
    }

    /// Returns the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// True if the text is an absolute URL: `https`, or `http` on this machine, without a user name.
pub(crate) fn is_web_address(text: &str) -> bool {
    // `Uri` drops the part behind `#`, which pages of one file use.
    let Some(uri) = text.split('#').next().and_then(|start| Uri::from_str(start).ok()) else { return false };
    let Some(authority) = uri.authority().filter(|authority| !authority.as_str().contains('@')) else { return false };
    let is_encrypted = uri.scheme() == Some(&Scheme::HTTPS);
    let is_local = uri.scheme() == Some(&Scheme::HTTP) && LOCAL_HOSTS.contains(&authority.host());
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    (is_encrypted || is_local) && is_plain && !authority.host().is_empty() && text.len() <= MAX_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_or_on_this_machine() {
        for text in [
            "https://app.example.com",
            "https://app.example.com:8443/sign-in?from=invitation",
            "https://app.example.com/#/sign-in",
            "http://127.0.0.1:8080/sign-in",
            "http://localhost/",
            "http://[::1]:8080/",
        ] {
            let url = SignInUrl::parse(&format!(" {text} ")).expect("a good address").expect("an address");
            assert_eq!(url.as_str(), text);
        }
        assert_eq!(SignInUrl::parse(" "), Ok(None));
    }

    #[test]
    fn an_address_that_could_mislead_or_leak_is_refused() {
        let long = format!("https://app.example.com/{}", "a".repeat(MAX_BYTES));
        for text in [
            "app.example.com",
            "/sign-in",
            "https://",
            "http://app.example.com/sign-in",
            "http://127.0.0.1.example.com/",
            "https://app.example.com@evil.example/",
            "http://localhost@evil.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://app.example.com/",
            "https://app.example.com/a b",
            "https://app.example.com/\"onclick=",
            "https://app.example.com/\r\nx",
            "https://exämple.com/",
            &long,
        ] {
            assert_eq!(SignInUrl::parse(text), Err(ERROR), "{text}");
        }
    }
}
