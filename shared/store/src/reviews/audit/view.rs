//! Trees of an organisation as they are at one position of its log, in a range of keys.

use std::collections::HashSet;
use std::ops::Range;

use super::tree_scan::TreeScan;
use crate::ReviewStore;
use crate::client::read::Consistency;
use crate::reviews::log::OrgLog;
use crate::reviews::trees::nodes::StoredRoot;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::tree::{NodeRef, TreeRoot, decode_root};
use presence_domain::ledger::{FacetKey, Posting, PostingKey, TreeDelta, TreeKey};

/// Maximum number of trees that are in memory at a time.
pub(super) const TREES_AT_ONCE: usize = 200;
/// Maximum number of nodes that are in memory at a time: some 2 MB.
const NODES_AT_ONCE: usize = 500;
/// Maximum number of times that trees are read again because a fold replaced their roots meanwhile.
const MAX_READS: usize = 5;

/// Tree at a position of the log, in a range of keys.
#[derive(Debug)]
pub(super) struct TreeView {
    pub(super) tree: TreeKey,
    /// Root as it is stored; `None` if it is missing.
    pub(super) stored_root: Option<StoredRoot>,
    /// The root, read; an empty one if it is missing or cannot be read.
    pub(super) root: TreeRoot,
    /// Difference between the root and the end of the log, over all keys. The root may be older.
    pub(super) delta: TreeDelta,
    /// Postings of the range in the stored tree, ascending.
    pub(super) stored: Vec<Posting>,
    /// Postings of the range at the end of the log, ascending.
    pub(super) current: Vec<Posting>,
    /// Contradictions within the tree, as phrases. Only a rebuild of the tree removes them.
    pub(super) faults: Vec<String>,
}

impl TreeView {
    /// Returns the facet keys of the trees that the set of this tree has besides, each with the edition that the root names.
    pub(super) fn facet_trees(&self) -> impl Iterator<Item = (TreeKey, u64)> {
        let editions = self.root.facet_editions.iter().flatten();
        let facet_keys = (0..).map_while(FacetKey::from_number);
        let named = facet_keys.zip(editions);
        named.map(|(facet_key, edition)| (TreeKey { set: self.tree.set.clone(), facet_key: Some(facet_key) }, *edition))
    }
}

/// Root that was read, and what is wrong with it.
struct ReadRoot {
    stored: Option<StoredRoot>,
    root: TreeRoot,
    faults: Vec<String>,
}

impl ReadRoot {
    fn of(stored: Option<StoredRoot>) -> Self {
        let mut faults = Vec::new();
        let root = match stored.as_ref().map(|stored| (stored.edition, decode_root(&stored.bytes))) {
            None => TreeRoot::empty(),
            Some((edition, Ok(root))) if root.edition == edition => root,
            Some((edition, decoded)) => {
                let problem =
                    decoded.err().map_or_else(|| "names another edition".to_owned(), |error| error.to_string());
                faults.push(format!("the root: {problem}"));
                TreeRoot { edition, ..TreeRoot::empty() }
            }
        };
        Self { stored, root, faults }
    }
}

impl ReviewStore {
    /// Returns trees of an organisation in a range of keys, in order, by strong reads. Groups of them may be at different
    /// positions of the log.
    pub(super) async fn view_trees(
        &self,
        org_id: OrgId,
        trees: &[TreeKey],
        keys: &Range<PostingKey>,
    ) -> Result<Vec<TreeView>, Error> {
        let mut views = Vec::with_capacity(trees.len());
        for group in trees.chunks(TREES_AT_ONCE) {
            views.extend(Box::pin(self.view_group(org_id, group, keys)).await?);
        }
        Ok(views)
    }

