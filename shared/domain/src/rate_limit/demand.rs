//! Count of the requests that a function lately received with a key.

use jiff::{SignedDuration, Timestamp};

/// Requests of a key in a sliding window, counted by the present and the previous window of the same length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    /// Number of the present window, since 1970.
    window: i128,
    current: u32,
    previous: u32,
}

impl Demand {
    /// Counts a request.
    pub(super) fn count(&mut self, now: Timestamp, length: SignedDuration) {
        self.slide(now, length);
        self.current = self.current.saturating_add(1);
    }

    /// Returns the number of requests during the last window's length. Requests of the previous window count by the share of it that
    /// is still in the length.
    pub(super) fn recent(&mut self, now: Timestamp, length: SignedDuration) -> u32 {
        self.slide(now, length);
        let length = length.as_micros();
        let left = length - i128::from(now.as_microsecond()).rem_euclid(length);
        let previous = i128::from(self.previous) * left / length;
        self.current.saturating_add(u32::try_from(previous).unwrap_or(u32::MAX))
    }

    fn slide(&mut self, now: Timestamp, length: SignedDuration) {
        let window = i128::from(now.as_microsecond()).div_euclid(length.as_micros());
        if window != self.window {
            self.previous = if window == self.window + 1 { self.current } else { 0 };
            self.current = 0;
            self.window = window;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_leave_the_count_as_their_window_slides_away() {
        let length = SignedDuration::from_secs(5);
        let at = |seconds| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        let mut demand = Demand::default();
        for _ in 0..10 {
            demand.count(at(100), length);
        }
        for (seconds, recent) in [(100, 10), (104, 10), (105, 10), (106, 8), (109, 2), (110, 0), (200, 0)] {
            assert_eq!(demand.recent(at(seconds), length), recent, "{seconds}");
        }
    }

    #[test]
    fn a_clock_that_was_turned_back_starts_a_new_count() {
        let length = SignedDuration::from_secs(5);
        let mut demand = Demand::default();
        demand.count(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(100), length);
        assert_eq!(demand.recent(Timestamp::UNIX_EPOCH, length), 0);
    }
}
