//! Binary form of log entries and of the directory of an organisation's trees.

use std::collections::BTreeMap;

use super::tree::DecodeError;
use super::{LogChange, LogPosition, TreeKey};

/// Returns the binary form of consecutive changes of one lane.
#[must_use]
pub fn encode_changes(_changes: &[LogChange]) -> Vec<u8> {
    unimplemented!()
}

/// Reads [`encode_changes`].
pub fn decode_changes(_bytes: &[u8]) -> Result<Vec<LogChange>, DecodeError> {
    unimplemented!()
}

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
    /// Edition of each root. If two roots have one hash, the higher one: a lower root is then read strongly.
    pub editions: BTreeMap<u32, u64>,
}

/// Returns the hash by which a directory names the tree of a city or business. Stored: it must never change.
#[must_use]
pub fn directory_hash(_tree: &TreeKey) -> u32 {
    unimplemented!()
}

impl Directory {
    /// Returns the binary form.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        unimplemented!()
    }

    /// Reads the binary form.
    pub fn decode(_bytes: &[u8]) -> Result<Self, DecodeError> {
        unimplemented!()
    }
}

impl DirectoryBucket {
    /// Returns the binary form.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        unimplemented!()
    }

    /// Reads the binary form.
    pub fn decode(_bytes: &[u8]) -> Result<Self, DecodeError> {
        unimplemented!()
    }
}
