//! Limit on the rejected rows of an import.

use crate::import_error::ImportError;

/// Number of rows after which an import stops if all of them are rejected: the file is most likely the wrong one.
const FIRST_ROWS: u64 = 100;
/// Number of different reasons that the error quotes.
const QUOTED_REASONS: usize = 3;

/// Limit on the rejected rows of an import, and the first reasons.
#[derive(Debug)]
pub(super) struct ErrorLimit {
    /// Number of rejected rows at which the import stops; `None` for the limit on the first rows.
    max_errors: Option<u64>,
    rejected: u64,
    /// First lines with different reasons.
    reasons: Vec<(u64, String)>,
}

impl ErrorLimit {
    pub(super) fn new(max_errors: Option<u64>) -> Self {
        Self { max_errors, rejected: 0, reasons: Vec::new() }
    }

    /// Records a rejected row.
    pub(super) fn record(&mut self, line_number: u64, reason: &str) {
        self.rejected += 1;
        if self.reasons.len() < QUOTED_REASONS && self.reasons.iter().all(|(_, known)| known != reason) {
            self.reasons.push((line_number, reason.to_owned()));
        }
    }

    /// Returns the error if the limit is reached after this number of rows, rejected or not.
    pub(super) fn check(&self, rows: u64) -> Result<(), ImportError> {
        let rejected = self.rejected;
        let text = match self.max_errors {
            Some(max) if rejected >= max => format!("{rejected} rows are rejected, the limit of --max-errors"),
            None if rejected >= FIRST_ROWS && rejected >= rows => {
                format!("all of the first {rejected} rows are rejected; to go on all the same, give --max-errors N")
            }
            _ => return Ok(()),
        };
        let reasons: Vec<_> = self.reasons.iter().map(|(line, reason)| format!("line {line}: {reason}")).collect();
        Err(ImportError::TooManyRejected(format!("{text}. First reasons: {}", reasons.join("; "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of rows after which an import stops. `is_rejected` tells of each row.
    fn stops_after(max_errors: Option<u64>, is_rejected: impl Fn(u64) -> bool) -> Option<u64> {
        let mut limit = ErrorLimit::new(max_errors);
        (1..=1_000).find(|row| {
            if is_rejected(*row) {
                limit.record(*row, "no");
            }
            limit.check(*row).is_err()
        })
    }

    #[test]
    fn import_stops_at_the_limit_or_after_a_hundred_rejected_rows_without_another() {
        for (case, max_errors, stops) in [
            ("all", None, Some(100)),
            ("all", Some(1), Some(1)),
            ("all", Some(500), Some(500)),
            ("all", Some(2_000), None),
        ] {
            assert_eq!(stops_after(max_errors, |_| true), stops, "{case} rejected, {max_errors:?}");
        }
        assert_eq!(stops_after(None, |row| row != 50), None, "one of the first hundred is taken");
        assert_eq!(stops_after(None, |row| row != 101), Some(100));
        assert_eq!(stops_after(Some(7), |row| row % 10 == 0), Some(70));
    }

    #[test]
    fn error_quotes_the_first_three_reasons_with_their_lines() {
        let mut limit = ErrorLimit::new(Some(5));
        for (line, reason) in [(2, "a"), (3, "a"), (5, "b"), (8, "c"), (9, "d")] {
            limit.record(line, reason);
        }
        let error = limit.check(9).expect_err("five rows are rejected");
        assert_eq!(
            error.to_string(),
            "5 rows are rejected, the limit of --max-errors. First reasons: line 2: a; line 5: b; line 8: c"
        );
    }
}
