//! Token buckets for a model of `DynamoDB` that has no server in front of it.

use std::time::Duration;

use super::settings::Throttling;
use super::token_buckets::{CapacityScope, TokenBuckets};

/// Token buckets of tables, indexes and partitions, at rates. The time is that of the caller.
#[derive(Debug)]
pub struct PartitionRates {
    rates: Throttling,
    buckets: TokenBuckets,
}

impl PartitionRates {
    /// Returns full buckets.
    #[must_use]
    pub fn new(rates: Throttling) -> Self {
        Self { rates, buckets: TokenBuckets::default() }
    }

    /// True if a call on this scope is not throttled now.
    #[must_use]
    pub fn admits(&self, now: Duration, scope: &CapacityScope) -> bool {
        self.buckets.exceeded_limit(now, scope, &self.rates).is_none()
    }

    /// Takes units from a scope, and from the table or index of a partition.
    pub fn spend(&mut self, now: Duration, scope: &CapacityScope, units: f64) {
        self.buckets.spend(now, scope, units, &self.rates);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aws_limits::token_buckets::CapacityKind;

    #[test]
    fn partition_is_throttled_from_its_rate_until_it_is_refilled() {
        let mut rates = PartitionRates::new(Throttling::default());
        let scope = |partition: &str| CapacityScope::new(CapacityKind::Write, "t", None, Some(partition.to_owned()));
        rates.spend(Duration::ZERO, &scope("a"), 999.0);
        assert!(rates.admits(Duration::ZERO, &scope("a")));
        rates.spend(Duration::ZERO, &scope("a"), 1.0);
        assert!(!rates.admits(Duration::ZERO, &scope("a")));
        assert!(rates.admits(Duration::ZERO, &scope("b")));
        assert!(rates.admits(Duration::from_millis(1), &scope("a")));
    }
}
