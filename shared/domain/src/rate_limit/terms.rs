//! Constants of leases, and the durations that follow from a limit.
//!
//! Requests that pass in `t` seconds take tokens of leases that were asked for at most one lease's life before. Let the first of these
//! leases find the bucket full, and let it be empty after the last one. Then they took:
//!
//! | part | tokens |
//! |---|---|
//! | content of the full bucket | `limit` |
//! | refilled during the `t` seconds | `limit * t / 60` |
//! | refilled during the life of a lease before | 25 at most: [`LIFE`] |
//! | refilled beyond the full bucket, since nobody had noticed that it was full | 10 at most: [`DRIFT`] |
//! | refilled in the difference between two clocks | 5 at most: [`SKEW`], or taken from the bucket |
//!
//! A write that arrives late, or twice, only takes more tokens out of the bucket.

use jiff::{SignedDuration, Timestamp};

use super::RateLimit;

/// Most tokens of one lease. So a busy function writes once in 20 requests.
const MAX_TOKENS: u32 = 20;
/// Leases that take a whole bucket at least. So no function alone empties it at once.
const LEASES_OF_A_BUCKET: u32 = 15;

/// Requests that may pass beyond `limit + limit * t / 60` in `t` seconds.
pub const EXCESS: u32 = LIFE + DRIFT + SKEW;
/// Tokens that refill during the life of a lease, at most.
const LIFE: u32 = 25;
/// Tokens by which a bucket may be more than full until a lease corrects it, at most.
const DRIFT: u32 = 10;
/// Tokens that refill in the time by which the clocks of two functions may differ, at most.
const SKEW: u32 = 5;

/// Longest life of a lease.
const MAX_LIFE: SignedDuration = SignedDuration::from_secs(10);
/// Longest time that a bucket may be full before a lease has to correct it.
const MAX_DRIFT: SignedDuration = SignedDuration::from_secs(2);
/// Time by which the clocks of two functions may differ. Those of AWS differ by milliseconds.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_millis(500);
/// Time after which a write does not arrive any more, with room to spare.
const LATEST_ARRIVAL: SignedDuration = SignedDuration::from_mins(10);
/// Time in which an empty bucket refills, whatever the limit.
const REFILL: SignedDuration = SignedDuration::from_secs(60);

/// Durations that follow from a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    limit: RateLimit,
    /// Most tokens of one lease.
    pub(super) max_tokens: u32,
    /// Time from the request of a lease until its end.
    pub(super) life: SignedDuration,
    /// Time by which the arrival time may be behind when a lease adds to it.
    pub(super) drift: SignedDuration,
    /// Refill time of the tokens that the bucket can hold.
    pub(super) capacity: SignedDuration,
}

impl Terms {
    /// Returns the durations of a limit.
    pub(super) fn of(limit: RateLimit) -> Self {
        let time_of = |tokens| refill_time(limit, tokens);
        Self {
            limit,
            max_tokens: (limit.requests_per_minute() / LEASES_OF_A_BUCKET).clamp(1, MAX_TOKENS),
            life: time_of(LIFE).min(MAX_LIFE),
            drift: time_of(DRIFT).min(MAX_DRIFT),
            // Above 600 requests a minute, more than SKEW tokens refill in the tolerance. The bucket is smaller by the rest.
            capacity: REFILL - CLOCK_TOLERANCE.saturating_sub(time_of(SKEW)).max(SignedDuration::ZERO),
        }
    }

    /// Returns the time in which so many tokens refill, rounded up to a microsecond.
    pub(super) fn time_of(&self, tokens: u32) -> SignedDuration {
        refill_time(self.limit, tokens)
    }

