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

/// Instant by which an invocation must have answered, or none. No [`Clock`] moves it: its time is that of [`SystemTimer`].
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Option<tokio::time::Instant>);

impl Deadline {
    /// Returns the deadline that the runtime sets, in the machine's time.
    #[expect(clippy::disallowed_methods, reason = "the runtime's deadline is in the machine's time")]
    pub fn of_runtime(deadline: SystemTime) -> Self {
        if deadline < SystemTime::UNIX_EPOCH + MIN_DEADLINE {
            return Self(None);
        }
        Self::after(deadline.duration_since(SystemTime::now()).unwrap_or_default())
    }

    /// Returns the deadline of an invocation that may take this time from now on.
    pub fn after(time: Duration) -> Self {
        Self(Some(tokio::time::Instant::now() + time))
    }

    /// Returns the time until the deadline; `None` if there is none.
    pub fn time_left(self) -> Option<Duration> {
        self.0.map(|deadline| deadline.saturating_duration_since(tokio::time::Instant::now()))
    }
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
        let left_since_1970 = |time| Deadline::of_runtime(SystemTime::UNIX_EPOCH + time).time_left();
        assert_eq!(left_since_1970(Duration::from_mins(10)), None);
        assert_eq!(left_since_1970(MIN_DEADLINE), Some(Duration::ZERO));
        let left = Deadline::after(Duration::from_mins(10)).time_left().expect("a deadline");
        assert!(left > Duration::from_mins(1) && left <= Duration::from_mins(10), "{left:?}");
    }
}
