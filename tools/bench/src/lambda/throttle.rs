//! Throttle that gives a process its share of a processor.
//!
//! It is a control group if this process may create one. Else signals stop and continue the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use presence_runtime::clock::Stopwatch;
use rustix::process::{Pid, Signal, kill_process};

use super::cgroup::Cgroup;
use super::duty_cycle::{DutyCycle, RunState};
use super::memory::Memory;
use crate::sandbox::process::CpuMeter;

/// Interval between two checks of a process that signals throttle: a twentieth of a period.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Way to give functions their share of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ThrottleMode {
    /// Control group if one may be created, else signals.
    Auto,
    /// SIGSTOP and SIGCONT.
    Signals,
}

/// Limit of a process, until it is dropped.
pub(super) enum Throttle {
    ControlGroup(Cgroup),
    Signals { _watcher: SignalThrottle },
}

impl Throttle {
    /// Starts to limit a process.
    pub(super) fn apply(process: u32, memory: Memory, mode: ThrottleMode) -> anyhow::Result<Self> {
        let name = format!("presence-bench-{process}");
        match (mode == ThrottleMode::Auto).then(|| Cgroup::new(&name, memory)).flatten() {
            Some(group) => {
                group.add_process(process).context("cannot add the process to the control group")?;
                Ok(Self::ControlGroup(group))
            }
            None => Ok(Self::Signals { _watcher: SignalThrottle::start(process, memory)? }),
        }
    }

    /// Returns the description for the report.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::ControlGroup(group) if group.version == 2 => {
                "`cpu.max` of a control group (version 2), with periods of 20 ms"
            }
            Self::ControlGroup(_) => "`cpu.cfs_quota_us` of a control group (version 1), with periods of 20 ms",
            Self::Signals { .. } => "SIGSTOP and SIGCONT, after a check of the used processor time every millisecond",
        }
    }
}

/// Thread that stops and continues a process.
pub(super) struct SignalThrottle {
    has_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SignalThrottle {
    fn start(process: u32, memory: Memory) -> anyhow::Result<Self> {
        let pid = i32::try_from(process).ok().and_then(Pid::from_raw).context("the id of a process")?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let end_flag = Arc::clone(&has_ended);
        let mut meter = CpuMeter::new(process);
        let cycle = DutyCycle::new(memory, meter.used_ms()?);
        let thread = std::thread::Builder::new()
            .name("throttle".to_owned())
            .spawn(move || limit_until(&end_flag, pid, meter, cycle))?;
        Ok(Self { has_ended, thread: Some(thread) })
    }
}

/// Stops and continues the process until the flag is set. Continues it at the end, so that it can be waited for.
fn limit_until(has_ended: &AtomicBool, pid: Pid, mut meter: CpuMeter, mut cycle: DutyCycle) {
    let watch = Stopwatch::start();
    let mut state = RunState::Running;
    while !has_ended.load(Ordering::Relaxed) {
        // The process has ended by itself.
        let Ok(used_ms) = meter.used_ms() else { return };
        let next = cycle.next_state(watch.elapsed(), used_ms);
        if next != state {
            let signal = if next == RunState::Running { Signal::CONT } else { Signal::STOP };
            let _ = kill_process(pid, signal);
        }
        state = next;
        std::thread::sleep(POLL_INTERVAL);
    }
    let _ = kill_process(pid, Signal::CONT);
}

impl Drop for SignalThrottle {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
