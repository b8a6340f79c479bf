//! A process from outside: the processor time and the memory that it has used.

use std::collections::HashMap;
use std::io;

use anyhow::Context as _;
use tokio::process::Child;

/// Returns the id of a running process.
pub(crate) fn process_id(process: &Child) -> anyhow::Result<u32> {
    process.id().context("the process has ended")
}

/// Counts the processor time of a process, exactly, thread by thread. A thread that has ended keeps what was last read of it.
pub(crate) struct CpuMeter {
    id: u32,
    threads: HashMap<String, u64>,
}

impl CpuMeter {
    pub(crate) fn new(id: u32) -> Self {
        Self { id, threads: HashMap::new() }
    }

    /// Returns the milliseconds on a processor, of all threads.
    pub(crate) fn used_ms(&mut self) -> io::Result<f64> {
        for task in std::fs::read_dir(format!("/proc/{}/task", self.id))? {
            let task = task?;
            // A thread may end between the listing and the reading.
            if let Ok(times) = std::fs::read_to_string(task.path().join("schedstat")) {
                self.record(task.file_name().to_string_lossy().into_owned(), &times);
            }
        }
        Ok(self.threads.values().sum::<u64>() as f64 / 1e6)
    }

    /// Keeps a thread's time: the first number, in nanoseconds.
    fn record(&mut self, thread: String, times: &str) {
        let used: u64 = times.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default();
        let known = self.threads.entry(thread).or_default();
        *known = used.max(*known);
    }
}

/// Returns the most memory that a process had resident, in MB of 2^20 bytes.
pub(crate) fn peak_mb(id: u32) -> anyhow::Result<f64> {
    parse_peak_mb(&std::fs::read_to_string(format!("/proc/{id}/status"))?).context("VmHWM")
}

fn parse_peak_mb(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_have_ended_still_count() {
        let mut meter = CpuMeter::new(1);
        meter.record("1".to_owned(), "2000000 5 7\n");
        meter.record("2".to_owned(), "1000000 5 7\n");
        meter.record("1".to_owned(), "3000000 5 9\n");
        meter.record("2".to_owned(), "");
        assert_eq!(meter.threads.values().sum::<u64>(), 4_000_000);
    }

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(parse_peak_mb("Name:\tusers\nVmHWM:\t   10240 kB\nVmRSS:\t 9 kB\n"), Some(10.0));
        assert_eq!(parse_peak_mb("Name:\tusers\n"), None);
    }
}
