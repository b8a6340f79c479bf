//! Rules of repetition.

use std::time::Duration;

/// Bounds and pauses of repeated requests.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retry {
    /// Greatest number of repetitions of one call; 0 turns them off. Default 4.
    pub max_retries: u32,
    /// Upper bound of the first pause. It doubles with each repetition. Default 500 ms.
    pub base_delay: Duration,
    /// Upper bound of any pause that the service did not ask for. Default 20 s.
    pub max_delay: Duration,
    /// Longest `Retry-After` that is waited for. A longer one ends the call with its error. Default 60 s.
    pub max_retry_after: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        let (base_delay, max_delay) = (Duration::from_millis(500), Duration::from_secs(20));
        Self { max_retries: 4, base_delay, max_delay, max_retry_after: Duration::from_mins(1) }
    }
}

/// Result of one attempt: an answer that refuses, or none at all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedAttempt {
    /// HTTP status; `None` if there was no answer.
    pub(crate) status: Option<u16>,
    /// Time that the service asks to wait for.
    pub(crate) retry_after: Option<Duration>,
}

impl FailedAttempt {
    /// True if sending the request again has no second effect. `repeatable` is true for reads, and for changes under an
    /// idempotency key.
    ///
    /// 429 changes nothing. After 503, or without an answer, a change may have been made. 409 with `Retry-After` says that the
    /// first attempt is still under way.
    fn may_repeat(self, repeatable: bool) -> bool {
        match self.status {
            Some(429) => true,
            Some(409) => repeatable && self.retry_after.is_some(),
            Some(503) | None => repeatable,
            Some(_) => false,
        }
    }
}

impl Retry {
    /// Returns the pause before the next attempt, or `None` if there is none. `random` is in [0, 1).
    pub(crate) fn pause_after(
        &self,
        failure: FailedAttempt,
        retries: u32,
        repeatable: bool,
        random: f64,
    ) -> Option<Duration> {
        if retries >= self.max_retries || !failure.may_repeat(repeatable) {
            return None;
        }
        let asked = failure.retry_after.unwrap_or_default();
        let factor = 2_u32.saturating_pow(retries);
        let bound = self.max_delay.min(self.base_delay.saturating_mul(factor));
        (asked <= self.max_retry_after).then(|| asked + bound.mul_f64(random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn pause(retries: u32, random: f64, retry_after: Option<u64>) -> Option<Duration> {
        let retry = Retry { max_retries: 9, base_delay: ms(100), max_delay: ms(1000), max_retry_after: ms(5000) };
        retry.pause_after(FailedAttempt { status: Some(503), retry_after: retry_after.map(ms) }, retries, true, random)
    }

    #[test]
    fn pauses_are_random_below_a_bound_that_doubles() {
        let pauses = [pause(0, 0.0, None), pause(0, 0.5, None), pause(2, 0.5, None), pause(8, 0.5, None)];
        assert_eq!(pauses, [ms(0), ms(50), ms(200), ms(500)].map(Some));
        assert_eq!(
            [pause(0, 0.5, Some(5000)), pause(0, 0.5, Some(5001)), pause(9, 0.0, None)],
            [Some(ms(5050)), None, None]
        );
    }

    #[test]
    fn a_change_without_a_key_is_repeated_after_429_only() {
        let may = |status, retry_after| {
            let failure = FailedAttempt { status, retry_after };
            [failure.may_repeat(true), failure.may_repeat(false)]
        };
        assert_eq!(may(Some(429), None), [true, true]);
        for status in [Some(503), None] {
            assert_eq!(may(status, None), [true, false], "{status:?}");
        }
        assert_eq!(may(Some(409), Some(ms(1))), [true, false]);
        for status in [200, 400, 401, 404, 409, 500, 502] {
            assert_eq!(may(Some(status), None), [false, false], "{status}");
        }
    }
}
