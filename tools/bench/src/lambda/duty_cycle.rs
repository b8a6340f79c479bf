//! Token bucket of processor time, for processes that no control group limits. The kernel's own limit works alike.

use std::time::Duration;

use super::memory::{Memory, PERIOD};

/// State of a process that is limited by signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunState {
    Running,
    Stopped,
}

/// Token bucket of processor time. It fills at the rate of the share, up to the quota of a period. The process empties it.
#[derive(Debug)]
pub(super) struct DutyCycle {
    share: f64,
    /// Capacity in seconds.
    quota: f64,
    /// Content in seconds. Negative if the process has used too much.
    level: f64,
    last_time: Duration,
    last_used_ms: f64,
}

impl DutyCycle {
    /// Returns a full bucket for a process that has used `used_ms` so far.
    pub(super) fn new(memory: Memory, used_ms: f64) -> Self {
        let quota = PERIOD.as_secs_f64() * memory.share();
        Self { share: memory.share(), quota, level: quota, last_time: Duration::ZERO, last_used_ms: used_ms }
    }

    /// Returns the state of the process from `time` on, with its total use until then. A process that has used too much is
    /// stopped until the bucket is positive again.
    pub(super) fn next_state(&mut self, time: Duration, used_ms: f64) -> RunState {
        let passed = time.saturating_sub(self.last_time).as_secs_f64();
        let used = (used_ms - self.last_used_ms).max(0.0) / 1e3;
        self.level = (self.level + passed * self.share - used).min(self.quota);
        (self.last_time, self.last_used_ms) = (time, used_ms);
        if self.level > 0.0 { RunState::Running } else { RunState::Stopped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a busy process that is checked at intervals. Returns its share of the processor.
    fn share_of_a_busy_process(memory: Memory, step: Duration) -> f64 {
        let mut cycle = DutyCycle::new(memory, 500.0);
        let (mut time, mut used_ms, mut state) = (Duration::ZERO, 500.0, RunState::Running);
        while time < Duration::from_secs(10) {
            time += step;
            if state == RunState::Running {
                used_ms += step.as_secs_f64() * 1e3;
            }
            state = cycle.next_state(time, used_ms);
        }
        (used_ms - 500.0) / 1e3 / time.as_secs_f64()
    }

    #[test]
    fn busy_process_gets_its_share() {
        for megabytes in [128, 256, 512, 1_024] {
            // At longer intervals the bucket would overflow, and the process would lose time.
            for step_ms in [1, 3, 10] {
                let share = share_of_a_busy_process(Memory(megabytes), Duration::from_millis(step_ms));
                let expected = Memory(megabytes).share();
                assert!((share - expected).abs() < 0.01, "{megabytes} MB, {step_ms} ms: {share} for {expected}");
            }
        }
    }

    #[test]
    fn idle_process_may_then_use_at_most_one_quota_at_once() {
        let mut cycle = DutyCycle::new(Memory(256), 0.0);
        let idle = Duration::from_mins(1);
        assert_eq!(cycle.next_state(idle, 0.0), RunState::Running);
        let quota_ms = Memory(256).quota().as_secs_f64() * 1e3;
        assert_eq!(cycle.next_state(idle, quota_ms - 0.1), RunState::Running);
        assert_eq!(cycle.next_state(idle, quota_ms + 0.1), RunState::Stopped);
        assert_eq!(cycle.next_state(idle + PERIOD / 2, quota_ms + 0.1), RunState::Running);
    }
}
