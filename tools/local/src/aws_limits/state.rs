//! The state of the limits, and their random decisions.

use std::collections::VecDeque;
use std::time::Duration;

use super::conflicts::ConflictTracker;
use super::counts::LimitCounts;
use super::lag::PendingChanges;
use super::settings::AwsLimits;
use super::tables::ItemName;
use super::token_buckets::{CapacityKind, CapacityScope, ExceededLimit, TokenBuckets};

/// An odd multiplier spreads neighbouring numbers over all bits, so that one seed's draws are not the next one's shifted.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Tokens of transactions kept: a client tries again within seconds. DynamoDB keeps them for ten minutes.
const MAX_TOKENS: usize = 1_000;

/// Everything that the limits remember.
#[derive(Debug)]
pub(super) struct State {
    pub(super) seed: u64,
    pub(super) settings: AwsLimits,
    pub(super) counts: LimitCounts,
    pub(super) conflicts: ConflictTracker<ItemName>,
    pub(super) changes: PendingChanges,
    buckets: TokenBuckets,
    /// Tokens of transactions that were done, oldest first.
    done: VecDeque<String>,
}

/// Units that are spent at a scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) scope: CapacityScope,
    pub(super) kind: CapacityKind,
    pub(super) units: f64,
}

impl State {
    pub(super) fn new(settings: AwsLimits, seed: u64) -> Self {
        let (counts, conflicts) = (LimitCounts::default(), ConflictTracker::default());
        let (changes, buckets, done) = (PendingChanges::default(), TokenBuckets::default(), VecDeque::new());
        Self { seed, settings, counts, conflicts, changes, buckets, done }
    }

    /// Remembers that the transaction with this token was done.
    pub(super) fn note_done(&mut self, token: &str) {
        if self.done.len() == MAX_TOKENS {
            self.done.pop_front();
        }
        self.done.push_back(token.to_owned());
    }

    /// True if the transaction with this token was done.
    pub(super) fn was_done(&self, token: &str) -> bool {
        self.done.iter().any(|done| done == token)
    }

    /// Numbers a call, and returns its rng: the same seed and number always give the same ones, in whatever order calls that
    /// come at the same time get their numbers.
    pub(super) fn begin(&mut self) -> (u64, fastrand::Rng) {
        self.counts.calls += 1;
        let number = self.counts.calls;
        (number, fastrand::Rng::with_seed(self.seed ^ number.wrapping_mul(SPREAD)))
    }

    /// Returns the limit that keeps an item from these scopes, with the scope, if one does. The item is one of so many of its
    /// call: spurious come by call, so that a large one is not throttled for ever.
    pub(super) fn exceeded(
        &mut self,
        now: Duration,
        scopes: &[(CapacityScope, CapacityKind)],
        items: usize,
        rng: &mut fastrand::Rng,
    ) -> Option<(ExceededLimit, CapacityScope, CapacityKind)> {
        let rates = self.settings.throttling?;
        let share = rates.spurious / f64::from(u32::try_from(items).unwrap_or(u32::MAX)).max(1.0);
        let stray = scopes.iter().find(|(scope, _)| scope.partition.is_some()).filter(|_| rng.f64() < share);
        if let Some((scope, kind)) = stray {
            return Some((ExceededLimit::Partition, scope.clone(), *kind));
        }
        let mut exceeded = scopes.iter().filter_map(|(scope, kind)| {
            let exceeded = self.buckets.exceeded(now, scope, *kind, &rates)?;
            Some((exceeded, scope.clone(), *kind))
        });
        exceeded.next()
    }

    pub(super) fn spend(&mut self, now: Duration, costs: &[Cost]) {
        let Some(rates) = self.settings.throttling else { return };
        for cost in costs {
            self.buckets.spend(now, &cost.scope, cost.kind, cost.units, &rates);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64) -> Vec<u64> {
        let mut state = State::new(AwsLimits::default(), seed);
        (0..50).map(|_| state.begin().1.u64(..)).collect()
    }

    #[test]
    fn a_seed_gives_the_same_draws_for_the_same_calls_and_another_one_others() {
        assert_eq!(draws(7), draws(7));
        let (one, other) = (draws(7), draws(8));
        assert!(one.iter().all(|draw| !other.contains(draw)), "not even shifted");
    }

    #[test]
    fn strays_throttle_below_the_rates_as_often_as_said() {
        let mut state = State::new(AwsLimits::default(), 1);
        if let Some(throttling) = &mut state.settings.throttling {
            throttling.spurious = 0.1;
        }
        let scopes = [(CapacityScope::new("t", None, Some("p".to_owned())), CapacityKind::Read)];
        let mut throttled = 0;
        for _ in 0..1_000 {
            let (_, mut rng) = state.begin();
            throttled += u32::from(state.exceeded(Duration::ZERO, &scopes, 1, &mut rng).is_some());
        }
        assert!((60..140).contains(&throttled), "{throttled}");
        state.settings.throttling = None;
        state.spend(Duration::ZERO, &[Cost { scope: scopes[0].0.clone(), kind: CapacityKind::Read, units: 1e9 }]);
        assert_eq!(state.exceeded(Duration::ZERO, &scopes, 1, &mut fastrand::Rng::with_seed(1)), None, "switched off");
    }
}
