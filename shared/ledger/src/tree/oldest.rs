//! Copies of the oldest postings of a tree, which its root has beside the leaves.
//!
//! They are the end of an answer without a node: its last page, or the first one if it begins with the oldest reviews. Leaves,
//! counts and periods are the same with and without them. A root may have none: the leaves are read then.

use crate::{Posting, PostingKey, ReviewNumber};

/// Copies of the oldest postings of a tree's periods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldestPostings {
    /// Key behind the copies. Every posting of the tree before it is copied.
    pub end: PostingKey,
    /// Postings before `end`, ascending.
    pub postings: Vec<Posting>,
}

impl OldestPostings {
    /// No copies.
    pub const NONE: Self = Self { end: PostingKey::FIRST, postings: Vec::new() };

    /// Copies the first ones of ascending postings, at most this number. The tree has no others before `end`.
    pub(super) fn of(mut postings: Vec<Posting>, max: usize, end: PostingKey) -> Self {
        let is_cut = postings.len() > max;
        postings.truncate(max);
        let end = if is_cut { postings.last().map_or(PostingKey::FIRST, |last| key_behind(last.key)) } else { end };
        Self { end, postings }
    }

    /// True if there are no copies, and it is not known that there is nothing to copy.
    pub fn is_none(&self) -> bool {
        self.end == PostingKey::FIRST
    }
}

/// Returns the first key behind another one.
pub(super) fn key_behind(key: PostingKey) -> PostingKey {
    match key.id.get().checked_add(1) {
        Some(id) => PostingKey { id: ReviewNumber::new(id), ..key },
        None => PostingKey::at(key.effective_at.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::posting_at;

    #[test]
    fn copies_end_with_the_periods_unless_a_posting_is_left_out() {
        let (postings, end) = ([1, 2, 3].map(posting_at), PostingKey::at(10));
        for (max, copied, copies_end) in [(4, 3, end), (3, 3, end), (2, 2, key_behind(postings[1].key))] {
            let copies = OldestPostings::of(postings.to_vec(), max, end);
            assert_eq!(copies, OldestPostings { end: copies_end, postings: postings[..copied].to_vec() }, "{max}");
        }
    }
}
