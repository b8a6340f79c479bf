//! Deliveries of the queue: the time of a batch, the return of a message that is not settled, and the end of one that never can be.
//!
//! A message that only lacked time comes back at once, and is received often enough to be settled in the end, however slow the table is. One
//! that fails comes back later each time, and is set aside after [`MAX_RECEIVES`]. The template and the local stack have the same numbers.

use std::time::Duration;

/// Time limit of an invocation.
pub const INVOCATION_TIME: Duration = Duration::from_mins(5);
/// Time for a batch. The rest of the invocation is for calls under way, and for the answer.
pub const BATCH_TIME: Duration = Duration::from_mins(4);
/// Maximum number of messages in a batch: the limit of SQS for FIFO queues.
pub const BATCH_MESSAGES: usize = 10;
/// Time after which a message comes back that nobody gave back, because the function crashed: three invocations.
pub const INVISIBLE_TIME: Duration = Duration::from_mins(15);
/// Number of receives after which a message is set aside. Eight batches of ten messages, with 500 rows of ten units each, are written in
/// 17 receives by a table that takes 100 units a second. A message that fails each time is set aside after two hours.
pub const MAX_RECEIVES: u32 = 30;
/// Time after which a message comes back that failed once; it doubles with each receive.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest such time. An outage that ends is noticed soon, and one of two hours sets nothing aside.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// End of the work on a message that is not settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// The time was over, before the work or in it, or the message waited for one that failed.
    Unfinished,
    /// A write, or another call, failed.
    Failed,
    /// Nobody can read it.
    Unreadable,
}

impl Unsettled {
    /// True if the messages behind this one in its group wait for it, so that they keep their order.
    ///
    /// A message that failed often is alone: those that waited for it would be received as often, and be set aside with it. Their order
    /// decides nothing but counts, because each row has a stamp.
    pub fn stops_group(self, receives: u32) -> bool {
        match self {
            Self::Unfinished => true,
            Self::Failed => receives < MAX_RECEIVES / 2,
            Self::Unreadable => false,
        }
    }

    /// Returns the time after which the message comes back.
    pub fn comes_back_after(self, receives: u32) -> Duration {
        match self {
            Self::Unfinished | Self::Unreadable => Duration::ZERO,
            Self::Failed => {
                let doublings = receives.saturating_sub(1).min(MAX_RECEIVES);
                FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_without_time_comes_back_at_once_and_one_that_fails_later_each_time() {
        // Receives, seconds until it comes back, and whether others wait for it.
        let failed = [(0, 1, true), (1, 1, true), (2, 2, true), (9, 256, true), (10, 300, true), (14, 300, true)];
        for (receives, seconds, stops) in failed.into_iter().chain([(15, 300, false), (u32::MAX, 300, false)]) {
            assert_eq!(Unsettled::Failed.comes_back_after(receives), Duration::from_secs(seconds), "{receives}");
            assert_eq!(Unsettled::Failed.stops_group(receives), stops, "{receives}");
            for (end, stops) in [(Unsettled::Unfinished, true), (Unsettled::Unreadable, false)] {
                assert_eq!((end.comes_back_after(receives), end.stops_group(receives)), (Duration::ZERO, stops));
            }
        }
    }

    #[test]
    fn a_message_survives_an_outage_of_two_hours() {
        let pauses = (1..MAX_RECEIVES).map(|receives| Unsettled::Failed.comes_back_after(receives));
        assert!(pauses.sum::<Duration>() > Duration::from_mins(105));
        assert!(BATCH_TIME < INVOCATION_TIME && INVOCATION_TIME < INVISIBLE_TIME);
    }
}
