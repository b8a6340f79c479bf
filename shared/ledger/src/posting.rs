//! Postings: the entries of the trees, one for each review.

use super::ReviewNumber;
use presence_domain::review::{FacetCounts, FacetKey, FacetMask};

/// Place of a posting in the order of search results: by effective second, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostingKey {
    /// Effective second since 1970.
    pub effective_at: i64,
    /// Review.
    pub id: ReviewNumber,
}

impl PostingKey {
    /// Key before every posting.
    pub const FIRST: Self = Self { effective_at: i64::MIN, id: ReviewNumber::MIN };
    /// Key behind every posting.
    pub const END: Self = Self { effective_at: i64::MAX, id: ReviewNumber::MAX };

    /// Returns the first key of a second.
    pub fn at(effective_at: i64) -> Self {
        Self { effective_at, id: ReviewNumber::MIN }
    }
}

/// Entry of a tree for one review: enough to filter, order and verify the review without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// Place in the order.
    pub key: PostingKey,
    /// Facets of the review.
    pub facet_key: FacetKey,
    /// Version of the review.
    pub version: u64,
}

impl Posting {
    /// Returns the counts of postings.
    pub fn counts<'a>(postings: impl IntoIterator<Item = &'a Self>) -> FacetCounts {
        let mut counts = FacetCounts::default();
        postings.into_iter().for_each(|posting| counts.add(posting.facet_key, 1));
        counts
    }
}

/// Filter of postings.
#[derive(Clone, Copy, Debug)]
pub struct PostingFilter {
    /// Facets that match.
    pub mask: FacetMask,
    /// First effective second since 1970 that matches.
    pub from: Option<i64>,
    /// Last effective second since 1970 that matches.
    pub to: Option<i64>,
}

impl PostingFilter {
    /// True if the posting matches.
    pub fn admits(&self, posting: &Posting) -> bool {
        self.mask.contains(posting.facet_key) && self.admits_second(posting.key.effective_at)
    }

    /// True if the range of dates contains the second.
    pub fn admits_second(&self, second: i64) -> bool {
        self.from.is_none_or(|from| from <= second) && self.to.is_none_or(|to| second <= to)
    }
}
