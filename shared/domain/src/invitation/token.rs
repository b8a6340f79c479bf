//! Activation tokens: the secrets in the links of invitations.

use std::fmt;

use crate::random;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret, SecretString};

use crate::secret_hash::{SecretHash, SecretKind};

/// Number of random bytes of a token.
const BYTES: usize = 32;
/// Number of characters of a token: 32 bytes in base64 without padding.
const LENGTH: usize = 43;

/// Token in plain text. It exists while its mail is sent, and in the mail. It is stored nowhere, wiped from memory when dropped,
/// and never printed.
#[derive(Clone)]
pub struct ActivationToken(SecretString);

impl ActivationToken {
    /// Generates a random token.
    pub fn generate() -> Self {
        let mut bytes = [0; BYTES];
        random::fill(&mut bytes);
        Self(URL_SAFE_NO_PAD.encode(bytes).into())
    }

    /// Parses a token; `None` for text of another form.
    pub fn parse(text: &str) -> Option<Self> {
        let is_token = text.len() == LENGTH && URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == BYTES);
        is_token.then(|| Self(text.into()))
    }

    /// Returns the digest under which the token is stored and found.
    pub fn hash(&self) -> ActivationTokenHash {
        ActivationTokenHash::of(self.0.expose_secret())
    }

    /// Returns the token itself, for the link. Never log it, never store it.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for ActivationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActivationToken(..)")
    }
}

/// Kind of the digests of activation tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActivationTokenKind {}

impl SecretKind for ActivationTokenKind {
    const HASH_NAME: &'static str = "ActivationTokenHash";
}

/// Digest of an activation token.
pub type ActivationTokenHash = SecretHash<ActivationTokenKind>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_by_its_digest_and_never_printed() {
        let token = ActivationToken::generate();
        assert_eq!(token.expose().len(), LENGTH);
        let read = ActivationToken::parse(token.expose()).expect("a token");
        assert_eq!(read.hash(), token.hash());
        assert_ne!(ActivationToken::generate().hash(), token.hash());
        assert_eq!(ActivationTokenHash::from_hex(&token.hash().as_hex()), Some(token.hash()));
        assert_eq!(format!("{token:?} {:?}", token.hash()), "ActivationToken(..) ActivationTokenHash(..)");
    }

    #[test]
    fn other_text_is_no_token() {
        let good = "A".repeat(LENGTH);
        assert!(ActivationToken::parse(&good).is_some());
        for bad in ["", "A", &"A".repeat(LENGTH + 1), &format!("{}+", "A".repeat(42)), &format!("{}é", "A".repeat(41))]
        {
            assert!(ActivationToken::parse(bad).is_none(), "{bad}");
        }
        // The last character of 32 bytes holds four bits: another spelling of the same bytes is not the token.
        assert!(ActivationToken::parse(&format!("{}B", "A".repeat(42))).is_none());
    }
}
