//! Report in Markdown.

use std::fmt::Write as _;

use presence_bench::cost::Cost;

use super::SizeResult;
use super::backend::Backend;
use super::backends::{StorageSizes, WriteUnitsByDate};
use super::delayed_client::CALL_DELAY;
use super::first_edition;
use super::ledger::{IMPORTED, WRITTEN_ALONE};
use super::plot::PlotFile;
use super::rounds::{MeasuredSearch, Measurement};
use super::search::{PagePosition, Search};
use super::targets::render_targets;

const INTRODUCTION: &str = "\
# Reviews

Made by `cargo run --profile bench -p presence-bench -- reviews`. The benchmark makes the same searches over the same reviews
(`tools/bench/src/distribution` describes them), with pages of 30, in three backends:

- **ledger**: the store of the service on an embedded `DynamoDB` in a file. A **cold** search has an empty cache and open
  connections. A **warm** one has the cache of all searches so far, which it repeats.
- **thin index**: a Query with a filter over the organisation's entries in an index with facets, city and business. To count, it
  reads all entries, page after page of 1 MB. Then it fetches the reviews of the page. Reads are eventually consistent, as those
  of an index are, at half the units. A range of dates is a key condition.
- **PostgreSQL** 15, tuned for this: all data fits into its buffers, and each filter has an index in the order of the pages. It
  reads `count(*)` and `OFFSET` from indexes alone, and only the rows of the page from the table. Statements are prepared, and
  planned with their values. Count and page are sent together over a unix socket.

Before the measurement, all backends must give the same count, the same last page and the same reviews in the same order. A
difference ends the run. Units, calls and waves are exact. They do not include the key of a request, which costs one unit and one
call more in all backends. Times are in milliseconds, measured in turns in one run: ROUNDS times, the thin index less often. p99
is the nearest rank: the slowest of fewer than 100 runs. Each call of `DynamoDB` is delayed by DELAY. The own time of the embedded
one comes on top, and it is slow, because it answers one call at a time. `PostgreSQL` has no delay.

**CPU** is the processor time of one search in milliseconds, a median. It is that of the searching thread: the store, the SDK for
`DynamoDB` and its HTTP client, without encryption. The embedded `DynamoDB` has a thread of its own and does not count. The request
line, the key and the JSON of the answer do not count either: [lambda.md](lambda.md) has whole requests.

The **first edition** of the ledger kept counts by month and day, changed with each review. Its figures are those of the last run before it
was replaced ([decision 0022](../decisions/0022-trees-folded-from-one-log.md)), over the same reviews.
";

/// Renders the report.
pub(super) fn render(sizes: &[SizeResult], rounds: u64, plots: &[PlotFile]) -> String {
    let mut report = INTRODUCTION.replace("DELAY", &format!("{} ms", CALL_DELAY.as_secs_f64() * 1e3));
    report = report.replace("ROUNDS", &rounds.to_string());
    report.push_str(&render_targets(sizes));
    for plot in plots {
        let _ = writeln!(report, "\n![{}]({})", plot.description, plot.name);
    }
    for size in sizes {
        report.push_str(&searches(size));
    }
    report.push_str(&weaknesses(sizes));
    report
}

/// Renders the searches at one number of reviews.
fn searches(size: &SizeResult) -> String {
    let runs = size
        .find("no filter", PagePosition::First)
        .and_then(|measured| measured.measurements.get(&Backend::ThinIndex))
        .map_or(0, Measurement::runs);
    let was_timed = runs > 0;
    let mut section = format!("\n## {} reviews\n\n", grouped(size.total));
    if was_timed {
        let _ = writeln!(section, "Runs of the thin index: {runs}.\n");
    } else {
        section.push_str(
            "Counted, not measured. The ledger is the store over a synthetic `DynamoDB`, which knows only sizes. ",
        );
        section.push_str("The thin index is calculated from the size of its entries.\n\n");
    }
    section.push_str(if was_timed { TIMED_HEADER } else { COUNTED_HEADER });
    for measured in &size.searches {
        section.push_str(&search_row(measured, size.total, was_timed));
    }
    section
}

const TIMED_HEADER: &str = "\
| search | found | first edition, units | cold: units, calls, waves | p50, p99 | CPU | warm: units, calls, waves | p50, p99 | CPU \
| thin index: units, calls | p50, p99 | PostgreSQL: p50, p99 |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";
const COUNTED_HEADER: &str = "\
| search | found | first edition, units | cold: units, calls, waves | warm: units, calls, waves | thin index: units, calls |
|---|---:|---:|---:|---:|---:|
";

