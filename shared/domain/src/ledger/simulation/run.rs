//! One run: random processes, then a lone fold of each organisation, then searches alone.

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::counts::Counts;
use super::engine::Engine;
use super::fault::PlantedFault;
use super::fold::fold;
use super::items::{FACETS, ORGS, SETS, TreeId};
use super::judge::judge_log;
use super::reader::{Cache, read};
use super::rebuild::rebuild;
use super::sweep::sweep;
use super::table::SimulatedTable;
use super::writer::{Knowledge, write};

/// Number of steps of a run.
const STEPS: u64 = 700;
/// Maximum number of processes at the same time.
const PROCESSES: usize = 9;

/// Process in progress.
type Process = Pin<Box<dyn Future<Output = ()>>>;

/// Process and its speed: a slow one meets everything that the others do meanwhile.
type Running = (Process, bool);

/// Makes one run. Returns its numbers, or the first thing that went wrong.
pub(super) fn run(seed: u64, engine: Engine, fault: Option<PlantedFault>) -> Result<Counts, String> {
    let table = SimulatedTable::new(seed, engine, fault);
    let knowledge: Vec<Rc<RefCell<Knowledge>>> = (0..3).map(|_| Rc::default()).collect();
    let caches: Vec<Rc<RefCell<Cache>>> = (0..2).map(|_| Rc::default()).collect();
    let mut processes: Vec<Running> = Vec::new();
    for _ in 0..STEPS {
        if processes.len() < PROCESSES && table.chance(25) {
            let process = random_process(&table, &knowledge, &caches);
            processes.push((process, table.chance(30)));
        } else if !processes.is_empty() {
            step_one(&table, &mut processes);
        }
        if table.chance(50) {
            table.show_one_write();
        }
        check(&table)?;
    }
    drop(processes);
    while table.show_one_write() {}
    finish(&table)?;
    let mut counts = *table.counts.borrow();
    counts.runs = 1;
    counts.steps = STEPS;
    Ok(counts)
}

/// Starts a process.
fn random_process(
    table: &Rc<SimulatedTable>,
    knowledge: &[Rc<RefCell<Knowledge>>],
    caches: &[Rc<RefCell<Cache>>],
) -> Process {
    let index = |limit: usize| usize::try_from(table.below(limit as u64)).expect("a small number");
    let org = if table.chance(70) { 1 } else { 2 };
    match table.below(100) {
        0..45 => Box::pin(write(table.clone(), knowledge[index(knowledge.len())].clone())),
        45..68 => {
            let reading = read(table.clone(), caches[index(caches.len())].clone());
            Box::pin(async {
                reading.await;
            })
        }
        68..88 => {
            let folding = fold(table.clone(), org);
            Box::pin(async {
                folding.await;
            })
        }
        88..94 => Box::pin(sweep(table.clone(), random_tree(table, org))),
        _ => rebuilding(table, org),
    }
}

/// Starts a rebuild.
fn rebuilding(table: &Rc<SimulatedTable>, org: u8) -> Process {
    let rebuilding = rebuild(table.clone(), org);
    Box::pin(async {
        rebuilding.await;
    })
}

/// Returns a random tree of an organisation.
fn random_tree(table: &SimulatedTable, org: u8) -> TreeId {
    let number = |limit: u8| u8::try_from(table.below(u64::from(limit))).expect("a small number");
    let tree = TreeId::of_set(org, if table.chance(50) { 0 } else { number(SETS) });
    if table.chance(30) { tree.with_facet(number(FACETS)) } else { tree }
}

/// Lets one process go on, or die.
fn step_one(table: &SimulatedTable, processes: &mut Vec<Running>) {
    let choose = || usize::try_from(table.below(processes.len() as u64)).expect("a small number");
    let mut chosen = choose();
    if processes[chosen].1 && table.chance(90) {
        chosen = choose();
    }
    let is_killed = table.below(1000) < 8;
    table.counts.borrow_mut().killed += u64::from(is_killed);
    let process = processes[chosen].0.as_mut();
    if is_killed || process.poll(&mut Context::from_waker(Waker::noop())).is_ready() {
        drop(processes.swap_remove(chosen));
    }
}

/// Runs a process alone.
fn alone<T>(process: impl Future<Output = T>) -> T {
    let mut process = pin!(process);
    loop {
        if let Poll::Ready(output) = process.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}

/// Checks what must hold when everything else stands still.
fn finish(table: &Rc<SimulatedTable>) -> Result<(), String> {
    for org in 1..=ORGS {
        let is_folded = alone(fold(table.clone(), org));
        if !is_folded {
            table.violated("a fold alone does not come to its end");
        }
        judge_log(table, org);
    }
    for _ in 0..6 {
        let attempts = alone(read(table.clone(), Rc::default()));
        if attempts.is_none_or(|attempts| attempts > 2) {
            table.violated(format!("a search alone does not come to its end {attempts:?}"));
        }
    }
    check(table)
}

/// Returns what went wrong.
fn check(table: &SimulatedTable) -> Result<(), String> {
    table.violation.borrow().clone().map_or(Ok(()), Err)
}
