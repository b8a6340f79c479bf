//! Pace of writes to one partition, below the rate that DynamoDB gives to it.
//!
//! DynamoDB gives a partition 1,000 write units a second. A fold puts all nodes of a tree under one partition key, and would take more
//! than that at once. A token bucket for each key delays its puts, so that none is throttled.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use tokio::time::Instant;

use crate::client::read::Item;

/// Write units of one partition in each second.
const UNITS_A_SECOND: f64 = 800.0;
/// Write units of one partition that are written at once after a pause. Together with those of a second they are fewer than the
/// 1,000 of a partition.
const BURST: f64 = 150.0;
/// Time that is kept before the deadline, for what follows the paced writes.
pub(super) const TIME_AFTER: Duration = Duration::from_secs(1);
/// Number of partition keys from which those with full buckets are forgotten.
const MAX_KEYS: usize = 1_000;

/// Pace of this process, for each partition key that it writes to.
#[derive(Debug, Default)]
pub(crate) struct PartitionPace(Mutex<HashMap<String, Instant>>);

impl PartitionPace {
    /// Reserves units of a partition. Returns the time to wait before they are written; `None` without a reservation if that is
    /// longer than `longest`.
    pub(super) fn reserve(&self, key: &str, units: f64, now: Instant, longest: Duration) -> Option<Duration> {
        let mut full_at = self.full_at();
        if full_at.len() >= MAX_KEYS {
            full_at.retain(|_, full_at| *full_at > now);
        }
        let until_full = full_at.get(key).map_or(Duration::ZERO, |full_at| full_at.saturating_duration_since(now));
        let until_full = until_full + time_of(units);
        let wait = until_full.saturating_sub(time_of(BURST));
        if wait > longest {
            return None;
        }
        full_at.insert(key.to_owned(), now + until_full);
        Some(wait)
    }

    /// Takes the units that a put took beyond those that were reserved for it.
    pub(super) fn take_more(&self, key: &str, units: f64) {
        if let Some(full_at) = self.full_at().get_mut(key) {
            *full_at += time_of(units.max(0.0));
        }
    }

    /// Returns the instant at which the bucket of each key is full again.
    fn full_at(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the time in which a bucket gets these units.
fn time_of(units: f64) -> Duration {
    Duration::from_secs_f64(units / UNITS_A_SECOND)
}

/// Returns the partition key of an item.
pub(super) fn partition_of(item: &Item) -> String {
    item.get("pk").and_then(|key| key.as_s().ok()).cloned().unwrap_or_default()
}

/// Returns the units of a put of an item that replaces a smaller one.
#[expect(clippy::cast_precision_loss, reason = "an item has at most 400 units")]
pub(super) fn units_of(item: &Item) -> f64 {
    let value_bytes = |value: &AttributeValue| match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        AttributeValue::B(blob) => blob.as_ref().len(),
        _ => 0,
    };
    let bytes: usize = item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum();
    bytes.div_ceil(1024).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_partition_stay_within_its_rate_in_every_second() {
        let (pace, start) = (PartitionPace::default(), Instant::now());
        let mut written: Vec<Duration> = Vec::new();
        for burst in 0..4 {
            let now = start + Duration::from_secs(3) * burst;
            for _ in 0..500 {
                let wait = pace.reserve("TREE#o:1", 3.0, now, Duration::MAX).expect("there is no deadline");
                written.push(now + wait - start);
            }
        }
        for (position, first) in written.iter().enumerate() {
            let in_second = written[position..].iter().take_while(|at| **at < *first + Duration::from_secs(1)).count();
            assert!(in_second * 3 <= 950, "{in_second} puts from {first:?} on");
        }
        assert!(written[499] > Duration::from_secs(1), "1,500 units take more than a second");
        assert!(written[499] < Duration::from_secs(2), "and less than two: {:?}", written[499]);
    }

    #[test]
    fn few_units_never_wait_and_other_partitions_do_not_count() {
        let (pace, now) = (PartitionPace::default(), Instant::now());
        for key in ["TREE#o:1", "TREE#o:2"] {
            for _ in 0..50 {
                assert_eq!(pace.reserve(key, 3.0, now, Duration::ZERO), Some(Duration::ZERO), "{key}");
            }
        }
        assert_eq!(pace.reserve("TREE#o:1", 3.0, now, Duration::ZERO), None, "the burst is used up");
        let later = now + Duration::from_millis(4);
        assert_eq!(
            pace.reserve("TREE#o:1", 3.0, later, Duration::ZERO),
            Some(Duration::ZERO),
            "a refusal takes nothing"
        );
    }

    #[test]
    fn a_put_that_takes_more_than_reserved_delays_the_next_one() {
        let (pace, now) = (PartitionPace::default(), Instant::now());
        assert_eq!(pace.reserve("TREE#o:1", 1.0, now, Duration::MAX), Some(Duration::ZERO));
        pace.take_more("TREE#o:1", 149.0);
        pace.take_more("TREE#o:1", -149.0);
        assert_eq!(pace.reserve("TREE#o:1", 8.0, now, Duration::MAX), Some(Duration::from_millis(10)));
    }

    #[test]
    fn keys_with_full_buckets_are_forgotten() {
        let (pace, now) = (PartitionPace::default(), Instant::now());
        for number in 0..3 * MAX_KEYS {
            let now = now + Duration::from_millis(100) * u32::try_from(number).expect("few");
            assert_eq!(pace.reserve(&number.to_string(), 1.0, now, Duration::MAX), Some(Duration::ZERO));
        }
        assert!(pace.full_at().len() <= MAX_KEYS);
    }
}
