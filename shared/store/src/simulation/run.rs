//! One run: random processes call by call, then a lone fold of each organisation, then searches of everything.

use std::collections::HashMap;
use std::future::Future;
use std::iter::repeat_n;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::calls::SharedWorld;
use super::judge::Answer;
use super::names::{self, BUSINESSES, ORGS, Question};
use super::oracle::Positions;
use super::people::{ActOnReview, Intent};
use super::tables::SimulatedTables;
use super::world::World;
use crate::businesses::ReviewLocation;
use crate::{Business, Database, FoldLimits, FoldReport, ReviewStore, ReviewsAudit};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;
use presence_ledger::ReviewSet;

/// Number of processes of a run.
const PROCESSES: u64 = 60;
/// Maximum number of processes at the same time.
const AT_A_TIME: usize = 7;
/// Number of instances: stores with caches of their own. A process is a request to one of them.
const INSTANCES: usize = 4;
/// Number of runs of which one has facet trees: a set has 90 of them.
const RUNS_WITH_FACETS: u64 = 4;
/// Number of runs of which one has trees that are damaged.
const RUNS_WITH_DAMAGE: u64 = 5;
/// Steps of such a run after which a tree is damaged, on average.
const STEPS_TO_DAMAGE: u32 = 150;
/// Number of postings that a root holds itself: most are in nodes.
const RECENT_MAX: usize = 2;
/// Maximum number of steps of a run, far above what it takes.
const MAX_STEPS: u64 = 200_000;

/// Numbers of a run, or of several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) runs: u64,
    pub(super) steps: u64,
    pub(super) changes: u64,
    pub(super) answers: u64,
    pub(super) given_up: u64,
    pub(super) folds: u64,
    pub(super) lost_folds: u64,
    pub(super) moves: u64,
    pub(super) swept_nodes: u64,
    pub(super) rebuilds: u64,
    pub(super) audits: u64,
    pub(super) killed: u64,
    pub(super) acts: u64,
}

/// Kind of a random process.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Import,
    PutBusiness,
    Fold,
    Sweep,
    Rebuild,
    Audit,
    Act,
    Ask,
}

/// Shares of the kinds among the processes of a run. Each run makes some of them frequent: rare kinds meet only there.
const SHARES: [(Kind, usize); 8] = [
    (Kind::Import, 30),
    (Kind::PutBusiness, 6),
    (Kind::Fold, 14),
    (Kind::Sweep, 4),
    (Kind::Rebuild, 2),
    (Kind::Audit, 2),
    (Kind::Act, 14),
    (Kind::Ask, 28),
];
/// Number of times that a frequent kind has its share.
const FREQUENT: usize = 5;

/// End of a process.
pub(super) enum Outcome {
    /// A writer was told that its reviews are stored.
    Written,
    Folded(FoldReport),
    Swept(usize),
    Asked(Box<Question>, Answer),
    Moved,
    /// All moves are finished, and these are the places of the businesses.
    Placed(HashMap<BusinessId, ReviewLocation>),
    Rebuilt,
    /// An act was done with so many changes.
    Acted(usize),
    Audited(ReviewsAudit),
    Failed(&'static str, Error),
}

/// Process in progress.
pub(super) struct Process {
    pub(super) number: u64,
    future: Pin<Box<dyn Future<Output = Outcome>>>,
    is_woken: Arc<Woken>,
    /// True for one that stands still while the others go on, most of the time.
    is_slow: bool,
    /// Positions that were acknowledged when it began.
    acknowledged: Positions,
}

/// True if a process can go on.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One run.
pub(super) struct Run {
    pub(super) world: SharedWorld,
    pub(super) seed: u64,
    /// Kinds to choose from, each as often as its share says.
    kinds: Vec<Kind>,
    instances: Vec<ReviewStore>,
    pub(super) processes: Vec<Process>,
    pub(super) started: u64,
    pub(super) counts: Counts,
    pub(super) last_failure: String,
}

impl Counts {
    /// Adds the numbers of other runs.
    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.changes += other.changes;
        self.answers += other.answers;
        self.given_up += other.given_up;
        self.folds += other.folds;
        self.lost_folds += other.lost_folds;
        self.moves += other.moves;
        self.swept_nodes += other.swept_nodes;
        self.rebuilds += other.rebuilds;
        self.audits += other.audits;
        self.killed += other.killed;
        self.acts += other.acts;
    }
}

impl Run {
    /// Makes a run. Returns its numbers, or the first thing that went wrong.
    pub(super) fn make(seed: u64) -> Result<Counts, String> {
        let mut run = Self::new(seed);
        run.play()?;
        run.counts.runs = 1;
        run.counts.changes = run.world.get().oracle.changes;
        run.counts.acts = run.world.get().oracle.histories.acts() as u64;
        Ok(run.counts)
    }

