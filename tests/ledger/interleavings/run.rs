//! One run: random processes step by step, then a lone fold of each organisation, then searches of everything.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use aws_smithy_types::timeout::TimeoutConfig;
use fastrand::Rng;
use futures::future::{AbortHandle, Aborted, abortable};
use futures::stream::{FuturesUnordered, StreamExt as _};
use presence_local::Options;
use presence_store::{FoldLimits, RetryPolicy, Stores};
use presence_tests::connectors::ConnectorLayer as _;
use presence_tests::{CallEnd, StepConnector, TestStack, in_process_client, long_timeouts};

use super::oracle::{Acknowledged, Oracle};
use super::processes::{Names, Outcome, fold, import, move_business, search, sweep};

/// Number of processes of a run.
const PROCESSES: u64 = 34;
/// Maximum number of processes at the same time.
const AT_A_TIME: usize = 6;
/// Number of instances: stores with caches of their own. A process is a request to one of them.
const INSTANCES: usize = 4;
/// Number of runs of which one has facet trees: a set has 90 of them.
const RUNS_WITH_FACETS: u64 = 6;
/// Small limits, so that a fold takes several passes, and sets may have facet trees.
const LIMITS: FoldLimits = FoldLimits { fold_from: u64::MAX, pass_changes: 6, facets_from: 6 };
/// Number of postings that a root holds itself: most are in nodes.
const RECENT_MAX: usize = 2;
/// Time for which a process retries: far longer than a run.
const RETRY_TIME: Duration = Duration::from_mins(5);
/// Time after which a run looks again whether a pause of a retry is over.
const PAUSE: Duration = Duration::from_millis(2);

/// Process in progress, which ends with its number.
type Process = Pin<Box<dyn Future<Output = (u64, Result<Outcome, Aborted>)>>>;

/// Numbers of a run, or of several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) runs: u64,
    pub(super) calls: u64,
    pub(super) changes: u64,
    pub(super) answers: u64,
    pub(super) failed_searches: u64,
    pub(super) folds: u64,
    pub(super) lost_folds: u64,
    pub(super) failed_folds: u64,
    pub(super) failed_writes: u64,
    pub(super) moves: u64,
    pub(super) failed_moves: u64,
    pub(super) swept_nodes: u64,
    pub(super) killed: u64,
    pub(super) lost_replies: u64,
    pub(super) stale_reads: u64,
}

impl Counts {
    /// Adds the numbers of other runs.
    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.calls += other.calls;
        self.changes += other.changes;
        self.answers += other.answers;
        self.failed_searches += other.failed_searches;
        self.folds += other.folds;
        self.lost_folds += other.lost_folds;
        self.failed_folds += other.failed_folds;
        self.failed_writes += other.failed_writes;
        self.moves += other.moves;
        self.failed_moves += other.failed_moves;
        self.swept_nodes += other.swept_nodes;
        self.killed += other.killed;
        self.lost_replies += other.lost_replies;
        self.stale_reads += other.stale_reads;
    }
}

/// One run.
pub(super) struct Run {
    rng: Rng,
    names: Names,
    connector: StepConnector,
    instances: Vec<Stores>,
    processes: FuturesUnordered<Process>,
    /// Handles that end processes, and what was acknowledged when each began.
    running: BTreeMap<u64, (AbortHandle, Acknowledged)>,
    /// Processes that end when their present call is made.
    dying: Vec<u64>,
    started: u64,
    oracle: Oracle,
    counts: Counts,
}

impl Run {
    /// Prepares a run in tables of its own.
    pub(super) fn new(seed: u64, stack: &TestStack) -> Self {
        let connector = StepConnector::new(seed);
        let instances = (0..=INSTANCES).map(|_| new_stores(stack, &connector, seed)).collect();
        Self {
            rng: Rng::with_seed(seed),
            names: Names { run: seed },
            connector,
            instances,
            processes: FuturesUnordered::new(),
            running: BTreeMap::new(),
            dying: Vec::new(),
            started: 0,
            oracle: Oracle::default(),
            counts: Counts { runs: 1, ..Counts::default() },
        }
    }

