//! Binary form of leaves, and of the postings that a root holds itself.

use super::DecodeError;
use super::bytes::{ByteReader, ByteWriter};
use super::keys::later_second;
use crate::{Posting, PostingFilter, PostingKey};

/// Minimum number of bytes of a posting: difference of seconds, facet key, id and version.
const POSTING_MIN_BYTES: usize = 11;

/// Returns the binary form of a leaf.
pub fn encode_leaf(postings: &[Posting]) -> Vec<u8> {
    let mut writer = ByteWriter::new();
    writer.postings(postings);
    writer.finish()
}

/// Reads a leaf.
pub fn decode_leaf(bytes: &[u8]) -> Result<Vec<Posting>, DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let postings = reader.postings()?;
    reader.finish()?;
    Ok(postings)
}

/// Reads those postings of a leaf that a filter admits.
pub fn decode_leaf_matches(bytes: &[u8], filter: &PostingFilter) -> Result<Vec<Posting>, DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let mut stored = StoredPostings::start(&mut reader)?;
    let mut matches = Vec::new();
    while let Some(posting) = stored.next(&mut reader)? {
        if filter.admits(&posting) {
            matches.push(posting);
        }
    }
    reader.finish()?;
    Ok(matches)
}

impl ByteWriter {
    /// Writes postings, which ascend: the first second, then for each the difference from the second before, facet key, id and version.
    pub(super) fn postings(&mut self, postings: &[Posting]) {
        self.length(postings.len());
        let mut earlier = postings.first().map_or(0, |first| first.key.effective_at);
        if !postings.is_empty() {
            self.signed(earlier);
        }
        for posting in postings {
            self.varint(posting.key.effective_at.abs_diff(earlier));
            self.byte(posting.facet_key.number());
            self.bytes(&posting.key.id.get().to_be_bytes());
            self.varint(posting.version);
            earlier = posting.key.effective_at;
        }
    }
}

impl ByteReader<'_> {
    /// Reads postings.
    pub(super) fn postings(&mut self) -> Result<Vec<Posting>, DecodeError> {
        let mut stored = StoredPostings::start(self)?;
        let mut postings = Vec::with_capacity(stored.left);
        while let Some(posting) = stored.next(self)? {
            postings.push(posting);
        }
        Ok(postings)
    }
}

/// Reader of ascending postings.
struct StoredPostings {
    left: usize,
    earlier: i64,
    last: Option<PostingKey>,
}

impl StoredPostings {
    /// Reads what is before the first posting.
    fn start(reader: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let left = reader.length(POSTING_MIN_BYTES)?;
        let earlier = if left == 0 { 0 } else { reader.signed()? };
        Ok(Self { left, earlier, last: None })
    }

    /// Reads the next posting; `None` behind the last one.
    #[inline]
    fn next(&mut self, reader: &mut ByteReader<'_>) -> Result<Option<Posting>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        let effective_at = later_second(self.earlier, reader.varint()?)?;
        let facet_key = reader.facet_key()?;
        let key = PostingKey { effective_at, id: reader.review_number()? };
        if self.last.is_some_and(|last| key <= last) {
            return Err(DecodeError("postings that do not ascend"));
        }
        (self.left, self.earlier, self.last) = (self.left - 1, effective_at, Some(key));
        Ok(Some(Posting { key, facet_key, version: reader.varint()? }))
    }
}