    /// Returns a run without processes.
    pub(super) fn new(seed: u64) -> Self {
        let world = SharedWorld::new(seed);
        let instances = (0..INSTANCES).map(|_| new_store(&world, seed)).collect();
        // The first store of a process takes more numbers than the others.
        fastrand::seed(seed);
        let is_damaged = seed.is_multiple_of(RUNS_WITH_DAMAGE);
        let kinds = SHARES.into_iter().flat_map(|(kind, share)| {
            // Only damaged trees are built again.
            let is_frequent = world.get().chance(25) || (kind == Kind::Rebuild && is_damaged);
            repeat_n(kind, if is_frequent { FREQUENT * share } else { share })
        });
        let kinds = kinds.collect();
        Self {
            world,
            seed,
            kinds,
            instances,
            processes: Vec::new(),
            started: 0,
            counts: Counts::default(),
            last_failure: String::new(),
        }
    }

    fn play(&mut self) -> Result<(), String> {
        for number in 0..BUSINESSES {
            let business = names::placed_business(number, &mut self.world.get().rng);
            self.alone(move |store| Box::pin(put_business(store, business.clone())))?;
        }
        while self.started < PROCESSES || !self.processes.is_empty() {
            let is_full = self.started >= PROCESSES || self.processes.len() >= AT_A_TIME;
            if self.processes.is_empty() || (!is_full && self.world.get().chance(12)) {
                self.start_random();
            }
            self.step()?;
        }
        self.finish()
    }

    /// Starts a random process.
    fn start_random(&mut self) {
        let mut world = self.world.get();
        let (instance, is_new) = (world.rng.usize(..INSTANCES), world.chance(5));
        drop(world);
        if is_new {
            // A new instance knows nothing.
            self.instances[instance] = new_store(&self.world, self.seed);
        }
        let store = self.instances[instance].clone();
        let mut world = self.world.get();
        let World { rng, oracle, .. } = &mut *world;
        let number = self.started + 1;
        let process: Pin<Box<dyn Future<Output = Outcome>>> = match self.kinds[rng.usize(..self.kinds.len())] {
            Kind::Import => {
                let reviews: Vec<Review> = (0..rng.usize(1..4)).map(|_| names::random_review(rng)).collect();
                oracle.histories.expect(number, Intent::Rows(reviews.clone()));
                Box::pin(import(store, reviews))
            }
            Kind::PutBusiness => Box::pin(put_business(store, names::placed_business(rng.u64(..BUSINESSES), rng))),
            Kind::Fold => Box::pin(fold(store, names::random_org(rng))),
            Kind::Sweep => Box::pin(sweep(store, names::random_set(rng))),
            Kind::Rebuild => Box::pin(rebuild(store, names::random_org(rng))),
            Kind::Audit => Box::pin(audit(store, names::random_org(rng))),
            Kind::Act => {
                let act = ActOnReview::random(self.started, rng);
                oracle.histories.expect(number, Intent::Act(act.clone()));
                Box::pin(do_act(store, act))
            }
            Kind::Ask => Box::pin(ask(store, Question::random(rng))),
        };
        drop(world);
        self.start(process);
    }

    pub(super) fn start(&mut self, future: Pin<Box<dyn Future<Output = Outcome>>>) {
        self.started += 1;
        let mut world = self.world.get();
        let (is_slow, acknowledged) = (world.chance(25), world.oracle.acknowledged.clone());
        let is_woken = Arc::new(Woken(AtomicBool::new(true)));
        self.processes.push(Process { number: self.started, future, is_woken, is_slow, acknowledged });
    }

    /// Lets all processes run until each waits at a call.
    pub(super) fn run_to_rest(&mut self) -> Result<(), String> {
        while let Some(position) = self.processes.iter().position(|process| process.is_woken.0.load(Ordering::Relaxed))
        {
            let process = &mut self.processes[position];
            process.is_woken.0.store(false, Ordering::Relaxed);
            self.world.get().calls.process = process.number;
            let waker = Waker::from(Arc::clone(&process.is_woken));
            if let Poll::Ready(outcome) = process.future.as_mut().poll(&mut Context::from_waker(&waker)) {
                let process = self.processes.remove(position);
                self.end(&process, outcome)?;
            }
        }
        self.world.get().oracle.violation.clone().map_or(Ok(()), Err)
    }

