//! When a user may be invited.

use jiff::{SignedDuration, Timestamp};

/// One invitation is sent to a user in this time, whichever operation asks for it.
pub const WINDOW: SignedDuration = SignedDuration::from_secs(300);

/// The first instant, not before `now`, at which a user may be sent an invitation, after the last one that was
/// accepted for sending. Exactly [`WINDOW`] later is allowed.
#[must_use]
pub fn earliest(invited_at: Option<Timestamp>, now: Timestamp) -> Timestamp {
    invited_at.map_or(now, |invited_at| now.max(invited_at + WINDOW))
}

/// Whole seconds from `now` until `instant`, rounded up; 0 when it has come.
#[must_use]
pub fn seconds_until(instant: Timestamp, now: Timestamp) -> i64 {
    let milliseconds = instant.as_millisecond() - now.as_millisecond();
    if milliseconds <= 0 { 0 } else { (milliseconds - 1) / 1000 + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_ends_after_exactly_300_seconds() {
        let start = Timestamp::from_second(1_000).expect("a valid instant");
        let later = |milliseconds| start + SignedDuration::from_millis(milliseconds);
        assert_eq!(earliest(None, start), start);
        assert_eq!(earliest(Some(start), later(300_000)), later(300_000));
        assert_eq!(earliest(Some(start), later(299_999)), later(300_000));
        assert_eq!(seconds_until(later(300_000), later(299_999)), 1);
        assert_eq!(seconds_until(later(300_000), later(299_000)), 1);
        assert_eq!(seconds_until(later(300_000), later(298_999)), 2);
        assert_eq!(seconds_until(start, later(5)), 0);
    }
}
