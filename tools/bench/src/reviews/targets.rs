//! Performance targets of the ledger, and the measured results.

use std::fmt::Write as _;

use super::backend::Backend;
use super::backends::WriteUnitsByDate;
use super::report::{grouped, ms};
use super::rounds::MeasuredSearch;
use super::search::PagePosition;
use super::{SizeResult, StorageResult};

/// Least median factor between the read units of the thin index and those of the ledger.
const FEWER_UNITS: u64 = 1_000;
/// Least factors between the times of `PostgreSQL` and of the ledger on the last page: cold and warm.
const LAST_PAGE_FASTER: [(Backend, &str, f64); 2] =
    [(Backend::ColdLedger, "cold", 14.0), (Backend::WarmLedger, "warm", 20.0)];
/// Largest factor between the times of the ledger and of `PostgreSQL` on page 1.
const FIRST_PAGE_SLOWER: f64 = 2.0;
/// Largest factor between the times of the ledger on the last page and on page 1.
const DEEPEST_PAGE_SLOWER: f64 = 1.3;
/// Most milliseconds of a processor for page 1 of a search.
const CPU_MS: [(&str, f64); 3] = [("no filter", 1.3), ("20 businesses", 3.0), ("385 businesses", 12.0)];

/// Most write units of a review, with its share of the fold: alone and imported.
const WRITE_UNITS: [f64; 2] = [8.0, 4.6];

/// Row of the table of targets.
struct TargetRow {
    target: String,
    figure: String,
    is_met: bool,
}

/// Renders all targets at the largest measured number of reviews. The text is empty if nothing was measured.
pub(super) fn render_targets(sizes: &[SizeResult]) -> String {
    let Some(largest) = sizes.iter().rev().find(|size| size.storage.is_some()) else { return String::new() };
    let total = grouped(largest.total);
    let mut table = format!("\n## Targets, at {total} reviews\n\n| target | figure | |\n|---|---|---|\n");
    let mut rows = vec![fewer_units(largest)];
    rows.extend(LAST_PAGE_FASTER.map(|(backend, label, factor)| last_page_faster(largest, backend, label, factor)));
    rows.extend([first_page_slower(largest), deepest_page_slower(largest)]);
    rows.extend(CPU_MS.map(|(label, limit)| processor_time(largest, label, limit)));
    rows.extend(write_units(largest));
    for TargetRow { target, figure, is_met } in rows.into_iter().flatten() {
        let _ = writeln!(table, "| {target} | {figure} | **{}** |", if is_met { "met" } else { "missed" });
    }
    table
}

fn fewer_units(size: &SizeResult) -> Option<TargetRow> {
    let cold = unit_factors(size, Backend::ColdLedger)?;
    let median = |factors: &[UnitFactor]| factors.get(factors.len() / 2).map(|(factor, _)| *factor);
    let (cold_median, warm_median) = (median(&cold)?, median(&unit_factors(size, Backend::WarmLedger)?)?);
    let ((least, least_search), (most, most_search)) = (cold.first()?, cold.last()?);
    let figure = format!(
        "cold: median {cold_median:.0}, from {least:.0} ({least_search}) to {most:.0} ({most_search}); warm: median {warm_median:.0}. \
         The thin index is read eventually consistent. Read strongly, as the log of the ledger is, it would need twice the units: \
         median {:.0} cold and {:.0} warm",
        2.0 * cold_median,
        2.0 * warm_median
    );
    let target = format!("median: {} times fewer read units than the thin index", grouped(FEWER_UNITS));
    Some(TargetRow { target, figure, is_met: cold_median >= FEWER_UNITS as f64 })
}

/// Factor between the read units of the thin index and those of the ledger, with the name of the search.
type UnitFactor = (f64, String);

/// Returns the factors of all searches, ascending.
fn unit_factors(size: &SizeResult, backend: Backend) -> Option<Vec<UnitFactor>> {
    let factor = |measured: &MeasuredSearch| {
        let read_units = |backend| measured.cost(backend).map(|cost| cost.read_units);
        Some((read_units(Backend::ThinIndex)? / read_units(backend)?, measured.search.name()))
    };
    let mut factors: Vec<UnitFactor> = size.searches.iter().map(factor).collect::<Option<_>>()?;
    factors.sort_by(|one, other| one.0.total_cmp(&other.0));
    Some(factors)
}

fn last_page_faster(size: &SizeResult, backend: Backend, label: &str, least: f64) -> Option<TargetRow> {
    let search = size.find("no filter", PagePosition::Last)?;
    let (ledger, postgres) = (search.median_ms(backend)?, search.median_ms(Backend::Postgres)?);
    let factor = postgres / ledger;
    Some(TargetRow {
        target: format!("last page, no filter, {label}: {least} times faster than PostgreSQL"),
        figure: format!("{factor:.1} times: {} against {} ms", ms(ledger), ms(postgres)),
        is_met: factor >= least,
    })
}

fn first_page_slower(size: &SizeResult) -> Option<TargetRow> {
    let search = size.find("no filter", PagePosition::First)?;
    let (ledger, postgres) = (search.median_ms(Backend::ColdLedger)?, search.median_ms(Backend::Postgres)?);
    let factor = ledger / postgres;
    Some(TargetRow {
        target: format!("page 1, no filter, cold: at most {FIRST_PAGE_SLOWER} times as long as PostgreSQL"),
        figure: format!("{factor:.2} times: {} against {} ms", ms(ledger), ms(postgres)),
        is_met: factor <= FIRST_PAGE_SLOWER,
    })
}

fn deepest_page_slower(size: &SizeResult) -> Option<TargetRow> {
    let first = size.find("no filter", PagePosition::First)?.median_ms(Backend::WarmLedger)?;
    let last = size.find("no filter", PagePosition::Last)?.median_ms(Backend::WarmLedger)?;
    let factor = last / first;
    Some(TargetRow {
        target: format!("deepest page, warm: at most {DEEPEST_PAGE_SLOWER} times as long as page 1"),
        figure: format!("{factor:.2} times: {} against {} ms", ms(last), ms(first)),
        is_met: factor <= DEEPEST_PAGE_SLOWER,
    })
}

fn processor_time(size: &SizeResult, label: &str, limit: f64) -> Option<TargetRow> {
    let search = size.find(label, PagePosition::First)?;
    let (cold, warm) = (search.cpu_ms(Backend::ColdLedger)?, search.cpu_ms(Backend::WarmLedger)?);
    Some(TargetRow {
        target: format!("{}, warm: at most {limit} ms of a processor", search.search.name()),
        figure: format!("{} ms; cold {} ms", ms(warm), ms(cold)),
        is_met: warm <= limit,
    })
}

fn write_units(size: &SizeResult) -> [Option<TargetRow>; 2] {
    let Some(StorageResult { write_units: WriteUnitsByDate { newest, stored_month }, .. }) = &size.storage else {
        return [None, None];
    };
    let row = |label, newest: f64, stored_month: f64, limit: f64| TargetRow {
        target: format!("{label}, fold included: at most {limit} write units"),
        figure: format!("{newest:.2}; {stored_month:.2} if its month has reviews already"),
        is_met: newest <= limit,
    };
    let [alone, imported] = WRITE_UNITS;
    [
        Some(row("the newest review, alone", newest.alone, stored_month.alone, alone)),
        Some(row("the newest review, imported", newest.imported, stored_month.imported, imported)),
    ]
}
