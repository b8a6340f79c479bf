//! Performance targets of the ledger, and the measured results.

use std::fmt::Write as _;

use super::SizeResult;
use super::backend::Backend;
use super::report::{grouped, ms};
use super::rounds::MeasuredSearch;
use super::search::PagePosition;

/// Least factor between the read units of the thin index and those of the ledger.
const FEWER_UNITS: f64 = 600.0;
/// Least factor between the times of `PostgreSQL` and of the ledger on the last page.
const LAST_PAGE_FASTER: f64 = 20.0;
/// Largest factor between the times of the ledger and of `PostgreSQL` on page 1.
const FIRST_PAGE_SLOWER: f64 = 2.0;
/// Largest factor between the times of the ledger on the last page and on page 1.
const DEEPEST_PAGE_SLOWER: f64 = 1.3;

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
    let rows =
        [fewer_units(largest), last_page_faster(largest), first_page_slower(largest), deepest_page_slower(largest)];
    for TargetRow { target, figure, is_met } in rows.into_iter().flatten() {
        let _ = writeln!(table, "| {target} | {figure} | **{}** |", if is_met { "met" } else { "missed" });
    }
    table
}

fn fewer_units(size: &SizeResult) -> Option<TargetRow> {
    let mut factors: Vec<(f64, String)> = size.searches.iter().filter_map(units_factor).collect();
    factors.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((least, least_search), (most, most_search)) = (factors.first()?, factors.last()?);
    let median = factors[factors.len() / 2].0;
    let reached = factors.iter().filter(|(factor, _)| *factor >= FEWER_UNITS).count();
    let figure = format!(
        "from {least:.0} ({least_search}) to {most:.0} ({most_search}), median {median:.0}; {reached} of {} searches reach it. With \
         strongly consistent reads, as those of the ledger, the thin index would need twice the units: median {:.0}",
        factors.len(),
        2.0 * median
    );
    let target = format!("{FEWER_UNITS} times fewer read units than the thin index");
    Some(TargetRow { target, figure, is_met: reached == factors.len() })
}

/// Returns the read units of the thin index in those of the ledger, with the name of the search.
fn units_factor(measured: &MeasuredSearch) -> Option<(f64, String)> {
    let read_units = |backend| measured.measurements.get(&backend).map(|measurement| measurement.cost.read_units);
    Some((read_units(Backend::ThinIndex)? / read_units(Backend::Ledger)?, measured.search.name()))
}

fn last_page_faster(size: &SizeResult) -> Option<TargetRow> {
    let search = size.find("no filter", PagePosition::Last)?;
    let (ledger, postgres) = (search.median_ms(Backend::Ledger)?, search.median_ms(Backend::Postgres)?);
    let factor = postgres / ledger;
    Some(TargetRow {
        target: format!("last page, no filter: {LAST_PAGE_FASTER} times faster than PostgreSQL"),
        figure: format!("{factor:.1} times: {} against {} ms", ms(ledger), ms(postgres)),
        is_met: factor >= LAST_PAGE_FASTER,
    })
}

fn first_page_slower(size: &SizeResult) -> Option<TargetRow> {
    let search = size.find("no filter", PagePosition::First)?;
    let (ledger, postgres) = (search.median_ms(Backend::Ledger)?, search.median_ms(Backend::Postgres)?);
    let factor = ledger / postgres;
    Some(TargetRow {
        target: format!("page 1, no filter: at most {FIRST_PAGE_SLOWER} times as long as PostgreSQL"),
        figure: format!("{factor:.2} times: {} against {} ms", ms(ledger), ms(postgres)),
        is_met: factor <= FIRST_PAGE_SLOWER,
    })
}

fn deepest_page_slower(size: &SizeResult) -> Option<TargetRow> {
    let first = size.find("no filter", PagePosition::First)?.median_ms(Backend::Ledger)?;
    let last = size.find("no filter", PagePosition::Last)?.median_ms(Backend::Ledger)?;
    let factor = last / first;
    Some(TargetRow {
        target: format!("deepest page: at most {DEEPEST_PAGE_SLOWER} times as long as page 1"),
        figure: format!("{factor:.2} times: {} against {} ms", ms(last), ms(first)),
        is_met: factor <= DEEPEST_PAGE_SLOWER,
    })
}
