//! Binary form of keys and names of nodes.

use super::DecodeError;
use super::bytes::{ByteReader, ByteWriter};
use crate::tree::NodeRef;
use crate::{PostingKey, ReviewNumber};
use presence_domain::review::FacetKey;

/// Minimum number of bytes of the start and name of a node.
pub(super) const NODE_MIN_BYTES: usize = 1 + NODE_REF_MIN_BYTES;

/// Minimum number of bytes of the name of a node.
pub(super) const NODE_REF_MIN_BYTES: usize = 5;

/// Bit of the first byte of a start that tells that the id follows.
const HAS_ID: u8 = 1;

impl ByteWriter {
    /// Writes a key by itself.
    pub(super) fn key(&mut self, key: PostingKey) {
        self.signed(key.effective_at);
        self.start(key, key.effective_at);
    }

    /// Writes a key as the difference from an earlier second. The first byte holds 6 bits of it and tells if an id follows, which it does
    /// unless the key is the first of its second.
    pub(super) fn start(&mut self, key: PostingKey, earlier: i64) {
        let difference = key.effective_at.abs_diff(earlier);
        let has_id = key.id != ReviewNumber::MIN;
        let (low, high) = ((difference & 0x3f) as u8, difference >> 6);
        self.byte(low << 1 | u8::from(has_id) | if high > 0 { 0x80 } else { 0 });
        if high > 0 {
            self.varint(high);
        }
        if has_id {
            self.bytes(&key.id.get().to_be_bytes());
        }
    }

    /// Writes the name of a node.
    pub(super) fn node_ref(&mut self, node: NodeRef) {
        self.bytes(&node.slot.to_be_bytes());
        self.varint(u64::from(node.stamp));
    }
}

impl ByteReader<'_> {
    /// Reads a key by itself.
    pub(super) fn key(&mut self) -> Result<PostingKey, DecodeError> {
        let second = self.signed()?;
        self.start(second)
    }

    /// Reads a key as the difference from an earlier second.
    #[inline]
    pub(super) fn start(&mut self, earlier: i64) -> Result<PostingKey, DecodeError> {
        let first = self.byte()?;
        let mut difference = u64::from(first >> 1 & 0x3f);
        if first >= 0x80 {
            let high = self.varint()?;
            if high == 0 || high >> 58 > 0 {
                return Err(DecodeError("a difference that is out of range"));
            }
            difference |= high << 6;
        }
        let id = if first & HAS_ID == 0 { ReviewNumber::MIN } else { self.review_number()? };
        if first & HAS_ID != 0 && id == ReviewNumber::MIN {
            return Err(DecodeError("a needless id"));
        }
        Ok(PostingKey { effective_at: later_second(earlier, difference)?, id })
    }

    #[inline]
    pub(crate) fn review_number(&mut self) -> Result<ReviewNumber, DecodeError> {
        Ok(ReviewNumber::new(u64::from_be_bytes(self.array()?)))
    }

    #[inline]
    pub(crate) fn facet_key(&mut self) -> Result<FacetKey, DecodeError> {
        FacetKey::from_number(self.byte()?).ok_or(DecodeError("a facet key that is out of range"))
    }

    /// Reads the name of a node.
    #[inline]
    pub(super) fn node_ref(&mut self) -> Result<NodeRef, DecodeError> {
        let slot = u32::from_be_bytes(self.array()?);
        Ok(NodeRef { slot, stamp: self.varint_u32()? })
    }
}

/// Returns the second that is this much later.
#[inline]
pub(super) fn later_second(earlier: i64, difference: u64) -> Result<i64, DecodeError> {
    earlier.checked_add_unsigned(difference).ok_or(DecodeError("a second that is out of range"))
}

/// Reader of ascending starts.
pub(super) struct Starts {
    earlier: i64,
    last: Option<PostingKey>,
}

impl Starts {
    /// Returns a reader of starts from a second on.
    pub(super) fn from(second: i64) -> Self {
        Self { earlier: second, last: None }
    }

    /// Reads the next start.
    #[inline]
    pub(super) fn next(&mut self, reader: &mut ByteReader<'_>) -> Result<PostingKey, DecodeError> {
        let start = reader.start(self.earlier)?;
        if self.last.is_some_and(|last| start <= last) {
            return Err(DecodeError("starts that do not ascend"));
        }
        (self.earlier, self.last) = (start.effective_at, Some(start));
        Ok(start)
    }

    /// Returns the last start; `None` before the first one.
    pub(super) fn last(&self) -> Option<PostingKey> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_bits_of_a_difference_are_there_only_if_needed_and_fit_a_second() {
        for (high, is_read) in [(0, false), (1, true), ((1 << 58) - 1, true), (1 << 58, false), (u64::MAX, false)] {
            let mut writer = ByteWriter::new();
            writer.byte(0x80);
            writer.varint(high);
            let bytes = writer.finish();
            let start = ByteReader::new(&bytes).and_then(|mut reader| reader.start(i64::MIN));
            let expected = is_read.then(|| PostingKey::at(i64::MIN.saturating_add_unsigned(high << 6)));
            assert_eq!(start.ok(), expected, "{high}");
        }
    }
}
