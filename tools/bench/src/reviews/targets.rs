//! What was aimed at, and what came of it.

use std::fmt::Write as _;

use super::backend::Backend;
use super::report::{grouped, ms};
use super::rounds::MeasuredSearch;
use super::search::PagePosition;
use super::{SizeResult, find};

/// Times fewer read units than the thin index.
const FEWER_UNITS: f64 = 600.0;
/// Times faster than `PostgreSQL` on the last page; times slower, at the most, on page 1.
const LAST_FASTER: f64 = 20.0;
const FIRST_SLOWER: f64 = 2.0;
/// Times slower, at the most, on the last page than on page 1.
const DEEPEST_SLOWER: f64 = 1.3;

/// Each aim, at the largest number of reviews that was measured.
pub(super) fn render_targets(sizes: &[SizeResult], report: &mut String) {
    let Some(size) = sizes.iter().rev().find(|size| size.storage.is_some()) else { return };
    let _ = writeln!(report, "\n## Aims, at {} reviews\n\n| aim | figure | |\n|---|---|---|", grouped(size.total));
    units(size, report);
    let ends = find(size, "no filter", PagePosition::First).zip(find(size, "no filter", PagePosition::Last));
    let Some((first, last)) = ends else { return };
    let of = |measured: &MeasuredSearch, who| measured.figures.get(&who).map(super::rounds::BackendFigures::p50);
    let pair = |measured| of(measured, Backend::Ledger).zip(of(measured, Backend::Postgres));
    if let Some((ledger, postgres)) = pair(last) {
        let (aim, times) =
            (format!("last page, no filter: {LAST_FASTER} times faster than PostgreSQL"), postgres / ledger);
        let figure = format!("{times:.1} times: {} against {} ms", ms(ledger), ms(postgres));
        row(report, &aim, &figure, times >= LAST_FASTER);
    }
    if let Some((ledger, postgres)) = pair(first) {
        let (aim, times) =
            (format!("page 1, no filter: at most {FIRST_SLOWER} times as long as PostgreSQL"), ledger / postgres);
        let figure = format!("{times:.2} times: {} against {} ms", ms(ledger), ms(postgres));
        row(report, &aim, &figure, times <= FIRST_SLOWER);
    }
    if let Some((first, last)) = of(first, Backend::Ledger).zip(of(last, Backend::Ledger)) {
        let (aim, times) = (format!("deepest page: at most {DEEPEST_SLOWER} times as long as page 1"), last / first);
        let figure = format!("{times:.2} times: {} against {} ms", ms(last), ms(first));
        row(report, &aim, &figure, times <= DEEPEST_SLOWER);
    }
}

fn units(size: &SizeResult, report: &mut String) {
    let times = |measured: &MeasuredSearch| {
        let of = |who| measured.figures.get(&who).map(|figures| figures.cost.read_units);
        of(Backend::ThinIndex).zip(of(Backend::Ledger)).map(|(thin, ledger)| (thin / ledger, measured.search.name()))
    };
    let mut all: Vec<_> = size.searches.iter().filter_map(times).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (Some(fewest), Some(most)) = (all.first(), all.last()) else { return };
    let median = all[all.len() / 2].0;
    let enough = all.iter().filter(|(times, _)| *times >= FEWER_UNITS).count();
    let figure = format!(
        "from {:.0} ({}) to {:.0} ({}), median {median:.0}; {enough} of {} searches reach it. Were the thin index read as \
         consistently as the ledger, it would be twice as much: median {:.0}",
        fewest.0,
        fewest.1,
        most.0,
        most.1,
        all.len(),
        2.0 * median
    );
    row(report, &format!("{FEWER_UNITS} times fewer read units than the thin index"), &figure, enough == all.len());
}

fn row(report: &mut String, aim: &str, figure: &str, met: bool) {
    let _ = writeln!(report, "| {aim} | {figure} | **{}** |", if met { "met" } else { "missed" });
}
