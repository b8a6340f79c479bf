//! Estimates of read units, to choose the cheaper way of reading postings.
//!
//! Counts are known before postings are read, so their size can be estimated. A wrong estimate costs units or a wave; it
//! never changes a result.

use crate::keys::POSTING_SHARDS;
use presence_domain::ledger::{FacetCounts, FacetKey, FacetMask};

/// Bytes of a posting: the id, and a number of up to five digits.
const POSTING_BYTES: i64 = 16;
/// Bytes of one facet count in the counts item of a day: the name, and a number of one to four digits.
const COUNT_BYTES: i64 = 5;
/// Bytes of an item's key with the names of its attributes, for a review set whose key has ten bytes.
const KEY_BYTES: i64 = 32;
/// Bytes of one read unit of a strongly consistent read.
const UNIT_BYTES: i64 = 4_096;
/// Maximum number of days in a month.
const DAYS_OF_MONTH: i64 = 31;

/// True if reading all postings of a month costs no more units than reading its days first.
///
/// The other way reads the counts of the days, then the postings of each day that the page touches. Reading the whole month
/// saves a wave. `counts` are the month's counts in each review set, `page_size` is in reviews.
pub(super) fn is_whole_month_cheaper<'a>(
    counts: impl Iterator<Item = &'a FacetCounts>,
    mask: FacetMask,
    page_size: i64,
) -> bool {
    let (mut whole_month, mut by_days) = (0, 0);
    for counts in counts {
        let posting_bytes: i64 = counts.nonzero().map(|(_, count)| posting_bytes(count, DAYS_OF_MONTH)).sum();
        whole_month += units(posting_bytes);
        let count_bytes: i64 = counts.nonzero().map(|(_, count)| count.min(DAYS_OF_MONTH) * COUNT_BYTES).sum();
        let touched_days = touched_days(counts.count(mask), page_size);
        by_days += units(DAYS_OF_MONTH * KEY_BYTES + count_bytes) + touched_days;
    }
    whole_month <= by_days
}

/// Returns the number of days of a month that a page touches, if its matches are spread evenly over the days.
fn touched_days(matches: i64, page_size: i64) -> i64 {
    let days = if matches > page_size { page_size * DAYS_OF_MONTH / matches + 1 } else { matches };
    days.min(DAYS_OF_MONTH)
}

/// Returns the runs of facet keys to read for a mask, given the counts of the day.
///
/// Runs without reviews are left out. Two runs become one if the postings between them are less than a read unit: every
/// Query costs at least one unit, so reading them too is no more expensive.
pub(super) fn runs_to_read(mask: FacetMask, counts: &FacetCounts) -> Vec<(FacetKey, FacetKey)> {
    let mut runs: Vec<(FacetKey, FacetKey)> = Vec::new();
    for (first, last) in mask.runs() {
        if !counts.nonzero().any(|(key, _)| first <= key && key <= last) {
            continue;
        }
        match runs.last_mut() {
            Some((_, end)) if bytes_between(counts, *end, first) < UNIT_BYTES => *end = last,
            _ => runs.push((first, last)),
        }
    }
    runs
}

/// Returns the bytes of a day's postings between two facet keys, both excluded.
fn bytes_between(counts: &FacetCounts, after: FacetKey, before: FacetKey) -> i64 {
    let between = counts.nonzero().filter(|(key, _)| after < *key && *key < before);
    between.map(|(_, count)| posting_bytes(count, 1)).sum()
}

/// Returns the bytes of the postings of one facet key within a number of days: the postings and the keys of their items.
fn posting_bytes(reviews: i64, days: i64) -> i64 {
    let items = reviews.min(days * i64::from(POSTING_SHARDS));
    reviews * POSTING_BYTES + items * KEY_BYTES
}

/// Returns the read units of one Query that reads this number of bytes.
fn units(bytes: i64) -> i64 {
    bytes / UNIT_BYTES + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns counts with these numbers for the first facet keys.
    fn counts(numbers: &[i64]) -> FacetCounts {
        let mut counts = FacetCounts::default();
        for (key, count) in (0..).zip(numbers) {
            counts.add(FacetKey::from_number(key).expect("a facet key"), *count);
        }
        counts
    }

    fn mask(numbers: &[u8]) -> FacetMask {
        FacetMask::from_predicate(|state, rating, partner, content| {
            numbers.contains(&FacetKey::new(state, rating, partner, content).number())
        })
    }

    #[test]
    fn a_sparse_month_is_read_whole_and_a_full_one_by_days() {
        let is_whole = |numbers: &[i64], wanted: &[u8]| {
            is_whole_month_cheaper(std::iter::once(&counts(numbers)), mask(wanted), 30)
        };
        assert!(is_whole(&[100], &[0]), "two units, compared with one unit and then nine days");
        assert!(!is_whole(&[1_500, 1], &[0]), "one or two days hold the page");
        assert!(!is_whole(&[1_500, 1], &[1]), "one day holds the only match");
        assert!(is_whole(&[30, 1], &[1]), "all postings are one unit");
    }

    #[test]
    fn runs_are_merged_if_few_postings_lie_between_them() {
        let runs = |numbers: &[i64]| {
            let runs = runs_to_read(mask(&[0, 2, 80]), &counts(numbers));
            runs.into_iter().map(|(first, last)| (first.number(), last.number())).collect::<Vec<_>>()
        };
        assert_eq!(runs(&[1, 5, 1]), [(0, 2)]);
        assert_eq!(runs(&[1, 500, 1]), [(0, 0), (2, 2)]);
        assert_eq!(runs(&[0, 500, 1]), [(2, 2)]);
    }
}
