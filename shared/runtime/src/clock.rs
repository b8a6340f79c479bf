//! Clocks and timers. Nothing else in the service reads the machine's time.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

/// Earliest deadline that is believed, since 1970: an instant in 2001. The runtime of cargo-lambda always sets ten minutes after 1970,
/// which means no deadline.
const MIN_DEADLINE: Duration = Duration::from_secs(1_000_000_000);

/// Source of the present time. Tests replace it.
pub trait Clock: Send + Sync {
    /// Returns the present instant.
    fn now(&self) -> Timestamp;
}

/// Source of waiting time. Tests replace it, so that they do not wait.
pub trait Timer: Send + Sync + std::fmt::Debug {
    /// Returns the time since a fixed moment. It never decreases.
    fn now(&self) -> Duration;

    /// Returns after this time.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// Timer that waits in the machine's time, or in that of a runtime whose time stands still.
#[derive(Clone, Copy, Debug)]
pub struct SystemTimer(tokio::time::Instant);

impl SystemTimer {
    /// Starts a timer.
    #[must_use]
    pub fn start() -> Self {
        Self(tokio::time::Instant::now())
    }
}

impl Timer for SystemTimer {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        tokio::time::sleep(time).boxed()
    }
}

/// Clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the Clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Clock that stands still until a test advances it.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// Returns a clock that stands at the instant.
    pub fn at(instant: Timestamp) -> Self {
        Self(Mutex::new(instant))
    }

    /// Advances the clock. A negative duration turns it back.
    pub fn advance(&self, by: SignedDuration) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Returns the time until a deadline of the runtime; `None` if the runtime sets none. The runtime uses the machine's time, whatever
/// [`Clock`] says.
#[expect(clippy::disallowed_methods, reason = "the runtime's deadline is in the machine's time")]
pub fn time_left(deadline: SystemTime) -> Option<Duration> {
    let is_deadline = deadline >= SystemTime::UNIX_EPOCH + MIN_DEADLINE;
    is_deadline.then(|| deadline.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Returns the deadline of an invocation that may take this time from now on.
#[expect(clippy::disallowed_methods, reason = "the runtime's deadline is in the machine's time")]
pub fn deadline_in(time: Duration) -> SystemTime {
    SystemTime::now() + time
}

/// Stopwatch in the machine's time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "durations for the log are in the machine's time")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadline_shortly_after_1970_counts_as_none() {
        assert_eq!(time_left(SystemTime::UNIX_EPOCH + Duration::from_mins(10)), None);
        assert_eq!(time_left(SystemTime::UNIX_EPOCH + MIN_DEADLINE), Some(Duration::ZERO));
        let left = time_left(deadline_in(Duration::from_mins(10))).expect("a deadline");
        assert!(left > Duration::from_mins(1) && left <= Duration::from_mins(10), "{left:?}");
    }
}
