//! Results of the benchmark, one line of JSON for each operation.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::function::Invocation;
use super::memory::Memory;

/// File with the results behind `cost.md`. A test compares its memory with that of the template.
pub(crate) const RESULTS: &str = "tools/bench/lambda.jsonl";

/// Results of an operation, with the memory of its function. Times are those of the best round, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OperationResults {
    pub(crate) function: String,
    pub(crate) operation: String,
    /// Words that tell the request from others of its operation.
    pub(crate) variant: String,
    /// Number of users of the organisation. Present only if the operation depends on it.
    pub(crate) users: Option<usize>,
    pub(crate) memory: Memory,
    /// Start of the process. Absent if the process has answered other operations before.
    pub(crate) init_ms: Option<f64>,
    pub(crate) init_cpu_ms: Option<f64>,
    pub(crate) first_ms: f64,
    pub(crate) first_cpu_ms: f64,
    /// Median and 99th percentile of the requests after the first one.
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Average time that Lambda bills. Each request is rounded up to a millisecond.
    pub(crate) billed_ms: f64,
    pub(crate) cpu_ms: f64,
    /// Peak of the resident memory, the highest of all rounds.
    pub(crate) peak_mb: f64,
    /// Size of the answer as it goes to the gateway.
    pub(crate) answer_bytes: u64,
    /// Average size of the function's own log of a request.
    pub(crate) log_bytes: u64,
}

/// Times of the requests after the first one.
#[expect(clippy::struct_field_names, reason = "the unit is part of each name")]
pub(super) struct WarmTimes {
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) billed_ms: f64,
    pub(super) cpu_ms: f64,
}

impl OperationResults {
    /// Combines two rounds. The lower time counts, because other programs may have slowed down the other round. The memory is
    /// the higher one.
    pub(super) fn best_of(self, other: &Self) -> Self {
        let lower = |one: Option<f64>, other: Option<f64>| one.into_iter().chain(other).reduce(f64::min);
        Self {
            init_ms: lower(self.init_ms, other.init_ms),
            init_cpu_ms: lower(self.init_cpu_ms, other.init_cpu_ms),
            first_ms: self.first_ms.min(other.first_ms),
            first_cpu_ms: self.first_cpu_ms.min(other.first_cpu_ms),
            p50_ms: self.p50_ms.min(other.p50_ms),
            p99_ms: self.p99_ms.min(other.p99_ms),
            billed_ms: self.billed_ms.min(other.billed_ms),
            cpu_ms: self.cpu_ms.min(other.cpu_ms),
            peak_mb: self.peak_mb.max(other.peak_mb),
            ..self
        }
    }
}

impl WarmTimes {
    /// Summarises requests. Returns `None` if there are none.
    pub(super) fn of(invocations: &[Invocation]) -> Option<Self> {
        let wall_ms = sorted(invocations.iter().map(|invocation| invocation.ms));
        let cpu_ms = sorted(invocations.iter().map(|invocation| invocation.cpu_ms));
        Some(Self {
            p50_ms: percentile(&wall_ms, 50)?,
            p99_ms: percentile(&wall_ms, 99)?,
            billed_ms: wall_ms.iter().map(|ms| ms.ceil()).sum::<f64>() / wall_ms.len() as f64,
            cpu_ms: percentile(&cpu_ms, 50)?,
        })
    }
}

/// Reads the results in a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<OperationResults>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let results: serde_json::Result<Vec<_>> = text.lines().map(serde_json::from_str).collect();
    results.with_context(|| format!("{} has no results", file.display()))
}

/// Writes results into a file.
pub(super) fn write(file: &Path, results: &[OperationResults]) -> anyhow::Result<()> {
    let lines: serde_json::Result<Vec<_>> = results.iter().map(serde_json::to_string).collect();
    Ok(std::fs::write(file, lines?.join("\n") + "\n")?)
}

/// Renders the results as a table in Markdown.
pub(super) fn render(results: &[OperationResults]) -> String {
    let mut table = String::from(
        "| operation | MB | init CPU ms | first CPU ms | CPU ms | first ms | median ms | p99 ms | billed ms | peak MB | answer bytes \
         | log bytes |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for result in results {
        let OperationResults { operation, variant, memory, first_cpu_ms, cpu_ms, p50_ms, p99_ms, .. } = result;
        let OperationResults { billed_ms, peak_mb, answer_bytes, log_bytes, .. } = result;
        let variant = if variant.is_empty() { String::new() } else { format!(": {variant}") };
        let users = result.users.map_or_else(String::new, |users| format!(" of {users} users"));
        let init_cpu_ms = result.init_cpu_ms.map_or_else(String::new, |ms| format!("{ms:.1}"));
        let first_ms = result.init_ms.unwrap_or_default() + result.first_ms;
        let _ = writeln!(
            table,
            "| `{operation}`{variant}{users} | {memory} | {init_cpu_ms} | {first_cpu_ms:.1} | {cpu_ms:.2} | {first_ms:.0} | {p50_ms:.1} \
             | {p99_ms:.1} | {billed_ms:.1} | {peak_mb:.0} | {answer_bytes} | {log_bytes} |",
        );
    }
    table
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
        let invocation = |ms, cpu_ms| Invocation { ms, cpu_ms, answer_bytes: 0, log_bytes: 0 };
        let warm = WarmTimes::of(&[invocation(1.2, 0.5), invocation(2.0, 0.7), invocation(9.9, 0.6)]).expect("three");
        assert!((warm.billed_ms - 14.0 / 3.0).abs() < 1e-9);
        assert_eq!((warm.p50_ms.to_bits(), warm.cpu_ms.to_bits()), (2.0_f64.to_bits(), 0.6_f64.to_bits()));
    }

    #[test]
    fn best_round_counts_with_the_highest_memory() {
        let stored = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("lambda.jsonl")).expect("the stored results");
        let one = stored.first().expect("an operation").clone();
        let other = OperationResults { cpu_ms: one.cpu_ms / 2.0, peak_mb: one.peak_mb + 1.0, ..one.clone() };
        assert_eq!(one.best_of(&other), other);
    }
}