    /// Plays the run. Returns its numbers, or the first thing that went wrong.
    pub(super) async fn run(mut self) -> Result<Counts, String> {
        let alone = self.instances[INSTANCES].clone();
        alone.database.create_tables().await.map_err(|error| error.to_string())?;
        for business in self.names.businesses(&mut self.rng) {
            alone.businesses.put(&business).await.map_err(|error| error.to_string())?;
        }
        drop(self.connector.take_made());
        self.connector.set_stepped(true);
        while self.started < PROCESSES || !self.running.is_empty() {
            if self.started < PROCESSES
                && self.running.len() < AT_A_TIME
                && (self.running.is_empty() || self.rng.u8(..4) == 0)
            {
                self.start();
            }
            self.run_to_rest().await?;
            self.step();
        }
        self.connector.set_stepped(false);
        self.finish().await?;
        self.counts.changes = self.oracle.changes;
        self.counts.stale_reads = self.connector.stale_reads();
        Ok(self.counts)
    }

    /// Starts a random process.
    fn start(&mut self) {
        self.started += 1;
        let number = self.started;
        let store = self.instances[self.rng.usize(..INSTANCES)].reviews.clone();
        let org_id = self.names.org(u64::from(self.rng.u8(..4) == 0));
        let future: Pin<Box<dyn Future<Output = Outcome>>> = match self.rng.u8(..10) {
            0..4 => {
                let mut reviews = Vec::new();
                for _ in 0..self.rng.usize(1..4) {
                    let review = self.names.review(&mut self.rng);
                    if reviews.iter().all(|other: &presence_domain::review::Review| other.id != review.id) {
                        reviews.push(review);
                    }
                }
                Box::pin(import(store, reviews))
            }
            4 => {
                let number = self.rng.u64(..3);
                Box::pin(move_business(store, self.names.placed_business(number, &mut self.rng)))
            }
            5..7 => Box::pin(fold(store, org_id)),
            7 if self.rng.bool() => Box::pin(sweep(store, self.names.set(&mut self.rng))),
            _ => Box::pin(search(store, self.names.query(&mut self.rng))),
        };
        let (future, handle) = abortable(future);
        self.running.insert(number, (handle, self.oracle.acknowledged()));
        let connector = self.connector.clone();
        self.processes.push(Box::pin(async move { (number, connector.scope(number, future).await) }));
    }

