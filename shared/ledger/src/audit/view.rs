//! Trees of an organisation as they are at one position of its log, in a range of keys.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::Auditor;
use super::tree_scan::TreeScan;
use crate::table::Consistency;
use crate::tree::{NodeRef, OldestPostings, TreeRoot, decode_root};
use crate::{OrgLog, Posting, PostingKey, ReviewSet, StoredRoot, TreeDelta, TreeKey};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::FacetKey;

/// Maximum number of trees that are in memory at a time.
pub(super) const TREES_AT_ONCE: usize = 200;
/// Maximum number of nodes that are in memory at a time: some 2 MB.
const NODES_AT_ONCE: usize = 500;
/// Maximum number of times that trees are read again because a fold replaced their roots meanwhile.
const MAX_READS: usize = 5;

/// Tree at a position of the log, in a range of keys.
#[derive(Debug)]
pub struct TreeView {
    /// The tree.
    pub tree: TreeKey,
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
    pub faults: Vec<String>,
    /// True if the copies that the root has of its oldest postings are not those of the leaves. Any edit of the tree can renew them.
    pub has_wrong_copies: bool,
}

impl TreeView {
    /// Returns the facet trees that the root of the set names.
    pub(super) fn facet_trees(&self) -> Vec<TreeKey> {
        facet_trees_of(&self.tree.set, &self.root).map(|(tree, _)| tree).collect()
    }
}

/// Returns the facet trees that the root of a set names, each with its edition.
fn facet_trees_of(set: &ReviewSet, root: &TreeRoot) -> impl Iterator<Item = (TreeKey, u64)> {
    let facet_keys = (0..).map_while(FacetKey::from_number);
    let named = facet_keys.zip(root.facet_editions.iter().flatten());
    named.map(|(facet_key, edition)| (TreeKey { set: set.clone(), facet_key: Some(facet_key) }, *edition))
}

/// Root that was read, and what is wrong with it.
struct ReadRoot {
    stored: Option<StoredRoot>,
    root: TreeRoot,
    faults: Vec<String>,
}

