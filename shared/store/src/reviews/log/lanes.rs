//! Knowledge of lanes that a process keeps: a writer that knows a lane adds to it without a read.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::items::LaneState;
use crate::client::read::pk_sk;
use crate::keys::{LogItemKey, log_pk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::LANES;

/// Maximum number of lanes in the cache. A lane takes some 2 KB at most, so that all of them take 8 MB.
const MAX_LANES: usize = 4_096;
/// Number of organisations whose lanes have locks of their own. Others share these.
const ORGS_WITH_LOCKS: usize = 16;
/// Number of locks.
const LOCKS: usize = ORGS_WITH_LOCKS * LANES;

/// Lane of the log of an organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LaneKey {
    pub(crate) org_id: OrgId,
    /// Number of the lane, below [`LANES`].
    pub(crate) lane: usize,
}

/// Lanes as this process read or wrote them last. Other processes write too: each write proves the state by its condition.
#[derive(Debug)]
pub(crate) struct LaneCache {
    states: Mutex<HashMap<LaneKey, LaneState>>,
    locks: [tokio::sync::Mutex<()>; LOCKS],
}

/// Locks of some lanes, until they are dropped.
pub(crate) type LaneGuards<'a> = Vec<tokio::sync::MutexGuard<'a, ()>>;

impl LaneKey {
    /// Returns the partition key and the sort key of the lane item.
    pub(super) fn keys(self) -> (String, String) {
        (log_pk(self.org_id), LogItemKey::Lane(self.lane).sort_key())
    }
}

impl Default for LaneCache {
    fn default() -> Self {
        Self { states: Mutex::default(), locks: std::array::from_fn(|_| tokio::sync::Mutex::default()) }
    }
}

impl LaneCache {
    /// Waits until no other writer of this process adds to these lanes. Two at once would make one of them lose its transaction, and with
    /// slow answers again and again.
    pub(crate) async fn lock_lanes(&self, lanes: impl Iterator<Item = LaneKey>) -> LaneGuards<'_> {
        let org = |key: LaneKey| usize::try_from(key.org_id.get()).unwrap_or_default() % ORGS_WITH_LOCKS;
        // In one order for all writers, so that none waits for another one that waits for it.
        let numbers: BTreeSet<usize> = lanes.map(|key| org(key) * LANES + key.lane).collect();
        let mut guards = LaneGuards::with_capacity(numbers.len());
        for number in numbers {
            guards.push(self.locks[number].lock().await);
        }
        guards
    }

    fn get(&self, key: LaneKey) -> Option<LaneState> {
        self.states().get(&key).cloned()
    }

    /// Notes a state, unless a newer one is known.
    pub(crate) fn insert(&self, key: LaneKey, state: LaneState) {
        let mut lanes = self.states();
        if lanes.get(&key).is_some_and(|known| known.last > state.last) {
            return;
        }
        if lanes.len() >= MAX_LANES && !lanes.contains_key(&key) {
            // Any lane may go: the next write to it costs one read.
            let other = lanes.keys().next().copied();
            other.and_then(|other| lanes.remove(&other));
        }
        lanes.insert(key, state);
    }

    /// Forgets a lane, whose state turned out to be another one.
    pub(crate) fn remove(&self, key: LaneKey) {
        self.states().remove(&key);
    }

    fn states(&self) -> MutexGuard<'_, HashMap<LaneKey, LaneState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReviewStore {
    /// Returns the state of a lane: as this process knows it, or else by a strong read.
    pub(crate) async fn lane_state(&self, key: LaneKey) -> Result<LaneState, Error> {
        match self.lanes.get(key) {
            Some(state) => Ok(state),
            None => self.read_lane(key).await,
        }
    }

    /// Returns the state of a lane by a strong read, and notes it.
    pub(crate) async fn read_lane(&self, key: LaneKey) -> Result<LaneState, Error> {
        let (pk, sk) = key.keys();
        let item = self.db.get(&schema::REVIEWS, pk_sk(pk, sk)).await?;
        let state = item.as_ref().map(LaneState::from_item).transpose()?.unwrap_or_default();
        self.lanes.insert(key, state.clone());
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_keeps_the_newest_lane_and_stays_within_its_bound() {
        let cache = LaneCache::default();
        for number in 1..=MAX_LANES as u64 + 10 {
            let key = LaneKey { org_id: OrgId::new(number).expect("an id"), lane: 3 };
            cache.insert(key, LaneState { last: number, ..LaneState::default() });
            assert_eq!(cache.get(key).map(|state| state.last), Some(number));
            cache.insert(key, LaneState { last: number - 1, ..LaneState::default() });
            assert_eq!(cache.get(key).map(|state| state.last), Some(number), "an older state is ignored");
            assert!(cache.states().len() <= MAX_LANES);
        }
        assert_eq!(cache.states().len(), MAX_LANES);
    }
}
