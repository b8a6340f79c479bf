//! Scheduled audit: looks at every month of every organisation once a day, a few months at a time.
//!
//! A step compares some months of one organisation with `business-index`, which costs a fiftieth of reading the reviews. The
//! index lags. Where it differs from the ledger, the month is compared with the reviews themselves, read strongly and twice,
//! since reviews may be written meanwhile. A difference that remains is an error of the ledger.
//!
//! A run does steps until it has spent its units, and stores its position; the next run continues there. A step is repeated
//! if the function dies during it.
//!
//! Units of a round: for each organisation, one read for each month and review set, and one for each business in each step;
//! and for each review 16 bytes in each of two sets and 150 bytes in the index. 100 businesses in 10 cities with 36 months
//! and 100,000 reviews are some 5,000 units. A hundred such organisations, ten million reviews, are 500,000 units a day.
//! 288 runs a day of [`DEFAULT_UNITS`](presence_runtime::config::AuditConfig::DEFAULT_UNITS) may spend 720,000.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::position::Position;
use super::recount_scope::MonthListing;
use super::snapshot::{Differences, LedgerSnapshot};
use crate::ReviewStore;
use crate::client::meter::Meter;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Month, ReviewSet};
use presence_runtime::telemetry::{Metric, log_metric};

/// Maximum number of times that a step is started. A step that never ends must not stop the audit of all others.
const MAX_ATTEMPTS: u32 = 3;
/// Units of storing the position at the end of a run.
const SAVE_UNITS: f64 = 2.0;

/// Settings of the scheduled audit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditSettings {
    /// Read and write units of a run. A run that has spent them starts no other step; what its last step spends beyond is
    /// taken from the next runs.
    pub units: f64,
    /// True if wrong items are rewritten.
    pub mends: bool,
    /// Time for the index to catch up, before the reviews themselves are read.
    pub index_time: Duration,
    /// Maximum number of reviews in a step of several months. A month with more reviews is a step of its own.
    pub step_reviews: i64,
}

impl AuditSettings {
    /// Returns settings for operation: an index entry normally appears after some milliseconds, and the entries of 20,000
    /// reviews need little of the function's memory.
    #[must_use]
    pub fn new(units: f64, mends: bool) -> Self {
        Self { units, mends, index_time: Duration::from_millis(500), step_reviews: 20_000 }
    }
}

/// Report of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AuditRun {
    /// Number of steps.
    pub steps: u32,
    /// Number of reviews that the steps looked at.
    pub reviews: usize,
    /// Number of counts items and postings items that are wrong.
    pub wrong: usize,
    /// Number of wrong items that were rewritten.
    pub mended: usize,
    /// Read and write units that the run spent.
    pub units: f64,
    /// True if every organisation was looked at in this round.
    pub round_is_done: bool,
}

/// Months of an organisation, both ends included. `None` leaves an end open.
#[derive(Clone, Copy, Debug)]
struct Step {
    org_id: OrgId,
    from: Option<Month>,
    to: Option<Month>,
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
        let run = Box::pin(self.run_metered_audit(settings, now, has_time, &meter));
        let report = Arc::clone(&meter).watch(run).await?;
        Ok(AuditRun { units: units_spent(&meter), ..report })
    }

    async fn run_metered_audit(
        &self,
        settings: AuditSettings,
        now: Timestamp,
        has_time: impl Fn() -> bool + Send,
        meter: &Meter,
    ) -> Result<AuditRun, Error> {
        let position = Position::of_run(self.audit_position().await?, now.as_second());
        let debt = position.debt;
        let mut audit = ScheduledAudit { store: self, settings, position, report: AuditRun::default() };
        Box::pin(audit.recheck_open_months()).await?;
        let orgs = if audit.position.is_done { Vec::new() } else { self.orgs_with_reviews().await? };
        while !audit.position.is_done && debt + units_spent(meter) < settings.units && has_time() {
            audit.next_step(&orgs).await?;
        }
        audit.position.debt = (debt + units_spent(meter) + SAVE_UNITS - settings.units).max(0.0);
        self.save_audit_position(&audit.position).await?;
        Ok(AuditRun { round_is_done: audit.position.is_done, ..audit.report })
    }
}

