//! Callers of a run.

use fastrand::Rng;
use jiff::SignedDuration;

use crate::rate_limit::RateLimit;

/// Behaviour of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallerKind {
    /// Calls at equal distances.
    Steady,
    /// Calls at random distances, independent of each other.
    Random,
    /// Calls a fifth of its limit at once, then pauses.
    Bursts,
    /// Calls 40 % or 200 % of its limit at once, then pauses for seconds or for a minute.
    Floods,
    /// Calls as soon as it is answered.
    Greedy,
    /// Calls as soon as it is answered, and waits for the seconds of a refusal.
    Patient,
}

/// Caller with its pace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traffic {
    pub(super) kind: CallerKind,
    /// Mean time between two calls of a caller that does not wait for answers.
    interval: SignedDuration,
    /// Calls of a burst.
    burst: u32,
}

impl Traffic {
    /// Returns a caller that uses this share of its limit, in percent, if its kind has a pace.
    pub(super) fn of(kind: CallerKind, limit: RateLimit, percent: u32) -> Self {
        let per_minute = u64::from(limit.requests_per_minute()) * u64::from(percent.max(1));
        let interval = SignedDuration::from_micros(i64::try_from(6_000_000_000 / per_minute).expect("short"));
        Self { kind, interval, burst: (limit.requests_per_minute() / 5).clamp(1, 400) }
    }

    /// Returns a caller of any kind and pace, but not of more calls than a run has time for.
    pub(super) fn any(limit: RateLimit, rng: &mut Rng) -> Self {
        use CallerKind::{Bursts, Floods, Greedy, Patient, Random, Steady};
        let kind = [Steady, Random, Bursts, Floods, Greedy, Patient][rng.usize(..6)];
        Self::of(kind, limit, rng.u32(10..=300).min(600_000 / limit.requests_per_minute()))
    }

    /// Returns the times of the next calls, from the time of the last, if they do not depend on answers.
    pub(super) fn next_calls(&self, rng: &mut Rng) -> Option<(SignedDuration, u32)> {
        let milliseconds =
            |time: SignedDuration, factor: f64| SignedDuration::from_secs_f64(time.as_secs_f64() * factor);
        match self.kind {
            CallerKind::Steady => Some((self.interval, 1)),
            CallerKind::Random => Some((milliseconds(self.interval, -(1.0 - rng.f64()).ln()), 1)),
            CallerKind::Bursts => Some((milliseconds(self.interval, f64::from(self.burst)), self.burst)),
            CallerKind::Floods => {
                let pause =
                    [SignedDuration::from_secs(61), SignedDuration::from_millis(rng.i64(100..8_000))][rng.usize(..2)];
                Some((pause, self.burst * [4, 20][rng.usize(..2)] / 2))
            }
            CallerKind::Greedy | CallerKind::Patient => None,
        }
    }

    /// Returns the time from an answer to the next call, if the caller waits for answers.
    pub(super) fn pause(&self, retry_after_seconds: Option<u32>, rng: &mut Rng) -> Option<SignedDuration> {
        let thinking = SignedDuration::from_millis(rng.i64(1..30));
        match (self.kind, retry_after_seconds) {
            (CallerKind::Greedy, _) | (CallerKind::Patient, None) => Some(thinking),
            (CallerKind::Patient, Some(seconds)) => Some(SignedDuration::from_secs(seconds.into())),
            _ => None,
        }
    }
}
