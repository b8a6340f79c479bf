//! Plan of a rebuild: everything that it would write.

use std::collections::BTreeSet;

use serde::Serialize;

use super::report::{INDEX_TIME, MisplacedReview, SLICE, name_of};
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::PostingKey;

/// Plan of a rebuild.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RebuildPlan {
    /// Number of reviews of the organisation.
    pub reviews: usize,
    /// Number of reviews that would be moved to where their business is.
    pub moved: usize,
    /// Number of trees that would be corrected or rebuilt.
    pub rewritten: usize,
    /// Number of changes in the log that would be folded.
    pub folded: u64,
    /// Number of nodes that no tree uses, and that would be deleted.
    pub unused_nodes: usize,
    /// Names of the trees, sorted.
    pub trees: Vec<String>,
}

impl ReviewStore {
    /// Returns what [`ReviewStore::rebuild_reviews`] would do. Writes nothing.
    ///
    /// Reviews that are written meanwhile are no part of it.
    pub async fn plan_rebuild(&self, org_id: OrgId) -> Result<RebuildPlan, Error> {
        let mut plan = RebuildPlan { folded: self.logs.query_log(org_id).await?.unfolded(), ..RebuildPlan::default() };
        let (mut trees, mut from) = (BTreeSet::new(), PostingKey::FIRST);
        loop {
            let slice = self.list_slice(org_id, from, SLICE).await?;
            plan.reviews += slice.listed.len();
            let wrong = self.auditor().find_wrong_trees(&slice, INDEX_TIME).await?;
            trees.extend(wrong.iter().map(|wrong| name_of(&wrong.view.tree)));
            let misplaced = self.find_misplaced_reviews(&slice.listed).await?;
            plan.moved += misplaced.iter().filter(|MisplacedReview { location, .. }| location.is_some()).count();
            if slice.is_last() {
                break;
            }
            from = slice.keys.end;
        }
        plan.rewritten = trees.len();
        plan.trees = trees.into_iter().collect();
        plan.unused_nodes = self.count_unused_nodes(org_id).await?;
        Ok(plan)
    }

    /// Returns the number of nodes that no tree of the organisation uses. Trees that cannot be read count none.
    async fn count_unused_nodes(&self, org_id: OrgId) -> Result<usize, Error> {
        let mut nodes = 0;
        for set in self.auditor().sets_of_org(org_id).await? {
            nodes += match self.trees.count_orphans(&set).await {
                Err(Error::Internal(_)) => 0,
                counted => counted?,
            };
        }
        Ok(nodes)
    }
}
