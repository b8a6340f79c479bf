//! Reviews: the ledger that counts and finds them, the search in the scope of a caller, and what people change.

mod act;
pub(crate) mod audit;
pub(crate) mod body_item;
pub(crate) mod export;
pub(crate) mod log;
mod moves;
pub(crate) mod orgs_with_reviews;
mod places;
pub(crate) mod replies;
pub(crate) mod search;
mod table;
pub(crate) mod trees;
pub(crate) mod upsert;
pub(crate) mod write;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

pub use act::ReviewDecision;

use crate::{AnswerStore, BusinessStore, Database};
use log::{DueFolds, LaneCache};
use places::PlaceCache;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::search::Searcher;
use presence_ledger::{FoldLimits, FoldReport, Folder, LogReader, OrgLog, ReviewSet, Trees};
use presence_runtime::telemetry::{Metric, log_metric};
use search::{KnownMoves, ListedOrgs};

/// Reviews and the ledger that counts them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ReviewStore {
    pub(crate) db: Database,
    pub(crate) businesses: BusinessStore,
    pub(crate) answers: AnswerStore,
    pub(crate) listed_orgs: Arc<ListedOrgs>,
    known_moves: Arc<KnownMoves>,
    /// Organisations that this process has put into the list of those with reviews.
    registered_orgs: Arc<Mutex<HashSet<OrgId>>>,
    pub(crate) lanes: Arc<LaneCache>,
    /// Maximum number of changes that a lane item holds unsealed.
    max_unsealed: u64,
    places: Arc<PlaceCache>,
    pub(crate) due_folds: Arc<DueFolds>,
    pub(crate) logs: LogReader,
    pub(crate) trees: Trees,
    searcher: Searcher,
}

impl ReviewStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        let table = Arc::new(database.clone());
        Self {
            db: database.clone(),
            businesses: BusinessStore::new(database),
            answers: AnswerStore::new(database),
            listed_orgs: Arc::default(),
            known_moves: Arc::default(),
            registered_orgs: Arc::default(),
            lanes: Arc::default(),
            max_unsealed: log::MAX_UNSEALED,
            places: Arc::default(),
            due_folds: Arc::default(),
            logs: LogReader::new(table.clone()),
            trees: Trees::new(table.clone()),
            searcher: Searcher::new(table),
        }
    }

    /// Returns the same store with other limits of folds.
    #[must_use]
    pub fn with_fold_limits(self, fold_limits: FoldLimits) -> Self {
        Self { trees: self.trees.with_fold_limits(fold_limits), ..self }
    }

    /// Returns the same store with roots that hold fewer postings themselves, for tests: small trees then have nodes.
    #[must_use]
    pub fn with_recent_max(self, recent_max: usize) -> Self {
        Self { trees: self.trees.with_recent_max(recent_max), ..self }
    }

    /// Returns the same store with searches that use facet trees wherever there are some, for tests: small sets then have them read.
    #[cfg(test)]
    pub(crate) fn with_facets_preferred(self, prefers_facets: bool) -> Self {
        Self { searcher: self.searcher.with_facets_preferred(prefers_facets), ..self }
    }

    /// Returns the same store with fewer unsealed changes in a lane, for tests: short logs then have sealed ones.
    #[cfg(test)]
    pub(crate) fn with_max_unsealed(self, max_unsealed: u64) -> Self {
        Self { max_unsealed, ..self }
    }

    /// Folds the log of an organisation up to its end, and trims it.
    pub async fn fold_reviews(&self, org_id: OrgId) -> Result<FoldReport, Error> {
        Ok(reported(org_id, Folder::new(&self.trees).fold_org(org_id).await?))
    }

    /// Folds the log of an organisation as [`ReviewStore::fold_reviews`], reading this number of items of each lane at a time.
    pub async fn fold_long_log(&self, org_id: OrgId, lane_items: i32) -> Result<FoldReport, Error> {
        Ok(reported(org_id, Folder::new(&self.trees).fold_long_log(org_id, lane_items).await?))
    }

    /// Folds a log that was just read.
    async fn fold_log(&self, org_id: OrgId, log: &OrgLog) -> Result<FoldReport, Error> {
        Ok(reported(org_id, Folder::new(&self.trees).fold_log(org_id, log).await?))
    }

    /// Deletes the nodes of the trees of a set that no root names. Returns their number. Folds and searches may go on.
    pub async fn sweep_set(&self, set: &ReviewSet) -> Result<usize, Error> {
        self.trees.sweep_set(set).await
    }
}

/// Returns the report of a fold. Changes that did not fit are logged.
fn reported(org_id: OrgId, report: FoldReport) -> FoldReport {
    if report.mismatches > 0 {
        tracing::error!(%org_id, mismatches = report.mismatches, "ledger drift");
        log_metric(Metric::LedgerDrift, f64::from(u32::try_from(report.mismatches).unwrap_or(u32::MAX)));
    }
    report
}