fn search_row(measured: &MeasuredSearch, total: u64, was_timed: bool) -> String {
    let Search { match_count, .. } = measured.search;
    let before = first_edition::read_units(&measured.search, total).map_or_else(missing, |units| units.to_string());
    let mut row = format!("| {} | {} | {before} |", measured.search.name(), grouped(match_count));
    for backend in [Backend::ColdLedger, Backend::WarmLedger] {
        let measurement = measured.measurements.get(&backend);
        row.push_str(&if was_timed { measured_cells(measurement) } else { cost_cell(measurement) });
    }
    if let Some(Cost { read_units, calls, .. }) = measured.cost(Backend::ThinIndex) {
        // Its calls follow each other: it has as many waves.
        let _ = write!(row, " {read_units}, {calls} |");
    }
    if was_timed {
        row.push_str(&time_cell(measured.measurements.get(&Backend::ThinIndex)));
        row.push_str(&time_cell(measured.measurements.get(&Backend::Postgres)));
    }
    row.push('\n');
    row
}

/// Renders the cells of the cost, the time and the processor time.
pub(super) fn measured_cells(measurement: Option<&Measurement>) -> String {
    let cpu = measurement.map_or_else(missing, |measurement| ms(measurement.cpu_ms()));
    format!("{}{} {cpu} |", cost_cell(measurement), time_cell(measurement))
}

fn cost_cell(measurement: Option<&Measurement>) -> String {
    let text = measurement.map_or_else(missing, |Measurement { cost, .. }| {
        format!("{}, {}, {}", cost.read_units, cost.calls, cost.waves)
    });
    format!(" {text} |")
}

fn time_cell(measurement: Option<&Measurement>) -> String {
    let times =
        |measurement: &Measurement| format!("{}, {}", ms(measurement.median_ms()), ms(measurement.quantile_ms(0.99)));
    format!(" {} |", measurement.map_or_else(missing, times))
}

/// Returns the text of a figure that does not exist.
fn missing() -> String {
    "–".to_owned()
}

fn weaknesses(sizes: &[SizeResult]) -> String {
    let mut section = "\n## Weaknesses of the ledger\n".to_owned();
    section.push_str(&faster_in_postgres(sizes));
    section.push_str(&without_exact_count(sizes));
    section.push_str(&businesses(sizes));
    section.push_str(&writing_and_storing(sizes));
    section
}

