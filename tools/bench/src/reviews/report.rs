//! The report in Markdown.

use std::fmt::Write as _;

use super::backend::Backend;
use super::delayed_client::CALL_DELAY;
use super::rounds::BackendFigures;
use super::search::PagePosition;
use super::targets::render_targets;
use super::{SizeResult, find};

/// Everything, in words and tables. `plots` are the files of the plots, and what they show.
pub(super) fn report(sizes: &[SizeResult], rounds: u64, plots: &[(String, &str)]) -> String {
    let mut report = INTRODUCTION.replace("DELAY", &format!("{} ms", CALL_DELAY.as_secs_f64() * 1e3));
    report = report.replace("ROUNDS", &rounds.to_string());
    render_targets(sizes, &mut report);
    for (file, alternative) in plots {
        let _ = writeln!(report, "\n![{alternative}]({file})");
    }
    for size in sizes {
        searches(size, &mut report);
    }
    losses(sizes, &mut report);
    report
}

const INTRODUCTION: &str = "\
# Reviews

Made by `cargo run --profile bench -p presence-bench -- reviews`: the same searches over the same reviews (the distribution
is described in `tools/bench/src/distribution`), pages of 30, by

- **ledger**: the store of the service on an embedded `DynamoDB` in a file. Reads are strong.
- **thin index**: a Query of the organisation's entries in an index with cell, city and business, with a filter; it reads all
  of them to count, page after page of 1 MB, then fetches the reviews of the page. Reads are eventually consistent, as those
  of an index are, at half the units. A range of dates is a key condition.
- **PostgreSQL** 15, tuned for this: all in its buffers, indexes in the order of the pages for each filter, `count(*)` and
  `OFFSET` read from indexes alone, only the rows of the page from the table; prepared statements, planned with their values,
  count and page sent together over a unix socket.

Before anything is measured, all must give the same count, the same last page and the same reviews in the same order; a
difference ends the run. Units, calls and waves are exact, without the key of a request, which costs one unit and one call more
for all. Times are in milliseconds, measured in turns in one run: ROUNDS times, the thin index less often. p99 is by
nearest rank: of fewer than 100 runs, the slowest. Each call of `DynamoDB` is made to wait DELAY; the embedded one's own time
comes on top, and it is slow: it answers one call at a time. `PostgreSQL` waits for nothing.
";

fn searches(size: &SizeResult, report: &mut String) {
    let runs = find(size, "no filter", PagePosition::First)
        .and_then(|measured| measured.figures.get(&Backend::ThinIndex))
        .map_or(0, BackendFigures::runs);
    let _ = writeln!(report, "\n## {} reviews\n", grouped(size.total));
    if runs > 0 {
        let _ = writeln!(report, "Runs of the thin index: {runs}.\n");
    } else {
        report.push_str("Counted, not measured: the store over a `DynamoDB` that only knows sizes, the thin index by ");
        report.push_str("arithmetic from the size of its entries.\n\n");
    }
    let times = if runs > 0 { " p50 | p99 |" } else { "" };
    let rule = if runs > 0 { "---:|---:|" } else { "" };
    let (postgres, postgres_rule) = if runs > 0 { (" PostgreSQL p50 | p99 |", "---:|---:|") } else { ("", "") };
    let _ = writeln!(
        report,
        "| search | found | ledger units | calls | waves |{times} thin index units | calls, waves |{times}{postgres}\n\
         |---|---:|---:|---:|---:|{rule}---:|---:|{rule}{postgres_rule}"
    );
    for measured in &size.searches {
        let _ = write!(report, "| {} | {} |", measured.search.name(), grouped(measured.search.match_count));
        for who in [Backend::Ledger, Backend::ThinIndex, Backend::Postgres] {
            let figures = measured.figures.get(&who);
            if let Some(BackendFigures { cost, .. }) = figures.filter(|_| who != Backend::Postgres) {
                let _ = write!(report, " {} | {} |", cost.read_units, cost.calls);
                if who == Backend::Ledger {
                    let _ = write!(report, " {} |", cost.waves);
                }
            }
            match figures {
                Some(figures) if runs > 0 => {
                    let _ = write!(report, " {} | {} |", ms(figures.p50()), ms(figures.quantile_ms(0.99)));
                }
                None if runs > 0 => report.push_str(" – | – |"),
                _ => {}
            }
        }
        report.push('\n');
    }
}

