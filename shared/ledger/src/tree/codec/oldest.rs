//! Binary form of the copies of oldest postings, which are stored beside a root.
//!
//! They are a value of their own: a version that does not know them reads a root as before, and puts one without them.

use super::DecodeError;
use super::bytes::{ByteReader, ByteWriter};
use crate::tree::{OldestPostings, TreeRoot};

/// Returns the binary form of the copies of a root; `None` if it has none.
#[must_use]
pub fn encode_oldest(root: &TreeRoot) -> Option<Vec<u8>> {
    if root.oldest.is_none() {
        return None;
    }
    let mut writer = ByteWriter::new();
    writer.varint(root.edition);
    writer.key(root.oldest.end);
    writer.postings(&root.oldest.postings);
    Some(writer.finish())
}

/// Reads copies, with the edition of the root that they belong to.
pub fn decode_oldest(bytes: &[u8]) -> Result<(u64, OldestPostings), DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let (edition, end, postings) = (reader.varint()?, reader.key()?, reader.postings()?);
    reader.finish()?;
    if postings.last().is_some_and(|last| end <= last.key) {
        return Err(DecodeError("a copy behind the end of the copies"));
    }
    Ok((edition, OldestPostings { end, postings }))
}

impl OldestPostings {
    /// Returns the copies that are stored beside a root of an edition. There are none without bytes, with those of another edition, and
    /// with some that cannot be read: the leaves have the same postings.
    #[must_use]
    pub fn read(bytes: Option<&[u8]>, edition: u64) -> Self {
        let read = bytes.and_then(|bytes| decode_oldest(bytes).ok()).filter(|(of_edition, _)| *of_edition == edition);
        read.map_or(Self::NONE, |(_, oldest)| oldest)
    }
}
