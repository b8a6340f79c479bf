//! Clock of the processor time of a thread.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time that the current thread has used so far.
pub(crate) fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
