//! Write rate of an import: as fast as each table accepts writes.
//!
//! DynamoDB throttles when a table, or a hot partition of it, accepts no more. From then on the workers of an import share one
//! rate for the table, in write units a second. The rate starts below the measured one, falls by a third at each further
//! throttle, and rises slowly in between. This is the rule of TCP's congestion control: additive increase, multiplicative
//! decrease. The SDK's adaptive retries do not fit: they count requests instead of units, and ignore throttled transactions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::types::ConsumedCapacity;

use presence_runtime::clock::Timer;

/// Longest time without progress, after which an import fails. DynamoDB splits a hot partition, and doubles the capacity of a
/// table, within minutes; meanwhile it throttles most calls but not all of them.
const STALL_TIMEOUT: Duration = Duration::from_mins(1);
/// Factor of the rate after a throttle.
const DECREASE: f64 = 0.7;
/// Shortest time between two decreases. Calls in flight at the first decrease are throttled too, and must not lower it again.
const DECREASE_INTERVAL: Duration = Duration::from_secs(1);
/// Least rate to start from: the capacity of one partition. The measured rate says little if the first transaction is throttled.
const MIN_FIRST_RATE: f64 = 1_000.0;
/// Increase of the rate in each second, as a part of the rate at which DynamoDB throttled last.
const INCREASE: f64 = 0.05;
/// Least rate: a transaction of 100 items in two seconds, which makes 30 attempts before [`STALL_TIMEOUT`].
const MIN_RATE: f64 = 100.0;
/// Least increase of the rate in each second, in units a second.
const MIN_INCREASE: f64 = 20.0;
/// Least units of an item in a transaction.
const UNITS_PER_ITEM: f64 = 2.0;

/// Rate at which an import may write each table, and its progress. Shared by its workers.
#[derive(Debug)]
pub struct WriteRate {
    timer: Arc<dyn Timer>,
    state: Mutex<State>,
    is_stopped: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    progress_at: Duration,
    tables: HashMap<String, TableRate>,
}

/// Rate of one table, in write units a second.
#[derive(Clone, Copy, Debug, Default)]
struct TableRate {
    /// Current limit; none until DynamoDB throttles for the first time.
    limit: Option<f64>,
    /// Limit at the last throttle.
    throttled_at_limit: f64,
    /// Time of the last decrease.
    decreased_at: Duration,
    /// Time from which the next units may be written.
    free_at: Duration,
    /// Start of the measured second, and the units written since.
    window: (Duration, f64),
}

/// Units reserved for one transaction, by table.
pub(crate) type ReservedUnits = HashMap<String, f64>;

impl TableRate {
    /// Reserves units. Returns the time to wait before they are written.
    fn reserve(&mut self, units: f64, now: Duration) -> Duration {
        let Some(limit) = self.limit else { return Duration::ZERO };
        let start = self.free_at.max(now);
        self.free_at = start + Duration::from_secs_f64(units / limit);
        start.saturating_sub(now)
    }

    /// Records the written units, in place of the reserved ones, and raises the limit.
    fn record_write(&mut self, reserved: f64, units: f64, now: Duration) {
        let (start, sum) = self.window;
        self.window = if now > start + DECREASE_INTERVAL { (now, units) } else { (start, sum + units) };
        if let Some(limit) = &mut self.limit {
            self.free_at += Duration::from_secs_f64((units - reserved).max(0.0) / *limit);
            let rise = (INCREASE * self.throttled_at_limit).max(MIN_INCREASE);
            *limit += rise * units / *limit;
        }
    }

    /// Lowers the limit, at most once in [`DECREASE_INTERVAL`].
    fn record_throttle(&mut self, now: Duration) {
        if self.limit.is_some() && now < self.decreased_at + DECREASE_INTERVAL {
            return;
        }
        let (start, sum) = self.window;
        let measured = sum / now.saturating_sub(start).as_secs_f64().max(1.0);
        let limit = self.limit.unwrap_or(measured.max(MIN_FIRST_RATE));
        self.throttled_at_limit = limit;
        self.limit = Some((limit * DECREASE).max(MIN_RATE));
        self.decreased_at = now;
    }
}

impl WriteRate {
    /// Starts now, without a limit.
    pub fn new(timer: Arc<dyn Timer>) -> Self {
        let state = State { progress_at: timer.now(), tables: HashMap::new() };
        Self { timer, state: Mutex::new(state), is_stopped: AtomicBool::new(false) }
    }

    /// Records that the import made progress.
    pub fn note_progress(&self) {
        let now = self.now();
        self.state().progress_at = now;
    }

