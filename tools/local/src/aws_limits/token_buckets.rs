//! Token buckets: capacity units a second.

use std::collections::HashMap;
use std::time::Duration;

use super::settings::Throttling;

/// Number of buckets above which full ones are dropped. A missing bucket counts as full, so dropping one changes nothing.
const MAX_BUCKETS: usize = 50_000;

/// Reads and writes have units of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CapacityKind {
    Read,
    Write,
}

/// A scope where units are spent: a table or index, and a partition key of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CapacityScope {
    pub(super) table: String,
    pub(super) index: Option<String>,
    /// Absent where the whole table is meant.
    pub(super) partition: Option<String>,
}

/// The limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    Table,
    Partition,
}

/// Units left, and since when.
#[derive(Clone, Copy, Debug)]
struct TokenBucket {
    units: f64,
    at: Duration,
}

/// The buckets of everything that was accessed lately.
///
/// A bucket holds one second of its rate. A call is let in while units are left, and pays afterwards: so a balance can be
/// negative, as in DynamoDB, which knows the size of a read when it is done.
#[derive(Debug, Default)]
pub(super) struct TokenBuckets(HashMap<(CapacityScope, CapacityKind), TokenBucket>);

impl CapacityScope {
    pub(super) fn new(table: &str, index: Option<&str>, partition: Option<String>) -> Self {
        Self { table: table.to_owned(), index: index.map(str::to_owned), partition }
    }

    fn whole(&self) -> Self {
        Self { partition: None, ..self.clone() }
    }

    fn rate(&self, kind: CapacityKind, rates: &Throttling) -> f64 {
        match (kind, self.partition.is_some()) {
            (CapacityKind::Read, false) => rates.table_reads,
            (CapacityKind::Write, false) => rates.table_writes,
            (CapacityKind::Read, true) => rates.partition_reads,
            (CapacityKind::Write, true) => rates.partition_writes,
        }
    }
}

impl TokenBuckets {
    /// Returns the limit that keeps a call from this scope now, if one does.
    pub(super) fn exceeded(
        &mut self,
        now: Duration,
        scope: &CapacityScope,
        kind: CapacityKind,
        rates: &Throttling,
    ) -> Option<ExceededLimit> {
        if self.left(now, &scope.whole(), kind, rates) <= 0.0 {
            return Some(ExceededLimit::Table);
        }
        let is_whole = scope.partition.is_none();
        (!is_whole && self.left(now, scope, kind, rates) <= 0.0).then_some(ExceededLimit::Partition)
    }

    /// Takes units from the scope, and from its table or index.
    pub(super) fn spend(
        &mut self,
        now: Duration,
        scope: &CapacityScope,
        kind: CapacityKind,
        units: f64,
        rates: &Throttling,
    ) {
        if self.0.len() > MAX_BUCKETS {
            self.0.retain(|(scope, kind), bucket| {
                refilled(*bucket, now, scope.rate(*kind, rates)) < scope.rate(*kind, rates)
            });
        }
        self.take(now, scope, kind, units, rates);
        if scope.partition.is_some() {
            self.take(now, &scope.whole(), kind, units, rates);
        }
    }

    fn take(&mut self, now: Duration, scope: &CapacityScope, kind: CapacityKind, units: f64, rates: &Throttling) {
        let left = self.left(now, scope, kind, rates) - units;
        self.0.insert((scope.clone(), kind), TokenBucket { units: left, at: now });
    }

    fn left(&self, now: Duration, scope: &CapacityScope, kind: CapacityKind, rates: &Throttling) -> f64 {
        let rate = scope.rate(kind, rates);
        self.0.get(&(scope.clone(), kind)).map_or(rate, |bucket| refilled(*bucket, now, rate))
    }
}

fn refilled(bucket: TokenBucket, now: Duration, rate: f64) -> f64 {
    (bucket.units + now.saturating_sub(bucket.at).as_secs_f64() * rate).min(rate)
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

    fn scope(partition: &str) -> CapacityScope {
        CapacityScope::new("t", None, Some(partition.to_owned()))
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_partition_lets_a_second_of_its_rate_pass_and_refills_in_time() {
        // After spending so much at once, the partition is open again at that instant and not a millisecond before.
        for (spent, opens) in [(9.0, 0), (10.0, 1), (11.0, 101), (30.0, 2_001), (60.0, 5_001)] {
            let mut buckets = TokenBuckets::default();
            assert_eq!(buckets.exceeded(at(0), &scope("a"), CapacityKind::Write, &RATES), None);
            buckets.spend(at(0), &scope("a"), CapacityKind::Write, spent, &RATES);
            let exceeded = |buckets: &mut TokenBuckets, millis| {
                buckets.exceeded(at(millis), &scope("a"), CapacityKind::Write, &RATES)
            };
            assert_eq!(exceeded(&mut buckets, opens), None, "{spent}");
            if opens > 0 {
                assert_eq!(exceeded(&mut buckets, opens - 1), Some(ExceededLimit::Partition), "{spent}");
            }
        }
    }

    #[test]
    fn partitions_of_a_table_share_its_rate_and_reads_and_writes_do_not() {
        let mut buckets = TokenBuckets::default();
        for partition in 0..20 {
            buckets.spend(at(0), &scope(&partition.to_string()), CapacityKind::Write, 5.0, &RATES);
        }
        assert_eq!(buckets.exceeded(at(0), &scope("new"), CapacityKind::Write, &RATES), Some(ExceededLimit::Table));
        assert_eq!(buckets.exceeded(at(0), &scope("new"), CapacityKind::Read, &RATES), None);
        let index = CapacityScope::new("t", Some("i"), Some("new".to_owned()));
        assert_eq!(
            buckets.exceeded(at(0), &index, CapacityKind::Write, &RATES),
            None,
            "an index has a rate of its own"
        );
        assert_eq!(
            buckets.exceeded(at(0), &CapacityScope::new("u", None, None), CapacityKind::Write, &RATES),
            None,
            "as has a table"
        );
        assert_eq!(buckets.exceeded(at(10), &scope("new"), CapacityKind::Write, &RATES), None, "a unit came back");
    }

    #[test]
    fn an_idle_bucket_never_holds_more_than_a_second() {
        let mut buckets = TokenBuckets::default();
        buckets.spend(at(0), &scope("a"), CapacityKind::Read, 1.0, &RATES);
        buckets.spend(at(3_600_000), &scope("a"), CapacityKind::Read, 20.0, &RATES);
        assert_eq!(
            buckets.exceeded(at(3_600_000), &scope("a"), CapacityKind::Read, &RATES),
            Some(ExceededLimit::Partition)
        );
    }
}
