//! Prediction of a page from the cache, so that its reviews can be read beside the log.
//!
//! The prediction is made as the search itself, from the log and the roots that the cache has. If the log that is read then is
//! the same, the predicted page is the answer. If not, the page is found again, most often with the reviews that were read.

use super::bodies::Bodies;
use super::ledger_read::LedgerReadError;
use super::plan::PagePlan;
use super::snapshot::OrgSnapshot;
use super::target::{OrgTarget, PostingPage, SearchTarget};
use crate::ReviewStore;
use presence_domain::error::Error;

/// Maximum number of trees of a prediction. A refuted one costs its CPU twice.
const MAX_TREES: usize = 100;

/// Page that a search finds if nothing has changed since the cache was filled.
#[derive(Debug)]
pub(super) struct Prediction {
    /// Snapshot from which it was made.
    pub(super) snapshot: OrgSnapshot,
    /// Page; `None` if some of its nodes were not cached. They are now.
    pub(super) page: Option<PostingPage>,
}

impl ReviewStore {
    /// Reads what the search most likely needs next, as far as it can be told before the log is read: the reviews of the page,
    /// or the nodes that lead to it.
    pub(super) async fn prefetch(
        &self,
        target: &SearchTarget,
        org: &OrgTarget,
        is_cache_trusted: bool,
    ) -> Result<(Option<Prediction>, Bodies), Error> {
        let mut bodies = Bodies::default();
        if !is_cache_trusted {
            return Ok((None, bodies));
        }
        match self.predict(target, org).await {
            Ok(Some(prediction)) => {
                if let Some(page) = &prediction.page {
                    bodies.add(self.read_bodies(page, &bodies).await?);
                }
                Ok((Some(prediction), bodies))
            }
            // Nothing is cached. The first page without a filter of facets needs no tree to be told.
            Ok(None) => {
                if let Some(org_id) = target.only_whole_org().filter(|_| target.is_first_page_of_all()) {
                    bodies.add(self.read_first_bodies(org_id, target).await?);
                }
                Ok((None, bodies))
            }
            // The cached snapshot is no longer stored. The search itself finds that out.
            Err(LedgerReadError::Overtaken | LedgerReadError::NodeGone(_) | LedgerReadError::SourceChanged) => {
                Ok((None, bodies))
            }
            Err(LedgerReadError::Failed(error)) => Err(error),
        }
    }

    /// Predicts the page from the cache; `None` if the cache has not all roots. Of nodes that are not cached, those are read that
    /// are needed next.
    async fn predict(&self, target: &SearchTarget, org: &OrgTarget) -> Result<Option<Prediction>, LedgerReadError> {
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