    /// Makes one step: a call, an item of a transaction, an index that catches up, or the death of a process.
    fn step(&mut self) -> Result<(), String> {
        self.run_to_rest()?;
        self.counts.steps += 1;
        if self.counts.steps > MAX_STEPS {
            return Err("a run does not come to its end".to_owned());
        }
        let mut world = self.world.get();
        if world.chance(5) {
            world.show_in_indexes(20);
        }
        if !world.is_calm && self.seed.is_multiple_of(RUNS_WITH_DAMAGE) && world.rng.u32(..STEPS_TO_DAMAGE) == 0 {
            world.damage_a_tree();
        }
        let has_open = !world.open_transactions().is_empty();
        if has_open && (world.calls.ready.is_empty() || world.chance(40)) {
            world.show_one_item();
            return Ok(());
        }
        let ready = world.calls.ready.clone();
        if ready.is_empty() {
            return if self.processes.is_empty() { Ok(()) } else { Err("all processes stand still".to_owned()) };
        }
        let (mut ticket, mut number) = ready[world.rng.usize(..ready.len())];
        let is_slow = |number: u64| self.processes.iter().any(|other| other.number == number && other.is_slow);
        if is_slow(number) && world.chance(90) {
            (ticket, number) = ready[world.rng.usize(..ready.len())];
        }
        if !world.is_calm && world.rng.u32(..1_000) < 6 {
            drop(world);
            self.counts.killed += 1;
            self.processes.retain(|process| process.number != number);
        } else {
            world.calls.release(ticket);
        }
        Ok(())
    }

    /// Judges a process that ended.
    fn end(&mut self, process: &Process, outcome: Outcome) -> Result<(), String> {
        let mut guard = self.world.get();
        let world = &mut *guard;
        let (oracle, counts) = (&mut world.oracle, &mut self.counts);
        match outcome {
            Outcome::Written => oracle.acknowledge(process.number),
            Outcome::Folded(report) => {
                counts.folds += u64::from(!report.lost);
                counts.lost_folds += u64::from(report.lost);
                if report.mismatches > 0 {
                    return Err(format!("a fold found changes that do not fit: {report:?}"));
                }
            }
            Outcome::Swept(nodes) => counts.swept_nodes += nodes as u64,
            Outcome::Moved => counts.moves += 1,
            Outcome::Placed(locations) => oracle.judge_places(&locations),
            Outcome::Acted(changes) => {
                oracle.acknowledge(process.number);
                let acts = oracle.histories.acts_of(process.number);
                if acts != changes {
                    return Err(format!("an act was written {acts} times instead of {changes}"));
                }
            }
            Outcome::Rebuilt => counts.rebuilds += 1,
            Outcome::Audited(audit) => {
                counts.audits += 1;
                let is_wrong = |finding: &&crate::Finding| !finding.subject.starts_with("review ");
                if let Some(finding) = audit.findings.iter().find(is_wrong).filter(|_| !world.is_damaged) {
                    return Err(format!("an audit reports what is right: {finding:?}"));
                }
            }
            Outcome::Asked(question, answer) => {
                counts.answers += 1;
                let judged = oracle.judge(process.number, &question, &answer, &process.acknowledged);
                judged.map_err(|what| format!("{what}\n{question:?}\nprocess {}", process.number))?;
            }
            Outcome::Failed(what, error) => {
                counts.given_up += 1;
                self.last_failure = format!("{what}: {error:?}");
                let is_expected = matches!(error, Error::Unavailable(_) | Error::Conflict | Error::InProgress);
                if !is_expected && !world.is_damaged {
                    return Err(self.last_failure.clone());
                }
            }
        }
        oracle.forget(process.number);
        Ok(())
    }

    /// Runs a process alone, with a store that knows nothing and without failures. It must succeed.
    fn alone(
        &mut self,
        process: impl FnOnce(ReviewStore) -> Pin<Box<dyn Future<Output = Outcome>>>,
    ) -> Result<(), String> {
        let before = self.counts.given_up + self.counts.lost_folds;
        self.world.get().is_calm = true;
        self.start(process(new_store(&self.world, self.seed)));
        while !self.processes.is_empty() || !self.world.get().open_transactions().is_empty() {
            self.step()?;
        }
        self.world.get().is_calm = false;
        let is_done = self.counts.given_up + self.counts.lost_folds == before;
        if is_done { Ok(()) } else { Err(format!("a process alone does not come to its end: {}", self.last_failure)) }
    }

    /// Rebuilds the trees of all organisations, one after the other.
    fn rebuild_all(&mut self) -> Result<(), String> {
        (0..ORGS).try_for_each(|number| self.alone(move |store| Box::pin(rebuild(store, names::org(number)))))
    }

