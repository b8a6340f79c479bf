//! Plan of a page in the trees of snapshots: decodes roots, completes them from the log, and names the nodes that are needed.

mod reads;

use std::sync::Arc;

use crate::search::cache::SearchCache;
use crate::search::facet_trees::FacetTree;
use crate::search::log_view::LogView;
use crate::search::read_error::ReadError;
use crate::search::snapshot::OrgSnapshot;
use crate::search::target::{OrgTarget, PostingPage, PostingRange, SearchTarget};
use crate::tree::{NodeRef, RootSummary};
use crate::{FoundPage, NeededNode, OrgLog, PageSearch, Posting, ReviewSet, StoredRoot, TreeDelta, TreeKey};
use presence_domain::ids::OrgId;
use presence_domain::review::{FacetKey, FacetMask};

/// Maximum number of nodes that are read for the next page of one tree. They take half a unit each.
const MAX_NODES_AHEAD: usize = 8;
/// Maximum number of such nodes of several trees. Each tree has one at most: another period begins in all of them at
/// once. It does so on one page of 200.
const MAX_NODES_AHEAD_OF_LIST: usize = 100;
/// Rounds of reads of nodes in a search, which has four round trips: the log with the roots, these rounds, and the reviews.
const NODE_ROUNDS: u8 = 2;

/// Search of a page in trees that are added one after the other.
#[derive(Debug)]
pub struct PagePlan {
    search: PageSearch,
    /// Trees in the order in which they were added.
    trees: Vec<TreeKey>,
    /// Root of the tree of all reviews of the only organisation, to estimate ranges by.
    org_root: Option<(OrgId, StoredRoot)>,
    /// Maximum number of nodes that are read for the next page.
    max_ahead: usize,
    /// Rounds of reads of nodes that are left.
    rounds_left: u8,
    /// True if the roots of facet trees need no round of reads.
    has_facet_roots: bool,
    /// True if facet trees are searched wherever there are some.
    prefers_facets: bool,
}

impl PagePlan {
    /// Returns a search without trees.
    pub fn new(target: &SearchTarget) -> Self {
        Self {
            search: PageSearch::new(target.filter, target.newest_first, target.page),
            trees: Vec::new(),
            org_root: None,
            max_ahead: match &target.orgs[..] {
                [org] => org.trees.len().clamp(MAX_NODES_AHEAD, MAX_NODES_AHEAD_OF_LIST),
                _ => 0,
            },
            rounds_left: if target.orgs.len() == 1 { NODE_ROUNDS } else { 1 },
            has_facet_roots: false,
            prefers_facets: false,
        }
    }

    /// Adds the trees of an organisation. Returns those that are to be searched instead of some of them.
    fn add_org(
        &mut self,
        target: &SearchTarget,
        org: &OrgTarget,
        snapshot: &OrgSnapshot,
    ) -> Result<Vec<FacetTree>, ReadError> {
        let view = LogView::new(&snapshot.log, org.trees.len());
        self.org_root = snapshot.org_root.clone().map(|root| (org.org_id, root));
        let mut facet_trees = Vec::new();
        for (tree, root) in org.trees.iter().zip(&snapshot.roots) {
            let stored = root.as_ref();
            let root = decode_root(stored, target, &snapshot.log)?;
            let delta = view.delta(tree, &root.position);
            match self.choose_facet_trees(target, tree, stored, (&root, &delta))? {
                None => self.add_tree(tree.clone(), &root, &delta),
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
    ) -> Result<(), ReadError> {
        if !facet_trees.is_empty() {
            self.rounds_left = 1;
        }
        for (FacetTree { tree, log, .. }, root) in facet_trees.into_iter().zip(roots) {
            let root = decode_root(root.as_ref(), target, &log)?;
            let delta = LogView::new(&log, 1).delta(&tree, &root.position);
            self.add_tree(tree, &root, &delta);
        }
        Ok(())
    }

    fn add_tree(&mut self, tree: TreeKey, root: &RootSummary, delta: &TreeDelta) {
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
    ) -> Result<Option<Vec<(TreeKey, u64)>>, ReadError> {
        // Several trees share the reads of a page, so that facet trees of each would seldom be cheaper.
        let is_only_tree = matches!(&target.orgs[..], [org] if org.trees.len() == 1);
        let (Some(stored), Some(editions), true) = (stored, &root.facet_editions, is_only_tree) else {
            return Ok(None);
        };
        let keys = if self.prefers_facets {
            Some((0..).map_while(FacetKey::from_number).filter(|key| target.filter.mask.contains(*key)).collect())
        } else {
            self.search.choose_facet_keys(&stored.bytes, root, delta, self.has_facet_roots)?
        };
        let facet_tree = |key: FacetKey| {
            let edition = editions.get(usize::from(key.number())).copied().unwrap_or(0);
            (TreeKey { set: tree.set.clone(), facet_key: Some(key) }, edition)
        };
        Ok(keys.map(|keys: Vec<FacetKey>| keys.into_iter().map(facet_tree).collect()))
    }

    /// Returns a node that is needed, by its name.
    fn name_of(&self, needed: &NeededNode) -> (&TreeKey, NodeRef) {
        (&self.trees[needed.tree], needed.node)
    }

    /// Returns those nodes that are not cached; none if they are many.
    fn unread_ahead(&self, ahead: &[NeededNode], cache: &SearchCache) -> Vec<(TreeKey, NodeRef)> {
        let names = ahead.iter().map(|needed| self.name_of(needed));
        let unread = names.filter(|(tree, node)| cache.node(tree, *node).is_none());
        let unread: Vec<_> = unread.map(|(tree, node)| (tree.clone(), node)).collect();
        if unread.len() <= self.max_ahead { unread } else { Vec::new() }
    }

    /// Returns the branches of the next page that are not cached and not among the needed nodes.
    fn next_branches(&self, needed: &[NeededNode], cache: &SearchCache) -> Vec<(TreeKey, NodeRef)> {
        if self.max_ahead == 0 {
            return Vec::new();
        }
        let mut branches = self.search.branches_ahead();
        branches.retain(|branch| !needed.contains(branch));
        self.unread_ahead(&branches, cache)
    }

    /// Returns the page that was found.
    fn into_page(self, found: FoundPage, next_nodes: Vec<(TreeKey, NodeRef)>) -> PostingPage {
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
fn decode_root(root: Option<&StoredRoot>, target: &SearchTarget, log: &OrgLog) -> Result<RootSummary, ReadError> {
    let Some(stored) = root else { return Ok(RootSummary::empty()) };
    let root = RootSummary::decode(&stored.bytes, target.filter.mask)?;
    let root = RootSummary { oldest: stored.oldest(), ..root };
    if log.end.covers(&root.position) { Ok(root) } else { Err(ReadError::Overtaken) }
}