    /// Returns the whole tokens of a bucket at an instant; 0 if it is empty.
    pub(super) fn level(&self, tat: Timestamp, now: Timestamp) -> u32 {
        let room = self.capacity - tat.duration_since(now).max(SignedDuration::ZERO);
        let tokens = room.as_micros().max(0) * i128::from(self.limit.requests_per_minute()) / REFILL.as_micros();
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    /// Returns the time to wait until the bucket holds a token.
    pub(super) fn wait(&self, tat: Timestamp, now: Timestamp) -> SignedDuration {
        (tat.duration_since(now) + self.time_of(1) - self.capacity).max(SignedDuration::ZERO)
    }
}

/// Returns the latest arrival time that a right clock may have written when a write of this instant arrives. The clock that wrote a later
/// one is wrong. A write may arrive late: without that time, it would take a bucket that is in use for a wrong one.
pub(super) fn latest_tat(now: Timestamp) -> Timestamp {
    now + REFILL + CLOCK_TOLERANCE + LATEST_ARRIVAL
}

/// Returns the whole seconds after which a caller that waits for this time gets through in every function: in one whose clock is behind,
/// too. At least 1.
pub(super) fn retry_after_seconds(wait: SignedDuration) -> u32 {
    let milliseconds = (wait + CLOCK_TOLERANCE).as_millis().max(1);
    u32::try_from((milliseconds + 999) / 1000).unwrap_or(u32::MAX)
}

fn refill_time(limit: RateLimit, tokens: u32) -> SignedDuration {
    let minute = i64::try_from(REFILL.as_micros()).expect("a minute has few microseconds");
    let per_minute = i64::from(limit.requests_per_minute());
    SignedDuration::from_micros((i64::from(tokens) * minute + per_minute - 1) / per_minute)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(limit: u32) -> Terms {
        Terms::of(RateLimit::new(limit).expect("a limit"))
    }

    #[test]
    fn durations_follow_from_the_limit() {
        for (limit, tokens, life_ms, drift_ms, capacity_ms) in [
            (1, 1, 10_000, 2_000, 60_000),
            (60, 4, 10_000, 2_000, 60_000),
            (300, 20, 5_000, 2_000, 60_000),
            (600, 20, 2_500, 1_000, 60_000),
            (6_000, 20, 250, 100, 59_550),
            (60_000, 20, 25, 10, 59_505),
        ] {
            let Terms { max_tokens, life, drift, capacity, .. } = terms(limit);
            let milliseconds = [life, drift, capacity].map(|time| time.as_millis());
            assert_eq!((max_tokens, milliseconds), (tokens, [life_ms, drift_ms, capacity_ms]), "{limit}");
        }
    }

    #[test]
    fn a_bucket_holds_the_limit_when_it_is_full_and_nothing_after_a_minute_of_tokens() {
        let (terms, now) = (terms(300), Timestamp::UNIX_EPOCH);
        for (ahead_ms, level, wait_ms) in
            [(-5_000, 300, 0), (0, 300, 0), (200, 299, 0), (59_800, 1, 0), (59_801, 0, 1), (60_000, 0, 200)]
        {
            let tat = now + SignedDuration::from_millis(ahead_ms);
            assert_eq!((terms.level(tat, now), terms.wait(tat, now).as_millis()), (level, wait_ms), "{ahead_ms}");
        }
    }

    #[test]
    fn callers_wait_whole_seconds_and_the_tolerance_of_clocks() {
        for (wait_ms, seconds) in [(0, 1), (200, 1), (500, 1), (501, 2), (1_500, 2), (59_500, 60)] {
            assert_eq!(retry_after_seconds(SignedDuration::from_millis(wait_ms)), seconds, "{wait_ms}");
        }
    }

    proptest! {
        #[test]
        fn the_parts_of_the_excess_hold_for_every_limit(limit in 1..=super::super::MAX_REQUESTS_PER_MINUTE) {
            let terms = terms(limit);
            let excess = terms.capacity + terms.life + terms.drift + CLOCK_TOLERANCE - REFILL;
            // Each of the parts is rounded to a microsecond.
            prop_assert!(excess <= terms.time_of(EXCESS) + SignedDuration::from_micros(4), "{excess:?}");
            prop_assert!(terms.time_of(terms.max_tokens) <= terms.capacity);
        }
    }
}
