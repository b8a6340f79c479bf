//! Processor time and memory of another process.

use std::collections::HashMap;
use std::io;

use anyhow::Context as _;

/// Exact processor time of a process, summed over its threads. A thread that has ended counts with its last reading.
pub(crate) struct CpuMeter {
    id: u32,
    /// Name of the only threads that count.
    name: Option<&'static str>,
    /// Nanoseconds of each thread.
    threads: HashMap<String, u64>,
}

impl CpuMeter {
    pub(crate) fn new(id: u32) -> Self {
        Self { id, name: None, threads: HashMap::new() }
    }

    /// Returns a meter of the threads with a name.
    pub(crate) fn of_threads(id: u32, name: &'static str) -> Self {
        Self { name: Some(name), ..Self::new(id) }
    }

    /// Returns the processor time of the threads in milliseconds.
    pub(crate) fn used_ms(&mut self) -> io::Result<f64> {
        for task in std::fs::read_dir(format!("/proc/{}/task", self.id))? {
            let task = task?;
            let named =
                |name: &str| std::fs::read_to_string(task.path().join("comm")).is_ok_and(|it| it.trim_end() == name);
            // A thread may end after it was listed.
            if self.name.is_none_or(named)
                && let Ok(times) = std::fs::read_to_string(task.path().join("schedstat"))
            {
                self.record(task.file_name().to_string_lossy().into_owned(), &times);
            }
        }
        Ok(self.threads.values().sum::<u64>() as f64 / 1e6)
    }

    /// Records the time of a thread: the first number of its `schedstat`, in nanoseconds.
    fn record(&mut self, thread: String, times: &str) {
        let used: u64 = times.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default();
        let recorded = self.threads.entry(thread).or_default();
        *recorded = used.max(*recorded);
    }
}

/// Returns the peak of a process's resident memory in MB of 2^20 bytes.
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
    fn ended_thread_still_counts() {
        let mut meter = CpuMeter::new(1);
        meter.record("1".to_owned(), "2000000 5 7\n");
        meter.record("2".to_owned(), "1000000 5 7\n");
        meter.record("1".to_owned(), "3000000 5 9\n");
        meter.record("2".to_owned(), "");
        assert_eq!(meter.threads.values().sum::<u64>(), 4_000_000);
    }

    #[test]
    fn peak_is_parsed_from_the_status() {
        assert_eq!(parse_peak_mb("Name:\tusers\nVmHWM:\t   10240 kB\nVmRSS:\t 9 kB\n"), Some(10.0));
        assert_eq!(parse_peak_mb("Name:\tusers\n"), None);
    }
}