    /// Ends all retries, so that the import ends.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns the time left until the import counts as stalled, for a call that began at `since`.
    pub(crate) fn time_until_stalled(&self, since: Duration) -> Duration {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        let last = self.state().progress_at.max(since);
        (last + STALL_TIMEOUT).saturating_sub(self.now())
    }

    pub(crate) fn now(&self) -> Duration {
        self.timer.now()
    }

    pub(crate) async fn sleep(&self, time: Duration) {
        self.timer.sleep(time).await;
    }

    /// Waits until a transaction may be sent that writes an item to each of the tables.
    pub(crate) async fn reserve<'a>(&self, tables: impl Iterator<Item = &'a str>) -> ReservedUnits {
        let mut units = ReservedUnits::new();
        for table in tables {
            *units.entry(table.to_owned()).or_default() += UNITS_PER_ITEM;
        }
        let now = self.now();
        let wait = {
            let mut state = self.state();
            let waits =
                units.iter().map(|(table, units)| state.tables.entry(table.clone()).or_default().reserve(*units, now));
            waits.max().unwrap_or_default()
        };
        if !wait.is_zero() {
            self.sleep(wait).await;
        }
        units
    }

    /// Records a written transaction with the capacity that DynamoDB reports.
    pub(crate) fn record_write(&self, reserved: &ReservedUnits, cost: &[ConsumedCapacity]) {
        let now = self.now();
        let mut state = self.state();
        state.progress_at = now;
        for (table, reserved) in reserved {
            let of_table = cost.iter().find(|cost| cost.table_name() == Some(table));
            let units = of_table.and_then(ConsumedCapacity::capacity_units).unwrap_or(*reserved);
            state.tables.entry(table.clone()).or_default().record_write(*reserved, units, now);
        }
    }

    /// Records a throttled transaction.
    pub(crate) fn record_throttle(&self, reserved: &ReservedUnits) {
        let now = self.now();
        let mut state = self.state();
        for table in reserved.keys() {
            state.tables.entry(table.clone()).or_default().record_throttle(now);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table with a capacity in units a second and a burst of one second.
    struct Table {
        units_a_second: f64,
        units: f64,
        filled_at: Duration,
    }

    impl Table {
        fn accepts(&mut self, units: f64, now: Duration) -> bool {
            let filled = self.units + now.saturating_sub(self.filled_at).as_secs_f64() * self.units_a_second;
            (self.units, self.filled_at) = (filled.min(self.units_a_second), now);
            let accepts = self.units >= units;
            self.units -= if accepts { units } else { 0.0 };
            accepts
        }
    }

    /// Sends transactions of 200 units, each as soon as the rate allows. Returns the numbers of written and throttled ones.
    fn run(units_a_second: f64, seconds: u64) -> (u32, u32) {
        let mut table = Table { units_a_second, units: 0.0, filled_at: Duration::ZERO };
        let (mut rate, mut now) = (TableRate::default(), Duration::ZERO);
        let (mut written, mut throttled) = (0, 0);
        while now < Duration::from_secs(seconds) {
            now += rate.reserve(150.0, now) + Duration::from_millis(1);
            if table.accepts(200.0, now) {
                rate.record_write(150.0, 200.0, now);
                written += 1;
            } else {
                rate.record_throttle(now);
                throttled += 1;
            }
        }
        (written, throttled)
    }

    #[test]
    fn the_rate_reaches_the_capacity_of_a_table_and_is_seldom_throttled_after_that() {
        for units_a_second in [300.0, 1_500.0, 4_000.0] {
            let (written, throttled) = run(units_a_second, 120);
            let possible = units_a_second * 120.0 / 200.0;
            assert!(f64::from(written) > possible * 0.6, "{written} of {possible} at {units_a_second} units a second");
            assert!(throttled * 5 < written, "{throttled} throttled of {written} at {units_a_second} units a second");
        }
    }

    #[test]
    fn without_throttling_nothing_waits() {
        let mut rate = TableRate::default();
        for second in 0..100 {
            let now = Duration::from_secs(second);
            assert_eq!(rate.reserve(200.0, now), Duration::ZERO);
            rate.record_write(200.0, 1_000.0, now);
        }
    }

    #[test]
    fn simultaneous_throttles_lower_the_rate_once_and_never_below_the_least_rate() {
        let mut rate = TableRate { limit: Some(1_000.0), ..TableRate::default() };
        for _ in 0..16 {
            rate.record_throttle(Duration::from_secs(5));
        }
        assert_eq!(rate.limit, Some(1_000.0 * DECREASE));
        for second in 0..100 {
            rate.record_throttle(Duration::from_secs(10 + second));
        }
        assert_eq!(rate.limit, Some(MIN_RATE));
    }
}
