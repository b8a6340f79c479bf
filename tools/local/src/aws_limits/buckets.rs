//! Token buckets: capacity units a second.

use std::collections::HashMap;
use std::time::Duration;

use super::settings::Throttling;

/// Buckets kept; past it those that are full are forgotten, which changes nothing.
const MAX_BUCKETS: usize = 50_000;

/// Reads and writes have units of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Read,
    Write,
}

/// A place where units are spent: a table or index, and a partition key of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) table: String,
    pub(super) index: Option<String>,
    /// Absent where the whole table is meant.
    pub(super) partition: Option<String>,
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Table,
    Partition,
}

/// Units left, and since when.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    units: f64,
    at: Duration,
}

/// The buckets of everything that was accessed lately.
///
/// A bucket holds one second of its rate. A call is let in while units are left, and pays afterwards: so a balance can be
/// negative, as in DynamoDB, which knows the size of a read when it is done.
#[derive(Debug, Default)]
pub(super) struct Buckets(HashMap<(Place, Kind), Bucket>);

impl Place {
    pub(super) fn new(table: &str, index: Option<&str>, partition: Option<String>) -> Self {
        Self { table: table.to_owned(), index: index.map(str::to_owned), partition }
    }

    fn whole(&self) -> Self {
        Self { partition: None, ..self.clone() }
    }

    fn rate(&self, kind: Kind, rates: &Throttling) -> f64 {
        match (kind, self.partition.is_some()) {
            (Kind::Read, false) => rates.table_reads,
            (Kind::Write, false) => rates.table_writes,
            (Kind::Read, true) => rates.partition_reads,
            (Kind::Write, true) => rates.partition_writes,
        }
    }
}

impl Buckets {
    /// Returns the limit that keeps a call from this place now, if one does.
    pub(super) fn reached(&mut self, now: Duration, place: &Place, kind: Kind, rates: &Throttling) -> Option<Reached> {
        if self.left(now, &place.whole(), kind, rates) <= 0.0 {
            return Some(Reached::Table);
        }
        let is_whole = place.partition.is_none();
        (!is_whole && self.left(now, place, kind, rates) <= 0.0).then_some(Reached::Partition)
    }

    /// Takes units from the place, and from its table or index.
    pub(super) fn spend(&mut self, now: Duration, place: &Place, kind: Kind, units: f64, rates: &Throttling) {
        if self.0.len() > MAX_BUCKETS {
            self.0.retain(|(place, kind), bucket| {
                refilled(*bucket, now, place.rate(*kind, rates)) < place.rate(*kind, rates)
            });
        }
        self.take(now, place, kind, units, rates);
        if place.partition.is_some() {
            self.take(now, &place.whole(), kind, units, rates);
        }
    }

    fn take(&mut self, now: Duration, place: &Place, kind: Kind, units: f64, rates: &Throttling) {
        let left = self.left(now, place, kind, rates) - units;
        self.0.insert((place.clone(), kind), Bucket { units: left, at: now });
    }

    fn left(&self, now: Duration, place: &Place, kind: Kind, rates: &Throttling) -> f64 {
        let rate = place.rate(kind, rates);
        self.0.get(&(place.clone(), kind)).map_or(rate, |bucket| refilled(*bucket, now, rate))
    }
}

fn refilled(bucket: Bucket, now: Duration, rate: f64) -> f64 {
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
        strays: 0.0,
    };

    fn place(partition: &str) -> Place {
        Place::new("t", None, Some(partition.to_owned()))
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_partition_lets_a_second_of_its_rate_pass_and_refills_in_time() {
        // After spending so much at once, the partition is open again at that instant and not a millisecond before.
        for (spent, opens) in [(9.0, 0), (10.0, 1), (11.0, 101), (30.0, 2_001), (60.0, 5_001)] {
            let mut buckets = Buckets::default();
            assert_eq!(buckets.reached(at(0), &place("a"), Kind::Write, &RATES), None);
            buckets.spend(at(0), &place("a"), Kind::Write, spent, &RATES);
            let reached = |buckets: &mut Buckets, millis| buckets.reached(at(millis), &place("a"), Kind::Write, &RATES);
            assert_eq!(reached(&mut buckets, opens), None, "{spent}");
            if opens > 0 {
                assert_eq!(reached(&mut buckets, opens - 1), Some(Reached::Partition), "{spent}");
            }
        }
    }

    #[test]
    fn partitions_of_a_table_share_its_rate_and_reads_and_writes_do_not() {
        let mut buckets = Buckets::default();
        for partition in 0..20 {
            buckets.spend(at(0), &place(&partition.to_string()), Kind::Write, 5.0, &RATES);
        }
        assert_eq!(buckets.reached(at(0), &place("new"), Kind::Write, &RATES), Some(Reached::Table));
        assert_eq!(buckets.reached(at(0), &place("new"), Kind::Read, &RATES), None);
        let index = Place::new("t", Some("i"), Some("new".to_owned()));
        assert_eq!(buckets.reached(at(0), &index, Kind::Write, &RATES), None, "an index has a rate of its own");
        assert_eq!(buckets.reached(at(0), &Place::new("u", None, None), Kind::Write, &RATES), None, "as has a table");
        assert_eq!(buckets.reached(at(10), &place("new"), Kind::Write, &RATES), None, "a unit came back");
    }

    #[test]
    fn an_idle_bucket_never_holds_more_than_a_second() {
        let mut buckets = Buckets::default();
        buckets.spend(at(0), &place("a"), Kind::Read, 1.0, &RATES);
        buckets.spend(at(3_600_000), &place("a"), Kind::Read, 20.0, &RATES);
        assert_eq!(buckets.reached(at(3_600_000), &place("a"), Kind::Read, &RATES), Some(Reached::Partition));
    }
}