/// What the others do better.
fn losses(sizes: &[SizeResult], report: &mut String) {
    report.push_str("\n## Where the ledger loses\n\n### Answered sooner by PostgreSQL\n\n");
    report.push_str(
        "Every search that `PostgreSQL` answers sooner, count included, at the largest number of reviews; medians.\n\n",
    );
    let Some(largest) = sizes.iter().rev().find(|size| size.storage.is_some()) else { return };
    report.push_str("| search | found | ledger ms | PostgreSQL ms | times |\n|---|---:|---:|---:|---:|\n");
    for measured in &largest.searches {
        let of = |who| measured.figures.get(&who).map(BackendFigures::p50);
        if let Some((ledger, postgres)) = of(Backend::Ledger).zip(of(Backend::Postgres))
            && postgres < ledger
        {
            let (name, found) = (measured.search.name(), grouped(measured.search.match_count));
            let _ =
                writeln!(report, "| {name} | {found} | {} | {} | {:.1} |", ms(ledger), ms(postgres), ledger / postgres);
        }
    }
    report.push_str("\nAnd what an application may do that needs no exact count, or knows it from before:\n\n");
    report.push_str("| reviews | search | how | ms | ledger ms |\n|---:|---|---|---:|---:|\n");
    for size in sizes {
        for (place, who) in
            [(PagePosition::First, Backend::PostgresPageOnly), (PagePosition::Last, Backend::PostgresReversed)]
        {
            let Some(measured) = find(size, "no filter", place) else { continue };
            let of = |who| measured.figures.get(&who).map(BackendFigures::p50);
            if let Some((short, ledger)) = of(who).zip(of(Backend::Ledger)) {
                let (total, name, how) = (grouped(size.total), measured.search.name(), who.as_str());
                let _ = writeln!(report, "| {total} | {name} | {how} | {} | {} |", ms(short), ms(ledger));
            }
        }
    }
    businesses(sizes, report);
    storage(sizes, report);
}

/// The searches whose units grow with what they find.
fn businesses(sizes: &[SizeResult], report: &mut String) {
    report.push_str(
        "\n### Businesses\n\nThere is no book of a business: every entry of each business in `business-index` is read, so \
         that units grow with what is found. For one business a thin index by business would do as well.\n\n\
         | reviews | search | found | ledger units | calls | waves |\n|---:|---|---:|---:|---:|---:|\n",
    );
    let searches = sizes.iter().flat_map(|size| ["one business", "20 businesses"].map(|what| (size, what)));
    for (size, what) in searches {
        let Some(measured) = find(size, what, PagePosition::First) else { continue };
        let Some(BackendFigures { cost, .. }) = measured.figures.get(&Backend::Ledger) else { continue };
        let (total, name, found) = (grouped(size.total), measured.search.name(), grouped(measured.search.match_count));
        let _ =
            writeln!(report, "| {total} | {name} | {found} | {} | {} | {} |", cost.read_units, cost.calls, cost.waves);
    }
}

fn storage(sizes: &[SizeResult], report: &mut String) {
    report.push_str(
        "\n### Writing and storing\n\nWrite units of a new review with all that counts it, alone and as one of an import \
         of a month (1,800 at the most); a table with a thin index takes one for the review and one for its entry, both \
         being under 1 KB, and one more for the index by business, which the ledger has too. Bytes \
         for each review: of the review itself and of tallies and slips beside it, by `DynamoDB`'s rules, and of table and indexes in `PostgreSQL`.\n\n\
         | reviews | write units, alone | imported | review bytes | ledger bytes | thin index bytes | PostgreSQL table | indexes |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for size in sizes {
        let Some(storage) = &size.storage else { continue };
        let each = |bytes: usize| format!("{:.0}", bytes as f64 / size.total as f64);
        let disk = |bytes: Option<i64>| {
            bytes.map_or_else(|| "–".to_owned(), |bytes| format!("{:.0}", bytes as f64 / size.total as f64))
        };
        let (table, indexes) = storage.postgres.unzip();
        let (alone, imported) = storage.write_units;
        let _ = writeln!(
            report,
            "| {} | {alone:.1} | {imported:.1} | {} | {} | {} | {} | {} |",
            grouped(size.total),
            each(storage.reviews),
            each(storage.ledger),
            each(storage.thin),
            disk(table),
            disk(indexes)
        );
    }
}

/// Milliseconds, to three digits.
pub(super) fn ms(milliseconds: f64) -> String {
    match milliseconds {
        long if long >= 100.0 => format!("{long:.0}"),
        middling if middling >= 10.0 => format!("{middling:.1}"),
        short => format!("{short:.2}"),
    }
}

/// A number with a comma between every three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
