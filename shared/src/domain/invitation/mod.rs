//! Invitations: when a user may be sent one, and what the link in it is worth.

mod link;
mod token;

use jiff::{SignedDuration, Timestamp};

pub use link::{InvitationLink, InvitationLinks, LinkStanding, LinkState};
pub use token::{ActivationToken, ActivationTokenHash};

/// One invitation is sent to a user in this time, whichever operation asks for it.
pub const WINDOW: SignedDuration = SignedDuration::from_secs(300);

/// How long a sending may take. Whoever holds a mail longer than this does not send it any more.
pub const SENDING_TIME: SignedDuration = SignedDuration::from_secs(20);

/// How often a mail is tried before it is given up.
pub const MAX_ATTEMPTS: u32 = 8;

/// How long a mail is tried before it is given up.
pub const MAX_AGE: SignedDuration = SignedDuration::from_hours(24);

/// The pause after a first refusal; it doubles with each further one.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(15);

/// The longest pause after a refusal.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// How long a mail rests after so many attempts that were refused.
#[must_use]
pub fn pause_after(attempts: u32) -> SignedDuration {
    let doublings = attempts.saturating_sub(1).min(MAX_ATTEMPTS);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}

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
    fn pauses_double_up_to_ten_minutes() {
        let seconds: Vec<_> = (1..=MAX_ATTEMPTS).map(|attempts| pause_after(attempts).as_secs()).collect();
        assert_eq!(seconds, [15, 30, 60, 120, 240, 480, 600, 600]);
    }

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
