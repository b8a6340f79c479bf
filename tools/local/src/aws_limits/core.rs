//! The state of the limits, and their random decisions.

use std::time::Duration;

use super::buckets::{Buckets, Kind, Place, Reached};
use super::counts::LimitCounts;
use super::holds::Holds;
use super::lag::Changes;
use super::settings::AwsLimits;
use super::tables::ItemName;

/// An odd multiplier spreads neighbouring numbers over all bits, so that one seed's draws are not the next one's shifted.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Everything that the limits remember.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) seed: u64,
    pub(super) settings: AwsLimits,
    pub(super) counts: LimitCounts,
    pub(super) holds: Holds<ItemName>,
    pub(super) changes: Changes,
    buckets: Buckets,
}

/// Units that are spent at a place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) place: Place,
    pub(super) kind: Kind,
    pub(super) units: f64,
}

impl Core {
    pub(super) fn new(settings: AwsLimits, seed: u64) -> Self {
        let (counts, holds) = (LimitCounts::default(), Holds::default());
        Self { seed, settings, counts, holds, changes: Changes::default(), buckets: Buckets::default() }
    }

    /// Numbers a call, and returns its dice: the same seed and number always give the same ones, in whatever order calls that
    /// come at the same time get their numbers.
    pub(super) fn begin(&mut self) -> (u64, fastrand::Rng) {
        self.counts.calls += 1;
        let number = self.counts.calls;
        (number, fastrand::Rng::with_seed(self.seed ^ number.wrapping_mul(SPREAD)))
    }

    /// Returns the limit that keeps a call from these places, with the place, if one does.
    pub(super) fn reached(
        &mut self,
        now: Duration,
        places: &[(Place, Kind)],
        dice: &mut fastrand::Rng,
    ) -> Option<(Reached, Place, Kind)> {
        let rates = self.settings.throttling?;
        for (place, kind) in places {
            let is_stray = place.partition.is_some() && dice.f64() < rates.strays;
            let stray = is_stray.then_some(Reached::Partition);
            if let Some(reached) = stray.or_else(|| self.buckets.reached(now, place, *kind, &rates)) {
                return Some((reached, place.clone(), *kind));
            }
        }
        None
    }

    pub(super) fn spend(&mut self, now: Duration, costs: &[Cost]) {
        let Some(rates) = self.settings.throttling else { return };
        for cost in costs {
            self.buckets.spend(now, &cost.place, cost.kind, cost.units, &rates);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64) -> Vec<u64> {
        let mut core = Core::new(AwsLimits::default(), seed);
        (0..50).map(|_| core.begin().1.u64(..)).collect()
    }

    #[test]
    fn a_seed_gives_the_same_draws_for_the_same_calls_and_another_one_others() {
        assert_eq!(draws(7), draws(7));
        let (one, other) = (draws(7), draws(8));
        assert!(one.iter().all(|draw| !other.contains(draw)), "not even shifted");
    }

    #[test]
    fn strays_throttle_below_the_rates_as_often_as_said() {
        let mut core = Core::new(AwsLimits::default(), 1);
        if let Some(throttling) = &mut core.settings.throttling {
            throttling.strays = 0.1;
        }
        let places = [(Place::new("t", None, Some("p".to_owned())), Kind::Read)];
        let mut throttled = 0;
        for _ in 0..1_000 {
            let (_, mut dice) = core.begin();
            throttled += u32::from(core.reached(Duration::ZERO, &places, &mut dice).is_some());
        }
        assert!((60..140).contains(&throttled), "{throttled}");
        core.settings.throttling = None;
        core.spend(Duration::ZERO, &[Cost { place: places[0].0.clone(), kind: Kind::Read, units: 1e9 }]);
        assert_eq!(core.reached(Duration::ZERO, &places, &mut fastrand::Rng::with_seed(1)), None, "switched off");
    }
}
