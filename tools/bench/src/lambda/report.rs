//! The figures as tables.

use std::fmt::Write as _;

use presence_local::gateway::MEMORY_MB;

use super::memory::Memory;
use super::results::{BenchmarkResults, MemoryResults, OperationResults, SearchesDuringWrites};
use crate::costs::prices;

/// Renders the report, with what an earlier run found where it is given.
pub(super) fn render(figures: &BenchmarkResults, before: Option<&BenchmarkResults>) -> String {
    let mut report = head(figures);
    choice(figures, &mut report);
    let memory = memory_sizes(figures);
    processor_and_memory(figures, &mut report);
    let cold = |size: &MemoryResults| {
        size.cold.map(|cold| match cold.status {
            200 if cold.attempts > 1 => format!("{:.0}, after a 503", cold.first_ms),
            200 => format!("{:.0}", cold.init_ms + cold.first_ms),
            status => format!("**{status}** after {:.0}", cold.first_ms),
        })
    };
    report.push_str(
        "\n## Cold: init and first request, ms\n\nInit has the whole processor, the first request has the function's share. Only the first \
         of the searches of an organisation starts a process and finds no directory; the others build what they alone need.\n\n",
    );
    by_memory(figures, &memory, cold, &mut report);
    report.push_str("\n## Warm: median and 99th percentile, ms\n\n");
    let warm = |size: &MemoryResults| {
        size.warm.map(|warm| {
            let unavailable =
                if warm.unavailable == 0 { String::new() } else { format!(" ({} × 503)", warm.unavailable) };
            format!("{:.1} / {:.1}{unavailable}", warm.p50_ms, warm.p99_ms)
        })
    };
    by_memory(figures, &memory, warm, &mut report);
    report.push_str(
        "\n## Price of a million requests, $\n\nOf Lambda alone: the requests, and the time that is billed, on arm64. In brackets: \
         if each were the first of its process, init included. The other prices are in [cost.md](../cost.md).\n\n",
    );
    by_memory(figures, &memory, price, &mut report);
    if !figures.liveness.is_empty() {
        liveness("Searches while users change", &figures.liveness, &mut report);
    }
    if let Some(before) = before {
        compare(before, figures, &mut report);
    }
    report
}

fn head(figures: &BenchmarkResults) -> String {
    let BenchmarkResults { way, rounds, requests, reviews, .. } = figures;
    format!(
        "# Lambda\n\nMade by `cargo run --profile bench -p presence-bench -- lambda`, after `cargo build --release \
         -p presence-users -p presence-categories -p presence-reviews -p presence-mailer`. The release binaries run behind the \
         runtime API, each with the share of a processor that its memory buys: memory / 1,769 MB. They get it by {way}. DynamoDB is \
         the embedded one, in another process that is not limited, behind TLS; it has {reviews} reviews, and each of its answers \
         takes 3 ms more than it needs.\n\n\
         Processor time is exact. Wall times are of a machine that does other work too: each is the least of {rounds} rounds, with \
         {requests} requests in all for each operation and size, or fewer where they are slow; the first request over a large \
         directory is measured once. A large Query takes longer on the embedded DynamoDB than on AWS. This machine's processor is x86-64: \
         **Graviton (arm64) was not measured**, although the prices are those of arm64.\n"
    )
}