    async fn view_group(
        &self,
        org_id: OrgId,
        trees: &[TreeKey],
        keys: &Range<PostingKey>,
    ) -> Result<Vec<TreeView>, Error> {
        for read in 1.. {
            let log = self.query_log(org_id).await?;
            let roots = self.get_roots(trees, Consistency::Strong).await?;
            let roots: Vec<ReadRoot> = roots.into_iter().map(ReadRoot::of).collect();
            let is_behind = roots.iter().any(|read| !log.end.covers(&read.root.position));
            if is_behind && read < MAX_READS {
                // A fold has put in changes that came after the log was read.
                continue;
            }
            let views = self.view_roots(trees, &roots, &log, keys).await?;
            // Folds replace nodes. What looks damaged may belong to a root that is no more.
            let is_damaged = |view: &TreeView| !view.faults.is_empty();
            if read < MAX_READS && views.iter().any(is_damaged) && self.were_replaced(trees, &roots).await? {
                continue;
            }
            return Ok(views);
        }
        unreachable!("the last read returns")
    }

    /// True if a root is not the one that was read any more.
    async fn were_replaced(&self, trees: &[TreeKey], roots: &[ReadRoot]) -> Result<bool, Error> {
        let now = self.get_roots(trees, Consistency::Strong).await?;
        Ok(now.iter().zip(roots).any(|(now, read)| *now != read.stored))
    }

    async fn view_roots(
        &self,
        trees: &[TreeKey],
        roots: &[ReadRoot],
        log: &OrgLog,
        keys: &Range<PostingKey>,
    ) -> Result<Vec<TreeView>, Error> {
        let mut scans: Vec<TreeScan> = roots.iter().map(|read| TreeScan::new(&read.root, keys.clone())).collect();
        // Root, branches, leaves.
        for _ in 0..2 {
            self.scan_level(trees, &mut scans).await?;
        }
        let mut views = Vec::with_capacity(trees.len());
        for ((tree, ReadRoot { stored: stored_root, root, faults }), scan) in trees.iter().zip(roots).zip(scans) {
            let scanned = scan.finish();
            let delta = TreeDelta::between(tree, &log.entries, &log.position_of_tree(&root.position), &log.end);
            let mut faults: Vec<String> = faults.iter().cloned().chain(scanned.faults).collect();
            if !log.end.covers(&root.position) {
                faults.push("the root contains changes that the log lacks".to_owned());
            }
            let current = applied(&scanned.postings, &delta, keys);
            let (tree, stored_root, root) = (tree.clone(), stored_root.clone(), root.clone());
            views.push(TreeView { tree, stored_root, root, delta, stored: scanned.postings, current, faults });
        }
        Ok(views)
    }

    /// Reads the nodes that the scans want now.
    async fn scan_level(&self, trees: &[TreeKey], scans: &mut [TreeScan]) -> Result<(), Error> {
        let wanted: Vec<(&TreeKey, NodeRef)> =
            trees.iter().zip(&*scans).flat_map(|(tree, scan)| scan.wanted().map(move |node| (tree, node))).collect();
        let counts: Vec<usize> = scans.iter().map(|scan| scan.wanted().count()).collect();
        let mut nodes = Vec::with_capacity(wanted.len());
        for chunk in wanted.chunks(NODES_AT_ONCE) {
            nodes.extend(self.get_nodes(chunk).await?);
        }
        let mut nodes = nodes.into_iter();
        for (scan, count) in scans.iter_mut().zip(counts) {
            scan.insert(nodes.by_ref().take(count).collect::<Vec<_>>());
        }
        Ok(())
    }
}

/// Returns the postings of a range after a difference, ascending, as a fold would make them.
pub(super) fn applied(postings: &[Posting], delta: &TreeDelta, keys: &Range<PostingKey>) -> Vec<Posting> {
    let removed: HashSet<PostingKey> = delta.removed.values().map(|posting| posting.key).collect();
    let added: HashSet<PostingKey> = delta.added.iter().map(|posting| posting.key).collect();
    let stays = |posting: &&Posting| !removed.contains(&posting.key) && !added.contains(&posting.key);
    let mut applied: Vec<Posting> = postings.iter().filter(stays).copied().collect();
    applied.extend(delta.added.iter().filter(|posting| keys.contains(&posting.key)));
    applied.sort_unstable();
    applied
}