    /// Corrects the trees, finishes moves, folds each organisation alone, and searches everything.
    fn finish(&mut self) -> Result<(), String> {
        let was_damaged = self.world.get().is_damaged;
        if was_damaged {
            self.rebuild_all()?;
            self.world.get().forget_damage();
        }
        self.alone(|store| Box::pin(finish_moves(store)))?;
        if was_damaged {
            // The moves brought back a business whose trees nothing named before.
            self.rebuild_all()?;
        }
        for number in 0..ORGS {
            self.alone(move |store| Box::pin(fold(store, names::org(number))))?;
        }
        for question in Question::whole_sets() {
            // Nobody asks for a damaged set that no review and no business has any more.
            if was_damaged && !self.world.get().oracle.has_reviews(&question.sets[0]) {
                continue;
            }
            self.alone(move |store| Box::pin(ask(store, question.clone())))?;
        }
        self.world.get().show_in_indexes(100);
        for number in 0..ORGS {
            self.alone(move |store| Box::pin(audit(store, names::org(number))))?;
        }
        match self.world.get().oracle.left_in_log.values().sum() {
            0 => Ok(()),
            left => Err(format!("{left} changes are left in the logs behind the last folds")),
        }
    }
}

/// Returns a store that knows nothing.
pub(super) fn new_store(world: &SharedWorld, seed: u64) -> ReviewStore {
    let facets_from = if seed.is_multiple_of(RUNS_WITH_FACETS) { 6 } else { i64::MAX };
    let fold_from = if seed.is_multiple_of(3) { 4 } else { u64::MAX };
    let limits = FoldLimits { fold_from, pass_changes: 6, facets_from };
    let database = Database::simulated(Arc::new(SimulatedTables(world.clone())));
    let store = ReviewStore::new(&database).with_fold_limits(limits).with_recent_max(RECENT_MAX);
    // Logs are short: writers seal changes soon.
    let store = store.with_max_unsealed(seed % 4 + 1);
    // Of the instances, some prefer facet trees.
    let prefers_facets = world.get().chance(60);
    store.with_facets_preferred(prefers_facets)
}

pub(super) async fn import(store: ReviewStore, mut reviews: Vec<Review>) -> Outcome {
    reviews.sort_by(|one, other| one.id.cmp(&other.id));
    reviews.dedup_by(|one, other| one.id == other.id);
    match store.upsert_reviews(&reviews).await {
        Ok(_) => Outcome::Written,
        Err(error) => Outcome::Failed("import", error),
    }
}

async fn do_act(store: ReviewStore, act: ActOnReview) -> Outcome {
    act.run(store).await.map_or_else(|error| Outcome::Failed("act", error), Outcome::Acted)
}

pub(super) async fn put_business(store: ReviewStore, business: Business) -> Outcome {
    store.put_business(&business).await.map_or_else(|error| Outcome::Failed("move", error), |_| Outcome::Moved)
}

pub(super) async fn fold(store: ReviewStore, org_id: OrgId) -> Outcome {
    folded(store.fold_reviews(org_id).await)
}

pub(super) fn folded(report: Result<FoldReport, Error>) -> Outcome {
    report.map_or_else(|error| Outcome::Failed("fold", error), Outcome::Folded)
}

async fn sweep(store: ReviewStore, set: ReviewSet) -> Outcome {
    store.sweep_set(&set).await.map_or_else(|error| Outcome::Failed("sweep", error), Outcome::Swept)
}

pub(super) async fn rebuild(store: ReviewStore, org_id: OrgId) -> Outcome {
    store.rebuild_reviews(org_id).await.map_or_else(|error| Outcome::Failed("rebuild", error), |_| Outcome::Rebuilt)
}

pub(super) async fn audit(store: ReviewStore, org_id: OrgId) -> Outcome {
    let audited = store.audit_reviews(Some(org_id)).await;
    audited.map_or_else(|error| Outcome::Failed("audit", error), Outcome::Audited)
}

pub(super) async fn ask(store: ReviewStore, question: Question) -> Outcome {
    match question.ask(&store).await {
        Ok(answer) => Outcome::Asked(Box::new(question), answer),
        Err(error) => Outcome::Failed("search", error),
    }
}

/// Finishes the moves, and compares the places of the reviews with those of their businesses.
pub(super) async fn finish_moves(store: ReviewStore) -> Outcome {
    let businesses: Vec<_> = (0..BUSINESSES).map(names::business).collect();
    let located = async {
        store.finish_moves(|| true).await?;
        store.businesses.get_review_locations(&businesses).await
    };
    located.await.map_or_else(|error| Outcome::Failed("moves", error), Outcome::Placed)
}
