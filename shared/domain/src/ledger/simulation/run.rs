//! One run: random processes, then a lone fold of each organisation, then searches alone.

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::counts::Counts;
use super::engine::Engine;
use super::fault::PlantedFault;
use super::fold::{first_directory, fold};
use super::items::{Body, FACETS, Item, Key, ORGS, SETS, TreeId, review_number};
use super::judge::judge_log;
use super::reader::{Cache, read};
use super::rebuild::rebuild;
use super::sweep::sweep;
use super::world::{Commit, World};
use super::writer::{Knowledge, random_place, write};

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
    let world = World::new(seed, engine, fault);
    begin(&world);
    let knowledge: Vec<Rc<RefCell<Knowledge>>> = (0..3).map(|_| Rc::default()).collect();
    let caches: Vec<Rc<RefCell<Cache>>> = (0..2).map(|_| Rc::default()).collect();
    let mut processes: Vec<Running> = vec![(rebuilding(&world, 1), false), (rebuilding(&world, 1), false)];
    for _ in 0..STEPS {
        if processes.len() < PROCESSES && world.chance(25) {
            let process = random_process(&world, &knowledge, &caches);
            processes.push((process, world.chance(30)));
        } else if !processes.is_empty() {
            step_one(&world, &mut processes);
        }
        if world.chance(50) {
            world.show_one_write();
        }
        check(&world)?;
    }
    drop(processes);
    while world.show_one_write() {}
    finish(&world)?;
    let mut counts = *world.counts.borrow();
    counts.runs = 1;
    counts.steps = STEPS;
    Ok(counts)
}

/// Sets up the organisations: the first one with reviews of the first edition, or empty; the second one is new.
fn begin(world: &Rc<World>) {
    if world.chance(50) {
        world.put(Key::directory(1), Item::Directory(first_directory()));
        world.put(Key::Listed(1), Item::Listed);
        return;
    }
    world.put(Key::Listed(1), Item::Listed);
    for review in 0..=world.below(world.reviews - 1) {
        let (_, place) = random_place(world);
        world.commits.borrow_mut().push(Commit {
            org: 1,
            lane: review_number(review).lane(),
            sequence: 0,
            review,
            version: 1,
            new: Some(place.clone()),
            written: 0,
        });
        world.put(Key::Body(review), Item::Body(Body { version: 1, org: 1, place, written: 0 }));
    }
}

/// Starts a process.
fn random_process(world: &Rc<World>, knowledge: &[Rc<RefCell<Knowledge>>], caches: &[Rc<RefCell<Cache>>]) -> Process {
    let index = |limit: usize| usize::try_from(world.below(limit as u64)).expect("a small number");
    let org = if world.chance(70) { 1 } else { 2 };
    match world.below(100) {
        0..45 => Box::pin(write(world.clone(), knowledge[index(knowledge.len())].clone())),
        45..68 => {
            let reading = read(world.clone(), caches[index(caches.len())].clone());
            Box::pin(async {
                reading.await;
            })
        }
        68..88 => {
            let folding = fold(world.clone(), org);
            Box::pin(async {
                folding.await;
            })
        }
        88..94 => Box::pin(sweep(world.clone(), random_tree(world, org))),
        _ => rebuilding(world, org),
    }
}

/// Starts a rebuild, which is a migration where an organisation is not built.
fn rebuilding(world: &Rc<World>, org: u8) -> Process {
    let rebuilding = rebuild(world.clone(), org);
    Box::pin(async {
        rebuilding.await;
    })
}

/// Returns a random tree of an organisation.
fn random_tree(world: &World, org: u8) -> TreeId {
    let number = |limit: u8| u8::try_from(world.below(u64::from(limit))).expect("a small number");
    let tree = TreeId::of_set(org, if world.chance(50) { 0 } else { number(SETS) });
    if world.chance(30) { tree.with_facet(number(FACETS)) } else { tree }
}

/// Lets one process go on, or die.
fn step_one(world: &World, processes: &mut Vec<Running>) {
    let choose = || usize::try_from(world.below(processes.len() as u64)).expect("a small number");
    let mut chosen = choose();
    if processes[chosen].1 && world.chance(90) {
        chosen = choose();
    }
    let is_killed = world.below(1000) < 8;
    world.counts.borrow_mut().killed += u64::from(is_killed);
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
fn finish(world: &Rc<World>) -> Result<(), String> {
    for org in 1..=ORGS {
        if world.strong(Key::directory(org)).is_none() && world.strong(Key::Listed(org)).is_some() {
            alone(rebuild(world.clone(), org));
        }
        let is_folded = alone(fold(world.clone(), org));
        if !is_folded {
            world.violated("a fold alone does not come to its end");
        }
        judge_log(world, org);
    }
    for _ in 0..6 {
        let attempts = alone(read(world.clone(), Rc::default()));
        if attempts.is_none_or(|attempts| attempts > 2) {
            world.violated(format!("a search alone does not come to its end {attempts:?}"));
        }
    }
    check(world)
}

/// Returns what went wrong.
fn check(world: &World) -> Result<(), String> {
    world.violation.borrow().clone().map_or(Ok(()), Err)
}