impl ScheduledAudit<'_> {
    /// Looks again at the months that are known to be wrong. Those that are right now are forgotten; the others are measured
    /// again, so that the alarm stays on.
    async fn recheck_open_months(&mut self) -> Result<(), Error> {
        let mut still_open = Vec::new();
        for (org, month_text) in std::mem::take(&mut self.position.open) {
            let Some((org_id, month)) = OrgId::new(org).zip(Month::parse(&month_text)) else { continue };
            let is_wrong = !self.compare_with_index(org_id, month).await?.is_empty();
            // The reviews were read when the error was found. They are read again only if that may correct it.
            if is_wrong && (!self.settings.mends || !self.correct_month(org_id, month).await?) {
                still_open.push((org, month_text));
            }
        }
        if !still_open.is_empty() {
            measure_drift(still_open.len());
        }
        self.position.open = still_open;
        Ok(())
    }

    /// Does the step at the position, and moves the position behind it.
    async fn next_step(&mut self, orgs: &[OrgId]) -> Result<(), Error> {
        let Some(org_id) = orgs.iter().copied().find(|org_id| org_id.get() >= self.position.org) else {
            self.position.is_done = true;
            return Ok(());
        };
        let step = self.plan_step(org_id).await?;
        if self.position.attempts < MAX_ATTEMPTS {
            self.position.attempts += 1;
            // Stored before the step, so that a step that kills the function is counted.
            self.store.save_audit_position(&self.position).await?;
            Box::pin(self.do_step(step)).await?;
        } else {
            let from = step.from.map(|month| month.to_string());
            tracing::error!(%org_id, from, "an audit step never ends: passed over");
        }
        self.position.pass(org_id, step.to);
        Ok(())
    }

    /// Returns the next months of an organisation, with at most as many reviews by their counts as a step may have.
    ///
    /// The last step has no end, so that reviews whose counts are missing are found too.
    async fn plan_step(&self, org_id: OrgId) -> Result<Step, Error> {
        let from = self.position.month_of(org_id);
        let (mut reviews, mut to, mut last) = (0, None, None);
        for (month, counts) in self.store.query_month_counts(&ReviewSet::Org(org_id), from, None).await? {
            reviews += counts.total().max(0);
            if reviews > self.settings.step_reviews && last.is_some() {
                to = last;
                break;
            }
            last = Some(month);
        }
        Ok(Step { org_id, from, to })
    }

    async fn do_step(&mut self, Step { org_id, from, to }: Step) -> Result<(), Error> {
        for (month, listing) in self.store.list_months(org_id, from, to).await? {
            self.report.reviews += listing.listed.len();
            let is_right = self.store.compare_with_listing(month, &listing).await?.is_empty();
            if !is_right && !self.correct_month(org_id, month).await? {
                self.position.add_open(org_id, month);
            }
        }
        self.report.steps += 1;
        Ok(())
    }

    /// Compares a month that differs from the index with its reviews, reports what is wrong, and rewrites it if the settings
    /// allow. True if nothing wrong is left.
    async fn correct_month(&mut self, org_id: OrgId, month: Month) -> Result<bool, Error> {
        let wrong = self.compare_with_reviews(org_id, month).await?;
        if wrong.is_empty() {
            return Ok(true);
        }
        let mut mended = 0;
        if self.settings.mends {
            for (key, differences) in &wrong {
                mended += usize::from(self.store.rewrite_item(key, differences).await?);
            }
        }
        self.report.wrong += wrong.len();
        self.report.mended += mended;
        tracing::error!(%org_id, %month, wrong = wrong.len(), mended, "ledger drift");
        measure_drift(wrong.len());
        Ok(mended == wrong.len())
    }

    /// Returns the differences between a month and what the index lists of it now.
    async fn compare_with_index(&self, org_id: OrgId, month: Month) -> Result<Differences, Error> {
        let mut differences = Differences::new();
        for (month, listing) in self.store.list_months(org_id, Some(month), Some(month)).await? {
            differences.extend(self.store.compare_with_listing(month, &listing).await?);
        }
        Ok(differences)
    }

    /// Gives the index time, compares the month with it once more, and then with the reviews themselves.
    async fn compare_with_reviews(&self, org_id: OrgId, month: Month) -> Result<Differences, Error> {
        tokio::time::sleep(self.settings.index_time).await;
        let mut wrong = Differences::new();
        for (month, listing) in self.store.list_months(org_id, Some(month), Some(month)).await? {
            if !self.store.compare_with_listing(month, &listing).await?.is_empty() {
                wrong.extend(self.store.confirmed_differences(org_id, month, &listing.scope).await?);
            }
        }
        Ok(wrong)
    }
}

impl ReviewStore {
    /// Returns the differences between a month and what the index listed of it. Reads no reviews.
    async fn compare_with_listing(&self, month: Month, listing: &MonthListing) -> Result<Differences, Error> {
        let stored = self.read_snapshot(month, &listing.scope.sets).await?;
        Ok(LedgerSnapshot::differences(stored, LedgerSnapshot::of_listed(&listing.listed)))
    }
}

fn measure_drift(items: usize) {
    log_metric(Metric::LedgerDrift, f64::from(u32::try_from(items).unwrap_or(u32::MAX)));
}

fn units_spent(meter: &Meter) -> f64 {
    let cost = meter.cost();
    cost.read_units + cost.write_units
}
