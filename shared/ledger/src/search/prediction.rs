//! Prediction of a page from the cache, so that its items can be read beside the log.
//!
//! The prediction is made as the search itself, from the log and the roots that the cache has. If the log that is read then is
//! the same, the predicted page is the answer. If not, the page is found again, most often with the items that were read.

use super::Searcher;
use super::cache::SearchCache;
use super::plan::PagePlan;
use super::read_error::ReadError;
use super::readings::org_tree;
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
        let Some(snapshot) = self.cache.snapshot(org) else { return Ok(None) };
        let mut plan = PagePlan::new(target);
        let is_complete = self.add_cached(&mut plan, target, org, &snapshot).await?;
        let page = if is_complete { self.find_cached_postings(plan).await? } else { None };
        Ok(Some(Prediction { snapshot, page }))
    }
}

impl SearchCache {
    /// Returns the snapshot of an organisation as the cache has it. It may be older than what is stored. `None` if a part is missing.
    fn snapshot(&self, org: &OrgTarget) -> Option<OrgSnapshot> {
        let log = self.log(org.org_id)?;
        let mut roots = Vec::with_capacity(org.trees.len());
        for tree in &org.trees {
            let root = self.root(tree);
            if root.is_none() && self.named_edition(org.org_id, tree) != Some(0) {
                return None;
            }
            roots.push(root);
        }
        Some(OrgSnapshot { log, roots, org_root: self.root(&org_tree(org.org_id)) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{DirectoryBucket, ReviewSet, StoredRoot, TreeKey, bucket_of, directory_hash};
    use presence_domain::ids::OrgId;

    #[test]
    fn a_prediction_is_confirmed_by_what_it_was_made_from() {
        let org = OrgTarget { org_id: OrgId::new(1).expect("an id"), trees: Vec::new() };
        let cache = SearchCache::default();
        cache.insert_log(org.org_id, Arc::default());
        let snapshot = || cache.snapshot(&org).expect("a log");
        let page = PostingPage { count: 3, postings: Vec::new(), range: None, next_nodes: Vec::new() };
        let prediction = Prediction { snapshot: snapshot(), page: Some(page) };
        assert_eq!(prediction.confirmed_by(&snapshot()).map(|page| page.count), Some(3));
    }

    #[test]
    fn cached_snapshot_has_the_log_and_each_root_that_the_directory_names() {
        let org_id = OrgId::new(1).expect("an id");
        let tree = TreeKey { set: ReviewSet::City(org_id, "lyon".to_owned()), facet_key: None };
        let org = OrgTarget { org_id, trees: vec![tree.clone()] };
        for (named, cached, expected) in [
            (None, None, None),
            (Some(3), None, None),
            (Some(0), None, Some(vec![None])),
            (Some(3), Some(3), Some(vec![Some(3)])),
            (None, Some(2), Some(vec![Some(2)])),
        ] {
            let cache = SearchCache::default();
            if let Some(edition) = named {
                let bucket = DirectoryBucket { edition: 1, editions: [(directory_hash(&tree), edition)].into() };
                cache.insert_bucket(org_id, bucket_of(&tree), Arc::new(bucket));
            }
            if let Some(edition) = cached {
                cache.insert_root(&tree, StoredRoot { edition, bytes: Arc::default(), oldest: None });
            }
            assert!(cache.snapshot(&org).is_none(), "the log is not cached");
            cache.insert_log(org_id, Arc::default());
            let edition = |root: &Option<StoredRoot>| root.as_ref().map(|root| root.edition);
            let found = cache.snapshot(&org).map(|snapshot| snapshot.roots.iter().map(edition).collect::<Vec<_>>());
            assert_eq!(found, expected, "{named:?}, {cached:?}");
        }
    }
}
