//! Folds that are due: a process that writes reviews folds their organisation's log when it has added enough to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ReviewStore;
use crate::client::parallel::parallel;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Factor of [`FoldLimits::fold_from`](crate::FoldLimits::fold_from) in an import, which then folds every 4,096 changes. A fold
/// costs less for each change the more there are, and a search reads a unit more for each hundred of them.
const IMPORT_FACTOR: u64 = 8;
/// Changes from which a writer waits for a fold under way, so that the log does not grow faster than folds shorten it.
const MAX_UNFOLDED: u64 = 50_000;
/// Changes for which an import folds at its end. Fewer are left to the schedule.
const FOLD_AT_END: u64 = 64;
/// Maximum number of organisations that are counted. Changes of others are left to the schedule.
const MAX_ORGS: usize = 10_000;
/// Maximum number of organisations that are folded at the same time at the end of an import.
const FOLDS_IN_FLIGHT: u16 = 4;

/// Changes that this process added to each organisation's log since its last fold. An estimate: others write and fold too.
#[derive(Debug, Default)]
pub(crate) struct DueFolds(Mutex<HashMap<OrgId, UnfoldedLog>>);

#[derive(Clone, Debug, Default)]
struct UnfoldedLog {
    changes: u64,
    /// Held by the fold under way: one at a time, since a second one of the same organisation would do the same work.
    folding: Arc<tokio::sync::Mutex<()>>,
}

/// Numbers of changes of a log that decide on a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Thresholds {
    /// Changes from which a writer folds.
    from: u64,
    /// Changes from which a writer waits for the fold of another one.
    wait_from: u64,
}

impl Thresholds {
    /// Returns the thresholds of a writer, or of an import. An import waits soon: nobody waits for its answers, and searches read
    /// what it leaves in the log.
    fn of(fold_from: u64, is_import: bool) -> Self {
        if !is_import {
            return Self { from: fold_from, wait_from: MAX_UNFOLDED };
        }
        let from = fold_from.saturating_mul(IMPORT_FACTOR);
        Self { from, wait_from: from.saturating_add(from / 2) }
    }
}

impl DueFolds {
    /// Counts changes that were added to a log.
    pub(crate) fn add(&self, org_id: OrgId, changes: u64) {
        let mut logs = self.logs();
        if logs.len() < MAX_ORGS || logs.contains_key(&org_id) {
            logs.entry(org_id).or_default().changes += changes;
        }
    }

    /// Returns a log that has this many changes or more.
    fn find_due(&self, org_id: OrgId, from: u64) -> Option<UnfoldedLog> {
        self.logs().get(&org_id).filter(|log| log.changes >= from).cloned()
    }

    /// Returns the organisations whose logs have more than this number of changes.
    fn orgs_above(&self, changes: u64) -> Vec<OrgId> {
        self.logs().iter().filter(|(_, log)| log.changes > changes).map(|(org_id, _)| *org_id).collect()
    }

    fn logs(&self) -> MutexGuard<'_, HashMap<OrgId, UnfoldedLog>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a fold if the log has enough changes. Skips it if another one is under way, unless the log is long: then waits for
    /// that one.
    async fn fold_if_due<F: Future<Output = Result<(), Error>>>(
        &self,
        org_id: OrgId,
        Thresholds { from, wait_from }: Thresholds,
        fold: impl FnOnce() -> F,
    ) {
        let Some(log) = self.find_due(org_id, from) else { return };
        let folding =
            if log.changes < wait_from { log.folding.try_lock().ok() } else { Some(log.folding.lock().await) };
        if folding.is_none() {
            return;
        }
        // The fold that was waited for may have taken the changes.
        let Some(UnfoldedLog { changes, .. }) = self.find_due(org_id, from) else { return };
        if let Err(error) = fold().await {
            tracing::warn!(org = %org_id, %error, "the log of reviews was not folded; a later fold does it");
        }
        // Also after a failure, so that the next attempt comes after as many changes again and not with every write.
        if let Some(log) = self.logs().get_mut(&org_id) {
            log.changes = log.changes.saturating_sub(changes);
        }
    }
}

