//! The scheduled audit: every month of every organisation, a few months at a time, once a day.
//!
//! A step compares some months of one organisation with `business-index`, which costs a fiftieth of reading the reviews. The
//! index lags: where it differs, the month is compared with its reviews themselves, read strongly and twice, since reviews
//! may be written meanwhile. What differs then is wrong. A run makes steps until it has spent its units; where it stopped is
//! stored, and the next run goes on there. A run that dies begins its step again.
//!
//! Units of a round, for each organisation: a read for each partition of slips, that is for each month and book, and for each
//! business in each step; and 16 bytes for each review in each of two books, 150 in the index. With 100 businesses in 10
//! cities, 36 months and 100,000 reviews these are some 5,000 units; a hundred such organisations, ten million reviews, are
//! 500,000 a day. At [`DEFAULT_UNITS`](presence_runtime::config::AuditConfig::DEFAULT_UNITS) for each of 288 runs a day, 720,000 can be spent.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::position::Position;
use super::recount::{Differences, Listed, RecountScope, count_listed, differences};
use crate::ReviewStore;
use crate::client::meter::Meter;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Month, ReviewSet};
use presence_runtime::telemetry::{Metric, log_metric};

/// The number of times that a step is begun before it is passed over: one that never ends must not hold up the others.
const MAX_ATTEMPTS: u32 = 3;
/// Units of storing where it stopped, at the end of a run.
const SAVE_UNITS: f64 = 2.0;
/// Seconds between the starts of two rounds: a day, less the time of a run, so that rounds do not shift from day to day.
const ROUND_SECONDS: i64 = 86_400 - 600;

/// The settings of the scheduled audit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditSettings {
    /// Units, read and write, that a run spends before it begins no other step. What its last step spends beyond is taken
    /// from the next runs.
    pub units: f64,
    /// True if what is wrong is rewritten.
    pub mends: bool,
    /// The index gets this time to catch up before the reviews themselves are read.
    pub index_time: Duration,
    /// Reviews of a step: months are added while there are no more. A month with more is a step of its own.
    pub step_reviews: i64,
}

impl AuditSettings {
    /// Settings with the others as they are in operation: most entries of an index are there after some milliseconds, and
    /// what is listed of 20,000 reviews fits into the memory of the function many times.
    #[must_use]
    pub fn new(units: f64, mends: bool) -> Self {
        Self { units, mends, index_time: Duration::from_millis(500), step_reviews: 20_000 }
    }
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AuditRun {
    /// Steps.
    pub steps: u32,
    /// Reviews that were looked at.
    pub reviews: usize,
    /// Tallies and groups of slips that are wrong.
    pub wrong: usize,
    /// Those of them that were rewritten.
    pub mended: usize,
    /// Units that were spent.
    pub units: f64,
    /// True if every organisation was looked at in this round.
    pub round_is_done: bool,
}

/// Months of an organisation, both ends included; all on that side without an end.
#[derive(Clone, Copy, Debug)]
struct Step {
    org_id: OrgId,
    from: Option<Month>,
    to: Option<Month>,
}

impl ReviewStore {
    /// Audits as much as the settings allow, from where the last run stopped. Steps are begun while there is time.
    pub async fn audit_on_schedule(
        &self,
        settings: AuditSettings,
        now: Timestamp,
        has_time: impl Fn() -> bool + Send,
    ) -> Result<AuditRun, Error> {
        let meter = Arc::new(Meter::default());
        // On the heap: the compiler gives up on a future with so many in it.
        let run = Box::pin(self.audit_metered(settings, now, has_time, &meter));
        let run = Arc::clone(&meter).watch(run).await?;
        Ok(AuditRun { units: spent(&meter), ..run })
    }

    async fn audit_metered(
        &self,
        settings: AuditSettings,
        now: Timestamp,
        has_time: impl Fn() -> bool + Send,
        meter: &Meter,
    ) -> Result<AuditRun, Error> {
        let now = now.as_second();
        let stored = self.audit_position().await?;
        let mut position = stored.unwrap_or_else(|| Position::start(now, Position::default()));
        if position.is_done && now - position.began_at >= ROUND_SECONDS {
            position = Position::start(now, position);
        }
        let debt = position.debt;
        let mut run = AuditRun::default();
        Box::pin(self.look_at_open(settings, &mut position, &mut run)).await?;
        let orgs = if position.is_done { Vec::new() } else { self.orgs_with_reviews().await? };
        while !position.is_done && debt + spent(meter) < settings.units && has_time() {
            let Some(org_id) = orgs.iter().copied().find(|org_id| org_id.get() >= position.org) else {
                position.is_done = true;
                break;
            };
            let step = self.next_step(org_id, position.month_of(org_id), settings.step_reviews).await?;
            if position.attempts < MAX_ATTEMPTS {
                position.attempts += 1;
                // Stored before the step: one that kills the function is counted.
                self.save_audit_position(&position).await?;
                Box::pin(self.make_step(step, settings, &mut position, &mut run)).await?;
            } else {
                tracing::error!(%org_id, from = step.from.map(|month| month.to_string()), "an audit step never ends: passed over");
            }
            position.pass(org_id, step.to);
        }
        position.debt = (debt + spent(meter) + SAVE_UNITS - settings.units).max(0.0);
        self.save_audit_position(&position).await?;
        run.round_is_done = position.is_done;
        Ok(run)
    }

