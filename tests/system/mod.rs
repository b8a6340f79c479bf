//! Simulation of the whole service in one process and in virtual time. Clients, the functions of the API, mailers, publishers, deliverers,
//! the auditor, partners, connectors and ingest run over the embedded database, a bucket and queues, behind a hostile network.
//!
//! Several processes of each kind have caches and clocks of their own, and half of them are of the next version. Half of the clocks jump. Calls
//! are slow, are lost before or after they are carried out, come late, hang for minutes, are throttled, or meet other transactions. Processes
//! of the API die at any call, and invocations of other functions are killed. In a third of the runs, a process now and then stands still,
//! for minutes at most. Indexes lag. Items that have expired are deleted at any time after that, in a third of the runs after their end. Streams
//! hand batches over again, and queues hand messages over again and in another order. Meanwhile an operator restores the tables as they were.
//! Half of the runs go on with the restored tables.
//!
//! The judge looks at the database right after each write, so that it knows each state that there ever was. Each answer must fit a state
//! between its request and itself; each change must be what its caller asked for, and happen once. A refusal must have its reason in such a
//! state. No function panics, answers 500, fails without a fault, or is at work after its deadline. After the end, the auditor and each process of the API are asked once
//! more. A seed that fails is shortened.

mod background;
mod bucket;
mod clients;
mod end;
mod expiry;
mod history;
mod imports;
mod keys;
mod limits;
mod next_version;
mod pauses;
mod processes;
mod publishers;
mod queue;
mod refusals;
mod replies;
mod restore;
mod review_searches;
mod reviews;
mod rows;
mod shortened;
mod simulation;

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use presence_tests::setting;

use shortened::{Setting, shorten};
use simulation::run;

/// Number of the runs. `PRESENCE_SYSTEM_SEEDS` gives another one, and `PRESENCE_SEED` the first seed. `PRESENCE_SYSTEM_THREADS` makes some
/// at the same time. `PRESENCE_SYSTEM_SHORTEN=0` ends at a finding at once.
const RUNS: usize = 1;

#[test]
fn every_answer_fits_and_each_change_happens_once() {
    let first = setting("PRESENCE_SEED", 1) as u64;
    let seeds = Mutex::new(first..first + setting("PRESENCE_SYSTEM_SEEDS", RUNS) as u64);
    let next = || seeds.lock().expect("no panic").next();
    thread::scope(|scope| {
        for _ in 0..setting("PRESENCE_SYSTEM_THREADS", 1) {
            scope.spawn(|| {
                while let Some(seed) = next() {
                    judge_run(seed);
                }
            });
        }
    });
}

#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
fn judge_run(seed: u64) {
    let setting_of_seed = Setting::of(seed);
    let report = run(&setting_of_seed);
    println!("run {seed}: {report}");
    let findings = report.findings.clone();
    if !findings.is_empty() && setting("PRESENCE_SYSTEM_SHORTEN", 1) > 0 {
        let (smallest, report) = shorten(setting_of_seed, report);
        println!("the smallest setting that still fails is {smallest:?}: {:#?}", report.findings);
        println!("the calls before are {:#?}", report.last_calls);
    }
    assert!(findings.is_empty(), "PRESENCE_SEED={seed}: {findings:#?}");
}

#[test]
fn a_seed_makes_the_same_calls_again() {
    // With a restore, and with calls of the restored tables.
    let setting = Setting { time: Duration::from_secs(8), ..Setting::of(23) };
    assert!(setting.uses_restored_tables());
    let [first, second] = [(), ()].map(|()| run(&setting).to_string());
    assert_eq!(first, second);
}
