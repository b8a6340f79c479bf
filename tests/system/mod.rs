//! Simulation of the whole service in one process and in virtual time: clients, the functions of the API, mailers, the publisher, deliverers and
//! the auditor, over the embedded database behind a hostile network.
//!
//! Several processes of each kind have caches and clocks of their own. Calls are slow, are lost before or after they are carried out, come late,
//! are throttled, meet other transactions, or make their process stand still for minutes. Indexes lag. Streams hand batches over again.
//!
//! The judge looks at the database right after each write, so that it knows each state that there ever was. Each answer must fit a state
//! between its request and itself; each change must be what its caller asked for, and happen once.

mod background;
mod bucket;
mod clients;
mod history;
mod imports;
mod limits;
mod processes;
mod queue;
mod reviews;
mod rows;
mod simulation;

use presence_tests::setting;

use simulation::run;

/// Number of the runs. `PRESENCE_SYSTEM_SEEDS` gives another one, and `PRESENCE_SEED` the first seed.
const RUNS: usize = 2;

#[test]
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
fn every_answer_fits_and_each_change_happens_once() {
    let first = setting("PRESENCE_SEED", 1) as u64;
    for seed in first..first + setting("PRESENCE_SYSTEM_SEEDS", RUNS) as u64 {
        let report = run(seed);
        println!("run {seed}: {report}");
        assert!(report.findings.is_empty(), "PRESENCE_SEED={seed}: {:#?}", report.findings);
    }
}
