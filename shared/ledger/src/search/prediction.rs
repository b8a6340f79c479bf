//! Prediction of a page from the cache, so that its items can be read beside the log.
//!
//! The prediction is made as the search itself, from the log and the roots that the cache has. If the log that is read then is
//! the same, the predicted page is the answer. If not, the page is found again, most often with the items that were read.

use super::Searcher;
use super::plan::PagePlan;
use super::read_error::ReadError;
use super::snapshot::OrgSnapshot;
use super::target::{OrgTarget, PostingPage, SearchTarget};
use presence_domain::error::Error;

/// Maximum number of trees of a prediction. A refuted one costs its CPU twice.
const MAX_TREES: usize = 100;

/// Page that a search finds if nothing has changed since the cache was filled.
#[derive(Debug)]
pub struct Prediction {
    /// Snapshot from which it was made.
    snapshot: OrgSnapshot,
    /// Page; `None` if some of its nodes were not cached. They are now.
    pub page: Option<PostingPage>,
}

impl Prediction {
    /// Returns the predicted page if the snapshot that was read is the one that the prediction was made from.
    pub fn confirmed_by(self, snapshot: &OrgSnapshot) -> Option<PostingPage> {
        self.snapshot.is_same(snapshot).then_some(self.page).flatten()
    }
}

impl Searcher {
    /// Predicts the page of a search in one organisation from the cache; `None` if the cache has not all roots, or other ones than are
    /// stored. Of nodes that are not cached, those are read that are needed next.
    pub async fn predict(&self, target: &SearchTarget, org: &OrgTarget) -> Result<Option<Prediction>, Error> {
        match self.predict_page(target, org).await {
            Ok(prediction) => Ok(prediction),
            // The search itself finds out that the cached snapshot is no longer stored.
            Err(ReadError::Overtaken | ReadError::NodeGone(_)) => Ok(None),
            Err(ReadError::Failed(error)) => Err(error),
        }
    }

    async fn predict_page(&self, target: &SearchTarget, org: &OrgTarget) -> Result<Option<Prediction>, ReadError> {
        if org.trees.len() > MAX_TREES {
            return Ok(None);
        }
        let Some(snapshot) = self.cached_snapshot(org) else { return Ok(None) };
        let mut plan = PagePlan::new(target);
        let is_complete = self.add_cached(&mut plan, target, org, &snapshot).await?;
        let page = if is_complete { self.find_cached_postings(plan).await? } else { None };
        Ok(Some(Prediction { snapshot, page }))
    }
}
