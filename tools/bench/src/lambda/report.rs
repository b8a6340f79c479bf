//! Results as tables in Markdown.

use std::fmt::Write as _;

use presence_local::gateway::MEMORY_MB;

use super::memory::Memory;
use super::results::{BenchmarkResults, MemoryResults, OperationResults, SearchesDuringWrites};
use crate::costs::prices;

/// Counted instructions of a search. They are counted by hand, since Valgrind is no part of the benchmark.
const INSTRUCTIONS_OF_PAGE_1: &str = include_str!("instructions.md");

/// Renders the report. Compares the results with those of an earlier run, if they have any.
pub(super) fn render(results: &BenchmarkResults) -> String {
    let mut report = introduction(results);
    for note in &results.notes {
        let _ = writeln!(report, "\n{note}");
    }
    report.push_str(&memory_of_functions(results));
    report.push_str(&processor_and_memory(results));
    report.push_str(INSTRUCTIONS_OF_PAGE_1);
    report.push_str(
        "\n## Cold: init and first request, ms\n\nInit has a whole processor; the first request has the share of the function. Of the \
         searches of an organisation, only the first one starts a process and loads the directory. The others build only the \
         indexes that they need.\n\n",
    );
    report.push_str(&table_by_memory(results, cold_cell));
    report.push_str("\n## Warm: median and 99th percentile, ms\n\n");
    report.push_str(&table_by_memory(results, warm_cell));
    report.push_str(
        "\n## Price of a million requests, $\n\nThis is the price of Lambda alone: the requests and the billed time, on arm64. In \
         brackets is the price if each request were the first of its process, init included. The other prices are in \
         [cost.md](../cost.md).\n\n",
    );
    report.push_str(&table_by_memory(results, price_cell));
    if !results.searches_during_writes.is_empty() {
        report.push_str(&searches_during_writes("Searches while users change", &results.searches_during_writes));
    }
    if let Some(before) = &results.before {
        report.push_str(&comparison(before, results));
    }
    report
}

fn introduction(results: &BenchmarkResults) -> String {
    let BenchmarkResults { throttle, rounds, requests, reviews, .. } = results;
    format!(
        "# Lambda\n\nMade by `cargo run --profile bench -p presence-bench -- lambda`, after `cargo build --release \
         -p presence-users -p presence-categories -p presence-reviews -p presence-mailer`. The release binaries have the deployed \
         profile, with fat link-time optimisation. They run behind the runtime API. Each has the share of a processor that comes with its memory: memory / 1,769 MB. The throttle is {throttle}. \
         DynamoDB is the embedded one, behind TLS, in another process that is not throttled. It has {reviews} reviews, and each of \
         its answers is delayed by 3 ms.\n\n\
         Processor time is exact. Wall times are those of a machine with other load: each is the lowest of {rounds} rounds. Each \
         operation and size of memory has {requests} requests in all, or fewer if they are slow. The first request over a large \
         directory is measured once. A large Query takes longer on the embedded DynamoDB than on AWS. The processor of this machine \
         is x86-64: **Graviton (arm64) was not measured**, although the prices are those of arm64.\n"
    )
}

/// Renders the memory that functions have used, and the memory of the template.
fn memory_of_functions(results: &BenchmarkResults) -> String {
    let mut table = String::from(
        "\n## Memory of the functions\n\n| function | most memory used, MB | `MemorySize` |\n|---|---:|---:|\n",
    );
    for (function, megabytes) in MEMORY_MB {
        let peak = peak_of(results, function);
        let peak = peak.map_or_else(|| "not measured".to_owned(), |peak| format!("{peak:.0}"));
        let _ = writeln!(table, "| {function} | {peak} | {megabytes} |");
    }
    table
}

/// Returns the most memory that a function has used in any measurement.
fn peak_of(results: &BenchmarkResults, function: &str) -> Option<f64> {
    let operations = results.operations.iter().filter(|operation| operation.function == function);
    let sizes = operations.flat_map(|operation| &operation.sizes);
    let peaks = sizes.flat_map(|size| [size.cold.map(|cold| cold.peak_mb), size.warm.map(|warm| warm.peak_mb)]);
    // Only the users function was searched while users changed.
    let during_writes = results.searches_during_writes.iter().filter(|_| function == "users");
    peaks.flatten().chain(during_writes.map(|row| row.searches.peak_mb)).reduce(f64::max)
}

