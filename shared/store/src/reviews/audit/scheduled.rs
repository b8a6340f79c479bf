//! Scheduled audit: looks at every review of every organisation once a day, slice by slice in the order of time.
//!
//! A step compares a slice of one organisation's reviews, as `listing-index` lists them, with every tree of the organisation in
//! the same range. The index lags. What differs is compared with the reviews themselves, read strongly before and after another
//! look at the trees, since reviews may be written meanwhile. A difference that remains is an error of the ledger.
//!
//! A run does steps until it has spent its units, and stores its position; the next run continues there. A step is repeated
//! if the function dies during it. The first step of an organisation folds what is left in its log. After the steps, a run looks
//! again at one slice that is known to be wrong, a different one each time. Such looks have as many units of their own.
//!
//! Units of a round: for each review some 0.07 in the index, and 0.02 in the trees that count it. Each step also takes the roots of all
//! trees of the organisation, some 1 to 3 each. 100,000 reviews of 100 businesses in 10 cities are two steps and some 10,000 units. A
//! hundred such organisations, ten million reviews, are a million units a day. 288 runs a day of
//! [`DEFAULT_UNITS`](presence_runtime::config::AuditConfig::DEFAULT_UNITS) may spend more.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::position::{OpenSlice, Position};
use super::report::name_of;
use crate::ReviewStore;
use crate::client::meter::Meter;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::PostingKey;
use presence_ledger::audit::{Slice, WrongTree};
use presence_runtime::telemetry::{Metric, log_metric};

/// Number of times that a step is started. A step that never ends must not stop the audit of all others.
const MAX_ATTEMPTS: u32 = 3;
/// Number of further times that only the end of the step is looked for, to pass over it. Then the organisation is passed over.
const MAX_LISTINGS: u32 = 2;
/// Units of storing the position at the end of a run.
const SAVE_UNITS: f64 = 2.0;
/// Maximum number of trees that a line of the log names.
const NAMED_TREES: usize = 5;

/// Settings of the scheduled audit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditSettings {
    /// Read and write units of the steps of a run. A run that has spent them starts no other step; what its last step spends
    /// beyond is taken from the next runs. The look at a slice that is known to be wrong may spend as many.
    pub units: f64,
    /// True if wrong trees are corrected.
    pub mends: bool,
    /// Time for the index to catch up, before the reviews themselves are read.
    pub index_time: Duration,
    /// Number of reviews in a step, and those in the rest of a page of the index.
    pub step_reviews: usize,
    /// Maximum number of reviews of an organisation whose damaged trees are rebuilt. Larger ones wait for the operator.
    pub rebuild_reviews: usize,
}

impl AuditSettings {
    /// Returns settings for operation: an index entry normally appears after some milliseconds, and 50,000 reviews without
    /// texts need little of the function's memory.
    pub fn new(units: f64, mends: bool) -> Self {
        Self { units, mends, index_time: Duration::from_millis(500), step_reviews: 50_000, rebuild_reviews: 100_000 }
    }
}

/// Report of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AuditRun {
    /// Number of steps.
    pub steps: u32,
    /// Number of reviews that the steps looked at.
    pub reviews: usize,
    /// Number of trees that are wrong. A tree that is wrong in two slices counts twice.
    pub wrong: usize,
    /// Number of wrong trees that were corrected.
    pub mended: usize,
    /// Read and write units that the run spent.
    pub units: f64,
    /// True if every organisation was looked at in this round.
    pub round_is_done: bool,
}

/// A run in progress.
struct ScheduledAudit<'a> {
    store: &'a ReviewStore,
    settings: AuditSettings,
    position: Position,
    report: AuditRun,
}

impl ReviewStore {
    /// Continues the audit where the last run stopped, until the units are spent or there is no time for another step.
    pub async fn audit_on_schedule(
        &self,
        settings: AuditSettings,
        now: Timestamp,
        has_time: impl Fn() -> bool + Send,
    ) -> Result<AuditRun, Error> {
        let meter = Arc::new(Meter::default());
        // On the heap: the compiler gives up on a future with so many others in it.
        let run = Box::pin(self.run_metered(settings, now, has_time, &meter));
        let report = Arc::clone(&meter).watch(run).await?;
        Ok(AuditRun { units: units_spent(&meter), ..report })
    }

    async fn run_metered(
        &self,
        settings: AuditSettings,
        now: Timestamp,
        has_time: impl Fn() -> bool + Send,
        meter: &Meter,
    ) -> Result<AuditRun, Error> {
        let position = Position::of_run(self.load_position().await?, now.as_second());
        let (debt, open) = (position.debt, position.open.len());
        let mut audit = ScheduledAudit { store: self, settings, position, report: AuditRun::default() };
        let orgs = if audit.position.is_done { Vec::new() } else { self.orgs_with_reviews().await? };
        while !audit.position.is_done && debt + units_spent(meter) < settings.units && has_time() {
            audit.next_step(&orgs).await?;
        }
        audit.position.debt = (debt + units_spent(meter) + SAVE_UNITS - settings.units).max(0.0);
        let rechecks = audit.position.next_recheck(open, settings.units) && has_time();
        self.save_position(&audit.position).await?;
        let is_closed = rechecks && audit.recheck_last_slice(meter).await?;
        // Those that are still open are measured again, so that the alarm stays on.
        if open > usize::from(is_closed) {
            measure_drift(open - usize::from(is_closed));
        }
        Ok(AuditRun { round_is_done: audit.position.is_done, ..audit.report })
    }
}