    /// Looks at the months that are known to be wrong, by the index: those that were mended are forgotten, and the others
    /// keep the alarm on.
    async fn look_at_open(
        &self,
        settings: AuditSettings,
        position: &mut Position,
        run: &mut AuditRun,
    ) -> Result<(), Error> {
        let mut open = Vec::new();
        for (org, month) in std::mem::take(&mut position.open) {
            let Some((org_id, at)) = OrgId::new(org).zip(Month::parse(&month)) else { continue };
            let extents = self.extents_between(org_id, Some(at), Some(at)).await?;
            let mut is_wrong = false;
            for (month, (extent, listed)) in extents {
                is_wrong |= !self.look(month, &extent, &listed).await?.is_empty();
            }
            // The reviews were read when it was found: read again they are only where that may end it.
            if is_wrong && (!settings.mends || !self.look_closely(org_id, at, settings, run).await?) {
                open.push((org, month));
            }
        }
        if !open.is_empty() {
            log_metric(Metric::LedgerDrift, f64::from(u32::try_from(open.len()).unwrap_or(u32::MAX)));
        }
        position.open = open;
        Ok(())
    }

    /// Returns the next months of an organisation, as many as hold so many reviews by its tallies. The last step has no end:
    /// no review lies behind it, wherever tallies are missing.
    async fn next_step(&self, org_id: OrgId, from: Option<Month>, step_reviews: i64) -> Result<Step, Error> {
        let mut reviews = 0;
        let (mut to, mut last) = (None, None);
        for (month, tally) in self.months(&ReviewSet::Org(org_id), from, None).await? {
            reviews += tally.total().max(0);
            if reviews > step_reviews && last.is_some() {
                to = last;
                break;
            }
            last = Some(month);
        }
        Ok(Step { org_id, from, to })
    }

    async fn make_step(
        &self,
        step: Step,
        settings: AuditSettings,
        position: &mut Position,
        run: &mut AuditRun,
    ) -> Result<(), Error> {
        let Step { org_id, from, to } = step;
        for (month, (extent, listed)) in self.extents_between(org_id, from, to).await? {
            run.reviews += listed.len();
            let is_right = self.look(month, &extent, &listed).await?.is_empty();
            if !is_right && !self.look_closely(org_id, month, settings, run).await? {
                position.open(org_id, month);
            }
        }
        run.steps += 1;
        Ok(())
    }

    /// Looks closely at a month that the index says is wrong: tells what is, and rewrites it where it may. True if nothing
    /// wrong is left.
    async fn look_closely(
        &self,
        org_id: OrgId,
        month: Month,
        settings: AuditSettings,
        run: &mut AuditRun,
    ) -> Result<bool, Error> {
        let wrong = self.certainly_wrong(org_id, month, settings.index_time).await?;
        if wrong.is_empty() {
            return Ok(true);
        }
        let mut mended = 0;
        if settings.mends {
            for (key, differences) in &wrong {
                mended += usize::from(self.rewrite(key, differences).await?);
            }
        }
        run.wrong += wrong.len();
        run.mended += mended;
        tracing::error!(%org_id, %month, wrong = wrong.len(), mended, "ledger drift");
        log_metric(Metric::LedgerDrift, f64::from(u32::try_from(wrong.len()).unwrap_or(u32::MAX)));
        Ok(mended == wrong.len())
    }

    /// Compares a month with what the index lists of it. Reviews are not read.
    async fn look(&self, month: Month, extent: &RecountScope, listed: &[Listed]) -> Result<Differences, Error> {
        Ok(differences(self.sheet(month, &extent.books).await?, count_listed(listed)))
    }

    /// Gives the index time, compares once more, and then with the reviews themselves.
    async fn certainly_wrong(&self, org_id: OrgId, month: Month, index_time: Duration) -> Result<Differences, Error> {
        tokio::time::sleep(index_time).await;
        let mut wrong = Differences::new();
        for (month, (extent, listed)) in self.extents_between(org_id, Some(month), Some(month)).await? {
            if !self.look(month, &extent, &listed).await?.is_empty() {
                wrong.extend(self.settled(org_id, month, &extent).await?);
            }
        }
        Ok(wrong)
    }
}

fn spent(meter: &Meter) -> f64 {
    let cost = meter.cost();
    cost.read_units + cost.write_units
}
