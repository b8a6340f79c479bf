//! API keys: the text that the owner sees once, and the digest that is stored.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use crate::ids::UserId;
use crate::random;
use crate::secret_hash::{SecretHash, SecretKind};

const PREFIX: &str = "pk_";
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Number of random characters of a key: 30 of base 62 are 178 bits.
const RANDOM_LENGTH: usize = 30;

/// Number of base 62 digits that hold any 32-bit checksum.
const CHECKSUM_LENGTH: usize = 6;

/// Number of characters of a key: 39.
pub const KEY_LENGTH: usize = PREFIX.len() + RANDOM_LENGTH + CHECKSUM_LENGTH;

/// First byte that is not used. 248 is a multiple of 62: greater bytes would favour the first characters of the alphabet.
const FIRST_BIASED_BYTE: u8 = 248;

/// API key in plain text. It exists when the key is issued, and while a request that carries it is authenticated. It is stored
/// nowhere, wiped from memory when dropped, and never printed.
///
/// Its form is `pk_`, 30 random base 62 characters, and the CRC-32 of those 30 in 6 base 62 digits. The checksum tells a mistyped
/// key from an unknown one without a look-up.
#[derive(Clone)]
pub struct PlaintextApiKey(SecretString);

impl PlaintextApiKey {
    /// Generates a random key.
    pub fn generate() -> Self {
        Self::from_bytes(random::fill)
    }

    /// Parses a key; `None` if its form or its checksum is wrong. Spaces around it are not ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(PREFIX)?;
        if text.len() != KEY_LENGTH || !body.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let (random, given) = body.split_at(RANDOM_LENGTH);
        (checksum(random) == given).then(|| Self(text.into()))
    }

    /// Returns the digest under which the key is stored and found.
    pub fn hash(&self) -> ApiKeyHash {
        ApiKeyHash::of(self.0.expose_secret())
    }

    /// Returns the key itself, to be shown once to its owner. Never log it, never store it.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Builds a key from a source of random bytes. Bytes that would bias a character are thrown away.
    fn from_bytes(mut fill: impl FnMut(&mut [u8])) -> Self {
        let mut key = String::with_capacity(KEY_LENGTH);
        key.push_str(PREFIX);
        let mut bytes = [0; RANDOM_LENGTH];
        while key.len() < PREFIX.len() + RANDOM_LENGTH {
            fill(&mut bytes);
            let missing = PREFIX.len() + RANDOM_LENGTH - key.len();
            let fair = bytes.iter().filter(|&&byte| byte < FIRST_BIASED_BYTE).take(missing);
            key.extend(fair.map(|&byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])));
        }
        key.push_str(&checksum(&key[PREFIX.len()..]));
        Self(key.into())
    }
}

impl fmt::Debug for PlaintextApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlaintextApiKey(..)")
    }
}

/// Kind of the digests of API keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiKeyKind {}

impl SecretKind for ApiKeyKind {
    const HASH_NAME: &'static str = "ApiKeyHash";
}

/// Digest of an API key.
pub type ApiKeyHash = SecretHash<ApiKeyKind>;

/// Number of bytes of the digest in an [`ApiKeyId`].
const ID_DIGEST_BYTES: usize = 6;

/// Name of an API key for operators and logs: the id of its owner, a dash, and the first 12 hexadecimal digits of its digest. The key
/// cannot be derived from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiKeyId {
    owner: UserId,
    digest_start: [u8; ID_DIGEST_BYTES],
}

impl ApiKeyId {
    /// Returns the id of a user's key.
    pub fn new(owner: UserId, hash: &ApiKeyHash) -> Self {
        Self { owner, digest_start: hash.first_bytes() }
    }

    /// Parses an id; `None` for text of another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, digits) = text.split_once('-')?;
        let mut digest_start = [0; ID_DIGEST_BYTES];
        hex::decode_to_slice(digits, &mut digest_start).ok()?;
        let id = Self { owner: UserId::parse(owner)?, digest_start };
        (id.to_string() == text).then_some(id)
    }

    /// Returns the user that owns the key.
    pub fn owner(self) -> UserId {
        self.owner
    }
}

impl fmt::Display for ApiKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.owner, hex::encode(self.digest_start))
    }
}

