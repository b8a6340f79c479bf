//! Search of a page in the trees of snapshots: decodes roots, completes them from the log, and reads the nodes that are needed.

use std::collections::HashSet;
use std::sync::Arc;

use super::cache::SearchCache;
use super::facet_trees::FacetTree;
use super::ledger_read::LedgerReadError;
use super::log_view::LogView;
use super::snapshot::OrgSnapshot;
use super::target::{OrgTarget, PostingPage, PostingRange, SearchTarget};
use crate::ReviewStore;
use crate::reviews::log::OrgLog;
use crate::reviews::trees::nodes::StoredRoot;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::tree::{NodeRef, RootSummary};
use presence_domain::ledger::{FacetKey, FacetMask, NeededNode, PageSearch, Posting, ReviewSet, TreeDelta, TreeKey};

/// Maximum number of nodes that are read for the next page. They take half a unit each.
const MAX_NODES_AHEAD: usize = 8;

/// Search of a page in trees that are added one after the other.
#[derive(Debug)]
pub(super) struct PagePlan {
    search: PageSearch,
    /// Trees in the order in which they were added.
    trees: Vec<TreeKey>,
    /// Root of the tree of all reviews of the only organisation, to estimate ranges by.
    org_root: Option<(OrgId, StoredRoot)>,
    /// True if the nodes of the next page are to be told.
    reads_ahead: bool,
}

impl PagePlan {
    /// Returns a search without trees.
    pub(super) fn new(target: &SearchTarget) -> Self {
        Self {
            search: PageSearch::new(target.filter, target.newest_first, target.page),
            trees: Vec::new(),
            org_root: None,
            reads_ahead: target.orgs.len() == 1,
        }
    }

    /// Adds the trees of an organisation. Returns those that are to be searched instead of some of them.
    fn add_org(
        &mut self,
        target: &SearchTarget,
        org: &OrgTarget,
        snapshot: &OrgSnapshot,
    ) -> Result<Vec<FacetTree>, LedgerReadError> {
        let view = LogView::new(&snapshot.log, org.trees.len());
        self.org_root = snapshot.org_root.clone().map(|root| (org.org_id, root));
        let mut facet_trees = Vec::new();
        for (tree, root) in org.trees.iter().zip(&snapshot.roots) {
            let stored = root.as_ref();
            let root = decode_root(stored, target, &snapshot.log)?;
            let delta = view.delta(tree, &root.position);
            match self.choose_facet_trees(target, tree, stored, (&root, &delta))? {
                None => self.add_completed_tree(tree.clone(), &root, &delta),
                Some(chosen) => {
                    let log = || Arc::clone(&snapshot.log);
                    let chosen = chosen.into_iter().map(|(tree, edition)| FacetTree { tree, edition, log: log() });
                    facet_trees.extend(chosen);
                }
            }
        }
        Ok(facet_trees)
    }

    /// Adds trees of facet keys.
    fn add_facet_trees(
        &mut self,
        target: &SearchTarget,
        facet_trees: Vec<FacetTree>,
        roots: &[Option<StoredRoot>],
    ) -> Result<(), LedgerReadError> {
        for (FacetTree { tree, log, .. }, root) in facet_trees.into_iter().zip(roots) {
            let root = decode_root(root.as_ref(), target, &log)?;
            self.add_tree(tree, &root, &LogView::new(&log, 1));
        }
        Ok(())
    }

    fn add_tree(&mut self, tree: TreeKey, root: &RootSummary, view: &LogView<'_>) {
        let delta = view.delta(&tree, &root.position);
        self.add_completed_tree(tree, root, &delta);
    }

    fn add_completed_tree(&mut self, tree: TreeKey, root: &RootSummary, delta: &TreeDelta) {
        self.search.add_tree(root, delta);
        self.trees.push(tree);
    }

