//! Order of an answer as numbers, so that both directions are one search.

use std::ops::Range;

use crate::PostingKey;

/// Order of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnswerOrder {
    /// True if later keys come first.
    pub(super) newest_first: bool,
}

/// Place of a key in the order of the answer: a key with a smaller number comes first.
pub(super) type Position = u128;

/// Bit that moves signed seconds into the order of unsigned numbers.
const SIGN: u64 = 1 << 63;

impl AnswerOrder {
    /// Returns the position of a key.
    #[inline]
    pub(super) fn position(self, key: PostingKey) -> Position {
        let position = u128::from(key.effective_at.cast_unsigned() ^ SIGN) << 64 | u128::from(key.id.get());
        if self.newest_first { !position } else { position }
    }

    /// Returns the positions of a range of keys.
    #[inline]
    pub(super) fn positions(self, keys: &Range<PostingKey>) -> Range<Position> {
        let (start, end) = (self.position(keys.start), self.position(keys.end));
        // In the reverse order, the last key of the range comes first. Saturation concerns FIRST, which is no key of a posting.
        if self.newest_first { end.saturating_add(1)..start.saturating_add(1) } else { start..end }
    }

    /// Returns the positions of consecutive ranges of keys, which start at these keys and together have these positions.
    pub(super) fn split(
        self,
        positions: &Range<Position>,
        starts: impl Iterator<Item = PostingKey>,
    ) -> impl Iterator<Item = Range<Position>> {
        let Range { start, end } = *positions;
        let (mut rest, last) = if self.newest_first { (end, start) } else { (start, end) };
        // The first range also has what is before its start. Bounds that are not in order, in damaged nodes, make empty ranges.
        let bounds = starts.skip(1).map(move |start| self.positions(&(start..start)).start).chain([last]);
        bounds.map(move |bound| {
            let bound = bound.clamp(start, end);
            let range = if self.newest_first { bound..rest.max(bound) } else { rest.min(bound)..bound };
            rest = bound;
            range
        })
    }
}
