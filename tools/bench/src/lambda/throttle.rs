//! Gives a process its share of a processor: by a control group where this process may make one, else by stopping and
//! continuing it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use presence::clock::Stopwatch;
use rustix::process::{Pid, Signal, kill_process};

use super::cgroup::Cgroup;
use super::duty::{DutyCycle, RunState};
use super::share::Memory;
use crate::sandbox::process::CpuMeter;

/// The pause between two looks at a process that is stopped and continued: a twentieth of a period.
const LOOK: Duration = Duration::from_millis(1);

/// The ways in which shares are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Way {
    /// By a control group if that may be made, else by signals.
    Auto,
    /// By SIGSTOP and SIGCONT.
    Signals,
}

/// A limit that is in force until it is dropped.
pub(super) enum Throttle {
    Group(Cgroup),
    Signals { _watcher: Signals },
}

impl Throttle {
    /// Limits a process.
    pub(super) fn put_on(process: u32, memory: Memory, way: Way) -> anyhow::Result<Self> {
        let name = format!("presence-bench-{process}");
        match (way == Way::Auto).then(|| Cgroup::new(&name, memory)).flatten() {
            Some(group) => {
                group.take(process).context("the control group takes no process")?;
                Ok(Self::Group(group))
            }
            None => Ok(Self::Signals { _watcher: Signals::start(process, memory)? }),
        }
    }

    /// Returns what a report says of it.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Group(group) if group.version == 2 => {
                "`cpu.max` of a control group (version 2), with periods of 20 ms"
            }
            Self::Group(_) => "`cpu.cfs_quota_us` of a control group (version 1), with periods of 20 ms",
            Self::Signals { .. } => {
                "SIGSTOP and SIGCONT, by the processor time that it has used, looked at every millisecond"
            }
        }
    }
}

/// A thread that stops and continues a process.
pub(super) struct Signals {
    has_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Signals {
    fn start(process: u32, memory: Memory) -> anyhow::Result<Self> {
        let id = i32::try_from(process).ok().and_then(Pid::from_raw).context("the id of a process")?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        let mut meter = CpuMeter::of(process);
        let mut cycle = DutyCycle::new(memory, meter.used_ms()?);
        let thread = std::thread::Builder::new().name("throttle".to_owned()).spawn(move || {
            let watch = Stopwatch::start();
            let mut before = RunState::Run;
            while !ended.load(Ordering::Relaxed) {
                let Ok(used_ms) = meter.used_ms() else { return };
                let turn = cycle.turn(watch.elapsed(), used_ms);
                if turn != before {
                    let signal = if turn == RunState::Run { Signal::CONT } else { Signal::STOP };
                    let _ = kill_process(id, signal);
                }
                before = turn;
                std::thread::sleep(LOOK);
            }
            let _ = kill_process(id, Signal::CONT);
        })?;
        Ok(Self { has_ended, thread: Some(thread) })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
