//! Figures of the ledger's first edition, measured before it was replaced. Its searches, reviews and pages were the same.

use super::search::Search;

/// Numbers of reviews of the figures.
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// Read units of each search.
const READ_UNITS: [(&str, [f64; 4]); 29] = [
    ("no filter, page 1", [37.0, 39.0, 45.0, 68.0]),
    ("no filter, middle page", [36.0, 39.0, 45.0, 71.0]),
    ("no filter, last page", [15.0, 18.0, 24.0, 38.0]),
    ("rating 5, page 1", [37.0, 40.0, 44.0, 56.0]),
    ("rating 5, last page", [8.0, 17.0, 20.0, 43.0]),
    ("not treated, page 1", [37.0, 40.0, 43.0, 52.0]),
    ("not treated, last page", [24.0, 29.0, 13.0, 37.0]),
    ("with content, page 1", [37.0, 39.0, 45.0, 66.0]),
    ("with content, last page", [30.0, 13.0, 44.0, 28.0]),
    ("0.15 % filter, page 1", [39.0, 85.0, 61.0, 45.0]),
    ("0.15 % filter, last page", [39.0, 12.0, 22.0, 24.0]),
    ("rarest facets, page 1", [4.0, 13.0, 121.0, 70.0]),
    ("rarest facets, last page", [4.0, 13.0, 18.0, 60.0]),
    ("city of 30 %, page 1", [34.0, 38.0, 42.0, 52.0]),
    ("city of 30 %, last page", [34.0, 34.0, 21.0, 20.0]),
    ("city of 3 %, page 1", [36.0, 34.0, 38.0, 41.0]),
    ("city of 3 %, last page", [34.0, 20.0, 13.0, 11.0]),
    ("city of 0.3 %, page 1", [45.0, 36.0, 34.0, 38.0]),
    ("city of 0.3 %, last page", [45.0, 28.0, 24.0, 18.0]),
    ("city of 0.03 %, page 1", [3.0, 49.0, 37.0, 34.0]),
    ("city of 0.03 %, last page", [3.0, 49.0, 4.0, 18.0]),
    ("city of 0.003 %, page 1", [1.0, 9.0, 53.0, 37.0]),
    ("city of 0.003 %, last page", [1.0, 9.0, 53.0, 14.0]),
    ("400 days, page 1", [38.0, 36.0, 46.0, 104.0]),
    ("400 days, last page", [41.0, 26.0, 43.0, 104.0]),
    ("one business, page 1", [32.5, 45.5, 45.5, 45.5]),
    ("one business, last page", [12.5, 25.5, 25.5, 25.5]),
    ("20 businesses, page 1", [61.0, 114.5, 524.0, 4_685.0]),
    ("20 businesses, last page", [53.0, 105.5, 504.0, 4_679.0]),
];

/// Cost of writing and storing a review.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstEditionReview {
    /// Number of reviews that were stored.
    total: u64,
    /// Write units of a review that is written alone.
    pub(super) alone: f64,
    /// Write units of a review in an import.
    pub(super) imported: f64,
    /// Bytes of the ledger beside the review.
    pub(super) ledger_bytes: u64,
}

const REVIEWS: [FirstEditionReview; 3] = [
    FirstEditionReview { total: 10_000, alone: 15.0, imported: 10.7, ledger_bytes: 154 },
    FirstEditionReview { total: 100_000, alone: 15.0, imported: 9.5, ledger_bytes: 123 },
    FirstEditionReview { total: 1_000_000, alone: 15.0, imported: 7.8, ledger_bytes: 90 },
];

/// Returns the read units of a search at a number of reviews. None if it was not measured.
pub(super) fn read_units(search: &Search, total: u64) -> Option<f64> {
    let size = SIZES.iter().position(|size| *size == total)?;
    let name = search.name();
    READ_UNITS.iter().find(|(measured, _)| *measured == name).map(|(_, units)| units[size])
}

/// Returns the cost of a review at a number of reviews. None if it was not measured.
pub(super) fn review(total: u64) -> Option<FirstEditionReview> {
    REVIEWS.into_iter().find(|review| review.total == total)
}
