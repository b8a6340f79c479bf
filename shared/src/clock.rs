//! Time. Nothing else in the service reads a clock.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
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

/// What is left until a deadline of the runtime, which keeps the machine's time whatever `Clock` says.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the runtime's deadline is in the machine's time")]
pub fn time_left(deadline: SystemTime) -> Duration {
    deadline.duration_since(SystemTime::now()).unwrap_or_default()
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
