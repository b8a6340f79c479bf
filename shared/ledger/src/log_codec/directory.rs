//! Directory of an organisation's trees, and its binary form.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::tree::{ByteReader, ByteWriter, DecodeError};
use crate::{LogPosition, TreeKey};

/// Number of buckets of a directory.
pub const DIRECTORY_BUCKETS: usize = 16;

/// Directory of an organisation: position up to which the log is in the trees, and what proves that a root is current.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// Number of times that the directory was written.
    pub edition: u64,
    /// Position up to which every change is in the trees. The log may miss entries up to here, and none behind it.
    pub trimmed_to: LogPosition,
    /// Edition of the root of the organisation's tree.
    pub org_edition: u64,
    /// Editions of the buckets.
    pub bucket_editions: [u64; DIRECTORY_BUCKETS],
}

/// Bucket of a directory: editions of the roots of cities and businesses, by [`directory_hash`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryBucket {
    /// Number of times that the bucket was written.
    pub edition: u64,
    /// Edition of each root. No two sets of an organisation have one hash: among 50,000 sets, with a likelihood of 1 to 15 billion.
    pub editions: BTreeMap<u64, u64>,
}

/// Minimum number of bytes of an entry of a bucket: the hash and the edition.
const ENTRY_MIN_BYTES: usize = 9;

/// Returns the hash by which a directory names the tree of a city or business: the first 8 bytes of the SHA-256 of its set. Stored: it must
/// never change.
pub fn directory_hash(tree: &TreeKey) -> u64 {
    short_hash(&tree.set.to_string())
}

/// Returns the first 8 bytes of the SHA-256 of a text.
pub(crate) fn short_hash(text: &str) -> u64 {
    Sha256::digest(text).iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

impl Directory {
    /// Returns the binary form.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = ByteWriter::new();
        writer.varint(self.edition);
        writer.position(&self.trimmed_to);
        writer.varint(self.org_edition);
        for edition in self.bucket_editions {
            writer.varint(edition);
        }
        writer.finish()
    }

    /// Reads the binary form.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(bytes)?;
        let (edition, trimmed_to, org_edition) = (reader.varint()?, reader.position()?, reader.varint()?);
        let mut bucket_editions = [0; DIRECTORY_BUCKETS];
        for edition in &mut bucket_editions {
            *edition = reader.varint()?;
        }
        reader.finish()?;
        Ok(Self { edition, trimmed_to, org_edition, bucket_editions })
    }
}

impl DirectoryBucket {
    /// Returns the binary form.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = ByteWriter::new();
        writer.varint(self.edition);
        writer.length(self.editions.len());
        for (hash, edition) in &self.editions {
            writer.bytes(&hash.to_be_bytes());
            writer.varint(*edition);
        }
        writer.finish()
    }

    /// Reads the binary form.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(bytes)?;
        let edition = reader.varint()?;
        let length = reader.length(ENTRY_MIN_BYTES)?;
        let mut editions = BTreeMap::new();
        for _ in 0..length {
            let hash = u64::from_be_bytes(reader.array()?);
            if editions.last_key_value().is_some_and(|(last, _)| hash <= *last) {
                return Err(DecodeError("hashes that do not ascend"));
            }
            editions.insert(hash, reader.varint()?);
        }
        reader.finish()?;
        Ok(Self { edition, editions })
    }
}
