//! Counts of trees: roots are completed from the log, and nodes are read that the counts need.

use crate::ReviewStore;
use crate::reviews::search::ledger_read::LedgerReadError;
use crate::reviews::search::log_view::LogView;
use crate::reviews::search::snapshot::OrgSnapshot;
use crate::reviews::search::target::OrgTarget;
use presence_domain::review::FacetCounts;
use presence_domain::review_stats::{MAX_GROUPS, TooManyGroupsError};
use presence_ledger::tree::{TreeRoot, decode_root};
use presence_ledger::{
    CalendarUnit, GroupNumber, NodeKind, OrgLog, PostingFilter, ReviewSet, StatsSearch, StoredRoot, TreeKey,
};

use super::attempt::StatsAttemptError;

/// Number of branches that are read at a time. They have some 25 KB each, so that 4 MB are in flight.
const BRANCHES_AT_A_TIME: usize = 160;
/// Number of leaves that are read at a time. They have up to 4 KB each, so that 4 MB are in flight. The borders of the most days that
/// are answered cut one leaf more than there are days, so that these are read at once.
const LEAVES_AT_A_TIME: usize = 1_024;

/// Number of nodes that may wait to be read before further trees are added: 1 MB of names and ranges.
const MAX_WAITING_NODES: usize = 10_000;

/// Counts of trees that are added one after the other.
#[derive(Debug)]
pub(super) struct TreeCounts {
    search: StatsSearch,
    /// Trees in the order in which they were added.
    trees: Vec<TreeKey>,
}

impl TreeCounts {
    /// Returns the counts of no tree.
    pub(super) fn new(filter: PostingFilter, unit: Option<CalendarUnit>) -> Self {
        Self { search: StatsSearch::new(filter, unit, MAX_GROUPS), trees: Vec::new() }
    }

    /// Adds the trees of an organisation, each in its group. A tree without a root and without changes is left out.
    pub(super) fn add_org(
        &mut self,
        org: &OrgTarget,
        snapshot: &OrgSnapshot,
        mut group_of: impl FnMut(&ReviewSet) -> GroupNumber,
    ) -> Result<(), LedgerReadError> {
        let view = LogView::new(&snapshot.log, org.trees.len());
        for (tree, stored) in org.trees.iter().zip(&snapshot.roots) {
            let root = stored.as_ref().map_or_else(|| Ok(TreeRoot::empty()), |root| decode(root, &snapshot.log))?;
            let delta = view.delta(tree, &root.position);
            if stored.is_some() || !delta.is_empty() {
                self.search.add_tree(group_of(&tree.set), &root, &delta);
                self.trees.push(tree.clone());
            }
        }
        Ok(())
    }

    /// True if so many nodes must be read that they are to be read before further trees are added.
    pub(super) fn is_full(&self) -> bool {
        self.search.needed_count() > MAX_WAITING_NODES
    }

    /// Checks that there may still be few enough groups.
    pub(super) fn check_groups(&mut self) -> Result<(), TooManyGroupsError> {
        if self.search.has_too_many_groups() { Err(TooManyGroupsError) } else { Ok(()) }
    }

    /// Returns the counts of each group that has a review. To be called when all nodes are read.
    pub(super) fn finish(self) -> Result<Vec<(GroupNumber, FacetCounts)>, StatsAttemptError> {
        let counts = self.search.finish().map_err(LedgerReadError::from)?.ok_or(TooManyGroupsError)?;
        Ok(counts.into_iter().collect())
    }
}

impl ReviewStore {
    /// Reads the nodes that the counts need: first all branches, then leaves.
    pub(super) async fn read_counts(&self, counts: &mut TreeCounts) -> Result<(), StatsAttemptError> {
        loop {
            counts.check_groups()?;
            let mut needed: Vec<_> = counts.search.needed_nodes().take(LEAVES_AT_A_TIME).collect();
            let Some(first) = needed.first() else { return Ok(()) };
            if first.kind == NodeKind::Branch {
                needed.truncate(BRANCHES_AT_A_TIME);
            }
            let mut missing = Vec::new();
            for node in needed {
                match self.cache.node(&counts.trees[node.tree], node.node) {
                    Some(bytes) => counts.search.insert_node(node, &bytes).map_err(LedgerReadError::from)?,
                    None => missing.push(node),
                }
            }
            let names: Vec<_> = missing.iter().map(|node| (&counts.trees[node.tree], node.node)).collect();
            let read = self.read_nodes_of_roots(&names).await?;
            for (node, bytes) in missing.into_iter().zip(read) {
                counts.search.insert_node(node, &bytes).map_err(LedgerReadError::from)?;
            }
            // Nodes that are all cached are counted without a wait. The deadline is checked here.
            tokio::task::yield_now().await;
        }
    }
}

/// Decodes a root. The log must include everything that the root contains: a root that was folded since is too new.
fn decode(root: &StoredRoot, log: &OrgLog) -> Result<TreeRoot, LedgerReadError> {
    let root = decode_root(&root.bytes)?;
    if log.end.covers(&root.position) { Ok(root) } else { Err(LedgerReadError::Overtaken) }
}