    /// Returns the facet trees that are cheaper to search than the tree of their set, with the least edition of each root.
    fn choose_facet_trees(
        &self,
        target: &SearchTarget,
        tree: &TreeKey,
        stored: Option<&StoredRoot>,
        (root, delta): (&RootSummary, &TreeDelta),
    ) -> Result<Option<Vec<(TreeKey, u64)>>, LedgerReadError> {
        // Several trees share the reads of a page, so that facet trees of each would seldom be cheaper.
        let is_only_tree = matches!(&target.orgs[..], [org] if org.trees.len() == 1);
        let (Some(stored), Some(editions), true) = (stored, &root.facet_editions, is_only_tree) else {
            return Ok(None);
        };
        let keys = self.search.choose_facet_keys(&stored.bytes, root, delta)?;
        let facet_tree = |key: FacetKey| {
            let edition = editions.get(usize::from(key.number())).copied().unwrap_or(0);
            (TreeKey { set: tree.set.clone(), facet_key: Some(key) }, edition)
        };
        Ok(keys.map(|keys| keys.into_iter().map(facet_tree).collect()))
    }

    /// Returns a node that is needed, by its name.
    fn name_of(&self, needed: &NeededNode) -> (&TreeKey, NodeRef) {
        (&self.trees[needed.tree], needed.node)
    }

    /// Returns the nodes of the next page that are not cached; none if they are many.
    fn next_nodes(&mut self, cache: &SearchCache) -> Vec<(TreeKey, NodeRef)> {
        if !self.reads_ahead {
            return Vec::new();
        }
        let needed = self.search.next_page_nodes();
        let names = needed.iter().map(|needed| self.name_of(needed));
        let unread = names.filter(|(tree, node)| cache.node(tree, *node).is_none());
        let unread: Vec<_> = unread.map(|(tree, node)| (tree.clone(), node)).collect();
        if unread.len() <= MAX_NODES_AHEAD { unread } else { Vec::new() }
    }

    fn finish(mut self, cache: &SearchCache) -> PostingPage {
        let next_nodes = self.next_nodes(cache);
        let found = self.search.finish();
        let range = match &self.trees[..] {
            [TreeKey { set: ReviewSet::Org(org_id), facet_key: None }] => {
                found.range_total.map(|total| PostingRange { org_id: *org_id, total })
            }
            _ => self.org_root.as_ref().and_then(|org_root| range_in(org_root, &found.postings)),
        };
        let tree = |number: usize| self.trees[number].clone();
        let postings = found.postings.into_iter().map(|(number, posting)| (tree(number), posting)).collect();
        PostingPage { count: found.count, postings, range, next_nodes }
    }
}

impl ReviewStore {
    /// Adds the trees of organisations. Reads the roots of facet trees if these are cheaper.
    pub(super) async fn add_snapshots(
        &self,
        plan: &mut PagePlan,
        target: &SearchTarget,
        orgs: &[OrgTarget],
        snapshots: &[OrgSnapshot],
        distrusted: &HashSet<TreeKey>,
    ) -> Result<(), LedgerReadError> {
        let mut facet_trees = Vec::new();
        for (org, snapshot) in orgs.iter().zip(snapshots) {
            facet_trees.extend(plan.add_org(target, org, snapshot)?);
        }
        let roots = self.read_facet_roots(&facet_trees, distrusted).await?;
        plan.add_facet_trees(target, facet_trees, &roots)
    }

