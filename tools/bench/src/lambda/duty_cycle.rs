//! When a process may run, where no control group limits it: a bucket of processor time, as the kernel's own limit is.

use std::time::Duration;

use super::memory::{Memory, PERIOD};

/// The two states of a process that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunState {
    Running,
    Stopped,
}

/// A bucket of processor time. It fills by the share, up to the quota of a period; what the process uses is taken out.
#[derive(Debug)]
pub(super) struct DutyCycle {
    share: f64,
    /// The most that it holds, in seconds.
    quota: f64,
    left: f64,
    /// The last reading.
    time: Duration,
    used_ms: f64,
}

impl DutyCycle {
    /// Returns a full bucket. The process has used so much until now.
    pub(super) fn new(memory: Memory, used_ms: f64) -> Self {
        let quota = PERIOD.as_secs_f64() * memory.share();
        Self { share: memory.share(), quota, left: quota, time: Duration::ZERO, used_ms }
    }

    /// Returns what the process may do from this time on, with all that it has used. A process that used too much waits until
    /// its debt is paid.
    pub(super) fn next_state(&mut self, time: Duration, used_ms: f64) -> RunState {
        let passed = time.saturating_sub(self.time).as_secs_f64();
        let used = (used_ms - self.used_ms).max(0.0) / 1e3;
        self.left = (self.left + passed * self.share - used).min(self.quota);
        (self.time, self.used_ms) = (time, used_ms);
        if self.left > 0.0 { RunState::Running } else { RunState::Stopped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a process that always wants to, watched at these intervals. Returns its share of the processor.
    fn share_of_a_busy_process(memory: Memory, step: Duration) -> f64 {
        let mut cycle = DutyCycle::new(memory, 500.0);
        let (mut time, mut used_ms, mut next_state) = (Duration::ZERO, 500.0, RunState::Running);
        while time < Duration::from_secs(10) {
            time += step;
            if next_state == RunState::Running {
                used_ms += step.as_secs_f64() * 1e3;
            }
            next_state = cycle.next_state(time, used_ms);
        }
        (used_ms - 500.0) / 1e3 / time.as_secs_f64()
    }

    #[test]
    fn a_busy_process_gets_its_share() {
        for megabytes in [128, 256, 512, 1_024] {
            // Seldom watched, it would lose what the full bucket cannot hold.
            for step_ms in [1, 3, 10] {
                let share = share_of_a_busy_process(Memory(megabytes), Duration::from_millis(step_ms));
                let wanted = Memory(megabytes).share();
                assert!((share - wanted).abs() < 0.01, "{megabytes} MB, {step_ms} ms: {share} for {wanted}");
            }
        }
    }

    #[test]
    fn a_process_that_idled_may_use_one_quota_at_once_and_no_more() {
        let mut cycle = DutyCycle::new(Memory(256), 0.0);
        let idle = Duration::from_mins(1);
        assert_eq!(cycle.next_state(idle, 0.0), RunState::Running);
        let quota_ms = Memory(256).quota().as_secs_f64() * 1e3;
        assert_eq!(cycle.next_state(idle, quota_ms - 0.1), RunState::Running);
        assert_eq!(cycle.next_state(idle, quota_ms + 0.1), RunState::Stopped);
        assert_eq!(cycle.next_state(idle + PERIOD / 2, quota_ms + 0.1), RunState::Running);
    }
}
