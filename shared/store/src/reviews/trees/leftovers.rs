//! Changes that no writer folds any more: the schedule of the auditor folds them, so that searches find short logs.

use serde::Serialize;

use crate::ReviewStore;
use crate::client::parallel::parallel;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::FOLD_PAGES;

/// Number of changes from which a log is folded. Fewer take one unit of a search; the daily audit of the organisation folds them.
const FOLD_FROM: u64 = 64;
/// Number of organisations that are looked at at a time.
const ORGS_IN_FLIGHT: u16 = 4;
/// Length of a log that is too long to be read at once and cannot be folded.
const UNREAD: u64 = 1_000_000;

/// Result of folding what was left in the logs of all organisations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftoverFolds {
    /// Number of organisations that were looked at.
    pub orgs: usize,
    /// Number of changes that were folded.
    pub changes: u64,
    /// Number of organisations whose log could not be read or folded. The next run tries again.
    pub failed: usize,
    /// Largest number of changes that is left in a log. Not counted where another fold is under way.
    pub longest: u64,
}

impl ReviewStore {
    /// Folds what is left in the logs of all organisations, while there is time.
    ///
    /// A failure in one organisation is logged, and does not stop the others.
    pub async fn fold_leftovers(&self, has_time: impl Fn() -> bool + Send + Sync) -> Result<LeftoverFolds, Error> {
        let orgs = self.orgs_with_reviews().await?;
        let has_time = &has_time;
        let looks = orgs.into_iter().map(async |org_id| {
            // Looked at when the turn of the organisation comes.
            Ok(if has_time() { Some(self.fold_leftovers_of(org_id).await) } else { None })
        });
        let mut all = LeftoverFolds::default();
        for one in parallel(ORGS_IN_FLIGHT, looks).await?.into_iter().flatten() {
            all.orgs += one.orgs;
            all.changes += one.changes;
            all.failed += one.failed;
            all.longest = all.longest.max(one.longest);
        }
        Ok(all)
    }

    async fn fold_leftovers_of(&self, org_id: OrgId) -> LeftoverFolds {
        // On the heap: the future is large, and several are under way.
        match Box::pin(self.try_fold_leftovers_of(org_id)).await {
            Ok(folds) => folds,
            Err((longest, error)) => {
                tracing::error!(%org_id, longest, %error, "the log of an organisation was not folded");
                LeftoverFolds { orgs: 1, failed: 1, longest, ..LeftoverFolds::default() }
            }
        }
    }

    /// Folds a log that is not short. An error comes with the length of the log.
    async fn try_fold_leftovers_of(&self, org_id: OrgId) -> Result<LeftoverFolds, (u64, Error)> {
        let log = self.logs.query_log_pages(org_id, FOLD_PAGES).await.map_err(|error| (0, error))?;
        let Some(log) = log else {
            let report = self.fold_reviews(org_id).await.map_err(|error| (UNREAD, error))?;
            return Ok(LeftoverFolds { orgs: 1, changes: report.changes, ..LeftoverFolds::default() });
        };
        let longest = log.unfolded();
        if (1..FOLD_FROM).contains(&longest) {
            return Ok(LeftoverFolds { orgs: 1, longest, ..LeftoverFolds::default() });
        }
        // An empty log may still have to be trimmed, if a fold died before its end.
        let report = self.fold_log(org_id, &log).await.map_err(|error| (longest, error))?;
        Ok(LeftoverFolds { orgs: 1, changes: report.changes, ..LeftoverFolds::default() })
    }
}
