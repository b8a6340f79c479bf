//! Address of the page where users sign in. It belongs to another program: this service has no such page.

use crate::config::{ConfigError, env_text, is_web_address};

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
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MAX_ADDRESS_BYTES;

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
        let long = format!("https://app.example.com/{}", "a".repeat(MAX_ADDRESS_BYTES));
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
