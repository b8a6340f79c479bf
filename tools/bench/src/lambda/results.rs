//! The measured figures, as they are kept in a file: `shared/docs/benchmarks/lambda.json`.

use serde::{Deserialize, Serialize};

use super::memory::Memory;

/// Everything of one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BenchmarkResults {
    /// The way in which functions were given their share of a processor.
    pub(crate) way: String,
    pub(crate) rounds: usize,
    pub(crate) requests: usize,
    pub(crate) reviews: u64,
    pub(crate) operations: Vec<OperationResults>,
    pub(crate) liveness: Vec<SearchesDuringWrites>,
}

/// An operation, in an organisation of a size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OperationResults {
    pub(crate) function: String,
    pub(crate) operation: String,
    pub(crate) what: String,
    /// The users of the organisation, where that matters.
    pub(crate) users: Option<usize>,
    /// The answer on its way to the gateway, and the function's own log.
    pub(crate) answer_bytes: u64,
    pub(crate) log_bytes: u64,
    pub(crate) sizes: Vec<MemoryResults>,
}

/// An operation in a function with so much memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemoryResults {
    pub(crate) memory: Memory,
    pub(crate) cold: Option<ColdStart>,
    /// Absent where no request was answered.
    pub(crate) warm: Option<WarmRequests>,
}

/// A first request. Where its process had answered others before, its start is not counted again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColdStart {
    pub(crate) init_ms: f64,
    pub(crate) init_cpu_ms: f64,
    pub(crate) first_ms: f64,
    pub(crate) first_cpu_ms: f64,
    pub(crate) peak_mb: f64,
    pub(crate) status: u64,
    /// Which request this was: those before it were answered 503.
    pub(crate) attempts: u32,
}

/// Later requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WarmRequests {
    pub(crate) requests: usize,
    /// Those that were answered 503.
    pub(crate) unavailable: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// The time that Lambda bills: each rounded up to a millisecond, on average.
    pub(crate) billed_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mb: f64,
}

/// Searches while users change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SearchesDuringWrites {
    pub(crate) users: usize,
    pub(crate) memory: Memory,
    /// Asked for, and done.
    pub(crate) writes_per_second: f64,
    pub(crate) written_per_second: f64,
    /// True if a search begins as soon as the last one is answered, false if one begins every second.
    pub(crate) back_to_back: bool,
    pub(crate) seconds: f64,
    /// The searches.
    pub(crate) warm: WarmRequests,
    pub(crate) cold_peak_mb: f64,
}

/// Returns the figures of some requests: times in milliseconds, processor time, and how many were not answered in time.
pub(crate) fn warm(times: &[(f64, f64, u64)], peak_mb: f64) -> Option<WarmRequests> {
    let sorted = |of: fn(&(f64, f64, u64)) -> f64| {
        let mut values: Vec<f64> = times.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (walls, cpus) = (sorted(|time| time.0), sorted(|time| time.1));
    Some(WarmRequests {
        requests: times.len(),
        unavailable: times.iter().filter(|time| time.2 != 200).count(),
        p50_ms: percentile(&walls, 50)?,
        p99_ms: percentile(&walls, 99)?,
        billed_ms: walls.iter().map(|ms| ms.ceil()).sum::<f64>() / walls.len() as f64,
        cpu_ms: percentile(&cpus, 50)?,
        peak_mb,
    })
}

/// Returns the value that so many percent of the sorted values do not exceed.
pub(crate) fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// Returns, figure by figure, the less of two rounds: the other one was disturbed. Memory is the most, and so is what was not
/// answered.
pub(crate) fn best_of_rounds(one: WarmRequests, other: WarmRequests) -> WarmRequests {
    WarmRequests {
        requests: one.requests + other.requests,
        unavailable: one.unavailable + other.unavailable,
        p50_ms: one.p50_ms.min(other.p50_ms),
        p99_ms: one.p99_ms.min(other.p99_ms),
        billed_ms: one.billed_ms.min(other.billed_ms),
        cpu_ms: one.cpu_ms.min(other.cpu_ms),
        peak_mb: one.peak_mb.max(other.peak_mb),
    }
}

/// Returns the better of two first requests: answered, then sooner. Its figures stay together, but for the peak.
pub(crate) fn best_cold_start(one: ColdStart, other: ColdStart) -> ColdStart {
    let rank = |cold: &ColdStart| (cold.status != 200, cold.attempts, cold.first_ms);
    let (first, second) = if rank(&one) <= rank(&other) { (one, other) } else { (other, one) };
    ColdStart {
        init_ms: first.init_ms.min(second.init_ms),
        init_cpu_ms: first.init_cpu_ms.min(second.init_cpu_ms),
        peak_mb: first.peak_mb.max(second.peak_mb),
        ..first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&hundred, 50), Some(50.0));
        assert_eq!(percentile(&hundred, 99), Some(99.0));
        assert_eq!(percentile(&[7.0], 99), Some(7.0));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn each_request_is_billed_by_whole_milliseconds() {
        let warm = warm(&[(1.2, 0.5, 200), (2.0, 0.7, 200), (9.9, 0.6, 503)], 12.0).expect("three requests");
        assert!((warm.billed_ms - 14.0 / 3.0).abs() < 1e-9);
        assert_eq!((warm.requests, warm.unavailable), (3, 1));
        assert_eq!((warm.p50_ms.to_bits(), warm.cpu_ms.to_bits()), (2.0_f64.to_bits(), 0.6_f64.to_bits()));
    }

    #[test]
    fn the_quieter_round_counts_and_nothing_unanswered_is_forgotten() {
        let of = |p50_ms, unavailable, peak_mb| WarmRequests {
            requests: 5,
            unavailable,
            p50_ms,
            p99_ms: p50_ms,
            billed_ms: p50_ms,
            cpu_ms: 1.0,
            peak_mb,
        };
        assert_eq!(
            best_of_rounds(of(3.0, 1, 40.0), of(2.0, 0, 30.0)),
            WarmRequests { requests: 10, ..of(2.0, 1, 40.0) }
        );
        let cold = |first_ms, status| ColdStart {
            init_ms: 1.0,
            init_cpu_ms: 1.0,
            first_ms,
            first_cpu_ms: first_ms,
            peak_mb: first_ms,
            status,
            attempts: 1,
        };
        assert_eq!(best_cold_start(cold(9.0, 200), cold(5.0, 503)), cold(9.0, 200));
        assert_eq!(best_cold_start(cold(9.0, 200), cold(5.0, 200)), ColdStart { peak_mb: 9.0, ..cold(5.0, 200) });
    }
}
