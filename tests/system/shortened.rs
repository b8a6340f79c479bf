//! The smallest setting in which a seed still fails: fewer kinds of faults, fewer clients, a shorter time.

use std::time::Duration;

use presence_tests::connectors::NetworkFault;

use super::simulation::{Report, run};

/// Clients that are at work at the same time.
const CLIENTS: usize = 6;
/// Virtual time of a run until the faults end.
const TIME: Duration = Duration::from_secs(200);
/// Difference of the times at which the search for a shorter one ends.
const PRECISE: Duration = Duration::from_secs(5);

/// Setting of a run.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) clients: usize,
    pub(crate) time: Duration,
    /// Kinds of faults that do not happen.
    pub(crate) off: Vec<NetworkFault>,
}

impl Setting {
    pub(crate) fn of(seed: u64) -> Self {
        Self { seed, clients: CLIENTS, time: TIME, off: Vec::new() }
    }

    /// True if the restored tables are used in the end.
    pub(crate) fn uses_restored_tables(&self) -> bool {
        self.seed % 4 >= 2
    }
}

/// Smallest setting so far that fails, with its report.
struct Failing(Setting, Report);

impl Failing {
    /// Keeps a smaller setting if it fails, too.
    fn keep(&mut self, smaller: Setting) -> bool {
        let report = run(&smaller);
        let fails = !report.findings.is_empty();
        if fails {
            *self = Self(smaller, report);
        }
        fails
    }
}

/// Returns the smallest setting that still fails, with its report. A smaller setting makes other calls, so each step is a run.
pub(crate) fn shorten(setting: Setting, report: Report) -> (Setting, Report) {
    let mut failing = Failing(setting, report);
    let mut passing = Duration::ZERO;
    while failing.0.time > passing + PRECISE {
        let time = (passing + failing.0.time) / 2;
        if !failing.keep(Setting { time, ..failing.0.clone() }) {
            passing = time;
        }
    }
    for fault in NetworkFault::ALL {
        let mut smaller = failing.0.clone();
        smaller.off.push(fault);
        failing.keep(smaller);
    }
    for clients in 0..failing.0.clients {
        if failing.keep(Setting { clients, ..failing.0.clone() }) {
            break;
        }
    }
    (failing.0, failing.1)
}
