//! Every operation and every parameter, as the interface and its decisions say.
//!
//! The tables are data: see [`case::Case`]. One runner, [`fixture::CaseRunner`], runs them.

mod create;
mod delete;
mod every_route;
mod fixture;
mod get;
mod invite;
mod me;
mod search;
mod stats;
mod update;

/// The issue asks for as many.
const MIN_CASES: usize = 250;

#[test]
fn the_contract_has_at_least_250_rows_each_with_its_reason() {
    let tables = [
        create::cases(),
        delete::cases(),
        every_route::cases(),
        get::cases(),
        invite::cases(),
        me::cases(),
        search::cases(),
        stats::cases(),
        update::cases(),
    ];
    let cases: Vec<_> = tables.into_iter().flatten().collect();
    assert!(cases.iter().all(|case| !case.why.is_empty()));
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
}
