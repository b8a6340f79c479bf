//! Every operation and every parameter, as the interface and its decisions say.
//!
//! The tables are data: see [`row::Row`]. One runner, [`fixture::Fixture`], runs them.

mod create;
mod delete;
mod facts;
mod fixture;
mod general;
mod get;
mod invite;
mod me;
mod row;
mod search;
mod stats;
mod update;

/// The issue asks for as many.
const FEWEST_ROWS: usize = 250;

#[test]
fn the_contract_has_at_least_250_rows_each_with_its_reason() {
    let tables = [
        create::rows(),
        delete::rows(),
        general::rows(),
        get::rows(),
        invite::rows(),
        me::rows(),
        search::rows(),
        stats::rows(),
        update::rows(),
    ];
    let rows: Vec<_> = tables.into_iter().flatten().collect();
    assert!(rows.iter().all(|row| !row.why.is_empty()));
    assert!(rows.len() >= FEWEST_ROWS, "{} rows", rows.len());
}
