//! Hashing and verifying passwords with Argon2id.

use std::sync::OnceLock;

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc};
use argon2::{Algorithm, Argon2, Params, Version};
use presence_domain::password::{Password, PasswordHash};

/// 19 MiB, 2 passes, 1 lane: OWASP's first choice for Argon2id that fits a small Lambda.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Hashes a password with Argon2id and a fresh salt. Takes tens of milliseconds of CPU and 19 MiB: once a request.
///
/// # Panics
///
/// When the operating system has no random bytes to give.
pub fn hash(password: &Password) -> PasswordHash {
    let hash: phc::PasswordHash = argon2id()
        .hash_password(password.expose_bytes())
        .expect("bounded input and fixed parameters leave the system's generator as the only thing to fail");
    PasswordHash::from_phc(hash.to_string())
}

/// True if the hash is that of the password, under the parameters that the hash names. Compares in constant time.
pub fn verifies(hash: &PasswordHash, password: &Password) -> bool {
    phc::PasswordHash::new(hash.as_phc())
        .is_ok_and(|hash| argon2id().verify_password(password.expose_bytes(), &hash).is_ok())
}

/// Hash of the one password of a request. It is computed when it is first needed, and only once. Hashing is slow on purpose, and a
/// write may be tried several times.
#[derive(Debug, Default)]
pub(crate) struct HashOnce(OnceLock<PasswordHash>);

impl HashOnce {
    /// Returns the hash of the password. It is the same password each time.
    pub(crate) fn get(&self, password: &Password) -> PasswordHash {
        self.0.get_or_init(|| hash(password)).clone()
    }
}

fn argon2id() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the constants are within Argon2's limits");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn password(text: &str) -> Password {
        Password::parse(text).expect("a password of acceptable length")
    }

    #[test]
    fn a_hash_names_its_parameters_and_has_a_salt_of_its_own() {
        let first = hash(&password("correct horse"));
        assert!(first.as_phc().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(first, hash(&password("correct horse")));
    }

    #[test]
    fn only_the_same_bytes_verify() {
        let stored = PasswordHash::from_phc(hash(&password(" Zoë 123 ")).as_phc().to_owned());
        assert!(verifies(&stored, &password(" Zoë 123 ")));
        for other in ["Zoë 123", " zoë 123 ", " Zoe\u{308} 123 ", " Zoë 1234 "] {
            assert!(!verifies(&stored, &password(other)), "{other}");
        }
    }

    #[test]
    fn a_hash_made_with_other_parameters_still_verifies() {
        let params = Params::new(64, 1, 1, None).expect("valid parameters");
        let older = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: phc::PasswordHash = older.hash_password(b"correct horse").expect("hashes");
        assert!(verifies(&PasswordHash::from_phc(hash.to_string()), &password("correct horse")));
    }

    #[test]
    fn text_that_is_no_hash_verifies_nothing() {
        for text in ["", "secret", "$argon2id$v=19$m=19456,t=2,p=1$", "$2b$12$abcdefghijklmnopqrstuv"] {
            assert!(!verifies(&PasswordHash::from_phc(text.to_owned()), &password("secret")), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

        #[test]
        fn every_accepted_password_verifies_against_its_hash(text in "\\PC{6,128}") {
            let secret = password(&text);
            prop_assert!(verifies(&hash(&secret), &secret));
        }
    }
}
