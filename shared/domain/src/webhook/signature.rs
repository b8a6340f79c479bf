//! Signatures of Standard Webhooks 1.0.0: <https://www.standardwebhooks.com>.

use std::fmt;

use crate::random;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Number of bytes of a secret. The standard allows 24 to 64.
const SECRET_BYTES: usize = 32;
/// Text before a secret in base64.
const PREFIX: &str = "whsec_";

/// Secret of a webhook, with which its requests are signed. It cannot print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; SECRET_BYTES]);

impl WebhookSecret {
    /// Generates a random secret.
    pub fn generate() -> Self {
        let mut bytes = [0; SECRET_BYTES];
        random::fill(&mut bytes);
        Self(bytes)
    }

    /// Parses a secret that [`WebhookSecret::expose`] wrote; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?.try_into().ok().map(Self)
    }

    /// Returns the secret as its owner is shown it, once, and as it is stored.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// Returns the signature of a request: `v1,` and the code in base64.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length is taken");
        code.update(format!("{id}.{timestamp}.").as_bytes());
        code.update(body);
        format!("v1,{}", STANDARD.encode(code.finalize().into_bytes()))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_an_independent_implementation() {
        // Python: base64.b64encode(hmac.new(bytes(range(32)), b'msg_1.1700000000.{"a":"\xc3\xa9"}', "sha256").digest())
        let secret = WebhookSecret::parse("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").expect("a secret");
        let signature = secret.sign("msg_1", 1_700_000_000, "{\"a\":\"é\"}".as_bytes());
        assert_eq!(signature, "v1,SXH+qmndEVuxj7BqXHHmdBfxQS+7TlPQ2/Ojqu9B6AE=");
    }

    #[test]
    fn a_secret_is_random_is_read_again_and_never_prints_itself() {
        let secret = WebhookSecret::generate();
        assert_eq!(WebhookSecret::parse(&secret.expose()), Some(secret.clone()));
        assert_ne!(WebhookSecret::generate(), secret);
        assert_eq!(format!("{secret:?}"), "WebhookSecret(..)");
        for text in ["", "whsec_", "whsec_AAAA", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "whsec_!"] {
            assert_eq!(WebhookSecret::parse(text), None, "{text}");
        }
    }
}