    /// Adds the trees of an organisation from the cache. False if roots of facet trees were not cached; they are now.
    pub(super) async fn add_cached(
        &self,
        plan: &mut PagePlan,
        target: &SearchTarget,
        org: &OrgTarget,
        snapshot: &OrgSnapshot,
    ) -> Result<bool, LedgerReadError> {
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
    pub(super) async fn find_postings(&self, mut plan: PagePlan) -> Result<PostingPage, LedgerReadError> {
        loop {
            let missing = self.insert_cached_nodes(&mut plan)?;
            if missing.is_empty() {
                return Ok(plan.finish(&self.cache));
            }
            for (needed, bytes) in self.read_needed(&plan, missing).await? {
                plan.search.insert_node(needed, &bytes)?;
            }
        }
    }

    /// Returns the postings of the page if all its nodes are cached. If not, reads those that are needed next into the cache.
    pub(super) async fn find_cached_postings(
        &self,
        mut plan: PagePlan,
    ) -> Result<Option<PostingPage>, LedgerReadError> {
        let missing = self.insert_cached_nodes(&mut plan)?;
        if missing.is_empty() {
            return Ok(Some(plan.finish(&self.cache)));
        }
        self.read_needed(&plan, missing).await?;
        Ok(None)
    }

    /// Inserts nodes from the cache. Returns those that are needed next and not cached; none if the page is found.
    fn insert_cached_nodes(&self, plan: &mut PagePlan) -> Result<Vec<NeededNode>, LedgerReadError> {
        loop {
            let (mut missing, mut has_inserted) = (Vec::new(), false);
            for needed in plan.search.needed_nodes() {
                let (tree, node) = plan.name_of(&needed);
                match self.cache.node(tree, node) {
                    Some(bytes) => {
                        plan.search.insert_node(needed, &bytes)?;
                        has_inserted = true;
                    }
                    None => missing.push(needed),
                }
            }
            if !missing.is_empty() || !has_inserted {
                return Ok(missing);
            }
        }
    }

    /// Reads nodes of the next page into the cache. It takes one wave less then.
    pub(super) async fn read_ahead(&self, nodes: &[(TreeKey, NodeRef)]) -> Result<(), Error> {
        if nodes.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = nodes.iter().map(|(tree, node)| (tree, *node)).collect();
        for ((tree, node), bytes) in nodes.iter().zip(self.get_nodes(&names).await?) {
            if let Some(bytes) = bytes {
                self.cache.insert_node(tree, *node, bytes);
            }
        }
        Ok(())
    }

    async fn read_needed(
        &self,
        plan: &PagePlan,
        needed: Vec<NeededNode>,
    ) -> Result<Vec<(NeededNode, Arc<[u8]>)>, LedgerReadError> {
        let names: Vec<_> = needed.iter().map(|needed| plan.name_of(needed)).collect();
        let read = self.read_nodes_of_roots(&names).await?;
        Ok(needed.into_iter().zip(read).collect())
    }
}

/// Estimates the number of an organisation's reviews between the first and the last posting of a page, by a root that may be old.
fn range_in((org_id, root): &(OrgId, StoredRoot), page: &[(usize, Posting)]) -> Option<PostingRange> {
    let root = RootSummary::decode(&root.bytes, FacetMask::NONE).ok()?;
    let keys = page.iter().map(|(_, posting)| posting.key);
    let (first, last) = (keys.clone().min()?, keys.max()?);
    let recent = root.recent.iter().filter(|posting| (first..=last).contains(&posting.key)).count() as u64;
    let in_periods = root.periods.iter().map(|period| {
        let (start, end) = (period.span.start().effective_at, period.span.end().effective_at);
        let seconds = last.effective_at.min(end).saturating_sub(first.effective_at.max(start)).max(0);
        // Reviews are taken to be spread evenly over a period.
        u128::from(period.total) * u128::from(seconds.unsigned_abs()) / u128::from(end.abs_diff(start).max(1))
    });
    let total = u64::try_from(in_periods.sum::<u128>()).unwrap_or(u64::MAX).saturating_add(recent);
    Some(PostingRange { org_id: *org_id, total: total.max(page.len() as u64) })
}

/// Decodes a root. The log must include everything that the root contains: a root that was folded since is too new.
fn decode_root(root: Option<&StoredRoot>, target: &SearchTarget, log: &OrgLog) -> Result<RootSummary, LedgerReadError> {
    let Some(stored) = root else { return Ok(RootSummary::empty()) };
    let root = RootSummary::decode(&stored.bytes, target.filter.mask)?;
    let root = RootSummary { oldest: stored.oldest(), ..root };
    if log.end.covers(&root.position) { Ok(root) } else { Err(LedgerReadError::Overtaken) }
}
