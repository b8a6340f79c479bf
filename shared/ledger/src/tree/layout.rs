//! Sizes of trees, and the calendar spans of their periods.

use crate::{Posting, PostingKey, ReviewSet, TreeKey};
use presence_domain::calendar::Month;

/// Maximum number of postings of a leaf. They take some 14 bytes each, so that a leaf is one unit of an eventual read of 4 KB.
pub const LEAF_MAX: usize = 280;
/// Number of postings below which a leaf is merged with a neighbour, if both together have at most [`LEAF_MAX`].
pub(super) const LEAF_MIN: usize = 70;
/// Number of postings of the leaves of a new period, if they fill several. They have room for late reviews.
pub(super) const LEAF_FILL: usize = 256;
/// Maximum number of leaves of a period without branches.
pub(super) const PLAIN_LEAVES_MAX: usize = 4;
/// Maximum number of leaves of a branch.
pub(super) const BRANCH_MAX: usize = 256;
/// Number of leaves of a branch below which it is merged with a neighbour, if both together have at most [`BRANCH_MAX`].
pub(super) const BRANCH_MIN: usize = 64;
/// Number of leaves of the branches of a new period, if they fill several.
pub(super) const BRANCH_FILL: usize = 224;
/// Number of postings from which a period of several months of an organisation is split into shorter ones. Statistics by month
/// read nothing but the root then.
pub(super) const ORG_PERIOD_SPLIT: i64 = 64;
/// The same for all other trees: a period is nearly a leaf. A fold puts hundreds of their roots, which are the shorter for it.
pub(super) const PERIOD_SPLIT: i64 = 256;
/// Number of postings from which a set of an organisation or city has trees of single facet keys.
pub const FACETS_FROM: i64 = 5_000;

/// Sizes of a tree that depend on the set it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// Maximum number of postings that the root holds itself. When there are more, half of the limit stays.
    pub recent_max: usize,
    /// Maximum number of the oldest postings that the root has copies of.
    pub oldest_max: usize,
    /// Number of postings from which a period of several months is split into shorter ones. Neighbouring periods are merged into
    /// the span that holds both below three eighths of it.
    pub period_split: i64,
}

/// Number of the oldest postings that the root of an organisation has copies of: two usual pages of 30. So the second one takes no round
/// trip more than the first. They take some 800 bytes.
const OLDEST_OF_ORG: usize = 64;

impl TreeLimits {
    /// Returns the limits of a tree with this number of postings.
    pub fn of(tree: &TreeKey, postings: i64) -> Self {
        let postings = usize::try_from(postings).unwrap_or(0);
        let small = Self { recent_max: 64, oldest_max: 0, period_split: PERIOD_SPLIT };
        match (&tree.set, tree.facet_key) {
            (ReviewSet::Org(_), None) => {
                Self { recent_max: 512, oldest_max: OLDEST_OF_ORG, period_split: ORG_PERIOD_SPLIT }
            }
            (ReviewSet::City(..), None) => Self { recent_max: (postings / 32).clamp(64, 512), ..small },
            _ => small,
        }
    }

    /// Returns the number of postings below which neighbouring periods are merged into the span that holds both.
    pub(super) fn period_merge(self) -> i64 {
        self.period_split * 3 / 8
    }
}

/// Span of a period: 12, 6, 3 or 1 months, aligned within the year. Two spans never overlap in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonthSpan {
    /// First month.
    pub first: Month,
    /// Number of months: 12, 6, 3 or 1.
    pub months: u8,
}

impl MonthSpan {
    /// Lengths of spans, longest first.
    pub const LENGTHS: [u8; 4] = [12, 6, 3, 1];

    /// Returns the span of a length that contains a month.
    pub fn containing(month: Month, months: u8) -> Self {
        let first = Month::from_number(month.number().div_euclid(i64::from(months)) * i64::from(months));
        Self { first, months }
    }

    /// True if the span contains the month.
    pub fn contains(self, month: Month) -> bool {
        self.first <= month && month < self.next_month()
    }

    /// Returns the shorter spans of one length that make up this one, ascending.
    pub fn split(self, months: u8) -> impl Iterator<Item = Self> {
        let firsts = (self.first.number()..self.next_month().number()).step_by(usize::from(months));
        firsts.map(move |first| Self { first: Month::from_number(first), months })
    }

    /// Returns the first month behind the span.
    pub fn next_month(self) -> Month {
        Month::from_number(self.first.number() + i64::from(self.months))
    }

    /// Returns the first key of the span.
    #[must_use]
    pub fn start(self) -> PostingKey {
        match self.first {
            first if first <= Month::MIN => PostingKey::FIRST,
            first => PostingKey::at(first.first_day().start()),
        }
    }

    /// Returns the first key behind the span.
    pub fn end(self) -> PostingKey {
        match self.next_month() {
            next if next > Month::MAX => PostingKey::END,
            next => PostingKey::at(next.first_day().start()),
        }
    }

    /// Splits ascending postings, the first of which is in the span, into those of the span and the later ones.
    pub fn split_off(self, postings: &[Posting]) -> (&[Posting], &[Posting]) {
        let end = self.end();
        // The first one is taken whatever the calendar says, so that loops over spans end.
        postings.split_at(postings.partition_point(|posting| posting.key < end).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::posting_at;
    use presence_domain::ids::{BusinessId, OrgId};
    use presence_domain::review::FacetKey;

    #[test]
    fn limits_follow_from_the_set_and_those_of_a_city_from_its_postings() {
        let org = OrgId::new(1).expect("an id");
        let city = || ReviewSet::City(org, "lyon".to_owned());
        let business = ReviewSet::Business(org, BusinessId::parse("b1").expect("an id"));
        let facet = FacetKey::from_number(3);
        for (set, facet_key, postings, recent_max, oldest_max, period_split) in [
            (ReviewSet::Org(org), None, 0, 512, 64, 64),
            (ReviewSet::Org(org), facet, 1_000_000, 64, 0, 256),
            (city(), None, -1, 64, 0, 256),
            (city(), None, 3_200, 100, 0, 256),
            (city(), None, 1_000_000, 512, 0, 256),
            (city(), facet, 1_000_000, 64, 0, 256),
            (business, None, 1_000_000, 64, 0, 256),
        ] {
            let limits = TreeLimits::of(&TreeKey { set, facet_key }, postings);
            assert_eq!(limits, TreeLimits { recent_max, oldest_max, period_split }, "{postings}");
        }
    }

    #[test]
    fn periods_are_merged_below_three_eighths_of_the_number_that_splits_them() {
        for (period_split, period_merge) in [(ORG_PERIOD_SPLIT, 24), (PERIOD_SPLIT, 96)] {
            let limits = TreeLimits { recent_max: 64, oldest_max: 0, period_split };
            assert_eq!(limits.period_merge(), period_merge);
        }
    }

    #[test]
    fn spans_begin_and_end_with_their_months_and_with_the_calendar() {
        let of = |first| MonthSpan { first, months: 1 };
        assert_eq!((of(Month::MIN).start(), of(Month::MAX).end()), (PostingKey::FIRST, PostingKey::END));
        let span = of(Month::from_number(2_024 * 12));
        let end = span.end().effective_at;
        let postings = [end - 2, end - 1, end].map(posting_at);
        assert_eq!(span.split_off(&postings), postings.split_at(2));
    }
}