fn operation_label(operation: &OperationResults) -> String {
    let variant = if operation.variant.is_empty() { String::new() } else { format!(": {}", operation.variant) };
    let users = operation.users.map_or_else(String::new, |users| format!(" of {} users", thousands(users)));
    format!("`{}`{variant}{users}", operation.operation)
}

fn thousands(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

fn processor_and_memory(results: &BenchmarkResults) -> String {
    let mut table = String::from(
        "\n## Processor time and memory\n\nThe table has the lowest processor time and the highest memory of all sizes. One process \
         answers the searches of an organisation, with different filters, one after the other.\n\n\
         | operation | init CPU ms | first CPU ms | warm CPU ms | cold peak MB | warm peak MB | answer bytes | log bytes |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for operation in &results.operations {
        let cold = operation.sizes.iter().filter_map(|size| size.cold);
        // A process that answered other operations before has no init.
        let init_cpu_ms = cold.map(|cold| cold.init_cpu_ms).reduce(f64::min).filter(|ms| *ms > 0.0);
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            operation_label(operation),
            cell(init_cpu_ms, 1),
            cell(first_cpu_ms(operation), 1),
            cell(warm_cpu_ms(operation), 2),
            cell(cold_peak_mb(operation), 0),
            cell(operation.sizes.iter().filter_map(|size| size.warm).map(|warm| warm.peak_mb).reduce(f64::max), 0),
            operation.answer_bytes,
            operation.log_bytes,
        );
    }
    table
}

/// Returns the lowest processor time of a first request that was answered.
fn first_cpu_ms(operation: &OperationResults) -> Option<f64> {
    let answered = operation.sizes.iter().filter_map(|size| size.cold).filter(|cold| cold.status == 200);
    answered.map(|cold| cold.first_cpu_ms).reduce(f64::min)
}

fn warm_cpu_ms(operation: &OperationResults) -> Option<f64> {
    operation.sizes.iter().filter_map(|size| size.warm).map(|warm| warm.cpu_ms).reduce(f64::min)
}

fn cold_peak_mb(operation: &OperationResults) -> Option<f64> {
    operation.sizes.iter().filter_map(|size| size.cold).map(|cold| cold.peak_mb).reduce(f64::max)
}

/// Formats a number. An absent one is an empty cell.
fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
}

/// Renders a table with a column for each size of memory. Operations without a single cell have no row.
fn table_by_memory(results: &BenchmarkResults, cell: fn(&MemoryResults) -> Option<String>) -> String {
    let sizes = memory_sizes(results);
    let titles: Vec<_> = sizes.iter().map(|memory| format!("{memory} MB ({:.3})", memory.share())).collect();
    let mut table = format!("| operation | {} |\n|---|{}\n", titles.join(" | "), "---:|".repeat(sizes.len()));
    for operation in &results.operations {
        let cells = sizes.iter().map(|memory| {
            let results = operation.sizes.iter().find(|size| size.memory == *memory);
            results.and_then(cell).unwrap_or_default()
        });
        let cells: Vec<_> = cells.collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            let _ = writeln!(table, "| {} | {} |", operation_label(operation), cells.join(" | "));
        }
    }
    table
}