impl ReviewStore {
    /// Folds the log of an organisation if this process added enough to it. A failure is logged: the reviews are written.
    pub(crate) async fn fold_if_due(&self, org_id: OrgId) {
        let thresholds = Thresholds::of(self.trees.fold_limits().fold_from, self.db.write_rate().is_some());
        self.due_folds.fold_if_due(org_id, thresholds, || self.fold_without_report(org_id)).await;
    }

    /// Folds what is left of the logs to which this process added more than a few reviews, at the end of an import.
    pub async fn fold_written_reviews(&self) {
        let orgs = self.due_folds.orgs_above(FOLD_AT_END);
        let folds = orgs.into_iter().map(async |org_id| {
            let thresholds = Thresholds { from: FOLD_AT_END, wait_from: MAX_UNFOLDED };
            self.due_folds.fold_if_due(org_id, thresholds, || self.fold_without_report(org_id)).await;
            Ok(())
        });
        // Failures are logged by each fold.
        let _ = parallel(FOLDS_IN_FLIGHT, folds).await;
    }

    async fn fold_without_report(&self, org_id: OrgId) -> Result<(), Error> {
        self.fold_reviews(org_id).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    fn org() -> OrgId {
        OrgId::new(42).expect("an id")
    }

    #[tokio::test]
    async fn a_fold_is_due_after_enough_changes_whether_or_not_the_last_one_failed() {
        let (due_folds, folds) = (DueFolds::default(), AtomicU64::new(0));
        for fails in [false, true, false] {
            for added in 1..=5 {
                due_folds.add(org(), 100);
                let before = folds.load(Ordering::Relaxed);
                let fold = || async {
                    folds.fetch_add(1, Ordering::Relaxed);
                    if fails { Err(Error::Unavailable("throttled".into())) } else { Ok(()) }
                };
                due_folds.fold_if_due(org(), Thresholds::of(500, false), fold).await;
                assert_eq!(folds.load(Ordering::Relaxed) - before, u64::from(added == 5));
            }
        }
        assert_eq!(due_folds.orgs_above(0), []);
        due_folds.add(org(), 65);
        assert_eq!((due_folds.orgs_above(64), due_folds.orgs_above(65)), (vec![org()], vec![]));
    }

    #[tokio::test]
    async fn an_import_folds_later_and_waits_sooner() {
        assert_eq!(Thresholds::of(512, false), Thresholds { from: 512, wait_from: 50_000 });
        assert_eq!(Thresholds::of(512, true), Thresholds { from: 4_096, wait_from: 6_144 });
        assert_eq!(Thresholds::of(u64::MAX, true), Thresholds { from: u64::MAX, wait_from: u64::MAX });
        let (due_folds, folds) = (DueFolds::default(), AtomicU64::new(0));
        let fold = || async {
            tokio::task::yield_now().await;
            folds.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        due_folds.add(org(), 4_096);
        let waiting = async {
            tokio::task::yield_now().await;
            due_folds.add(org(), 2_048);
            due_folds.fold_if_due(org(), Thresholds::of(512, true), || async { Ok(()) }).await;
            assert_eq!(folds.load(Ordering::Relaxed), 1, "this writer waited");
        };
        tokio::join!(due_folds.fold_if_due(org(), Thresholds::of(512, true), fold), waiting);
        assert_eq!(due_folds.orgs_above(2_047), [org()], "only what the fold took is subtracted");
    }

    #[tokio::test]
    async fn writers_pass_a_fold_under_way_unless_the_log_is_long() {
        let (due_folds, folds) = (DueFolds::default(), AtomicU64::new(0));
        let slow_fold = || async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            folds.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        due_folds.add(org(), 600);
        let passing = async {
            tokio::task::yield_now().await;
            due_folds.add(org(), 600);
            due_folds
                .fold_if_due(org(), Thresholds::of(500, false), || async { unreachable!("one fold is under way") })
                .await;
            assert_eq!(folds.load(Ordering::Relaxed), 0, "this writer did not wait");
            due_folds.add(org(), MAX_UNFOLDED);
            due_folds.fold_if_due(org(), Thresholds::of(500, false), || async { Ok(()) }).await;
            assert_eq!(folds.load(Ordering::Relaxed), 1, "this writer waited");
        };
        tokio::join!(due_folds.fold_if_due(org(), Thresholds::of(500, false), slow_fold), passing);
        assert_eq!(due_folds.orgs_above(0), []);
    }
}
