//! Passwords of users, and the text of their hashes. The users function hashes and verifies.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// Least number of characters, from the interface.
pub const MIN_CHARACTERS: usize = 6;

/// Largest number of characters: enough for any passphrase.
pub const MAX_CHARACTERS: usize = 128;

/// Largest number of bytes of UTF-8, so that the input of the hash is bounded in every script.
pub const MAX_BYTES: usize = 512;

/// Password of acceptable length, byte for byte as given. Wiped from memory when dropped; never printed.
#[derive(Clone)]
pub struct Password(SecretString);

impl Password {
    /// Parses the text as it is, without trimming. The client reads the error.
    ///
    /// The caller refuses control characters, as in every text value.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.len() > MAX_BYTES {
            return Err("must be at most 128 characters long");
        }
        match text.chars().count() {
            ..MIN_CHARACTERS => Err("must be at least 6 characters long"),
            MIN_CHARACTERS..=MAX_CHARACTERS => Ok(Self(text.into())),
            _ => Err("must be at most 128 characters long"),
        }
    }

    /// Returns the bytes to hash. Nothing else may see them.
    pub fn expose_bytes(&self) -> &[u8] {
        self.0.expose_secret().as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Argon2id hash of a password with its salt and parameters, in the PHC text form. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Wraps a hash in its text form. Text that is no PHC hash verifies no password.
    pub fn from_phc(text: String) -> Self {
        Self(text)
    }

    /// Returns the text to store: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
    pub fn as_phc(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_characters_and_not_bytes() {
        let too_short = Some("must be at least 6 characters long");
        let too_long = Some("must be at most 128 characters long");
        let cases = [
            ("five", "abcde".to_owned(), too_short),
            ("six", "abcdef".to_owned(), None),
            ("five of four bytes each", "🐟".repeat(5), too_short),
            ("128", "a".repeat(128), None),
            ("128 of four bytes each", "🐟".repeat(128), None),
            ("129", "a".repeat(129), too_long),
            ("a megabyte", "a".repeat(1 << 20), too_long),
            ("spaces count and stay", "  a   ".to_owned(), None),
        ];
        for (what, text, mistake) in cases {
            assert_eq!(Password::parse(&text).err(), mistake, "{what}");
        }
    }

    #[test]
    fn debug_output_is_silent() {
        let password = Password::parse("correct horse").expect("a password of acceptable length");
        let hash = PasswordHash::from_phc("$argon2id$".to_owned());
        assert_eq!(format!("{password:?} {hash:?}"), "Password(..) PasswordHash(..)");
    }
}
