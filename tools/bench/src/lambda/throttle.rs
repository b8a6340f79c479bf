//! Gives a process its share of a processor: by a control group where this process may make one, else by stopping and
//! continuing it.

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

/// The pause between two looks at a process that is stopped and continued: a twentieth of a period.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The ways in which shares are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ThrottleMode {
    /// By a control group if that may be made, else by signals.
    Auto,
    /// By SIGSTOP and SIGCONT.
    Signals,
}

/// A limit that is in force until it is dropped.
pub(super) enum Throttle {
    ControlGroup(Cgroup),
    Signals { _watcher: SignalThrottle },
}

impl Throttle {
    /// Limits a process.
    pub(super) fn apply(process: u32, memory: Memory, way: ThrottleMode) -> anyhow::Result<Self> {
        let name = format!("presence-bench-{process}");
        match (way == ThrottleMode::Auto).then(|| Cgroup::new(&name, memory)).flatten() {
            Some(group) => {
                group.add_process(process).context("the control group takes no process")?;
                Ok(Self::ControlGroup(group))
            }
            None => Ok(Self::Signals { _watcher: SignalThrottle::start(process, memory)? }),
        }
    }

    /// Returns what a report says of it.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::ControlGroup(group) if group.version == 2 => {
                "`cpu.max` of a control group (version 2), with periods of 20 ms"
            }
            Self::ControlGroup(_) => "`cpu.cfs_quota_us` of a control group (version 1), with periods of 20 ms",
            Self::Signals { .. } => {
                "SIGSTOP and SIGCONT, by the processor time that it has used, looked at every millisecond"
            }
        }
    }
}

/// A thread that stops and continues a process.
pub(super) struct SignalThrottle {
    has_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SignalThrottle {
    fn start(process: u32, memory: Memory) -> anyhow::Result<Self> {
        let id = i32::try_from(process).ok().and_then(Pid::from_raw).context("the id of a process")?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        let mut meter = CpuMeter::new(process);
        let mut cycle = DutyCycle::new(memory, meter.used_ms()?);
        let thread = std::thread::Builder::new().name("throttle".to_owned()).spawn(move || {
            let watch = Stopwatch::start();
            let mut before = RunState::Running;
            while !ended.load(Ordering::Relaxed) {
                let Ok(used_ms) = meter.used_ms() else { return };
                let state = cycle.next_state(watch.elapsed(), used_ms);
                if state != before {
                    let signal = if state == RunState::Running { Signal::CONT } else { Signal::STOP };
                    let _ = kill_process(id, signal);
                }
                before = state;
                std::thread::sleep(POLL_INTERVAL);
            }
            let _ = kill_process(id, Signal::CONT);
        })?;
        Ok(Self { has_ended, thread: Some(thread) })
    }
}

impl Drop for SignalThrottle {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
