//! Passwords and their hashes.

use std::fmt;

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc};
use argon2::{Algorithm, Argon2, Params, Version};
use secrecy::{ExposeSecret, SecretString};

/// Fewest characters: the interface's number.
pub const MIN_CHARACTERS: usize = 6;

/// Most characters: enough for any passphrase.
pub const MAX_CHARACTERS: usize = 128;

/// Most bytes of UTF-8, so that what gets hashed is bounded whatever the script.
pub const MAX_BYTES: usize = 512;

/// 19 MiB, 2 passes, 1 lane: OWASP's first choice for Argon2id that fits a small Lambda.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// A password of acceptable length, byte for byte as given. Wiped from memory when dropped; never printed.
#[derive(Clone)]
pub struct Password(SecretString);

impl Password {
    /// Takes the text as it is, never trimmed. The error is for the client to read.
    ///
    /// Control characters are the caller's to refuse, as in every text value.
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

    /// Hashes with Argon2id and a fresh salt. Takes tens of milliseconds of CPU and 19 MiB: once a request.
    ///
    /// # Panics
    ///
    /// When the operating system has no random bytes to give.
    pub fn hash(&self) -> PasswordHash {
        let hash: phc::PasswordHash = argon2id()
            .hash_password(self.0.expose_secret().as_bytes())
            .expect("bounded input and fixed parameters leave the system's generator as the only thing to fail");
        PasswordHash(hash.to_string())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// The Argon2id hash of a password with its salt and parameters, in the PHC text form. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Takes a stored hash. Text that is no PHC hash verifies no password.
    pub fn from_phc(text: String) -> Self {
        Self(text)
    }

    /// The text to store: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
    pub fn as_phc(&self) -> &str {
        &self.0
    }

    /// Whether this is the hash of the password, compared in constant time, under the parameters that it names.
    pub fn verify(&self, password: &Password) -> bool {
        phc::PasswordHash::new(&self.0)
            .is_ok_and(|hash| argon2id().verify_password(password.0.expose_secret().as_bytes(), &hash).is_ok())
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

fn argon2id() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the constants are within Argon2's limits");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn password(text: &str) -> Password {
        Password::parse(text).expect("a password of acceptable length")
    }

    #[test]
    fn length_counts_characters_and_not_bytes() {
        let cases = [
            ("five", "abcde".to_owned(), false),
            ("six", "abcdef".to_owned(), true),
            ("five of four bytes each", "🐟".repeat(5), false),
            ("128", "a".repeat(128), true),
            ("128 of four bytes each", "🐟".repeat(128), true),
            ("129", "a".repeat(129), false),
            ("a megabyte", "a".repeat(1 << 20), false),
            ("spaces count and stay", "  a   ".to_owned(), true),
        ];
        for (what, text, accepted) in cases {
            assert_eq!(Password::parse(&text).is_ok(), accepted, "{what}");
        }
    }

    #[test]
    fn a_hash_names_its_parameters_and_has_a_salt_of_its_own() {
        let first = password("correct horse").hash();
        assert!(first.as_phc().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(first, password("correct horse").hash());
    }

    #[test]
    fn only_the_very_same_bytes_verify() {
        let hash = PasswordHash::from_phc(password(" Zoë 123 ").hash().as_phc().to_owned());
        assert!(hash.verify(&password(" Zoë 123 ")));
        for other in ["Zoë 123", " zoë 123 ", " Zoe\u{308} 123 ", " Zoë 1234 "] {
            assert!(!hash.verify(&password(other)), "{other}");
        }
    }

    #[test]
    fn a_hash_made_with_other_parameters_still_verifies() {
        let params = Params::new(64, 1, 1, None).expect("valid parameters");
        let older = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: phc::PasswordHash = older.hash_password(b"correct horse").expect("hashes");
        assert!(PasswordHash::from_phc(hash.to_string()).verify(&password("correct horse")));
    }

    #[test]
    fn text_that_is_no_hash_verifies_nothing() {
        for text in ["", "secret", "$argon2id$v=19$m=19456,t=2,p=1$", "$2b$12$abcdefghijklmnopqrstuv"] {
            assert!(!PasswordHash::from_phc(text.to_owned()).verify(&password("secret")), "{text}");
        }
    }

    #[test]
    fn debug_output_is_silent() {
        let secret = password("correct horse");
        assert_eq!(format!("{secret:?} {:?}", secret.hash()), "Password(..) PasswordHash(..)");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

        #[test]
        fn every_accepted_password_verifies_against_its_hash(text in "\\PC{6,128}") {
            let secret = password(&text);
            prop_assert!(secret.hash().verify(&secret));
        }
    }
}
