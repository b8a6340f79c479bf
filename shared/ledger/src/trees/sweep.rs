//! Sweep of a review set: deletes the nodes that no root names, left by folds that died and by lists of free nodes that were full.

use std::collections::HashSet;

use super::nodes::StoredRoot;
use super::postings::decode_stored;
use crate::parallel::parallel;
use crate::table::Consistency;
use crate::tree::{NodeRef, PeriodNodes, TreeRoot, decode_branch};
use crate::{ReviewSet, TreeKey, Trees};
use presence_domain::error::Error;

/// Number of nodes that are deleted at a time.
const DELETES_IN_FLIGHT: u16 = 16;
/// Number of branches that are read at a time.
const BRANCHES_AT_A_TIME: usize = 100;

/// Nodes of a tree that its root does not name.
struct Orphans {
    stored: StoredRoot,
    root: TreeRoot,
    nodes: Vec<NodeRef>,
}

impl Trees {
    /// Returns the number of nodes of the trees of a set that no root names. Some may be of a fold under way.
    ///
    /// Reads every node of the set: it is for operators.
    pub async fn count_orphans(&self, set: &ReviewSet) -> Result<usize, Error> {
        let mut count = 0;
        for (facet_key, listed) in self.table.list_nodes(set).await? {
            let orphans = self.find_orphans(&TreeKey { set: set.clone(), facet_key }, listed).await?;
            count += orphans.map_or(0, |orphans| orphans.nodes.len());
        }
        Ok(count)
    }

    /// Deletes the nodes of the trees of a set that no root names. Returns their number. Folds and searches may go on.
    ///
    /// Reads every node of the set: it is for operators.
    pub async fn sweep_set(&self, set: &ReviewSet) -> Result<usize, Error> {
        let mut deleted = 0;
        for (facet_key, listed) in self.table.list_nodes(set).await? {
            deleted += self.sweep_tree(&TreeKey { set: set.clone(), facet_key }, listed).await?;
        }
        Ok(deleted)
    }

    /// Deletes those of the listed nodes of a tree that its root does not name.
    ///
    /// A fold that is under way has written nodes that no root names yet. So the root is put again first, in a new edition. A fold that
    /// read the earlier one then fails, and one that reads the new one writes nodes that are not listed.
    async fn sweep_tree(&self, tree: &TreeKey, listed: Vec<NodeRef>) -> Result<usize, Error> {
        let Some(Orphans { stored, root, nodes }) = self.find_orphans(tree, listed).await? else { return Ok(0) };
        let next = TreeRoot { edition: root.edition + 1, ..root };
        if nodes.is_empty() || !self.put_root(tree, &next, Some(&stored)).await? {
            return Ok(0);
        }
        // The condition spares a slot that was written again since it was listed.
        let deletes = nodes.into_iter().map(|node| self.table.delete_node(tree, node));
        let outcomes = parallel(DELETES_IN_FLIGHT, deletes).await?;
        Ok(outcomes.into_iter().filter(|is_deleted| *is_deleted).count())
    }

    /// Returns those of the listed nodes of a tree that its root does not name. The nodes must be listed before.
    ///
    /// `None` if a newer root was put meanwhile, and for a tree without a root: nothing would make a fold fail that is about to
    /// put it.
    async fn find_orphans(&self, tree: &TreeKey, listed: Vec<NodeRef>) -> Result<Option<Orphans>, Error> {
        let Some(stored) = self.get_root(tree, Consistency::Strong).await? else { return Ok(None) };
        let root = decode_stored(Some(&stored))?;
        let Some(named) = self.names_of(tree, &root).await? else { return Ok(None) };
        let nodes = listed.into_iter().filter(|node| !named.contains(&node.slot)).collect();
        Ok(Some(Orphans { stored, root, nodes }))
    }

    /// Returns the slots of the nodes that a root names, also as free. `None` if a branch is no more: a newer root was put.
    async fn names_of(&self, tree: &TreeKey, root: &TreeRoot) -> Result<Option<HashSet<u32>>, Error> {
        let mut slots: HashSet<u32> = root.free.iter().map(|node| node.slot).collect();
        for period in &root.periods {
            match &period.nodes {
                PeriodNodes::Leaves(leaves) => slots.extend(leaves.iter().map(|(_, node)| node.slot)),
                PeriodNodes::Branches(branches) => {
                    let names: Vec<NodeRef> = branches.iter().map(|branch| branch.node).collect();
                    slots.extend(names.iter().map(|node| node.slot));
                    for names in names.chunks(BRANCHES_AT_A_TIME) {
                        let Some(nodes) = self.get_all_nodes(tree, names).await? else { return Ok(None) };
                        for bytes in nodes {
                            let entries = decode_branch(&bytes).map_err(Error::internal)?;
                            slots.extend(entries.iter().map(|entry| entry.node.slot));
                        }
                    }
                }
            }
        }
        Ok(Some(slots))
    }
}