fn memory_sizes(figures: &BenchmarkResults) -> Vec<Memory> {
    let sizes = figures.operations.iter().flat_map(|operation| &operation.sizes).map(|size| size.memory);
    let mut sizes: Vec<Memory> = sizes.collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The template's choice beside what was used.
fn choice(figures: &BenchmarkResults, report: &mut String) {
    report.push_str(
        "\n## Memory of the functions\n\n| function | most memory used, MB | `MemorySize` |\n|---|---:|---:|\n",
    );
    for (function, megabytes) in MEMORY_MB {
        let peak = peak_of(figures, function);
        let peak = peak.map_or_else(|| "not measured".to_owned(), |peak| format!("{peak:.0}"));
        let _ = writeln!(report, "| {function} | {peak} | {megabytes} |");
    }
}

/// Returns the most memory that a function had in any measurement.
fn peak_of(figures: &BenchmarkResults, function: &str) -> Option<f64> {
    let sizes = figures.operations.iter().filter(|operation| operation.function == function);
    let sizes = sizes.flat_map(|operation| &operation.sizes);
    let peaks = sizes.flat_map(|size| [size.cold.map(|cold| cold.peak_mb), size.warm.map(|warm| warm.peak_mb)]);
    let changing = figures.liveness.iter().filter(|_| function == "users").map(|live| Some(live.warm.peak_mb));
    peaks.chain(changing).flatten().reduce(f64::max)
}

fn name(operation: &OperationResults) -> String {
    let what = if operation.what.is_empty() { String::new() } else { format!(": {}", operation.what) };
    let users = operation.users.map_or_else(String::new, |users| format!(" of {} users", thousands(users)));
    format!("`{}`{what}{users}", operation.operation)
}

fn thousands(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

fn processor_and_memory(figures: &BenchmarkResults, report: &mut String) {
    report.push_str(
        "\n## Processor time and memory\n\nThe least processor time and the most memory of all sizes. One process answered the \
         searches of an organisation with different filters one after the other.\n\n\
         | operation | init CPU ms | first CPU ms | warm CPU ms | cold peak MB | warm peak MB | answer bytes | log bytes |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for operation in &figures.operations {
        let cold = || operation.sizes.iter().filter_map(|size| size.cold);
        let warm = || operation.sizes.iter().filter_map(|size| size.warm);
        let shown =
            |value: Option<f64>, digits: usize| value.map_or_else(String::new, |value| format!("{value:.digits$}"));
        let _ = writeln!(
            report,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            name(operation),
            shown(cold().map(|cold| cold.init_cpu_ms).reduce(f64::min).filter(|ms| *ms > 0.0), 1),
            shown(cold().filter(|cold| cold.status == 200).map(|cold| cold.first_cpu_ms).reduce(f64::min), 1),
            shown(warm().map(|warm| warm.cpu_ms).reduce(f64::min), 2),
            shown(cold().map(|cold| cold.peak_mb).reduce(f64::max), 0),
            shown(warm().map(|warm| warm.peak_mb).reduce(f64::max), 0),
            operation.answer_bytes,
            operation.log_bytes,
        );
    }
}

/// A table with a column for each size of memory.
fn by_memory(
    figures: &BenchmarkResults,
    memory: &[Memory],
    cell: impl Fn(&MemoryResults) -> Option<String>,
    report: &mut String,
) {
    let titles: Vec<_> = memory.iter().map(|memory| format!("{memory} MB ({:.3})", memory.share())).collect();
    let _ = writeln!(report, "| operation | {} |\n|---|{}", titles.join(" | "), "---:|".repeat(memory.len()));
    for operation in &figures.operations {
        let cells = memory.iter().map(|memory| {
            let size = operation.sizes.iter().find(|size| size.memory == *memory);
            size.and_then(&cell).unwrap_or_default()
        });
        let cells: Vec<_> = cells.collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            let _ = writeln!(report, "| {} | {} |", name(operation), cells.join(" | "));
        }
    }
}

/// Dollars of a million warm requests, and of a million cold ones.
fn price(size: &MemoryResults) -> Option<String> {
    let dollars = |billed_ms| prices::lambda(size.memory, billed_ms);
    let warm = size.warm.map(|warm| format!("{:.2}", dollars(warm.billed_ms)));
    let cold = size.cold.filter(|cold| cold.status == 200);
    let cold = cold.map(|cold| format!("({:.2})", dollars((cold.init_ms + cold.first_ms).ceil())));
    let shown = [warm, cold].into_iter().flatten().collect::<Vec<_>>().join(" ");
    (!shown.is_empty()).then_some(shown)
}

fn liveness(title: &str, rows: &[SearchesDuringWrites], report: &mut String) {
    let _ = writeln!(
        report,
        "\n## {title}\n\nUsers change through the service, in a process that is not limited; one function searches by a fuzzy query. \
         It had the directory before the first change.\n\n\
         | users | changes a second | MB | searches | how many | 503 | median ms | p99 ms | CPU ms each | peak MB before | peak MB |\n\
         |---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|"
    );
    for row in rows {
        let how = if row.back_to_back { "one after the other" } else { "one a second" };
        let _ = writeln!(
            report,
            "| {} | {:.1} of {} | {} | {how} | {} | {} | {:.0} | {:.0} | {:.1} | {:.0} | {:.0} |",
            thousands(row.users),
            row.written_per_second,
            row.writes_per_second,
            row.memory,
            row.warm.requests,
            row.warm.unavailable,
            row.warm.p50_ms,
            row.warm.p99_ms,
            row.warm.cpu_ms,
            row.cold_peak_mb,
            row.warm.peak_mb,
        );
    }
}

/// Compares the figures of an earlier run with those of this one, where directories matter.
fn compare(before: &BenchmarkResults, now: &BenchmarkResults, report: &mut String) {
    report.push_str(
        "\n## Before\n\nSearches of users in version 0.1.0, which reloaded a directory after each change and held several copies of it \
         while it did. Measured in the same way; what is found now stands behind the arrow.\n\n\
         | operation | first CPU ms | cold peak MB | warm CPU ms |\n|---|---:|---:|---:|\n",
    );
    let growing = before.operations.iter().filter(|operation| operation.users.is_some());
    for old in growing {
        let is_same = |new: &&OperationResults| name(new) == name(old);
        let new = now.operations.iter().find(is_same);
        let pair = |of: fn(&OperationResults) -> Option<f64>, digits: usize| {
            let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"));
            if of(old).is_none() && new.and_then(of).is_none() {
                return String::new();
            }
            format!("{} → {}", shown(of(old)), shown(new.and_then(of)))
        };
        let cold_cpu = |operation: &OperationResults| {
            let answered = operation.sizes.iter().filter_map(|size| size.cold).filter(|cold| cold.status == 200);
            answered.map(|cold| cold.first_cpu_ms).reduce(f64::min)
        };
        let cold_peak = |operation: &OperationResults| {
            operation.sizes.iter().filter_map(|size| size.cold).map(|cold| cold.peak_mb).reduce(f64::max)
        };
        let warm_cpu = |operation: &OperationResults| {
            operation.sizes.iter().filter_map(|size| size.warm).map(|warm| warm.cpu_ms).reduce(f64::min)
        };
        let _ = writeln!(
            report,
            "| {} | {} | {} | {} |",
            name(old),
            pair(cold_cpu, 0),
            pair(cold_peak, 0),
            pair(warm_cpu, 2)
        );
    }
    if !before.liveness.is_empty() {
        liveness("Searches while users changed, before", &before.liveness, report);
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::{ColdStart, WarmRequests};
    use super::*;

    fn figures() -> BenchmarkResults {
        let cold = |status| ColdStart {
            init_ms: 5.0,
            init_cpu_ms: 4.0,
            first_ms: 95.0,
            first_cpu_ms: 12.0,
            peak_mb: 60.0,
            status,
            attempts: 1,
        };
        let warm = WarmRequests {
            requests: 36,
            unavailable: 0,
            p50_ms: 7.0,
            p99_ms: 20.0,
            billed_ms: 8.0,
            cpu_ms: 0.9,
            peak_mb: 61.0,
        };
        let size = |memory, status, warm| MemoryResults { memory: Memory(memory), cold: Some(cold(status)), warm };
        let search = OperationResults {
            function: "users".to_owned(),
            operation: "search_users".to_owned(),
            what: "no filter".to_owned(),
            users: Some(10_000),
            answer_bytes: 3_000,
            log_bytes: 250,
            sizes: vec![size(128, 503, None), size(256, 200, Some(warm))],
        };
        BenchmarkResults {
            rounds: 3,
            requests: 36,
            reviews: 5,
            operations: vec![search],
            ..BenchmarkResults::default()
        }
    }

    #[test]
    fn a_report_has_a_row_for_each_operation_and_a_column_for_each_size() {
        let report = render(&figures(), None);
        let rows: Vec<&str> = report.lines().filter(|line| line.starts_with("| `search_users`")).collect();
        assert_eq!(
            rows,
            [
                "| `search_users`: no filter of 10,000 users | 4.0 | 12.0 | 0.90 | 60 | 61 | 3000 | 250 |",
                "| `search_users`: no filter of 10,000 users | **503** after 95 | 100 |",
                "| `search_users`: no filter of 10,000 users |  | 7.0 / 20.0 |",
                // 0.2 for the request; 8 and 100 ms of 0.25 GB at 0.0000133334 a GB-second.
                "| `search_users`: no filter of 10,000 users |  | 0.23 (0.53) |",
            ]
        );
        assert!(report.contains("| users | 61 | "), "{report}");
    }

    #[test]
    fn an_earlier_run_is_compared_where_directories_matter() {
        let report = render(&figures(), Some(&figures()));
        assert!(
            report.contains("| `search_users`: no filter of 10,000 users | 12 → 12 | 60 → 60 | 0.90 → 0.90 |"),
            "{report}"
        );
    }
}
