//! The pace of an import: as fast as each table takes it, for as long as anything is written.
//!
//! DynamoDB says that a table (or a hot partition of it) takes no more by throttling. The workers of an import then share one
//! rate for the table, in write units a second: it starts below what was just written, falls by a third each time that
//! DynamoDB throttles again, and rises slowly while it does not. This is the rule by which TCP shares a line (additive
//! increase, multiplicative decrease); what the SDK calls adaptive retries counts requests instead of units, and takes no
//! notice of throttled transactions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::types::ConsumedCapacity;

use presence_runtime::clock::Timer;

/// An import ends when it wrote nothing for so long. DynamoDB splits a hot partition, and doubles what a table takes, within
/// minutes, and throttles most calls but not all of them meanwhile.
const PATIENCE: Duration = Duration::from_mins(1);
/// The part of the rate that is left when DynamoDB throttles.
const DECREASE: f64 = 0.7;
/// The rate falls at most once in this time: calls that were on their way when it fell are throttled too.
const DECREASE_EVERY: Duration = Duration::from_secs(1);
/// The least rate that is taken for too high at first: what DynamoDB gives to one partition. What was written until then says
/// little, when the first transaction is throttled already.
const FIRST: f64 = 1_000.0;
/// Units a second that the rate rises by in each second: as a part of the rate at which DynamoDB throttled last.
const INCREASE: f64 = 0.05;
/// The slowest pace: a transaction of 100 items in two seconds, 30 attempts until an import counts as stuck.
const SLOWEST: f64 = 100.0;
/// The least that the rate rises by.
const LEAST_INCREASE: f64 = 20.0;
/// The least units that an item of a transaction costs.
const UNITS_OF_ITEM: f64 = 2.0;

/// The speed at which an import may write, and its progress. Shared by its workers.
#[derive(Debug)]
pub struct Pace {
    timer: Arc<dyn Timer>,
    state: Mutex<State>,
    is_stopped: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    progress_at: Duration,
    tables: HashMap<String, Rate>,
}

/// The rate that one table takes, in write units a second.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    /// None until DynamoDB throttles for the first time.
    limit: Option<f64>,
    /// The limit when it did so last.
    throttled_at_limit: f64,
    cut_at: Duration,
    /// When the next units may be written.
    free_at: Duration,
    /// Units written since a second at most: what the table is known to take.
    window: (Duration, f64),
}

/// The units of one transaction by table, as they were let in.
pub(crate) type Units = HashMap<String, f64>;

impl Rate {
    /// Returns the time for which these units have to wait, counted as written from then on.
    fn admit(&mut self, units: f64, now: Duration) -> Duration {
        let Some(limit) = self.limit else { return Duration::ZERO };
        let start = self.free_at.max(now);
        self.free_at = start + Duration::from_secs_f64(units / limit);
        start.saturating_sub(now)
    }

    /// Units were written where others had been let in.
    fn written(&mut self, admitted: f64, units: f64, now: Duration) {
        let (start, sum) = self.window;
        self.window = if now > start + DECREASE_EVERY { (now, units) } else { (start, sum + units) };
        if let Some(limit) = &mut self.limit {
            self.free_at += Duration::from_secs_f64((units - admitted).max(0.0) / *limit);
            let rise = (INCREASE * self.throttled_at_limit).max(LEAST_INCREASE);
            *limit += rise * units / *limit;
        }
    }

    fn throttled(&mut self, now: Duration) {
        if self.limit.is_some() && now < self.cut_at + DECREASE_EVERY {
            return;
        }
        let (start, sum) = self.window;
        let measured = sum / now.saturating_sub(start).as_secs_f64().max(1.0);
        let limit = self.limit.unwrap_or(measured.max(FIRST));
        self.throttled_at_limit = limit;
        self.limit = Some((limit * DECREASE).max(SLOWEST));
        self.cut_at = now;
    }
}

impl Pace {
    /// Begins now, without a limit.
    #[must_use]
    pub fn new(timer: Arc<dyn Timer>) -> Self {
        let state = State { progress_at: timer.now(), tables: HashMap::new() };
        Self { timer, state: Mutex::new(state), is_stopped: AtomicBool::new(false) }
    }

    /// The import got on.
    pub fn note_progress(&self) {
        let now = self.now();
        self.state().progress_at = now;
    }

