//! Reads for the plan of a page: roots of facet trees, and the nodes that lead to the postings.

use std::collections::HashSet;
use std::sync::Arc;

use super::{NODE_ROUNDS, PagePlan};
use crate::search::Searcher;
use crate::search::cache::SearchCache;
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
            let missing = plan.missing_nodes(&self.cache)?;
            if missing.is_empty() {
                return Ok(plan.finish(&self.cache));
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
        let missing = plan.missing_nodes(&self.cache)?;
        if missing.is_empty() {
            return Ok(Some(plan.finish(&self.cache)));
        }
        self.read_needed(&plan, missing).await?;
        Ok(None)
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

impl PagePlan {
    /// Inserts nodes from the cache. Returns those that are to be read next; none if the page is found.
    fn missing_nodes(&mut self, cache: &SearchCache) -> Result<Vec<NeededNode>, ReadError> {
        loop {
            let needed = self.search.needed_nodes();
            let (missing, has_inserted) = self.insert_cached(cache, needed)?;
            if has_inserted {
                continue;
            }
            if missing.is_empty() {
                return Ok(missing);
            }
            let others = self.search.narrowing_nodes();
            let (_, has_inserted) = self.insert_cached(cache, others)?;
            if has_inserted {
                continue;
            }
            if self.rounds_left < NODE_ROUNDS {
                return Ok(missing);
            }
            let Some(likely) = self.search.likely_leaves() else { return Ok(missing) };
            let (missing, has_inserted) = self.insert_cached(cache, likely)?;
            if !has_inserted {
                return Ok(missing);
            }
        }
    }

    /// Inserts those of the nodes that are cached. Returns the others, and true if any was inserted.
    fn insert_cached(
        &mut self,
        cache: &SearchCache,
        nodes: Vec<NeededNode>,
    ) -> Result<(Vec<NeededNode>, bool), ReadError> {
        let (mut missing, number) = (Vec::new(), nodes.len());
        for needed in nodes {
            let (tree, node) = self.name_of(&needed);
            match cache.node(tree, node) {
                Some(bytes) => self.search.insert_node(needed, &bytes)?,
                None => missing.push(needed),
            }
        }
        let has_inserted = missing.len() < number;
        Ok((missing, has_inserted))
    }

    /// Returns the page, and the nodes of later pages that are not cached, as far as those that are cached tell.
    fn finish(mut self, cache: &SearchCache) -> PostingPage {
        let found = self.search.finish();
        let mut next_nodes = Vec::new();
        while self.max_ahead > 0 {
            let ahead = self.search.nodes_ahead();
            // A damaged node of a later page is no error of this one.
            let Ok((missing, has_inserted)) = self.insert_cached(cache, ahead) else { break };
            if !has_inserted {
                next_nodes = self.unread_ahead(&missing, cache);
                break;
            }
        }
        self.into_page(found, next_nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_search::tests::stored::StoredTree;
    use crate::trees::tests::memory_table::{MemoryTable, at_once};
    use crate::{OrgLog, Posting, PostingFilter, PostingKey, ReviewNumber, ReviewSet, StoredRoot};
    use presence_domain::ids::OrgId;
    use presence_domain::page::PageRequest;
    use presence_domain::review::{FacetKey, FacetMask};

    /// Returns a tree with postings that are spread evenly over 700 hours of January 2024.
    fn stored(tree: u64, postings: u64, recent_max: usize) -> StoredTree {
        let posting = |number: u64| {
            let effective_at = 1_704_067_200 + (number * 700 * 3_600 / postings).cast_signed();
            let key = PostingKey { effective_at, id: ReviewNumber::new(number * 10 + tree) };
            Posting { key, facet_key: FacetKey::from_number(7).expect("a key"), version: 1 }
        };
        StoredTree::new((0..postings).map(posting).collect(), recent_max, false)
    }

    /// Returns the plan of a page of some organisations, with the trees of the first one.
    fn plan(orgs: u64, trees: u64, postings: u64, recent_max: usize, page: PageRequest) -> PagePlan {
        let org_id = |number| OrgId::new(number).expect("an id");
        let cities = (0..trees).map(|number| ReviewSet::City(org_id(1), number.to_string()));
        let others = (2..=orgs).map(|number| ReviewSet::Org(org_id(number)));
        let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
        let target = SearchTarget::new(cities.chain(others), filter, true, page);
        let bytes = |tree| stored(tree, postings, recent_max).root.into();
        let root = |tree| StoredRoot { edition: 1, bytes: bytes(tree), oldest: None };
        let roots = (0..trees).map(root).map(Some).collect();
        let snapshot = OrgSnapshot { log: Arc::new(OrgLog::default()), roots, org_root: None };
        let mut plan = PagePlan::new(&target);
        let facet_trees = plan.add_org(&target, &target.orgs[0], &snapshot).expect("roots that can be read");
        assert!(facet_trees.is_empty());
        plan.add_facet_trees(&target, facet_trees, &[]).expect("no root");
        plan
    }

    #[test]
    fn likely_leaves_are_read_first_if_another_round_may_follow() {
        // Each tree has three leaves. The page is in the last one or in the one before, and most likely in the last one.
        for (orgs, is_estimated) in [(1, true), (2, false)] {
            let mut plan = plan(orgs, 10, 700, 1, PageRequest { page: 61, size: 30 });
            let missing = plan.missing_nodes(&SearchCache::default()).expect("no node");
            assert!(missing.len() >= 10);
            assert_eq!(missing.len() < 15, is_estimated, "{} leaves in {orgs} organisations", missing.len());
        }
    }

    #[test]
    fn nodes_of_the_next_page_are_named_in_a_search_of_one_organisation() {
        for (orgs, are_named) in [(1, true), (2, false)] {
            let mut plan = plan(orgs, 1, 700, 512, PageRequest { page: 2, size: 100 });
            let cache = SearchCache::default();
            assert!(plan.missing_nodes(&cache).expect("no node").is_empty(), "the root has the page");
            let page = plan.finish(&cache);
            assert_eq!((page.postings.len(), !page.next_nodes.is_empty()), (100, are_named), "{orgs} organisations");
        }
    }

    #[test]
    fn a_page_whose_nodes_were_read_ahead_takes_no_read() {
        for is_read_ahead in [true, false] {
            let table = MemoryTable::default();
            let searcher = Searcher::new(Arc::new(table.clone()));
            let find = |page| at_once(searcher.find_postings(plan(1, 1, 700, 512, PageRequest { page, size: 100 })));
            // The root has page 2, and a leaf the end of page 3.
            let ahead = find(2).expect("a page").next_nodes;
            for (node, bytes) in stored(0, 700, 512).nodes {
                table.store_node(&ahead[0].0, node, bytes);
            }
            if is_read_ahead {
                at_once(searcher.read_ahead(&ahead)).expect("nodes");
            }
            table.take_reads();
            let page = find(3).expect("a page");
            assert_eq!((page.postings.len(), table.take_reads().is_empty()), (100, is_read_ahead));
        }
    }

    #[test]
    fn a_page_takes_no_read_of_cached_nodes_and_one_of_those_that_they_name() {
        let table = MemoryTable::default();
        let searcher = Searcher::new(Arc::new(table.clone()));
        let plan_of = |page| plan(1, 1, 1_400, 1, PageRequest { page, size: 30 });
        let tree = plan_of(1).trees[0].clone();
        for (node, bytes) in stored(0, 1_400, 1).nodes {
            table.store_node(&tree, node, bytes);
        }
        // The root names a branch, and this six leaves. The first page is in the last leaf, and page 40 in the first one.
        for (page, reads) in [(1, 2), (40, 1), (40, 0)] {
            let found = at_once(searcher.find_postings(plan_of(page))).expect("a page");
            assert_eq!((found.postings.len(), table.take_reads().len()), (30, reads), "page {page}");
        }
    }
}
