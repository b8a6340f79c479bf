//! Where a page lies: time cut into buckets, each with a count.

use std::collections::BTreeMap;

use super::item::Posting;
use presence_domain::ledger::{Day, FacetCounts, FacetMask, Month};

/// A stretch of time whose reviews were counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// A whole month.
    Month(Month),
    /// A whole day.
    Day(Day),
    /// The part of a day that lies in the range asked for; its slips are always known.
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

/// The reviews of one span, in all books of the search.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    pub(super) span: Span,
    /// One for each book, by its position.
    pub(super) tallies: BTreeMap<usize, FacetCounts>,
    /// Those that match, once they were read.
    pub(super) slips: Option<Vec<Posting>>,
}

impl Bucket {
    /// One that is known by its tallies only.
    pub(super) fn new(span: Span) -> Self {
        Self { span, tallies: BTreeMap::new(), slips: None }
    }

    /// One whose matching reviews are known.
    pub(super) fn with_slips(span: Span, slips: Vec<Posting>) -> Self {
        Self { span, tallies: BTreeMap::new(), slips: Some(slips) }
    }

    /// How many reviews match: by the slips where they were read, else by the tallies.
    pub(super) fn count(&self, mask: FacetMask) -> u64 {
        match &self.slips {
            Some(slips) => slips.len() as u64,
            None => self.tallied(mask),
        }
    }

    /// How many match by the tallies.
    pub(super) fn tallied(&self, mask: FacetMask) -> u64 {
        u64::try_from(self.tallies.values().map(|tally| tally.count(mask)).sum::<i64>()).unwrap_or_default()
    }
}

/// Orders buckets as the answer is ordered.
pub(super) fn order(buckets: &mut [Bucket], newest_first: bool) {
    buckets.sort_by_key(|bucket| bucket.span.start());
    if newest_first {
        buckets.reverse();
    }
}

/// The positions of the buckets that a part of the answer lies in, without those that have none of it, and how many matches come before the first of them.
pub(super) fn overlapping(buckets: &[Bucket], mask: FacetMask, range: &std::ops::Range<u64>) -> (Vec<usize>, u64) {
    let (mut positions, mut before) = (Vec::new(), 0);
    let mut start = 0;
    for (position, bucket) in buckets.iter().enumerate() {
        let end = start + bucket.count(mask);
        if start < end && start < range.end && range.start < end {
            if positions.is_empty() {
                before = start;
            }
            positions.push(position);
        }
        start = end;
    }
    (positions, before)
}

/// The buckets of several books as one list: a span that several have becomes one bucket.
pub(super) fn merge(buckets: impl Iterator<Item = Bucket>) -> Vec<Bucket> {
    let mut merged: Vec<Bucket> = Vec::new();
    for bucket in buckets {
        match merged.iter_mut().find(|other| other.span == bucket.span) {
            Some(other) => {
                other.tallies.extend(bucket.tallies);
                other.slips = match (other.slips.take(), bucket.slips) {
                    (None, None) => None,
                    (one, another) => Some(one.into_iter().chain(another).flatten().collect()),
                };
            }
            None => merged.push(bucket),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::ledger::FacetKey;

    #[test]
    fn a_bucket_without_matches_holds_nothing_of_a_page() {
        let counted = |(number, count): (i64, i64)| {
            let mut bucket = Bucket::new(Span::Day(Day::of(number * 86_400)));
            let mut tally = FacetCounts::default();
            tally.add(FacetKey::from_number(0).expect("a cell"), count);
            bucket.tallies.insert(0, tally);
            bucket
        };
        let buckets: Vec<Bucket> = (0..).zip([0, 3, 0, 0, 2, 0]).map(counted).collect();
        for (range, positions, before) in
            [(0..5, vec![1, 4], 0), (0..3, vec![1], 0), (3..5, vec![4], 3), (2..4, vec![1, 4], 0)]
        {
            assert_eq!(overlapping(&buckets, FacetMask::ALL, &range), (positions, before), "{range:?}");
        }
        assert_eq!(overlapping(&buckets, FacetMask::ALL, &(5..5)).0, Vec::<usize>::new());
    }
}