fn memory_sizes(results: &BenchmarkResults) -> Vec<Memory> {
    let sizes = results.operations.iter().flat_map(|operation| &operation.sizes).map(|size| size.memory);
    let mut sizes: Vec<Memory> = sizes.collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn cold_cell(size: &MemoryResults) -> Option<String> {
    let cold = size.cold?;
    Some(match cold.status {
        200 if cold.attempts > 1 => format!("{:.0}, after a 503", cold.first_ms),
        200 => format!("{:.0}", cold.init_ms + cold.first_ms),
        status => format!("**{status}** after {:.0}", cold.first_ms),
    })
}

fn warm_cell(size: &MemoryResults) -> Option<String> {
    let warm = size.warm?;
    let unavailable = if warm.unavailable == 0 { String::new() } else { format!(" ({} × 503)", warm.unavailable) };
    Some(format!("{:.1} / {:.1}{unavailable}", warm.p50_ms, warm.p99_ms))
}

/// Formats the price of a million warm requests, and that of a million cold ones in brackets.
fn price_cell(size: &MemoryResults) -> Option<String> {
    let dollars = |billed_ms| prices::lambda(size.memory, billed_ms);
    let warm = size.warm.map(|warm| format!("{:.2}", dollars(warm.billed_ms)));
    let cold = size.cold.filter(|cold| cold.status == 200);
    let cold = cold.map(|cold| format!("({:.2})", dollars((cold.init_ms + cold.first_ms).ceil())));
    let prices: Vec<String> = [warm, cold].into_iter().flatten().collect();
    (!prices.is_empty()).then(|| prices.join(" "))
}

fn searches_during_writes(title: &str, rows: &[SearchesDuringWrites]) -> String {
    let mut table = format!(
        "\n## {title}\n\nUsers change through the service, in a process that is not throttled. One function searches with a fuzzy \
         query. It holds the directory before the first change.\n\n\
         | users | changes a second | MB | searches | how many | 503 | median ms | p99 ms | CPU ms each | peak MB before | peak MB |\n\
         |---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for row in rows {
        let pace = if row.back_to_back { "one after the other" } else { "one a second" };
        let _ = writeln!(
            table,
            "| {} | {:.1} of {} | {} | {pace} | {} | {} | {:.0} | {:.0} | {:.1} | {:.0} | {:.0} |",
            thousands(row.users),
            row.written_per_second,
            row.writes_per_second,
            row.memory,
            row.searches.requests,
            row.searches.unavailable,
            row.searches.p50_ms,
            row.searches.p99_ms,
            row.searches.cpu_ms,
            row.cold_peak_mb,
            row.searches.peak_mb,
        );
    }
    table
}

/// Compares the results of an earlier run with those of this one, for operations that depend on the number of users.
fn comparison(before: &BenchmarkResults, now: &BenchmarkResults) -> String {
    let mut table = String::from(
        "\n## Before\n\nThis section has the searches of users in version 0.1.0, measured in the same way. That version reloaded a \
         directory after each change, and held several copies of it meanwhile. The current value is behind the arrow.\n\n\
         | operation | first CPU ms | cold peak MB | warm CPU ms |\n|---|---:|---:|---:|\n",
    );
    for old in before.operations.iter().filter(|operation| operation.users.is_some()) {
        let label = operation_label(old);
        let new = now.operations.iter().find(|new| operation_label(new) == label);
        let _ = writeln!(
            table,
            "| {label} | {} | {} | {} |",
            old_and_new(old, new, first_cpu_ms, 0),
            old_and_new(old, new, cold_peak_mb, 0),
            old_and_new(old, new, warm_cpu_ms, 2),
        );
    }
    if !before.searches_during_writes.is_empty() {
        let title = "Searches while users changed, before";
        table.push_str(&searches_during_writes(title, &before.searches_during_writes));
    }
    table
}

fn old_and_new(
    old: &OperationResults,
    new: Option<&OperationResults>,
    value: fn(&OperationResults) -> Option<f64>,
    decimals: usize,
) -> String {
    let (old, new) = (value(old), new.and_then(value));
    if old.is_none() && new.is_none() {
        return String::new();
    }
    let format = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.decimals$}"));
    format!("{} → {}", format(old), format(new))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::results::{ColdStart, WarmRequests};
    use super::*;

    fn results() -> BenchmarkResults {
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
            variant: "no filter".to_owned(),
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
    fn report_has_a_row_for_each_operation_and_a_column_for_each_size() {
        let report = render(&results());
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
    fn earlier_run_is_compared_for_operations_that_depend_on_the_number_of_users() {
        let report = render(&BenchmarkResults { before: Some(Box::new(results())), ..results() });
        assert!(
            report.contains("| `search_users`: no filter of 10,000 users | 12 → 12 | 60 → 60 | 0.90 → 0.90 |"),
            "{report}"
        );
    }

    #[test]
    fn the_page_is_made_from_the_stored_results_and_loses_no_word_if_it_is_made_again() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/docs/benchmarks");
        let results = super::super::read(&folder.join("lambda.json")).expect("results");
        let page = std::fs::read_to_string(folder.join("lambda.md")).expect("a page");
        for (made, line) in render(&results).lines().zip(page.lines()) {
            assert_eq!(made, line);
        }
        assert_eq!(render(&results).lines().count(), page.lines().count());
    }
}