impl ScheduledAudit<'_> {
    /// Looks again at the last slice of those that are known to be wrong. True if it is right now: then it is forgotten.
    async fn recheck_last_slice(&mut self, meter: &Meter) -> Result<bool, Error> {
        let spent = units_spent(meter);
        let is_right = match self.position.open.last().and_then(OpenSlice::read) {
            Some((org_id, keys)) => Box::pin(self.recheck(org_id, keys)).await?,
            None => true,
        };
        if is_right {
            self.position.open.pop();
        }
        self.position.recheck_debt = units_spent(meter) - spent + SAVE_UNITS;
        self.store.save_position(&self.position).await?;
        Ok(is_right)
    }

    /// True if a slice that was wrong is right now.
    async fn recheck(&mut self, org_id: OrgId, keys: Range<PostingKey>) -> Result<bool, Error> {
        let slice = self.store.list_range(org_id, keys).await?;
        let is_wrong = self.store.auditor().differs_from_index(&slice).await?;
        // The reviews were read when the error was found. They are read again only if that may correct it.
        Ok(!is_wrong || (self.settings.mends && self.correct_slice(&slice).await?))
    }

    /// Does the step at the position, and moves the position past it.
    async fn next_step(&mut self, orgs: &[OrgId]) -> Result<(), Error> {
        let Some(org_id) = orgs.iter().copied().find(|org_id| org_id.get() >= self.position.org) else {
            self.position.is_done = true;
            return Ok(());
        };
        if self.position.org != org_id.get() {
            self.position.pass(org_id, PostingKey::FIRST);
        }
        let from = self.position.key_of(org_id);
        let attempts = self.position.attempts;
        self.position.attempts += 1;
        // Stored before the step, so that a step that kills the function is counted.
        self.store.save_position(&self.position).await?;
        let end = if attempts < MAX_ATTEMPTS {
            Box::pin(self.do_step(org_id, from)).await?
        } else {
            tracing::error!(%org_id, from = from.effective_at, "an audit step never ends: passed over");
            self.end_of_step(org_id, from, attempts).await?
        };
        self.position.pass(org_id, end);
        Ok(())
    }

    /// Returns the end of a step that is passed over.
    async fn end_of_step(&self, org_id: OrgId, from: PostingKey, attempts: u32) -> Result<PostingKey, Error> {
        if attempts < MAX_ATTEMPTS + MAX_LISTINGS {
            Ok(self.store.list_slice(org_id, from, self.settings.step_reviews).await?.keys.end)
        } else {
            Ok(PostingKey::END)
        }
    }

    /// Looks at a slice. Returns its end.
    async fn do_step(&mut self, org_id: OrgId, from: PostingKey) -> Result<PostingKey, Error> {
        if from == PostingKey::FIRST {
            self.store.fold_unless_damaged(org_id).await?;
        }
        let slice = self.store.list_slice(org_id, from, self.settings.step_reviews).await?;
        self.report.reviews += slice.listed.len();
        if !self.correct_slice(&slice).await? {
            self.position.add_open(org_id, &slice.keys);
        }
        self.report.steps += 1;
        Ok(slice.keys.end)
    }

    /// Compares a slice with the trees, reports what is wrong, and corrects it if the settings allow. True if nothing wrong is
    /// left.
    async fn correct_slice(&mut self, slice: &Slice) -> Result<bool, Error> {
        let wrong = self.store.auditor().find_wrong_trees(slice, self.settings.index_time).await?;
        if wrong.is_empty() {
            return Ok(true);
        }
        // Before the correction, which may kill the function.
        let (from, trees) = (slice.keys.start.effective_at, names_of(&wrong));
        tracing::error!(org_id = %slice.org_id, from, trees, wrong = wrong.len(), "ledger drift");
        measure_drift(wrong.len());
        self.report.wrong += wrong.len();
        if !self.settings.mends {
            return Ok(false);
        }
        let mended = self.store.auditor().mend_trees(slice.org_id, &wrong, self.settings.rebuild_reviews).await?;
        self.report.mended += mended;
        Ok(mended == wrong.len())
    }
}

fn names_of(wrong: &[WrongTree]) -> String {
    let names = wrong.iter().map(|wrong| name_of(&wrong.view.tree));
    names.take(NAMED_TREES).collect::<Vec<_>>().join(", ")
}

fn measure_drift(trees: usize) {
    log_metric(Metric::LedgerDrift, f64::from(u32::try_from(trees).unwrap_or(u32::MAX)));
}

fn units_spent(meter: &Meter) -> f64 {
    let cost = meter.cost();
    cost.read_units + cost.write_units
}
