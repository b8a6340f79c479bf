//! State of the limits, and their random decisions.

use std::collections::VecDeque;
use std::time::Duration;

use super::conflicts::ConflictTracker;
use super::lag::PendingChanges;
use super::settings::AwsLimits;
use super::tables::ItemName;
use super::token_buckets::{CapacityScope, ExceededLimit, TokenBuckets};

/// Odd factor that spreads the numbers of calls over all bits of a seed, so that neighbouring calls draw unrelated numbers.
const SEED_MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Number of transaction tokens that are kept. Clients retry within seconds; `DynamoDB` keeps tokens for ten minutes.
const MAX_TOKENS: usize = 1_000;

/// Number of times that each limit had an effect since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitCounts {
    /// Data plane calls.
    pub calls: u64,
    /// Throttled calls, transactions included.
    pub throttled: u64,
    /// Keys and items that a batch returned as unprocessed.
    pub unprocessed: u64,
    /// Calls that were refused or cancelled because of another transaction.
    pub conflicted: u64,
    /// Cancelled transactions with different reasons at different items.
    pub mixed_cancellations: u64,
    /// Pages that ended before their limit, empty ones included.
    pub truncated_pages: u64,
    /// Empty pages that were followed by more items.
    pub empty_pages: u64,
    /// Pages of an index that did not show its current items.
    pub stale_pages: u64,
    /// Transactions that were refused because of their size.
    pub too_large: u64,
}

/// State of the limits.
#[derive(Debug)]
pub(super) struct State {
    pub(super) seed: u64,
    pub(super) settings: AwsLimits,
    pub(super) counts: LimitCounts,
    pub(super) conflicts: ConflictTracker<ItemName>,
    pub(super) changes: PendingChanges,
    buckets: TokenBuckets,
    /// Tokens of completed transactions, oldest first.
    completed_tokens: VecDeque<String>,
}

/// Capacity units that a call takes from a scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) scope: CapacityScope,
    pub(super) units: f64,
}

/// Limit that throttles a call, and its scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Throttled {
    pub(super) limit: ExceededLimit,
    pub(super) scope: CapacityScope,
}

impl State {
    pub(super) fn new(settings: AwsLimits, seed: u64) -> Self {
        Self {
            seed,
            settings,
            counts: LimitCounts::default(),
            conflicts: ConflictTracker::default(),
            changes: PendingChanges::default(),
            buckets: TokenBuckets::default(),
            completed_tokens: VecDeque::new(),
        }
    }

    /// Records that the transaction with this token was completed.
    pub(super) fn record_completed(&mut self, token: &str) {
        if self.completed_tokens.len() == MAX_TOKENS {
            self.completed_tokens.pop_front();
        }
        self.completed_tokens.push_back(token.to_owned());
    }

    /// True if the transaction with this token was completed.
    pub(super) fn is_completed(&self, token: &str) -> bool {
        self.completed_tokens.iter().any(|completed| completed == token)
    }

    /// Returns the number of the next call, and its random numbers.
    ///
    /// They depend only on the seed and the number of the call, not on the order of concurrent calls.
    pub(super) fn begin_call(&mut self) -> (u64, fastrand::Rng) {
        self.counts.calls += 1;
        let number = self.counts.calls;
        (number, fastrand::Rng::with_seed(self.seed ^ number.wrapping_mul(SEED_MULTIPLIER)))
    }

    /// Returns the limit that throttles an item, if one does. The item has all of `costs`.
    ///
    /// `item_count` is the number of items in the call. Spurious throttling is as likely for a large call as for a small one:
    /// otherwise a large call might never succeed.
    pub(super) fn throttle(
        &mut self,
        now: Duration,
        costs: &[Cost],
        item_count: usize,
        rng: &mut fastrand::Rng,
    ) -> Option<Throttled> {
        let rates = self.settings.throttling?;
        let probability = rates.spurious / f64::from(u32::try_from(item_count).unwrap_or(u32::MAX)).max(1.0);
        let mut scopes = costs.iter().map(|cost| &cost.scope);
        let partition = scopes.clone().find(|scope| scope.partition.is_some());
        if let Some(scope) = partition.filter(|_| rng.f64() < probability) {
            return Some(Throttled { limit: ExceededLimit::Partition, scope: scope.clone() });
        }
        scopes.find_map(|scope| {
            let limit = self.buckets.exceeded_limit(now, scope, &rates)?;
            Some(Throttled { limit, scope: scope.clone() })
        })
    }

    /// Takes the units of these costs.
    pub(super) fn spend(&mut self, now: Duration, costs: &[Cost]) {
        let Some(rates) = self.settings.throttling else { return };
        for cost in costs {
            self.buckets.spend(now, &cost.scope, cost.units, &rates);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::token_buckets::CapacityKind;
    use super::*;

    fn draws(seed: u64) -> Vec<u64> {
        let mut state = State::new(AwsLimits::default(), seed);
        (0..50).map(|_| state.begin_call().1.u64(..)).collect()
    }

    #[test]
    fn seed_determines_the_draws_of_each_call() {
        assert_eq!(draws(7), draws(7));
        let (one, other) = (draws(7), draws(8));
        assert!(one.iter().all(|draw| !other.contains(draw)), "not even shifted");
    }

    #[test]
    fn spurious_throttling_is_as_frequent_as_set() {
        let mut state = State::new(AwsLimits::default(), 1);
        if let Some(throttling) = &mut state.settings.throttling {
            throttling.spurious = 0.1;
        }
        let scope = CapacityScope::new(CapacityKind::Read, "t", None, Some("p".to_owned()));
        let costs = [Cost { scope, units: 1e9 }];
        let mut throttled = 0;
        for _ in 0..1_000 {
            let (_, mut rng) = state.begin_call();
            throttled += u32::from(state.throttle(Duration::ZERO, &costs, 1, &mut rng).is_some());
        }
        assert!((60..140).contains(&throttled), "{throttled}");
        state.settings.throttling = None;
        state.spend(Duration::ZERO, &costs);
        let mut rng = fastrand::Rng::with_seed(1);
        assert_eq!(state.throttle(Duration::ZERO, &costs, 1, &mut rng), None, "switched off");
    }
}
