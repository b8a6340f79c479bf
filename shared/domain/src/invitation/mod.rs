//! Invitations: their pace, the messages that wait in the outbox, the links in the mails, and marks of addresses.

mod address_mark;
mod link;
mod message;
mod origin;
mod pace;
mod token;

use jiff::SignedDuration;

pub use address_mark::{AddressMark, MarkReason};
pub use link::{InvitationLink, InvitationLinks, LinkState, LinkStatus};
pub use message::{DisabledWebhook, MessageState, OutboxMessage, WebhookNotice};
pub use origin::InvitationOrigin;
pub use pace::{InvitationPace, claimed_until, seconds_until};
pub use token::{ActivationToken, ActivationTokenHash, ActivationTokenKind};

/// Time in which at most one invitation is sent to a user, and one to an address, over all operations.
pub const WINDOW: SignedDuration = SignedDuration::from_secs(300);

/// Longest time from the claim of a mail to the end of its sending. A mailer that is slower does not send it any more.
pub const SENDING_TIME: SignedDuration = SignedDuration::from_secs(20);

/// Age at which a mail is given up, however often it was tried.
pub const MAX_AGE: SignedDuration = SignedDuration::from_hours(24);

/// Pause after a first refusal. It doubles with each further one.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(15);

/// Longest pause after a refusal. When SES takes mails again after hours, all are sent within this time.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Number of doublings after which the pause is the longest one.
const MAX_DOUBLINGS: u32 = 8;

/// Returns the pause of a mail after this number of attempts.
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
