//! Binary form of branches.

use super::DecodeError;
use super::bytes::{ByteReader, ByteWriter};
use super::counts::COUNTS_MIN_BYTES;
use super::keys::{NODE_MIN_BYTES, Starts};
use crate::PostingKey;
use crate::tree::{BranchEntry, NodeRef};
use presence_domain::review::FacetMask;

/// Minimum number of bytes of an entry.
pub(super) const ENTRY_MIN_BYTES: usize = NODE_MIN_BYTES + COUNTS_MIN_BYTES;

/// Returns the binary form of a branch.
pub fn encode_branch(entries: &[BranchEntry]) -> Vec<u8> {
    let mut writer = ByteWriter::new();
    writer.length(entries.len());
    let mut earlier = entries.first().map_or(0, |first| first.start.effective_at);
    if !entries.is_empty() {
        writer.signed(earlier);
    }
    for entry in entries {
        writer.start(entry.start, earlier);
        writer.counts(&entry.counts);
        writer.node_ref(entry.node);
        earlier = entry.start.effective_at;
    }
    writer.finish()
}

/// Reads a branch.
pub fn decode_branch(bytes: &[u8]) -> Result<Vec<BranchEntry>, DecodeError> {
    read_entries(bytes, |reader, start| Ok(BranchEntry { start, counts: reader.counts()?, node: reader.node_ref()? }))
}

/// Reads a branch for a search: start and name of each leaf, and the number of its postings that the mask admits.
pub fn decode_branch_matches(bytes: &[u8], mask: FacetMask) -> Result<Vec<(PostingKey, NodeRef, u64)>, DecodeError> {
    read_entries(bytes, |reader, start| {
        let counts = reader.match_counts(mask)?;
        Ok((start, reader.node_ref()?, counts.matches))
    })
}

/// Reads a branch. The function reads what is behind the start of an entry.
fn read_entries<E>(
    bytes: &[u8],
    mut read_entry: impl FnMut(&mut ByteReader<'_>, PostingKey) -> Result<E, DecodeError>,
) -> Result<Vec<E>, DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let length = reader.length(ENTRY_MIN_BYTES)?;
    let mut starts = Starts::from(if length == 0 { 0 } else { reader.signed()? });
    let mut entries = Vec::with_capacity(length);
    for _ in 0..length {
        let start = starts.next(&mut reader)?;
        entries.push(read_entry(&mut reader, start)?);
    }
    reader.finish()?;
    Ok(entries)
}
