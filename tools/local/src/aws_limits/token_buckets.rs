//! Token buckets of capacity units, for tables, indexes and their partitions.

use std::collections::HashMap;
use std::time::Duration;

use super::settings::Throttling;

/// Number of buckets above which full ones are dropped. A missing bucket counts as full, so dropping one changes nothing.
const MAX_BUCKETS: usize = 50_000;

/// Kind of capacity. Reads and writes have separate units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityKind {
    /// Read units.
    Read,
    /// Write units.
    Write,
}

/// Scope of a rate: a table or an index, or one partition key of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CapacityScope {
    /// Kind of capacity.
    pub kind: CapacityKind,
    /// Name of the table.
    pub table: String,
    /// Name of the index; `None` for the table itself.
    pub index: Option<String>,
    /// Partition key, or `None` for the whole table or index.
    pub partition: Option<String>,
}

/// Limit that a call exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    Table,
    Partition,
}

/// Units that a scope had at an instant. They may be negative.
#[derive(Clone, Copy, Debug)]
struct TokenBucket {
    units: f64,
    updated_at: Duration,
}

/// Token buckets of all scopes that were used lately.
///
/// A bucket holds the units of one second. A call is allowed while units are left, and its units are taken afterwards. So a
/// balance can become negative, as in DynamoDB, which knows the size of a read only when it is done.
#[derive(Debug, Default)]
pub(super) struct TokenBuckets(HashMap<CapacityScope, TokenBucket>);

impl CapacityScope {
    /// Returns the scope of a table or an index, or of one of its partitions.
    pub fn new(kind: CapacityKind, table: &str, index: Option<&str>, partition: Option<String>) -> Self {
        Self { kind, table: table.to_owned(), index: index.map(str::to_owned), partition }
    }

    fn without_partition(&self) -> Self {
        Self { partition: None, ..self.clone() }
    }

    fn rate(&self, rates: &Throttling) -> f64 {
        match (self.kind, self.partition.is_some()) {
            (CapacityKind::Read, false) => rates.table_reads,
            (CapacityKind::Write, false) => rates.table_writes,
            (CapacityKind::Read, true) => rates.partition_reads,
            (CapacityKind::Write, true) => rates.partition_writes,
        }
    }
}

impl TokenBuckets {
    /// Returns the limit that throttles a call on this scope now, if one does.
    pub(super) fn exceeded_limit(
        &self,
        now: Duration,
        scope: &CapacityScope,
        rates: &Throttling,
    ) -> Option<ExceededLimit> {
        if self.available_units(now, &scope.without_partition(), rates) <= 0.0 {
            return Some(ExceededLimit::Table);
        }
        let is_partition = scope.partition.is_some();
        (is_partition && self.available_units(now, scope, rates) <= 0.0).then_some(ExceededLimit::Partition)
    }

    /// Takes units from the scope. Those of a partition are also taken from its table or index.
    pub(super) fn spend(&mut self, now: Duration, scope: &CapacityScope, units: f64, rates: &Throttling) {
        if self.0.len() > MAX_BUCKETS {
            self.0.retain(|scope, bucket| bucket.units_at(now, scope.rate(rates)) < scope.rate(rates));
        }
        self.take(now, scope, units, rates);
        if scope.partition.is_some() {
            self.take(now, &scope.without_partition(), units, rates);
        }
    }

    fn take(&mut self, now: Duration, scope: &CapacityScope, units: f64, rates: &Throttling) {
        let units = self.available_units(now, scope, rates) - units;
        self.0.insert(scope.clone(), TokenBucket { units, updated_at: now });
    }

    fn available_units(&self, now: Duration, scope: &CapacityScope, rates: &Throttling) -> f64 {
        let rate = scope.rate(rates);
        self.0.get(scope).map_or(rate, |bucket| bucket.units_at(now, rate))
    }
}

impl TokenBucket {
    fn units_at(&self, now: Duration, rate: f64) -> f64 {
        (self.units + now.saturating_sub(self.updated_at).as_secs_f64() * rate).min(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Throttling = Throttling {
        table_writes: 100.0,
        table_reads: 200.0,
        partition_writes: 10.0,
        partition_reads: 20.0,
        spurious: 0.0,
    };

    fn read(partition: &str) -> CapacityScope {
        CapacityScope::new(CapacityKind::Read, "t", None, Some(partition.to_owned()))
    }

    fn write(partition: &str) -> CapacityScope {
        CapacityScope::new(CapacityKind::Write, "t", None, Some(partition.to_owned()))
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn partition_allows_one_second_of_its_rate_and_refills() {
        // Each row: the units spent at 0, and the first millisecond at which the partition has units again.
        for (spent, refilled_at) in [(9.0, 0), (10.0, 1), (11.0, 101), (30.0, 2_001), (60.0, 5_001)] {
            let mut buckets = TokenBuckets::default();
            assert_eq!(buckets.exceeded_limit(at(0), &write("a"), &RATES), None);
            buckets.spend(at(0), &write("a"), spent, &RATES);
            assert_eq!(buckets.exceeded_limit(at(refilled_at), &write("a"), &RATES), None, "{spent}");
            if refilled_at > 0 {
                let exceeded = buckets.exceeded_limit(at(refilled_at - 1), &write("a"), &RATES);
                assert_eq!(exceeded, Some(ExceededLimit::Partition), "{spent}");
            }
        }
    }

    #[test]
    fn partitions_share_the_rate_of_their_table_and_reads_are_separate_from_writes() {
        let mut buckets = TokenBuckets::default();
        for partition in 0..20 {
            buckets.spend(at(0), &write(&partition.to_string()), 5.0, &RATES);
        }
        assert_eq!(buckets.exceeded_limit(at(0), &write("new"), &RATES), Some(ExceededLimit::Table));
        assert_eq!(buckets.exceeded_limit(at(0), &read("new"), &RATES), None);
        let index = CapacityScope::new(CapacityKind::Write, "t", Some("i"), Some("new".to_owned()));
        assert_eq!(buckets.exceeded_limit(at(0), &index, &RATES), None, "an index has a rate of its own");
        let other_table = CapacityScope::new(CapacityKind::Write, "u", None, None);
        assert_eq!(buckets.exceeded_limit(at(0), &other_table, &RATES), None, "as has a table");
        assert_eq!(buckets.exceeded_limit(at(10), &write("new"), &RATES), None, "a unit was refilled");
    }

    #[test]
    fn idle_bucket_never_holds_more_than_a_second() {
        let mut buckets = TokenBuckets::default();
        buckets.spend(at(0), &read("a"), 1.0, &RATES);
        buckets.spend(at(3_600_000), &read("a"), 20.0, &RATES);
        assert_eq!(buckets.exceeded_limit(at(3_600_000), &read("a"), &RATES), Some(ExceededLimit::Partition));
    }
}
