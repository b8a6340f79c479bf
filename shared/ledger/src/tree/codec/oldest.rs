//! Binary form of the copies of oldest postings, which are stored beside a root.
//!
//! They are a value of their own, which each put of the root replaces.

use super::DecodeError;
use super::bytes::{ByteReader, ByteWriter};
use crate::tree::OldestPostings;

/// Returns the binary form of copies; `None` if there are none.
pub fn encode_oldest(oldest: &OldestPostings) -> Option<Vec<u8>> {
    if oldest.is_none() {
        return None;
    }
    let mut writer = ByteWriter::new();
    writer.key(oldest.end);
    writer.postings(&oldest.postings);
    Some(writer.finish())
}

/// Reads copies.
pub fn decode_oldest(bytes: &[u8]) -> Result<OldestPostings, DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let (end, postings) = (reader.key()?, reader.postings()?);
    reader.finish()?;
    if postings.last().is_some_and(|last| end <= last.key) {
        return Err(DecodeError("a copy behind the end of the copies"));
    }
    Ok(OldestPostings { end, postings })
}

impl OldestPostings {
    /// Returns the copies that are stored beside a root. There are none without bytes, and with some that cannot be read: the leaves have
    /// the same postings.
    pub fn read(bytes: Option<&[u8]>) -> Self {
        bytes.and_then(|bytes| decode_oldest(bytes).ok()).unwrap_or(Self::NONE)
    }
}
