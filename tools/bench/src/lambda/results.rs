//! Results of the benchmark, as they are stored in `shared/docs/benchmarks/lambda.json`.
//!
//! Stored field names are fixed. A field with another name in the code is renamed for storage.

use serde::{Deserialize, Serialize};

use super::function::Invocation;
use super::memory::Memory;

/// Results of one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BenchmarkResults {
    /// Description of the throttle that gave functions their share of a processor.
    #[serde(rename = "way")]
    pub(crate) throttle: String,
    pub(crate) rounds: usize,
    pub(crate) requests: usize,
    pub(crate) reviews: u64,
    pub(crate) operations: Vec<OperationResults>,
    #[serde(rename = "liveness")]
    pub(crate) searches_during_writes: Vec<SearchesDuringWrites>,
    /// Paragraphs about this run, in Markdown: they are written by hand.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// Results of an earlier run, with which these are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Box<Self>>,
}

/// Results of an operation in an organisation of one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OperationResults {
    pub(crate) function: String,
    pub(crate) operation: String,
    /// Words that tell the request from others of its operation.
    #[serde(rename = "what")]
    pub(crate) variant: String,
    /// Number of users of the organisation. Present only if the operation depends on it.
    pub(crate) users: Option<usize>,
    /// Size of the answer as it goes to the gateway.
    pub(crate) answer_bytes: u64,
    /// Average size of the function's own log of a request.
    pub(crate) log_bytes: u64,
    pub(crate) sizes: Vec<MemoryResults>,
}

/// Results of an operation in a function with one size of memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemoryResults {
    pub(crate) memory: Memory,
    pub(crate) cold: Option<ColdStart>,
    /// Absent if no request was answered.
    pub(crate) warm: Option<WarmRequests>,
}

/// Start of a process and its first request. If the process has answered other operations before, its start counts as zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColdStart {
    pub(crate) init_ms: f64,
    pub(crate) init_cpu_ms: f64,
    pub(crate) first_ms: f64,
    pub(crate) first_cpu_ms: f64,
    pub(crate) peak_mb: f64,
    pub(crate) status: u64,
    /// Number of attempts. All but the last one were answered 503.
    pub(crate) attempts: u32,
}

/// Requests after the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WarmRequests {
    pub(crate) requests: usize,
    /// Number of requests that were answered 503.
    pub(crate) unavailable: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Average time that Lambda bills. Each request is rounded up to a millisecond.
    pub(crate) billed_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mb: f64,
}

/// Searches of an organisation while its users change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SearchesDuringWrites {
    pub(crate) users: usize,
    pub(crate) memory: Memory,
    /// Intended rate of writes.
    pub(crate) writes_per_second: f64,
    /// Actual rate of writes.
    pub(crate) written_per_second: f64,
    /// True if a search begins as soon as the last one is answered. False if one begins every second.
    pub(crate) back_to_back: bool,
    pub(crate) seconds: f64,
    #[serde(rename = "warm")]
    pub(crate) searches: WarmRequests,
    pub(crate) cold_peak_mb: f64,
}

impl WarmRequests {
    /// Summarises requests. Returns `None` if there are none.
    pub(crate) fn summarise(invocations: &[Invocation], peak_mb: f64) -> Option<Self> {
        let wall_ms = sorted(invocations.iter().map(|invocation| invocation.ms));
        let cpu_ms = sorted(invocations.iter().map(|invocation| invocation.cpu_ms));
        Some(Self {
            requests: invocations.len(),
            unavailable: invocations.iter().filter(|invocation| invocation.status != 200).count(),
            p50_ms: percentile(&wall_ms, 50)?,
            p99_ms: percentile(&wall_ms, 99)?,
            billed_ms: wall_ms.iter().map(|ms| ms.ceil()).sum::<f64>() / wall_ms.len() as f64,
            cpu_ms: percentile(&cpu_ms, 50)?,
            peak_mb,
        })
    }

    /// Combines two rounds. The lower time counts, because other programs may have slowed down the other round. The memory is
    /// the higher one, and unavailable requests add up.
    pub(crate) fn best_of(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            unavailable: self.unavailable + other.unavailable,
            p50_ms: self.p50_ms.min(other.p50_ms),
            p99_ms: self.p99_ms.min(other.p99_ms),
            billed_ms: self.billed_ms.min(other.billed_ms),
            cpu_ms: self.cpu_ms.min(other.cpu_ms),
            peak_mb: self.peak_mb.max(other.peak_mb),
        }
    }
}

impl ColdStart {
    /// Combines two rounds. The first request is that of the better round: answered, with fewer attempts, sooner. The memory is
    /// the higher one.
    pub(crate) fn best_of(self, other: Self) -> Self {
        let rank = |cold: &Self| (cold.status != 200, cold.attempts, cold.first_ms);
        let better = if rank(&self) <= rank(&other) { self } else { other };
        Self {
            init_ms: self.init_ms.min(other.init_ms),
            init_cpu_ms: self.init_cpu_ms.min(other.init_cpu_ms),
            peak_mb: self.peak_mb.max(other.peak_mb),
            ..better
        }
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Returns the smallest value that at least `percent` of the sorted values do not exceed: the nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invocation(ms: f64, cpu_ms: f64, status: u64) -> Invocation {
        Invocation { ms, cpu_ms, status, answer_bytes: 0, log_bytes: 0 }
    }

    #[test]
    fn percentiles_are_measured_values() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&hundred, 50), Some(50.0));
        assert_eq!(percentile(&hundred, 99), Some(99.0));
        assert_eq!(percentile(&[7.0], 99), Some(7.0));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn each_request_is_billed_by_whole_milliseconds() {
        let invocations = [invocation(1.2, 0.5, 200), invocation(2.0, 0.7, 200), invocation(9.9, 0.6, 503)];
        let warm = WarmRequests::summarise(&invocations, 12.0).expect("three requests");
        assert!((warm.billed_ms - 14.0 / 3.0).abs() < 1e-9);
        assert_eq!((warm.requests, warm.unavailable), (3, 1));
        assert_eq!((warm.p50_ms.to_bits(), warm.cpu_ms.to_bits()), (2.0_f64.to_bits(), 0.6_f64.to_bits()));
    }

    #[test]
    fn best_round_counts_and_unavailable_requests_add_up() {
        let warm = |p50_ms, unavailable, peak_mb| WarmRequests {
            requests: 5,
            unavailable,
            p50_ms,
            p99_ms: p50_ms,
            billed_ms: p50_ms,
            cpu_ms: 1.0,
            peak_mb,
        };
        assert_eq!(warm(3.0, 1, 40.0).best_of(warm(2.0, 0, 30.0)), WarmRequests { requests: 10, ..warm(2.0, 1, 40.0) });
        let cold = |first_ms, status| ColdStart {
            init_ms: 1.0,
            init_cpu_ms: 1.0,
            first_ms,
            first_cpu_ms: first_ms,
            peak_mb: first_ms,
            status,
            attempts: 1,
        };
        assert_eq!(cold(9.0, 200).best_of(cold(5.0, 503)), cold(9.0, 200));
        assert_eq!(cold(9.0, 200).best_of(cold(5.0, 200)), ColdStart { peak_mb: 9.0, ..cold(5.0, 200) });
    }
}