fn faster_in_postgres(sizes: &[SizeResult]) -> String {
    let mut section = String::from(
        "\n### Answered sooner by PostgreSQL\n\nThe table has every search that `PostgreSQL` answers sooner than a warm or a cold \
         ledger, count included, at the largest number of reviews. Times are medians. `PostgreSQL` has no delay for the network.\n\n\
         | search | found | ledger ms, cold | warm | PostgreSQL ms | cold, times | warm, times |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let largest = sizes.iter().rev().find(|size| size.storage.is_some());
    for measured in largest.iter().flat_map(|size| &size.searches) {
        let median = |backend| measured.median_ms(backend);
        let (Some(cold), Some(warm), Some(postgres)) =
            (median(Backend::ColdLedger), median(Backend::WarmLedger), median(Backend::Postgres))
        else {
            continue;
        };
        if postgres < cold.max(warm) {
            let (name, found) = (measured.search.name(), grouped(measured.search.match_count));
            let [cold_factor, warm_factor] = [cold / postgres, warm / postgres];
            let [cold, warm, postgres] = [cold, warm, postgres].map(ms);
            let _ = writeln!(
                section,
                "| {name} | {found} | {cold} | {warm} | {postgres} | {cold_factor:.1} | {warm_factor:.1} |"
            );
        }
    }
    section
}

fn without_exact_count(sizes: &[SizeResult]) -> String {
    let mut section = String::from(
        "\nAn application has shorter ways if it needs no exact count, or knows it already:\n\n\
         | reviews | search | how | ms | ledger ms, cold | warm |\n|---:|---|---|---:|---:|---:|\n",
    );
    let ways = [(PagePosition::First, Backend::PostgresPageOnly), (PagePosition::Last, Backend::PostgresReversed)];
    for (size, (position, backend)) in sizes.iter().flat_map(|size| ways.map(|way| (size, way))) {
        let Some(measured) = size.find("no filter", position) else { continue };
        let median = |backend| measured.median_ms(backend).map(ms);
        if let Some(postgres) = median(backend) {
            let (total, name, how) = (grouped(size.total), measured.search.name(), backend.label());
            let [cold, warm] =
                [Backend::ColdLedger, Backend::WarmLedger].map(|ledger| median(ledger).unwrap_or_default());
            let _ = writeln!(section, "| {total} | {name} | {how} | {postgres} | {cold} | {warm} |");
        }
    }
    section
}

fn businesses(sizes: &[SizeResult]) -> String {
    let mut section = String::from(
        "\n### Businesses\n\nA business has a tree of its own. A search of many businesses reads a root for each of them, half a unit \
         or more, so its units grow with the number of businesses, and hardly with that of the matches.\n\n\
         | reviews | search | found | cold: units, calls, waves | warm: units, calls, waves |\n|---:|---|---:|---:|---:|\n",
    );
    for (size, measured) in sizes.iter().flat_map(|size| size.searches.iter().map(move |search| (size, search))) {
        let search = &measured.search;
        if search.filter.businesses.is_empty() {
            continue;
        }
        let [cold, warm] =
            [Backend::ColdLedger, Backend::WarmLedger].map(|ledger| cost_cell(measured.measurements.get(&ledger)));
        let (total, name, found) = (grouped(size.total), search.name(), grouped(search.match_count));
        let _ = writeln!(section, "| {total} | {name} | {found} |{cold}{warm}");
    }
    section
}

fn writing_and_storing(sizes: &[SizeResult]) -> String {
    let mut section = format!(
        "\n### Writing and storing\n\nWrite units are those of a new review with its change in the log and its share of one fold: alone, \
         in a fold of {WRITTEN_ALONE} reviews, and in an import, in a fold of {}. The new reviews are as many as those of the last \
         month, if these are fewer. They are newer than all others, or of a month that has reviews already, in whose leaves they \
         have their places. The first edition was measured with a month that had reviews, 1,800 of them in an import. A table with a \
         thin index needs three units: one for the review and one for its entry, both under 1 KB, and one for an index by business.\n\n\
         | reviews | alone: newest | of a stored month | first edition | imported: newest | of a stored month | first edition |\n\
         |---:|---:|---:|---:|---:|---:|---:|\n",
        grouped(IMPORTED as u64),
    );
    let measured = || sizes.iter().filter_map(|size| Some((size.total, size.storage.as_ref()?)));
    for (total, storage) in measured() {
        section.push_str(&write_units_row(total, &storage.write_units));
    }
    section.push_str(
        "\nBytes are the average of a review: by the rules of `DynamoDB` for the review and for the trees beside it, without the copy of \
         the review in `listing-index` ([cost.md](../cost.md) has the whole), and on disk for the table and the indexes of \
         `PostgreSQL`.\n\n\
         | reviews | review bytes | ledger bytes | first edition | thin index bytes | PostgreSQL table | indexes |\n\
         |---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (total, storage) in measured() {
        section.push_str(&storage_row(total, &storage.sizes));
    }
    section
}

fn write_units_row(total: u64, WriteUnitsByDate { newest, stored_month }: &WriteUnitsByDate) -> String {
    let before = first_edition::review(total);
    let [alone, imported] = [before.map(|review| review.alone), before.map(|review| review.imported)]
        .map(|units| units.map_or_else(missing, |units| format!("{units:.1}")));
    format!(
        "| {} | {:.2} | {:.2} | {alone} | {:.2} | {:.2} | {imported} |\n",
        grouped(total),
        newest.alone,
        stored_month.alone,
        newest.imported,
        stored_month.imported,
    )
}

fn storage_row(total: u64, sizes: &StorageSizes) -> String {
    let average = |bytes: f64| format!("{:.0}", bytes / total as f64);
    let on_disk = |bytes: Option<i64>| bytes.map_or_else(missing, |bytes| average(bytes as f64));
    let cells = [
        grouped(total),
        average(sizes.reviews as f64),
        average(sizes.ledger as f64),
        first_edition::review(total).map_or_else(missing, |review| review.ledger_bytes.to_string()),
        average(sizes.thin_index as f64),
        on_disk(sizes.postgres.map(|postgres| postgres.table)),
        on_disk(sizes.postgres.map(|postgres| postgres.indexes)),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// Formats milliseconds with three digits.
pub(super) fn ms(milliseconds: f64) -> String {
    match milliseconds {
        long if long >= 100.0 => format!("{long:.0}"),
        middling if middling >= 10.0 => format!("{middling:.1}"),
        short => format!("{short:.2}"),
    }
}

/// Formats a number with a comma between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
