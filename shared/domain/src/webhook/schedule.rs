//! Pauses between the attempts at an event.

use jiff::SignedDuration;

/// Number of attempts until an event is given up.
pub const MAX_ATTEMPTS: usize = PAUSES.len() + 1;

/// Time without a delivery after which a webhook that fails is disabled.
pub const DISABLED_AFTER: SignedDuration = SignedDuration::from_hours(5 * 24);

/// Longest pause that an endpoint may ask for.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Pauses after the first attempt and those that follow: 75 hours in all.
const PAUSES: [SignedDuration; 9] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(14),
    SignedDuration::from_hours(20),
    SignedDuration::from_hours(24),
];

/// Returns the pause after this number of failed attempts, from 1; `None` if the event is given up. An endpoint may ask for a longer
/// pause, of a day at most.
pub fn pause_after(attempts: u32, retry_after: Option<SignedDuration>) -> Option<SignedDuration> {
    let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let pause = *PAUSES.get(index)?;
    Some(retry_after.map_or(pause, |wanted| pause.max(wanted.min(MAX_RETRY_AFTER))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_given_up_after_ten_attempts_in_75_hours() {
        let pauses: Vec<_> = (1..).map_while(|attempts| pause_after(attempts, None)).collect();
        let total: SignedDuration = pauses.iter().sum();
        assert_eq!((pauses.len() + 1, total.as_hours()), (MAX_ATTEMPTS, 75));
        assert_eq!(pauses[0], SignedDuration::from_secs(5));
        assert!(pauses.is_sorted());
    }

    #[test]
    fn an_endpoint_may_ask_for_a_longer_pause_of_a_day_at_most() {
        let pause = |seconds| pause_after(1, Some(SignedDuration::from_secs(seconds))).map(|pause| pause.as_secs());
        assert_eq!([-1, 0, 4, 6, 3_600, 1_000_000].map(pause), [5, 5, 5, 6, 3_600, 86_400].map(Some));
        assert_eq!(pause_after(10, Some(SignedDuration::from_secs(1))), None);
    }
}
