//! Report in Markdown.

use std::fmt::Write as _;

use super::SizeResult;
use super::backend::Backend;
use super::delayed_client::CALL_DELAY;
use super::plot::PlotFile;
use super::rounds::{MeasuredSearch, Measurement};
use super::search::PagePosition;
use super::targets::render_targets;

const INTRODUCTION: &str = "\
# Reviews

Made by `cargo run --profile bench -p presence-bench -- reviews`. The benchmark makes the same searches over the same reviews
(`tools/bench/src/distribution` describes them), with pages of 30, in three backends:

- **ledger**: the store of the service on an embedded `DynamoDB` in a file. Reads are strongly consistent.
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
    let (times, rule) = if was_timed { (" p50 | p99 |", "---:|---:|") } else { ("", "") };
    let (postgres, postgres_rule) = if was_timed { (" PostgreSQL p50 | p99 |", "---:|---:|") } else { ("", "") };
    let _ = writeln!(
        section,
        "| search | found | ledger units | calls | waves |{times} thin index units | calls, waves |{times}{postgres}\n\
         |---|---:|---:|---:|---:|{rule}---:|---:|{rule}{postgres_rule}"
    );
    for measured in &size.searches {
        section.push_str(&search_row(measured, was_timed));
    }
    section
}

fn search_row(measured: &MeasuredSearch, was_timed: bool) -> String {
    let times = |backend| if was_timed { time_cells(measured.measurements.get(&backend)) } else { String::new() };
    let mut row = format!("| {} | {} |", measured.search.name(), grouped(measured.search.match_count));
    if let Some(Measurement { cost, .. }) = measured.measurements.get(&Backend::Ledger) {
        let _ = write!(row, " {} | {} | {} |", cost.read_units, cost.calls, cost.waves);
    }
    row.push_str(&times(Backend::Ledger));
    if let Some(Measurement { cost, .. }) = measured.measurements.get(&Backend::ThinIndex) {
        // Its calls follow each other: it has as many waves.
        let _ = write!(row, " {} | {} |", cost.read_units, cost.calls);
    }
    row.push_str(&times(Backend::ThinIndex));
    row.push_str(&times(Backend::Postgres));
    row.push('\n');
    row
}

fn time_cells(measurement: Option<&Measurement>) -> String {
    match measurement {
        Some(measurement) => format!(" {} | {} |", ms(measurement.median_ms()), ms(measurement.quantile_ms(0.99))),
        None => " – | – |".to_owned(),
    }
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
        "\n### Answered sooner by PostgreSQL\n\nThe table has every search that `PostgreSQL` answers sooner, count included, at the \
         largest number of reviews. Times are medians.\n\n\
         | search | found | ledger ms | PostgreSQL ms | times |\n|---|---:|---:|---:|---:|\n",
    );
    let largest = sizes.iter().rev().find(|size| size.storage.is_some());
    for measured in largest.iter().flat_map(|size| &size.searches) {
        let times = measured.median_ms(Backend::Ledger).zip(measured.median_ms(Backend::Postgres));
        if let Some((ledger, postgres)) = times
            && postgres < ledger
        {
            let (name, found) = (measured.search.name(), grouped(measured.search.match_count));
            let (factor, ledger, postgres) = (ledger / postgres, ms(ledger), ms(postgres));
            let _ = writeln!(section, "| {name} | {found} | {ledger} | {postgres} | {factor:.1} |");
        }
    }
    section
}

fn without_exact_count(sizes: &[SizeResult]) -> String {
    let mut section = String::from(
        "\nAn application has shorter ways if it needs no exact count, or knows it already:\n\n\
         | reviews | search | how | ms | ledger ms |\n|---:|---|---|---:|---:|\n",
    );
    let ways = [(PagePosition::First, Backend::PostgresPageOnly), (PagePosition::Last, Backend::PostgresReversed)];
    for (size, (position, backend)) in sizes.iter().flat_map(|size| ways.map(|way| (size, way))) {
        let Some(measured) = size.find("no filter", position) else { continue };
        let times = measured.median_ms(backend).zip(measured.median_ms(Backend::Ledger));
        if let Some((postgres, ledger)) = times {
            let (total, name, how) = (grouped(size.total), measured.search.name(), backend.label());
            let _ = writeln!(section, "| {total} | {name} | {how} | {} | {} |", ms(postgres), ms(ledger));
        }
    }
    section
}

fn businesses(sizes: &[SizeResult]) -> String {
    let mut section = String::from(
        "\n### Businesses\n\nA business has no review set of its own. A search reads every entry of each business in \
         `business-index`, so its units grow with the number of matches. For one business, a thin index by business would do as \
         well.\n\n\
         | reviews | search | found | ledger units | calls | waves |\n|---:|---|---:|---:|---:|---:|\n",
    );
    let searches = sizes.iter().flat_map(|size| ["one business", "20 businesses"].map(|label| (size, label)));
    for (size, label) in searches {
        let Some(measured) = size.find(label, PagePosition::First) else { continue };
        let Some(Measurement { cost, .. }) = measured.measurements.get(&Backend::Ledger) else { continue };
        let (total, name, found) = (grouped(size.total), measured.search.name(), grouped(measured.search.match_count));
        let _ =
            writeln!(section, "| {total} | {name} | {found} | {} | {} | {} |", cost.read_units, cost.calls, cost.waves);
    }
    section
}

fn writing_and_storing(sizes: &[SizeResult]) -> String {
    let mut section = String::from(
        "\n### Writing and storing\n\nWrite units are those of a new review with its facet counts and postings: alone, and in an \
         import of at most 1,800 reviews of one month. A table with a thin index needs three units: one for the review and one for \
         its entry, both under 1 KB, and one for the index by business, which the ledger has too. Bytes are the average of a \
         review: by the rules of `DynamoDB` for the review and for the facet counts and postings beside it, and on disk for the \
         table and the indexes of `PostgreSQL`.\n\n\
         | reviews | write units, alone | imported | review bytes | ledger bytes | thin index bytes | PostgreSQL table | indexes |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for size in sizes {
        let Some(storage) = &size.storage else { continue };
        let sizes = &storage.sizes;
        let average = |bytes: usize| format!("{:.0}", bytes as f64 / size.total as f64);
        let average_on_disk = |bytes: Option<i64>| {
            bytes.map_or_else(|| "–".to_owned(), |bytes| format!("{:.0}", bytes as f64 / size.total as f64))
        };
        let _ = writeln!(
            section,
            "| {} | {:.1} | {:.1} | {} | {} | {} | {} | {} |",
            grouped(size.total),
            storage.write_units.alone,
            storage.write_units.imported,
            average(sizes.reviews),
            average(sizes.ledger),
            average(sizes.thin_index),
            average_on_disk(sizes.postgres.map(|postgres| postgres.table)),
            average_on_disk(sizes.postgres.map(|postgres| postgres.indexes)),
        );
    }
    section
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
