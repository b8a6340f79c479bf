//! Changes of postings, in the order of their keys.

use crate::{Posting, PostingKey};

/// Postings to remove and to add, each ascending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changes<'a> {
    pub(super) removed: &'a [Posting],
    pub(super) added: &'a [Posting],
}

impl Changes<'_> {
    /// Takes the changes before a key out of these.
    pub(super) fn split_off_before(&mut self, end: PostingKey) -> Self {
        let (removed, later_removed) = split_before(self.removed, end);
        let (added, later_added) = split_before(self.added, end);
        (self.removed, self.added) = (later_removed, later_added);
        Self { removed, added }
    }

    /// True if there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    /// Returns the postings after the changes, and the number of changes that did not fit. A posting to remove does not fit if it is not
    /// there or is another version, one to add if it is already there. The later version takes the place of the other one.
    pub(super) fn apply(&self, postings: &[Posting]) -> (Vec<Posting>, usize) {
        let mut edited = Vec::with_capacity(postings.len() + self.added.len());
        let mut mismatches = 0;
        let (mut removed, mut added) = (self.removed.iter().peekable(), self.added.iter().peekable());
        for posting in postings {
            while removed.next_if(|removed| removed.key < posting.key).is_some() {
                mismatches += 1;
            }
            while let Some(earlier) = added.next_if(|added| added.key < posting.key) {
                edited.push(*earlier);
            }
            let old = removed.next_if(|removed| removed.key == posting.key);
            let new = added.next_if(|added| added.key == posting.key);
            let fits = old.map_or(new.is_none(), |old| old == posting);
            mismatches += usize::from(!fits);
            match (old, new) {
                (None, None) => edited.push(*posting),
                (_, new) => edited.extend(new),
            }
        }
        edited.extend(added);
        (edited, mismatches + removed.count())
    }
}

/// Splits postings into those before a key and the others.
pub(super) fn split_before(postings: &[Posting], end: PostingKey) -> (&[Posting], &[Posting]) {
    postings.split_at(postings.partition_point(|posting| posting.key < end))
}