    /// Lets all processes run until each waits at a call.
    async fn run_to_rest(&mut self) -> Result<(), String> {
        loop {
            while let std::task::Poll::Ready(Some((number, end))) = futures::poll!(self.processes.next()) {
                self.note_calls();
                self.end(number, end)?;
            }
            if !self.connector.is_busy() && !self.dying.is_empty() {
                for process in std::mem::take(&mut self.dying) {
                    self.kill(process);
                }
                continue;
            }
            if !self.connector.is_busy() && (self.processes.is_empty() || !self.connector.waiting().is_empty()) {
                self.note_calls();
                return Ok(());
            }
            let connector = self.connector.clone();
            tokio::select! {
                biased;
                Some((number, end)) = self.processes.next() => {
                    self.note_calls();
                    self.end(number, end)?;
                }
                () = connector.changed() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Tells the oracle what was called.
    fn note_calls(&mut self) {
        for call in self.connector.take_made() {
            self.oracle.note(&call);
        }
    }

    /// Makes one of the calls that wait.
    fn step(&mut self) {
        let waiting = self.connector.waiting();
        if waiting.is_empty() {
            return;
        }
        self.counts.calls += 1;
        let chosen = self.rng.usize(..waiting.len());
        let process = waiting[chosen];
        let end = match self.rng.u16(..1_000) {
            0..8 => return self.kill(process),
            8..16 => CallEnd::Dead,
            16..40 => CallEnd::ReplyLost,
            40..60 => CallEnd::Throttled,
            60..80 => CallEnd::Conflicted,
            _ => CallEnd::Answered,
        };
        self.counts.lost_replies += u64::from(end == CallEnd::ReplyLost);
        self.connector.release(chosen, end);
        self.dying.extend((end == CallEnd::Dead).then_some(process));
    }

    /// Ends a process where it is.
    fn kill(&mut self, process: u64) {
        self.counts.killed += 1;
        if let Some((handle, _)) = self.running.get(&process) {
            handle.abort();
        }
    }

    /// Judges a process that ended.
    fn end(&mut self, number: u64, end: Result<Outcome, Aborted>) -> Result<(), String> {
        let (_, acknowledged) = self.running.remove(&number).ok_or("a process ends once")?;
        match end {
            Err(Aborted) => {}
            Ok(Outcome::Written) => self.oracle.acknowledge(number),
            Ok(Outcome::WriteFailed) => self.counts.failed_writes += 1,
            Ok(Outcome::Folded(Ok(report))) => {
                self.counts.folds += u64::from(!report.lost);
                self.counts.lost_folds += u64::from(report.lost);
                if report.mismatches > 0 {
                    return Err(format!("a fold found changes that do not fit: {report:?}"));
                }
            }
            Ok(Outcome::Moved(moved)) => {
                self.counts.moves += 1;
                self.counts.failed_moves += u64::from(moved.is_err());
            }
            Ok(Outcome::Folded(Err(_))) => self.counts.failed_folds += 1,
            Ok(Outcome::Swept(swept)) => self.counts.swept_nodes += swept.unwrap_or_default() as u64,
            Ok(Outcome::Searched(query, Ok(page))) => {
                self.counts.answers += 1;
                let judged = self.oracle.judge(number, &query, &page, &acknowledged);
                judged.map_err(|what| format!("{what}\n{query:?}"))?;
            }
            Ok(Outcome::Searched(_, Err(_))) => self.counts.failed_searches += 1,
        }
        Ok(())
    }

    /// Finishes the moves that were interrupted. Each review is then in the place of its business.
    async fn finish_moves(&mut self) -> Result<(), String> {
        self.started += 1;
        let alone = self.instances[INSTANCES].clone();
        let finished = self.connector.scope(self.started, alone.reviews.finish_moves(|| true)).await;
        self.note_calls();
        finished.map_err(|error| format!("a move alone does not come to its end: {error}"))?;
        let businesses: Vec<_> = (0..3).map(|number| self.names.business(number)).collect();
        let locations = alone.businesses.get_locations(&businesses).await.map_err(|error| error.to_string())?;
        drop(self.connector.take_made());
        self.oracle.judge_places(&locations)
    }

    /// Finishes moves, folds each organisation alone, and searches everything with a store that knows nothing.
    async fn finish(&mut self) -> Result<(), String> {
        self.finish_moves().await?;
        for number in 0..2 {
            self.started += 1;
            let store = self.instances[INSTANCES].reviews.clone();
            let outcome = self.connector.scope(self.started, fold(store, self.names.org(number))).await;
            self.note_calls();
            match outcome {
                Outcome::Folded(Ok(report)) if !report.lost && report.mismatches == 0 => {}
                other => return Err(format!("a fold alone does not come to its end: {other:?}")),
            }
        }
        for query in self.names.whole_sets() {
            self.started += 1;
            let store = self.instances[INSTANCES].reviews.clone();
            let outcome = self.connector.scope(self.started, search(store, query)).await;
            self.note_calls();
            let Outcome::Searched(query, Ok(page)) = outcome else {
                return Err(format!("a search alone fails: {outcome:?}"));
            };
            let everything = self.oracle.everything();
            let judged = self.oracle.judge(self.started, &query, &page, &everything);
            judged.map_err(|what| format!("at the end: {what}\n{query:?}"))?;
        }
        match self.oracle.left_in_log.values().sum() {
            0 => Ok(()),
            left => Err(format!("{left} changes are left in the logs behind the last folds")),
        }
    }
}

/// Returns stores that nobody used, whose calls go through the connector.
fn new_stores(stack: &TestStack, connector: &StepConnector, seed: u64) -> Stores {
    let options = Options {
        timeouts: Some(TimeoutConfig::disabled()),
        retry_policy: RetryPolicy::For(RETRY_TIME),
        ..long_timeouts()
    };
    let stores = stack.stores_through(connector.over(in_process_client()), options, &format!("run{seed}-"));
    let facets_from = if seed.is_multiple_of(RUNS_WITH_FACETS) { LIMITS.facets_from } else { i64::MAX };
    let limits = FoldLimits { facets_from, ..LIMITS };
    Stores { reviews: stores.reviews.with_fold_limits(limits).with_recent_max(RECENT_MAX), ..stores }
}