fn checksum(random: &str) -> String {
    format!("{:0>CHECKSUM_LENGTH$}", base62::encode(crc32fast::hash(random.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha2::{Digest as _, Sha256};

    fn any_key() -> impl Strategy<Value = PlaintextApiKey> {
        proptest::array::uniform30(0..FIRST_BIASED_BYTE)
            .prop_map(|random| PlaintextApiKey::from_bytes(|bytes| bytes.copy_from_slice(&random)))
    }

    #[test]
    fn a_generated_key_has_the_documented_form() {
        let key = PlaintextApiKey::generate();
        assert_eq!(key.expose().len(), 39);
        assert!(key.expose().starts_with("pk_"));
        assert!(key.expose()[3..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert!(PlaintextApiKey::parse(key.expose()).is_some());
        assert_ne!(key.expose(), PlaintextApiKey::generate().expose());
    }

    #[test]
    fn the_checksum_is_padded_with_zeros() {
        let smallest =
            (0..1u32 << 20).map(|n| format!("{n:030}")).find(|text| crc32fast::hash(text.as_bytes()) < 62u32.pow(4));
        let random = smallest.expect("some text has a small checksum");
        let key = format!("pk_{random}{}", checksum(&random));
        assert_eq!(&key[33..35], "00");
        assert!(PlaintextApiKey::parse(&key).is_some());
    }

    #[test]
    fn the_checksum_is_the_crc_of_the_ethernet_standard() {
        assert_eq!(base62::decode(checksum("123456789")), Ok(0xCBF4_3926));
    }

    #[test]
    fn as_many_bytes_make_one_character_as_any_other() {
        let mut counts = [0; 62];
        for byte in 0..FIRST_BIASED_BYTE {
            let key = PlaintextApiKey::from_bytes(|bytes| bytes.fill(byte));
            counts
                [ALPHABET.iter().position(|&letter| letter == key.expose().as_bytes()[3]).expect("in the alphabet")] +=
                1;
        }
        assert_eq!(counts, [4; 62]);
    }

    #[test]
    fn bytes_that_would_bias_a_character_are_thrown_away() {
        let mut calls = 0;
        let key = PlaintextApiKey::from_bytes(|bytes| {
            calls += 1;
            bytes.fill(if calls < 3 { FIRST_BIASED_BYTE } else { 255 });
            bytes[..20].fill(61);
        });
        assert_eq!(&key.expose()[..33], format!("pk_{}", "z".repeat(30)));
        assert_eq!((key.expose().len(), calls), (KEY_LENGTH, 2));
    }

    #[test]
    fn text_of_another_form_is_refused() {
        let key = PlaintextApiKey::generate();
        let key = key.expose();
        for text in
            ["", "pk_", &key[1..], &key[..38], &format!("{key}0"), &format!(" {key}"), &key.replace("pk_", "sk_")]
        {
            assert!(PlaintextApiKey::parse(text).is_none(), "{} characters", text.len());
        }
        assert!(PlaintextApiKey::parse(&format!("pk_{}", "é".repeat(18))).is_none());
    }

    #[test]
    fn digests_go_through_hexadecimal_text() {
        let hash = PlaintextApiKey::generate().hash();
        assert_eq!(hash.as_hex().len(), 64);
        assert_eq!(ApiKeyHash::from_hex(&hash.as_hex()), Some(hash));
        for text in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(ApiKeyHash::from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn ids_of_keys_have_one_spelling() {
        let (owner, hash) =
            (UserId::parse("42").expect("an id"), ApiKeyHash::from_hex(&"0a".repeat(32)).expect("a digest"));
        let id = ApiKeyId::new(owner, &hash);
        assert_eq!((id.to_string().as_str(), id.owner()), ("42-0a0a0a0a0a0a", owner));
        assert_eq!(ApiKeyId::parse("42-0a0a0a0a0a0a"), Some(id));
        for text in [
            "",
            "42",
            "42-",
            "-0a0a0a0a0a0a",
            "042-0a0a0a0a0a0a",
            "42-0A0A0A0A0A0A",
            "42-0a0a0a0a0a0a0a",
            "42-0a0a0a0a0a",
        ] {
            assert_eq!(ApiKeyId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_digest_is_the_sha_256_of_the_whole_key() {
        let key = PlaintextApiKey::from_bytes(|bytes| bytes.fill(0));
        assert_eq!(key.expose(), format!("pk_{}{}", "0".repeat(30), checksum(&"0".repeat(30))));
        assert_eq!(key.hash().as_hex(), hex::encode(Sha256::digest(key.expose().as_bytes())));
    }

    #[test]
    fn debug_output_is_silent() {
        let key = PlaintextApiKey::generate();
        assert_eq!(format!("{key:?} {:?}", key.hash()), "PlaintextApiKey(..) ApiKeyHash(..)");
    }

    proptest! {
        #[test]
        fn keys_go_through_their_text(key in any_key()) {
            let read = PlaintextApiKey::parse(key.expose());
            prop_assert_eq!(read.map(|read| read.hash()), Some(key.hash()));
        }

        #[test]
        fn every_change_of_one_character_is_refused(key in any_key(), at in 0..KEY_LENGTH, other in any::<char>()) {
            let mut characters: Vec<char> = key.expose().chars().collect();
            prop_assume!(characters[at] != other);
            characters[at] = other;
            prop_assert!(PlaintextApiKey::parse(&characters.iter().collect::<String>()).is_none());
            for letter in ALPHABET.iter().map(|&letter| char::from(letter)) {
                characters[at] = letter;
                let changed: String = characters.iter().collect();
                prop_assert_eq!(PlaintextApiKey::parse(&changed).is_some(), changed == key.expose());
            }
        }
    }
}
