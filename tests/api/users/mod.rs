//! Routes below `/api/v2/user`: every operation and every parameter.
//!
//! The tests are tables of [`fixture::Case`]s, run by [`fixture::CaseRunner`].

mod create;
mod delete;
mod every_route;
mod fixture;
mod get;
mod idempotency;
mod invite;
mod keys;
mod me;
mod search;
mod stats;
mod update;

/// Lower bound of the number of cases, so that no table is lost.
const MIN_CASES: usize = 200;

#[test]
fn there_are_at_least_200_cases_each_with_its_reason() {
    let tables = [
        create::cases(),
        delete::cases(),
        every_route::cases(),
        get::cases(),
        invite::cases(),
        keys::cases(),
        me::cases(),
        search::cases(),
        stats::cases(),
        update::cases(),
    ];
    let cases: Vec<_> = tables.into_iter().flatten().collect();
    assert!(cases.iter().all(|case| !case.reason.is_empty()));
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
}