    /// Nothing is tried again any more: the import ends.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// The time that is left until the import counts as stuck; for something that began then.
    pub(crate) fn patience_left(&self, since: Duration) -> Duration {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        let last = self.state().progress_at.max(since);
        (last + PATIENCE).saturating_sub(self.now())
    }

    pub(crate) fn now(&self) -> Duration {
        self.timer.now()
    }

    pub(crate) async fn sleep(&self, time: Duration) {
        self.timer.sleep(time).await;
    }

    /// Waits until a transaction with so many items of each table may be sent.
    pub(crate) async fn admit<'a>(&self, tables: impl Iterator<Item = &'a str>) -> Units {
        let mut units = Units::new();
        for table in tables {
            *units.entry(table.to_owned()).or_default() += UNITS_OF_ITEM;
        }
        let now = self.now();
        let wait = {
            let mut state = self.state();
            let waits =
                units.iter().map(|(table, units)| state.tables.entry(table.clone()).or_default().admit(*units, now));
            waits.max().unwrap_or_default()
        };
        if !wait.is_zero() {
            self.sleep(wait).await;
        }
        units
    }

    /// A transaction was written; DynamoDB says what it cost.
    pub(crate) fn written(&self, admitted: &Units, cost: &[ConsumedCapacity]) {
        let now = self.now();
        let mut state = self.state();
        state.progress_at = now;
        for (table, admitted) in admitted {
            let of_table = cost.iter().find(|cost| cost.table_name() == Some(table));
            let units = of_table.and_then(ConsumedCapacity::capacity_units).unwrap_or(*admitted);
            state.tables.entry(table.clone()).or_default().written(*admitted, units, now);
        }
    }

    /// A transaction was throttled.
    pub(crate) fn throttled(&self, admitted: &Units) {
        let now = self.now();
        let mut state = self.state();
        for table in admitted.keys() {
            state.tables.entry(table.clone()).or_default().throttled(now);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table that takes so many units a second, and keeps those of a second.
    struct Table {
        units_a_second: f64,
        units: f64,
        filled_at: Duration,
    }

    impl Table {
        fn takes(&mut self, units: f64, now: Duration) -> bool {
            let filled = self.units + now.saturating_sub(self.filled_at).as_secs_f64() * self.units_a_second;
            (self.units, self.filled_at) = (filled.min(self.units_a_second), now);
            let takes = self.units >= units;
            self.units -= if takes { units } else { 0.0 };
            takes
        }
    }

    /// Transactions of 200 units, one after the other, each sent as soon as the rate allows: written and throttled ones.
    fn run(units_a_second: f64, seconds: u64) -> (u32, u32) {
        let mut table = Table { units_a_second, units: 0.0, filled_at: Duration::ZERO };
        let (mut rate, mut now) = (Rate::default(), Duration::ZERO);
        let (mut written, mut throttled) = (0, 0);
        while now < Duration::from_secs(seconds) {
            now += rate.admit(150.0, now) + Duration::from_millis(1);
            if table.takes(200.0, now) {
                rate.written(150.0, 200.0, now);
                written += 1;
            } else {
                rate.throttled(now);
                throttled += 1;
            }
        }
        (written, throttled)
    }

    #[test]
    fn the_rate_finds_what_a_table_takes_and_is_seldom_throttled_then() {
        for units_a_second in [300.0, 1_500.0, 4_000.0] {
            let (written, throttled) = run(units_a_second, 120);
            let possible = units_a_second * 120.0 / 200.0;
            assert!(f64::from(written) > possible * 0.6, "{written} of {possible} at {units_a_second} units a second");
            assert!(throttled * 5 < written, "{throttled} throttled of {written} at {units_a_second} units a second");
        }
    }

    #[test]
    fn without_throttling_nothing_waits() {
        let mut rate = Rate::default();
        for second in 0..100 {
            let now = Duration::from_secs(second);
            assert_eq!(rate.admit(200.0, now), Duration::ZERO);
            rate.written(200.0, 1_000.0, now);
        }
    }

    #[test]
    fn throttles_of_one_wave_lower_the_rate_once_and_never_to_nothing() {
        let mut rate = Rate { limit: Some(1_000.0), ..Rate::default() };
        for _ in 0..16 {
            rate.throttled(Duration::from_secs(5));
        }
        assert_eq!(rate.limit, Some(1_000.0 * DECREASE));
        for second in 0..100 {
            rate.throttled(Duration::from_secs(10 + second));
        }
        assert_eq!(rate.limit, Some(SLOWEST));
    }
}