impl ReadRoot {
    /// Reads a root. `named` is the edition that the directory or the root of its set names.
    fn of(stored: Option<StoredRoot>, named: Option<u64>) -> Self {
        let mut faults = Vec::new();
        let edition = stored.as_ref().map_or(0, |stored| stored.edition);
        if let Some(named) = named.filter(|named| edition < *named) {
            faults.push(format!("the root has edition {edition}, and edition {named} is named"));
        }
        let root = match stored.as_ref().map(|stored| (stored.edition, decode_root(&stored.bytes))) {
            None => TreeRoot::empty(),
            Some((edition, Ok(root))) if root.edition == edition => {
                TreeRoot { oldest: stored.as_ref().map_or(OldestPostings::NONE, StoredRoot::oldest), ..root }
            }
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

impl Auditor<'_> {
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
            let log = self.logs.query_log(org_id).await?;
            // Before the roots: they are put before somebody names them.
            let named = self.editions_named_for(org_id, trees, log.directory.org_edition).await?;
            let roots = self.trees.get_roots(trees, Consistency::Strong).await?;
            let roots = trees.iter().zip(roots).map(|(tree, root)| ReadRoot::of(root, named.get(tree).copied()));
            let roots: Vec<ReadRoot> = roots.collect();
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

    /// Returns the editions that the directory names for trees of sets, and the roots of sets for facet trees.
    async fn editions_named_for(
        &self,
        org_id: OrgId,
        trees: &[TreeKey],
        org_edition: u64,
    ) -> Result<HashMap<TreeKey, u64>, Error> {
        let (of_facets, of_sets): (Vec<&TreeKey>, _) = trees.iter().partition(|tree| tree.facet_key.is_some());
        let mut named = self.trees.named_editions(org_id, of_sets, org_edition).await?;
        let sets: BTreeSet<&ReviewSet> = of_facets.iter().map(|tree| &tree.set).collect();
        let parents: Vec<TreeKey> = sets.into_iter().map(|set| TreeKey { set: set.clone(), facet_key: None }).collect();
        for (parent, root) in parents.iter().zip(self.trees.get_roots(&parents, Consistency::Strong).await?) {
            // A root that cannot be read is a fault of its own tree.
            let root = root.and_then(|root| decode_root(&root.bytes).ok());
            named.extend(root.iter().flat_map(|root| facet_trees_of(&parent.set, root)));
        }
        Ok(named)
    }

    /// True if a root is not the one that was read any more.
    async fn were_replaced(&self, trees: &[TreeKey], roots: &[ReadRoot]) -> Result<bool, Error> {
        let now = self.trees.get_roots(trees, Consistency::Strong).await?;
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
            let delta = TreeDelta::between(tree, &log.entries, &root.position, &log.end);
            let mut faults: Vec<String> = faults.iter().cloned().chain(scanned.faults).collect();
            if !log.end.covers(&root.position) {
                faults.push("the root contains changes that the log lacks".to_owned());
            }
            let current = applied(&scanned.postings, &delta, keys);
            let (tree, stored_root, root) = (tree.clone(), stored_root.clone(), root.clone());
            let (stored, has_wrong_copies) = (scanned.postings, scanned.has_wrong_copies);
            views.push(TreeView { tree, stored_root, root, delta, stored, current, faults, has_wrong_copies });
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
            nodes.extend(self.trees.get_nodes(chunk).await?);
        }
        let mut nodes = nodes.into_iter();
        for (scan, count) in scans.iter_mut().zip(counts) {
            scan.insert(nodes.by_ref().take(count).collect::<Vec<_>>());
        }
        Ok(())
    }
}

/// Returns the postings of a range after a difference, ascending, as a fold would make them.
fn applied(postings: &[Posting], delta: &TreeDelta, keys: &Range<PostingKey>) -> Vec<Posting> {
    let removed: HashSet<PostingKey> = delta.removed.values().map(|posting| posting.key).collect();
    let added: HashSet<PostingKey> = delta.added.iter().map(|posting| posting.key).collect();
    let stays = |posting: &&Posting| !removed.contains(&posting.key) && !added.contains(&posting.key);
    let mut applied: Vec<Posting> = postings.iter().filter(stays).copied().collect();
    applied.extend(delta.added.iter().filter(|posting| keys.contains(&posting.key)));
    applied.sort_unstable();
    applied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReviewNumber;
    use crate::tree::{encode_oldest, encode_root};

    #[test]
    fn a_root_is_faulty_if_a_later_one_is_named_or_it_cannot_be_read() {
        let end = PostingKey { effective_at: 1, id: ReviewNumber::new(1) };
        let oldest = OldestPostings { end, postings: Vec::new() };
        let bytes = encode_root(&TreeRoot { edition: 7, ..TreeRoot::empty() });
        let stored = |edition, bytes: &[u8]| {
            let oldest = encode_oldest(&oldest).map(Into::into);
            Some(StoredRoot { edition, bytes: bytes.into(), oldest })
        };
        for (stored, named, edition, is_read, faults) in [
            (None, None, 0, false, vec![]),
            (None, Some(1), 0, false, vec!["the root has edition 0, and edition 1 is named"]),
            (stored(7, &bytes), Some(7), 7, true, vec![]),
            (stored(7, &bytes), Some(8), 7, true, vec!["the root has edition 7, and edition 8 is named"]),
            (stored(8, &bytes), Some(8), 8, false, vec!["the root: names another edition"]),
            (stored(7, &[]), None, 7, false, vec!["the root: stored bytes of the ledger cannot be read: no bytes"]),
        ] {
            let read = ReadRoot::of(stored, named);
            assert_eq!((read.root.edition, &read.faults), (edition, &faults.into_iter().map(str::to_owned).collect()));
            assert_eq!(read.root.oldest, if is_read { oldest.clone() } else { OldestPostings::NONE });
        }
    }
}
