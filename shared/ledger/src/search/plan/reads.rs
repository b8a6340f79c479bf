//! Reads for the plan of a page: roots of facet trees, and the nodes that lead to the postings.

use std::collections::HashSet;
use std::sync::Arc;

use super::{NODE_ROUNDS, PagePlan};
use crate::search::Searcher;
use crate::search::read_error::ReadError;
use crate::search::snapshot::OrgSnapshot;
use crate::search::target::{OrgTarget, PostingPage, SearchTarget};
use crate::tree::NodeRef;
use crate::{NeededNode, TreeKey};
use presence_domain::error::Error;

impl Searcher {
    /// Adds the trees of organisations. Reads the roots of facet trees if these are cheaper.
    pub async fn add_snapshots(
        &self,
        plan: &mut PagePlan,
        target: &SearchTarget,
        orgs: &[OrgTarget],
        snapshots: &[OrgSnapshot],
        distrusted: &HashSet<TreeKey>,
    ) -> Result<(), ReadError> {
        (plan.has_facet_roots, plan.prefers_facets) = (self.has_facet_roots(target), self.prefers_facets);
        let mut facet_trees = Vec::new();
        for (org, snapshot) in orgs.iter().zip(snapshots) {
            facet_trees.extend(plan.add_org(target, org, snapshot)?);
        }
        let roots = self.read_facet_roots(&facet_trees, distrusted).await?;
        plan.add_facet_trees(target, facet_trees, &roots)
    }

    /// Adds the trees of an organisation from the cache. False if roots of facet trees were not cached; they are now.
    pub(in crate::search) async fn add_cached(
        &self,
        plan: &mut PagePlan,
        target: &SearchTarget,
        org: &OrgTarget,
        snapshot: &OrgSnapshot,
    ) -> Result<bool, ReadError> {
        (plan.has_facet_roots, plan.prefers_facets) = (self.has_facet_roots(target), self.prefers_facets);
        let facet_trees = plan.add_org(target, org, snapshot)?;
        let roots: Vec<_> = facet_trees.iter().map(|facet_tree| self.cached_facet_root(facet_tree)).collect();
        if roots.iter().any(Option::is_none) {
            self.read_facet_roots(&facet_trees, &HashSet::new()).await?;
            return Ok(false);
        }
        plan.add_facet_trees(target, facet_trees, &roots)?;
        Ok(true)
    }

    /// Returns the postings of the page. Reads the nodes that lead to them.
    pub async fn find_postings(&self, mut plan: PagePlan) -> Result<PostingPage, ReadError> {
        loop {
            let missing = self.missing_nodes(&mut plan)?;
            if missing.is_empty() {
                return Ok(self.finish(plan));
            }
            plan.rounds_left = plan.rounds_left.saturating_sub(1);
            for (needed, bytes) in self.read_needed(&plan, missing).await? {
                plan.search.insert_node(needed, &bytes)?;
            }
        }
    }

    /// Returns the postings of the page if all its nodes are cached. If not, reads those that are needed next into the cache.
    pub(in crate::search) async fn find_cached_postings(
        &self,
        mut plan: PagePlan,
    ) -> Result<Option<PostingPage>, ReadError> {
        let missing = self.missing_nodes(&mut plan)?;
        if missing.is_empty() {
            return Ok(Some(self.finish(plan)));
        }
        self.read_needed(&plan, missing).await?;
        Ok(None)
    }

    /// Inserts nodes from the cache. Returns those that are to be read next; none if the page is found.
    fn missing_nodes(&self, plan: &mut PagePlan) -> Result<Vec<NeededNode>, ReadError> {
        loop {
            let needed = plan.search.needed_nodes();
            let (missing, has_inserted) = self.insert_cached(plan, needed)?;
            if has_inserted {
                continue;
            }
            if missing.is_empty() {
                return Ok(missing);
            }
            let others = plan.search.narrowing_nodes();
            let (_, has_inserted) = self.insert_cached(plan, others)?;
            if has_inserted {
                continue;
            }
            if plan.rounds_left < NODE_ROUNDS {
                return Ok(missing);
            }
            let Some(likely) = plan.search.likely_leaves() else { return Ok(missing) };
            let (missing, has_inserted) = self.insert_cached(plan, likely)?;
            if !has_inserted {
                return Ok(missing);
            }
        }
    }

    /// Inserts those of the nodes that are cached. Returns the others, and true if any was inserted.
    fn insert_cached(&self, plan: &mut PagePlan, nodes: Vec<NeededNode>) -> Result<(Vec<NeededNode>, bool), ReadError> {
        let (mut missing, number) = (Vec::new(), nodes.len());
        for needed in nodes {
            let (tree, node) = plan.name_of(&needed);
            match self.cache.node(tree, node) {
                Some(bytes) => plan.search.insert_node(needed, &bytes)?,
                None => missing.push(needed),
            }
        }
        let has_inserted = missing.len() < number;
        Ok((missing, has_inserted))
    }

    /// Returns the page, and the nodes of later pages that are not cached, as far as those that are cached tell.
    fn finish(&self, mut plan: PagePlan) -> PostingPage {
        let found = plan.search.finish();
        let mut next_nodes = Vec::new();
        while plan.max_ahead > 0 {
            let ahead = plan.search.nodes_ahead();
            // A damaged node of a later page is no error of this one.
            let Ok((missing, has_inserted)) = self.insert_cached(&mut plan, ahead) else { break };
            if !has_inserted {
                next_nodes = plan.unread_ahead(&missing, &self.cache);
                break;
            }
        }
        plan.into_page(found, next_nodes)
    }

    /// Reads nodes of later pages into the cache. Then they take one round trip less.
    pub async fn read_ahead(&self, nodes: &[(TreeKey, NodeRef)]) -> Result<(), Error> {
        if nodes.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = nodes.iter().map(|(tree, node)| (tree, *node)).collect();
        for ((tree, node), bytes) in nodes.iter().zip(self.trees.get_nodes(&names).await?) {
            if let Some(bytes) = bytes {
                self.cache.insert_node(tree, *node, bytes);
            }
        }
        Ok(())
    }

    /// Reads nodes that are needed, and beside them branches of the next page.
    async fn read_needed(
        &self,
        plan: &PagePlan,
        needed: Vec<NeededNode>,
    ) -> Result<Vec<(NeededNode, Arc<[u8]>)>, ReadError> {
        let names: Vec<_> = needed.iter().map(|needed| plan.name_of(needed)).collect();
        let branches = plan.next_branches(&needed, &self.cache);
        let ahead = async { self.read_ahead(&branches).await.map_err(ReadError::from) };
        let (read, ()) = futures::try_join!(self.read_nodes_of_roots(&names), ahead)?;
        Ok(needed.into_iter().zip(read).collect())
    }
}
