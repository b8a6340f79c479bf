//! Time. Nothing else in the service reads a clock.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

/// Since 1970, in 2001. A deadline before it is none: the runtime of cargo-lambda says ten minutes after 1970, always.
const FIRST_DEADLINE: Duration = Duration::from_secs(1_000_000_000);

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// Where time passes: what waits, waits here, so that tests need not.
pub trait Timer: Send + Sync + std::fmt::Debug {
    /// The time since some moment. It never goes back.
    fn now(&self) -> Duration;

    /// Ends after this time.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// The machine's own time.
#[derive(Clone, Copy, Debug)]
pub struct MachineTimer(Stopwatch);

impl MachineTimer {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Stopwatch::start())
    }
}

impl Timer for MachineTimer {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        tokio::time::sleep(time).boxed()
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the Clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is moved: for tests of windows and expiry.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// Stands at the instant.
    #[must_use]
    pub fn at(instant: Timestamp) -> Self {
        Self(Mutex::new(instant))
    }

    /// Moves on (or, with a negative duration, back).
    pub fn advance(&self, by: SignedDuration) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// What is left until a deadline of the runtime, which keeps the machine's time whatever `Clock` says; `None` where it sets no
/// deadline.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the runtime's deadline is in the machine's time")]
pub fn time_left(deadline: SystemTime) -> Option<Duration> {
    let is_instant = deadline >= SystemTime::UNIX_EPOCH + FIRST_DEADLINE;
    is_instant.then(|| deadline.duration_since(SystemTime::now()).unwrap_or_default())
}

/// The runtime's deadline of something that may take so long from now on.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the runtime's deadline is in the machine's time")]
pub fn deadline_in(time: Duration) -> SystemTime {
    SystemTime::now() + time
}

/// Measures how long something takes, in the machine's time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "durations for the log are in the machine's time")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_that_is_no_instant_of_our_days_is_none() {
        assert_eq!(time_left(SystemTime::UNIX_EPOCH + Duration::from_mins(10)), None);
        assert_eq!(time_left(SystemTime::UNIX_EPOCH + FIRST_DEADLINE), Some(Duration::ZERO));
        let left = time_left(deadline_in(Duration::from_mins(10))).expect("a deadline");
        assert!(left > Duration::from_mins(1) && left <= Duration::from_mins(10), "{left:?}");
    }
}
