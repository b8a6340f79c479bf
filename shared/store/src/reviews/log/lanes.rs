//! Knowledge of lanes that a process keeps: a writer that knows a lane adds to it without a read.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::items::{FENCE, read_lane_item};
use crate::client::parallel::parallel;
use crate::client::read::pk_sk;
use crate::keys::{LogItemKey, log_pk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::{LANES, LaneState};

/// Maximum number of lanes in the cache. A lane takes some 2 KB at most, so that all of them take 8 MB.
const MAX_LANES: usize = 4_096;
/// Number of organisations whose lanes have locks of their own. Others share these.
const ORGS_WITH_LOCKS: usize = 16;
/// Number of lanes whose fences are raised at a time.
const LANES_IN_FLIGHT: u16 = 8;
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
    lanes: Mutex<HashMap<LaneKey, KnownLane>>,
    locks: [tokio::sync::Mutex<()>; LOCKS],
    /// Number of the last read of a lane or of places.
    reads: AtomicU64,
}

/// Lane as this process knows it.
#[derive(Clone, Debug)]
struct KnownLane {
    /// State; `None` after it turned out to be another one.
    state: Option<LaneState>,
    fence: u64,
    /// Number of the first read that showed the fence.
    fence_read: u64,
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
        let locks = std::array::from_fn(|_| tokio::sync::Mutex::default());
        Self { lanes: Mutex::default(), locks, reads: AtomicU64::default() }
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

    /// Returns the number of a read: higher than those of all reads before.
    pub(crate) fn number_read(&self) -> u64 {
        self.reads.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// True if a place that was read under this number may be written to the lane: the fence was known before.
    pub(crate) fn admits(&self, key: LaneKey, place_read: u64) -> bool {
        self.lanes().get(&key).is_some_and(|known| known.fence_read < place_read)
    }

    fn get(&self, key: LaneKey) -> Option<LaneState> {
        self.lanes().get(&key)?.state.clone()
    }

    /// Notes a state, unless a newer one is known.
    pub(crate) fn insert(&self, key: LaneKey, state: LaneState) {
        // Before the lock: the number is only compared with those of reads that begin later.
        let read = self.number_read();
        let mut lanes = self.lanes();
        let known = lanes.get(&key);
        let last = known.and_then(|known| known.state.as_ref()).map_or(0, |state| state.last);
        let (fence, fence_read) = known.map_or((state.fence, read), |known| (known.fence, known.fence_read));
        if last > state.last || fence > state.fence {
            return;
        }
        let fence_read = if fence == state.fence { fence_read } else { read };
        if lanes.len() >= MAX_LANES && !lanes.contains_key(&key) {
            // The next write to the lane that goes costs one read, and one of the places. It is the one that was read first: a writer
            // that has just read its lane finds it.
            let first = lanes.iter().min_by_key(|(_, known)| known.fence_read).map(|(key, _)| *key);
            first.and_then(|first| lanes.remove(&first));
        }
        lanes.insert(key, KnownLane { fence: state.fence, state: Some(state), fence_read });
    }

    /// Forgets the state of a lane, which turned out to be another one.
    pub(crate) fn remove(&self, key: LaneKey) {
        if let Some(known) = self.lanes().get_mut(&key) {
            known.state = None;
        }
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<LaneKey, KnownLane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
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
        let state = item.as_ref().map(read_lane_item).transpose()?.unwrap_or_default();
        self.lanes.insert(key, state.clone());
        Ok(state)
    }

    /// Raises the fences of all lanes of an organisation: writers that know the place of a business from before read it again.
    pub(crate) async fn raise_fences(&self, org_id: OrgId) -> Result<(), Error> {
        let raises = (0..LANES).map(|lane| {
            let (pk, sk) = LaneKey { org_id, lane }.keys();
            self.db.increment(&schema::REVIEWS, pk_sk(pk, sk), FENCE)
        });
        parallel(LANES_IN_FLIGHT, raises).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_keeps_the_newest_states_and_lanes_and_stays_within_its_bound() {
        let cache = LaneCache::default();
        let lane_of = |number| LaneKey { org_id: OrgId::new(number).expect("an id"), lane: 3 };
        let last = MAX_LANES as u64 + 10;
        for number in 1..=last {
            let key = lane_of(number);
            cache.insert(key, LaneState { last: number, ..LaneState::default() });
            assert_eq!(cache.get(key).map(|state| state.last), Some(number));
            cache.insert(key, LaneState { last: number - 1, ..LaneState::default() });
            assert_eq!(cache.get(key).map(|state| state.last), Some(number), "an older state is ignored");
            assert!(cache.lanes().len() <= MAX_LANES);
        }
        assert_eq!(cache.lanes().len(), MAX_LANES);
        assert!((11..=last).all(|number| cache.get(lane_of(number)).is_some()), "those that were read first are gone");
    }

    #[test]
    fn a_place_may_be_written_if_it_was_read_after_the_fence() {
        let (cache, key) = (LaneCache::default(), LaneKey { org_id: OrgId::new(1).expect("an id"), lane: 3 });
        let state = |last, fence| LaneState { last, fence, ..LaneState::default() };
        let early = cache.number_read();
        assert!(!cache.admits(key, early), "the lane was never read");
        cache.insert(key, state(5, 1));
        let between = cache.number_read();
        assert!(!cache.admits(key, early) && cache.admits(key, between));
        // The lane goes on, and is read again: the fence is the same.
        cache.remove(key);
        assert_eq!(cache.get(key), None);
        cache.insert(key, state(9, 1));
        assert!(!cache.admits(key, early) && cache.admits(key, between));
        cache.insert(key, state(9, 2));
        assert!(!cache.admits(key, between), "a business has moved since");
        let late = cache.number_read();
        cache.insert(key, state(9, 1));
        assert!(cache.admits(key, late) && cache.get(key) == Some(state(9, 2)), "an older read is ignored");
    }
}
