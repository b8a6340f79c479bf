//! Simulation of the ledger's protocol: writers, folds, sweeps, rebuilds and searches in random interleavings.
//!
//! Each process is a future that pauses at every call of the table. A seed chooses the process that goes on, what it does, and
//! what an eventual read returns. Processes die at any pause. Every answer is compared with the truth at its cut.
//! `shared/docs/ledger.md` describes what is modelled.

mod bodies;
mod counts;
mod directory;
mod engine;
mod fault;
mod fold;
mod items;
mod judge;
mod log_query;
mod model_tree;
mod nodes;
mod page;
mod question;
mod reader;
mod rebuild;
mod rng;
mod run;
mod sweep;
mod table;
mod transaction;
mod writer;

use counts::Counts;
use engine::Engine;
use fault::PlantedFault;
use run::run;

/// Environment variable with the number of runs.
const SEEDS: &str = "PRESENCE_LEDGER_SEEDS";
/// Number of runs by default.
const DEFAULT_SEEDS: u64 = 600;

/// Returns the number of runs.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn seeds() -> u64 {
    std::env::var(SEEDS).map_or(DEFAULT_SEEDS, |text| text.parse().expect("PRESENCE_LEDGER_SEEDS is a number"))
}

/// Number of runs that may look for a planted fault, for each run without one. They end with the first that finds it.
const FAULT_RUNS: u64 = 4;

/// Number of threads that share the runs.
const THREADS: u64 = 4;

/// Calls a function with each number of its thread, and returns the results in the order of the threads.
fn on_threads<T: Send>(work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn({
                    let work = &work;
                    move || work(thread)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no run panics")).collect()
    })
}

/// Returns the first run that finds a fault, and what it found.
fn first_finding(fault: PlantedFault) -> Option<(u64, String)> {
    (1..=seeds() * FAULT_RUNS).find_map(|seed| run(seed, Engine::Model, Some(fault)).err().map(|what| (seed, what)))
}

/// Makes all runs with these trees, and returns the sum of their numbers.
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
fn run_all(engine: Engine) -> Counts {
    let sums = on_threads(|thread| {
        let mut sum = Counts::default();
        for seed in (1..=seeds()).filter(|seed| seed % THREADS == thread) {
            match run(seed, engine, None) {
                Ok(counts) => sum.add(&counts),
                Err(what) => return Err(format!("run {seed}: {what}")),
            }
        }
        Ok(sum)
    });
    let mut sum = Counts::default();
    for counts in sums {
        sum.add(&counts.unwrap_or_else(|what| panic!("{what}")));
    }
    println!("{engine:?}: {sum:?}");
    assert!(sum.answers > sum.runs && sum.folds > sum.runs && sum.restarts > 0, "the simulation does too little");
    assert!(sum.facet_creations > 0 && sum.swept_nodes > 0 && sum.rebuilds > 0);
    sum
}

#[test]
fn every_answer_is_the_state_at_its_cut_under_any_interleaving() {
    let sum = run_all(Engine::Model);
    assert!(sum.given_up * 1_000 < sum.answers, "searches and writes come to their end");
}

#[test]
fn every_answer_of_the_ledgers_trees_is_the_state_at_its_cut() {
    let sum = run_all(Engine::Ledger);
    assert!(sum.given_up * 1_000 < sum.answers, "searches and writes come to their end");
}

#[test]
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
fn every_planted_fault_is_found() {
    let found = on_threads(|thread| {
        let faults = (0..).zip(PlantedFault::ALL).filter(|(number, _)| number % THREADS == thread);
        faults.map(|(_, fault)| (*fault, first_finding(*fault))).collect::<Vec<_>>()
    });
    let mut missed = Vec::new();
    for (fault, finding) in found.into_iter().flatten() {
        match finding {
            Some((seed, what)) => println!("| {fault:?} | {seed} | {what} |"),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
