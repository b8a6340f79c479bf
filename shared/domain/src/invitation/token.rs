//! Activation tokens: what the link of an invitation carries.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// Random bytes of a token.
const BYTES: usize = 32;
/// Characters of a token: 32 bytes in base64 without padding.
const LENGTH: usize = 43;

/// A token in plain text: known while the mail with it is sent, and to whoever reads the mail. Stored nowhere, never
/// printed, wiped from memory when dropped.
#[derive(Clone)]
pub struct ActivationToken(SecretString);

impl ActivationToken {
    /// A new token from the operating system's generator.
    ///
    /// # Panics
    ///
    /// When the operating system has no random bytes to give.
    #[must_use]
    pub fn draw() -> Self {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).expect("the operating system provides random bytes");
        Self(URL_SAFE_NO_PAD.encode(bytes).into())
    }

    /// Reads a token; `None` for text that is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_token = text.len() == LENGTH && URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == BYTES);
        is_token.then(|| Self(text.into()))
    }

    /// The digest under which the token is stored and found.
    #[must_use]
    pub fn hash(&self) -> ActivationTokenHash {
        ActivationTokenHash(Sha256::digest(self.0.expose_secret()).into())
    }

    /// The token itself, for the link. Never log it, never store it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for ActivationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActivationToken(..)")
    }
}

/// The SHA-256 of a token. A slow hash would add nothing: the token has 256 random bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ActivationTokenHash([u8; 32]);

impl ActivationTokenHash {
    /// The digest in 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn as_hex(&self) -> String {
        hex::encode(self.0)
    }

    /// Reads 64 hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut digest = [0; 32];
        hex::decode_to_slice(text, &mut digest).ok()?;
        Some(Self(digest))
    }
}

impl fmt::Debug for ActivationTokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActivationTokenHash(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_by_its_digest_and_never_printed() {
        let token = ActivationToken::draw();
        assert_eq!(token.expose().len(), LENGTH);
        let read = ActivationToken::parse(token.expose()).expect("a token");
        assert_eq!(read.hash(), token.hash());
        assert_ne!(ActivationToken::draw().hash(), token.hash());
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
