//! Digests under which secrets are stored and found.

use std::fmt;
use std::marker::PhantomData;

use sha2::{Digest, Sha256};

/// Kind of a secret, so that digests of two kinds are two types.
pub trait SecretKind {
    /// Name of the digest's type, for its silent `Debug` output.
    const HASH_NAME: &'static str;
}

/// SHA-256 digest of a secret. A slow hash would add nothing: these secrets have 178 random bits or more.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash<K>([u8; 32], PhantomData<K>);

impl<K> SecretHash<K> {
    /// Returns the digest of a secret.
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret).into(), PhantomData)
    }

    /// Returns the digest in 64 lower-case hexadecimal digits.
    pub fn as_hex(&self) -> String {
        hex::encode(self.0)
    }

    /// Returns the first bytes of the digest, at most 32.
    pub(crate) fn first_bytes<const N: usize>(&self) -> [u8; N] {
        std::array::from_fn(|index| self.0[index])
    }

    /// Parses 64 hexadecimal digits; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut digest = [0; 32];
        hex::decode_to_slice(text, &mut digest).ok()?;
        Some(Self(digest, PhantomData))
    }
}

impl<K: SecretKind> fmt::Debug for SecretHash<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", K::HASH_NAME)
    }
}
