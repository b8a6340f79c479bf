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
pub(crate) mod trees;
pub(crate) mod upsert;
pub(crate) mod write;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

pub use act::ReviewDecision;

use crate::{AnswerStore, BusinessStore, Database};
use log::{DueFolds, LaneCache};
use places::PlaceCache;
use presence_domain::ids::OrgId;
use presence_ledger::TreeKey;
use presence_ledger::tree::TreeLimits;
use search::cache::SearchCache;
use search::{KnownMoves, ListedOrgs};
use trees::FoldLimits;

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
    places: Arc<PlaceCache>,
    pub(crate) due_folds: Arc<DueFolds>,
    pub(crate) fold_limits: FoldLimits,
    recent_max: usize,
    /// True if searches use facet trees wherever there are some, cheaper or not.
    prefers_facets: bool,
    pub(crate) cache: Arc<SearchCache>,
}

impl ReviewStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self {
            db: database.clone(),
            businesses: BusinessStore::new(database),
            answers: AnswerStore::new(database),
            listed_orgs: Arc::default(),
            known_moves: Arc::default(),
            registered_orgs: Arc::default(),
            lanes: Arc::default(),
            places: Arc::default(),
            due_folds: Arc::default(),
            fold_limits: FoldLimits::default(),
            recent_max: usize::MAX,
            prefers_facets: false,
            cache: Arc::default(),
        }
    }

    /// Returns the same store with other limits of folds.
    #[must_use]
    pub fn with_fold_limits(self, fold_limits: FoldLimits) -> Self {
        Self { fold_limits, ..self }
    }

    /// Returns the same store with roots that hold fewer postings themselves, for tests: small trees then have nodes.
    #[must_use]
    pub fn with_recent_max(self, recent_max: usize) -> Self {
        Self { recent_max, ..self }
    }

    /// Returns the same store with searches that use facet trees wherever there are some, for tests: small sets then have them read.
    #[cfg(test)]
    pub(crate) fn with_facets_preferred(self, prefers_facets: bool) -> Self {
        Self { prefers_facets, ..self }
    }

    /// Returns the limits of a tree with this number of postings.
    pub(crate) fn tree_limits(&self, tree: &TreeKey, postings: i64) -> TreeLimits {
        let limits = TreeLimits::of(tree, postings);
        TreeLimits { recent_max: limits.recent_max.min(self.recent_max), ..limits }
    }
}
