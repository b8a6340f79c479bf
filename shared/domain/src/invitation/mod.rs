//! Invitations: when a user may be sent one, how long it is tried, and what the link in it is worth.

mod link;
mod pace;
mod token;

use jiff::SignedDuration;

pub use link::{InvitationLink, InvitationLinks, LinkStanding, LinkState};
pub use pace::{InvitationPace, claimed_until, seconds_until};
pub use token::{ActivationToken, ActivationTokenHash};

/// One invitation is sent to a user, and one to an address, in this time, whichever operation asks for it.
pub const WINDOW: SignedDuration = SignedDuration::from_secs(300);

/// How long a sending may take. Whoever holds a mail longer than this does not send it any more.
pub const SENDING_TIME: SignedDuration = SignedDuration::from_secs(20);

/// A mail is given up at this age, however often it was tried.
pub const MAX_AGE: SignedDuration = SignedDuration::from_hours(24);

/// The pause after a first refusal; it doubles with each further one.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(15);

/// The longest pause after a refusal: when SES takes mails again after hours, they are all sent within this time.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Doublings after which the pause is the longest one.
const MAX_DOUBLINGS: u32 = 8;

/// Returns how long a mail rests after so many attempts.
#[must_use]
pub fn pause_after(attempts: u32) -> SignedDuration {
    let doublings = attempts.saturating_sub(1).min(MAX_DOUBLINGS);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let seconds: Vec<_> = (1..=10).map(|attempts| pause_after(attempts).as_secs()).collect();
        assert_eq!(seconds, [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        assert_eq!(pause_after(u32::MAX), LONGEST_PAUSE);
    }
}
