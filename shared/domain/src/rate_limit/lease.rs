//! Request of a lease: the one write that takes tokens out of a bucket.

use jiff::{SignedDuration, Timestamp};

use super::terms::{Terms, latest_tat};

/// Request of a lease. It is one conditional write of the arrival time; the database needs no read before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRequest {
    /// Tokens of the lease, at least 1.
    pub tokens: u32,
    /// Instant of the request, to the microsecond. The life of the lease counts from it.
    pub asked_at: Timestamp,
    /// Change of the arrival time.
    pub change: TatChange,
}

/// Change of the arrival time, with its condition. A bucket that was never used has no arrival time, and meets both conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TatChange {
    /// Adds to the arrival time of a bucket that is not full, or has been full for a short time. It is between two instants, both included.
    Advance {
        /// Time that is added.
        by: SignedDuration,
        /// Arrival time that a bucket without one is given first.
        start: Timestamp,
        /// Earliest arrival time.
        from: Timestamp,
        /// Latest arrival time: the bucket holds the tokens.
        to: Timestamp,
    },
    /// Sets the arrival time of a bucket that is full: it is before one instant, or after another one, where only a wrong clock sets it.
    Restart {
        /// Arrival time that is set.
        tat: Timestamp,
        /// First instant that is not before.
        before: Timestamp,
        /// Last instant that is not after.
        after: Timestamp,
    },
}

impl LeaseRequest {
    /// Returns the request that adds to the arrival time.
    pub(super) fn advance(terms: &Terms, tokens: u32, now: Timestamp) -> Self {
        let (by, asked_at) = (terms.time_of(tokens), now);
        let (from, to) = (asked_at - terms.drift, asked_at + terms.capacity - by);
        Self { tokens, asked_at, change: TatChange::Advance { by, start: asked_at, from, to } }
    }

    /// Returns the request that sets the arrival time.
    pub(super) fn restart(terms: &Terms, tokens: u32, now: Timestamp) -> Self {
        let change = TatChange::Restart { tat: now + terms.time_of(tokens), before: now, after: latest_tat(now) };
        Self { tokens, asked_at: now, change }
    }
}

impl TatChange {
    /// Returns the arrival time after the change, or, as the error, the one that does not meet the condition. This is what the
    /// database does in one step.
    ///
    /// # Errors
    /// Occurs when the condition is not met.
    pub fn apply(&self, tat: Option<Timestamp>) -> Result<Timestamp, Timestamp> {
        match (*self, tat) {
            (Self::Advance { by, start, .. }, None) => Ok(start + by),
            (Self::Advance { by, from, to, .. }, Some(tat)) if (from..=to).contains(&tat) => Ok(tat + by),
            (Self::Restart { tat, .. }, None) => Ok(tat),
            (Self::Restart { tat: set, before, after }, Some(tat)) if tat < before || tat > after => Ok(set),
            (_, Some(tat)) => Err(tat),
        }
    }
}

/// Returns the instant, rounded down to the microseconds that are stored.
pub(super) fn whole_microseconds(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::{RateLimit, at};

    #[test]
    fn each_change_takes_tokens_from_the_buckets_that_it_is_for() {
        let terms = Terms::of(RateLimit::new(300).expect("a limit"));
        let (advance, restart) = (LeaseRequest::advance(&terms, 10, at(0)), LeaseRequest::restart(&terms, 10, at(0)));
        // Ten tokens refill in 2 s, and a bucket may be full for 2 s before somebody notices.
        for (tat, advanced, restarted) in [
            (None, Ok(2_000), Ok(2_000)),
            (Some(-100_000), Err(-100_000), Ok(2_000)),
            (Some(-2_001), Err(-2_001), Ok(2_000)),
            (Some(-2_000), Ok(0), Ok(2_000)),
            (Some(-1), Ok(1_999), Ok(2_000)),
            (Some(0), Ok(2_000), Err(0)),
            (Some(58_000), Ok(60_000), Err(58_000)),
            (Some(58_001), Err(58_001), Err(58_001)),
            // A bucket in use when a write arrives ten minutes late is not taken for one that a wrong clock set.
            (Some(660_500), Err(660_500), Err(660_500)),
            (Some(660_501), Err(660_501), Ok(2_000)),
        ] {
            assert_eq!(advance.change.apply(tat.map(at)), advanced.map(at).map_err(at), "advance {tat:?}");
            assert_eq!(restart.change.apply(tat.map(at)), restarted.map(at).map_err(at), "restart {tat:?}");
        }
    }

    #[test]
    fn instants_are_whole_microseconds() {
        let now = at(0) + SignedDuration::from_nanos(1_999);
        assert_eq!(whole_microseconds(now), at(0) + SignedDuration::from_micros(1));
        let terms = Terms::of(RateLimit::new(7).expect("a limit"));
        let TatChange::Restart { tat, .. } = LeaseRequest::restart(&terms, 1, at(0)).change else { unreachable!() };
        assert_eq!(tat.as_nanosecond() % 1_000, 0);
    }
}
