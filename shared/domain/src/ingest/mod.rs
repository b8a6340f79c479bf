//! Report of an object of reviews: each of its rows counts once, however often it is delivered.
//!
//! An object is split into segments of lines. A [`SegmentReport`] knows the rows of its segment that are settled, and counts them. The
//! report of the object is the sum of its segments, once all of them are complete. `shared/docs/ingest.md` has the protocol.

pub mod delivery;
mod version;

use std::ops::AddAssign;

use crate::review::RowOutcome;
pub use version::ObjectVersion;

/// Maximum number of lines between the first row of a segment and its last one. Its bitmap takes 2 KB, so that a write of the segment's
/// report costs three units.
pub const MAX_SEGMENT_LINES: u64 = 16_384;

/// Number of rows by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportCounts {
    /// Rows that made a review.
    pub created: u64,
    /// Rows that changed a review.
    pub updated: u64,
    /// Rows that changed nothing.
    pub unchanged: u64,
    /// Rows that break a rule.
    pub rejected: u64,
}

impl ReportCounts {
    /// Returns the number of all rows.
    pub fn rows(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.rejected
    }

    fn count(&mut self, result: RowResult) {
        match result {
            RowResult::Accepted(RowOutcome::Created) => self.created += 1,
            RowResult::Accepted(RowOutcome::Updated) => self.updated += 1,
            RowResult::Accepted(RowOutcome::Unchanged) => self.unchanged += 1,
            RowResult::Rejected => self.rejected += 1,
        }
    }
}

impl AddAssign for ReportCounts {
    fn add_assign(&mut self, other: Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.rejected += other.rejected;
    }
}

/// Result of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowResult {
    /// The row is stored, or nothing newer than what is stored.
    Accepted(RowOutcome),
    /// The row breaks a rule.
    Rejected,
}

/// Rows of a segment that are settled, with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentReport {
    /// Number of rows in the segment; `None` until the splitter has reached its end.
    pub rows: Option<u64>,
    /// Counts of the settled rows.
    pub counts: ReportCounts,
    /// One bit for each line from the first one of the segment on, lowest first. Bits at the end may be missing.
    pub settled: Vec<u8>,
}

impl SegmentReport {
    /// True if the row at this offset from the first line of the segment is settled.
    pub fn is_settled(&self, offset: u64) -> bool {
        let (byte, bit) = position(offset);
        self.settled.get(byte).is_some_and(|bits| bits & bit != 0)
    }

    /// Counts a row, unless it is settled. The first result stands. Returns true if it counted.
    ///
    /// An offset from [`MAX_SEGMENT_LINES`] on is in no segment, and does not count.
    pub fn record_outcome(&mut self, offset: u64, result: RowResult) -> bool {
        if offset >= MAX_SEGMENT_LINES || self.is_settled(offset) {
            return false;
        }
        let (byte, bit) = position(offset);
        if self.settled.len() <= byte {
            self.settled.resize(byte + 1, 0);
        }
        self.settled[byte] |= bit;
        self.counts.count(result);
        true
    }

    /// True if all rows of the segment are settled.
    pub fn is_complete(&self) -> bool {
        self.rows == Some(self.counts.rows())
    }
}

fn position(offset: u64) -> (usize, u8) {
    (usize::try_from(offset / 8).unwrap_or(usize::MAX), 1 << (offset % 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_counts_once_and_its_first_result_stands() {
        let mut report = SegmentReport::default();
        assert!(report.record_outcome(9, RowResult::Accepted(RowOutcome::Created)));
        assert!(!report.record_outcome(9, RowResult::Rejected));
        assert!(report.record_outcome(0, RowResult::Rejected));
        assert_eq!(report.counts, ReportCounts { created: 1, rejected: 1, ..ReportCounts::default() });
        assert_eq!(ReportCounts { created: 1, updated: 2, unchanged: 4, rejected: 8 }.rows(), 15);
        assert!(report.is_settled(9) && report.is_settled(0) && !report.is_settled(8) && !report.is_settled(16));
        assert_eq!(report.settled, [1, 2]);
    }

    #[test]
    fn a_segment_is_complete_when_its_end_is_known_and_all_rows_are_settled() {
        let mut report = SegmentReport::default();
        report.record_outcome(0, RowResult::Rejected);
        assert!(!report.is_complete(), "its end is not known");
        report.rows = Some(2);
        assert!(!report.is_complete());
        report.record_outcome(3, RowResult::Accepted(RowOutcome::Unchanged));
        assert!(report.is_complete(), "blank lines are no rows");
        assert!(!report.record_outcome(MAX_SEGMENT_LINES, RowResult::Rejected));
    }
}
