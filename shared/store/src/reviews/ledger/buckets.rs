//! Buckets: the matches of a search, grouped by spans of time.
//!
//! A bucket begins as counts. Only the buckets that the page lies in are expanded, until their postings are known.

use std::collections::BTreeMap;
use std::ops::Range;

use super::item::Posting;
use presence_domain::ledger::{Day, FacetCounts, FacetMask, Month, ReviewSet};

/// A span of time with counts or postings of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Span {
    /// A whole month.
    Month(Month),
    /// A whole day.
    Day(Day),
    /// The part of a day that lies in the range of the search. No counts exist for it, so its postings are always read.
    PartialDay(Day),
}

impl Span {
    fn start(self) -> i64 {
        match self {
            Self::Month(month) => month.first_day().start(),
            Self::Day(day) | Self::PartialDay(day) => day.start(),
        }
    }
}

/// The matches of one span, in all review sets of the search.
#[derive(Clone, Debug)]
pub(super) struct Bucket<'a> {
    pub(super) span: Span,
    /// Facet counts of the span, in each review set that has some.
    pub(super) counts: Vec<(&'a ReviewSet, FacetCounts)>,
    /// Matching postings of the span; `None` until they are read.
    pub(super) postings: Option<Vec<Posting>>,
}

impl<'a> Bucket<'a> {
    /// Returns a bucket of one review set that is known by its counts.
    pub(super) fn with_counts(span: Span, set: &'a ReviewSet, counts: FacetCounts) -> Self {
        Self { span, counts: vec![(set, counts)], postings: None }
    }

    /// Returns a bucket that is known by its postings.
    pub(super) fn with_postings(span: Span, postings: Vec<Posting>) -> Self {
        Self { span, counts: Vec::new(), postings: Some(postings) }
    }

    /// Returns the number of matches: of the postings if they are read, otherwise by the counts.
    pub(super) fn count(&self, mask: FacetMask) -> u64 {
        match &self.postings {
            Some(postings) => postings.len() as u64,
            None => self.expected_count(mask),
        }
    }

    /// Returns the number of matches by the counts, whether postings are read or not.
    pub(super) fn expected_count(&self, mask: FacetMask) -> u64 {
        let sum: i64 = self.counts.iter().map(|(_, counts)| counts.count(mask)).sum();
        // Only a damaged ledger has negative counts.
        u64::try_from(sum).unwrap_or_default()
    }

    /// True if the bucket is a month whose postings are not read.
    pub(super) fn is_unread_month(&self) -> bool {
        matches!(self.span, Span::Month(_)) && self.postings.is_none()
    }

    /// Adds the counts and postings of other review sets in the same span.
    fn absorb(&mut self, other: Self) {
        self.counts.extend(other.counts);
        match &mut self.postings {
            Some(postings) => postings.extend(other.postings.into_iter().flatten()),
            None => self.postings = other.postings,
        }
    }
}

/// Merges the buckets of several review sets: one bucket for each span.
pub(super) fn merge_buckets<'a>(buckets: impl Iterator<Item = Bucket<'a>>) -> Vec<Bucket<'a>> {
    let mut merged: BTreeMap<Span, Bucket<'a>> = BTreeMap::new();
    for bucket in buckets {
        match merged.get_mut(&bucket.span) {
            Some(same_span) => same_span.absorb(bucket),
            None => drop(merged.insert(bucket.span, bucket)),
        }
    }
    merged.into_values().collect()
}

/// Sorts buckets by time, as the answer is sorted.
pub(super) fn sort_buckets(buckets: &mut [Bucket<'_>], newest_first: bool) {
    buckets.sort_by_key(|bucket| bucket.span.start());
    if newest_first {
        buckets.reverse();
    }
}

/// The sorted buckets of a search, split at the first and the last bucket that hold matches of the page.
#[derive(Debug, Default)]
pub(super) struct PageBuckets<'a> {
    pub(super) before: Vec<Bucket<'a>>,
    pub(super) on_page: Vec<Bucket<'a>>,
    pub(super) after: Vec<Bucket<'a>>,
    /// Number of matches in `before`.
    pub(super) matches_before: u64,
}

impl<'a> PageBuckets<'a> {
    /// Splits sorted buckets for a page, which is a range of positions in the list of all matches.
    ///
    /// Buckets without matches are dropped: they add nothing to the count, and reading them would cost units.
    pub(super) fn locate(buckets: Vec<Bucket<'a>>, mask: FacetMask, page: &Range<u64>) -> Self {
        let mut located = Self::default();
        let mut position = 0;
        for bucket in buckets {
            let (start, end) = (position, position + bucket.count(mask));
            position = end;
            if start == end {
                continue;
            }
            if end <= page.start {
                located.before.push(bucket);
                located.matches_before = end;
            } else if start < page.end {
                located.on_page.push(bucket);
            } else {
                located.after.push(bucket);
            }
        }
        located
    }

    /// True if the postings of every bucket on the page are read.
    pub(super) fn is_loaded(&self) -> bool {
        self.on_page.iter().all(|bucket| bucket.postings.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::ids::OrgId;
    use presence_domain::ledger::FacetKey;

    #[test]
    fn a_bucket_without_matches_is_not_on_a_page() {
        let set = ReviewSet::Org(OrgId::new(1).expect("an id"));
        let day = |number: i64| Day::of(number * 86_400);
        let bucket = |(number, count): (i64, i64)| {
            let mut counts = FacetCounts::default();
            counts.add(FacetKey::from_number(0).expect("a facet key"), count);
            Bucket::with_counts(Span::Day(day(number)), &set, counts)
        };
        let buckets: Vec<Bucket<'_>> = (0..).zip([0, 3, 0, 0, 2, 0]).map(bucket).collect();
        for (page, days, matches_before) in
            [(0..5, vec![1, 4], 0), (0..3, vec![1], 0), (3..5, vec![4], 3), (2..4, vec![1, 4], 0), (5..5, vec![], 5)]
        {
            let located = PageBuckets::locate(buckets.clone(), FacetMask::ALL, &page);
            let spans: Vec<Span> = located.on_page.iter().map(|bucket| bucket.span).collect();
            let expected: Vec<Span> = days.into_iter().map(|number| Span::Day(day(number))).collect();
            assert_eq!((spans, located.matches_before), (expected, matches_before), "{page:?}");
        }
    }
}
