//! Roots of trees of single facet keys, which are searched where they cost less than the tree of their set.

use std::collections::HashSet;
use std::sync::Arc;

use super::Searcher;
use super::target::SearchTarget;
use crate::table::Consistency;
use crate::{OrgLog, StoredRoot, TreeKey};
use presence_domain::error::Error;

/// Tree of one facet key that is searched in place of its set's tree.
pub(super) struct FacetTree {
    pub(super) tree: TreeKey,
    /// Least edition of its root.
    pub(super) edition: u64,
    /// Log of its organisation.
    pub(super) log: Arc<OrgLog>,
}

impl Searcher {
    /// Reads the root of the facet tree that a search most likely chooses into the cache, if nothing of its set is cached. It is beside the
    /// log and the root of the set then, which prove it.
    pub async fn read_facet_root_ahead(&self, target: &SearchTarget) -> Result<(), Error> {
        let Some(tree) = target.facet_tree_ahead() else { return Ok(()) };
        let set_tree = TreeKey { facet_key: None, ..tree.clone() };
        if self.cache.root(&tree).is_none() && self.cache.root(&set_tree).is_none() {
            self.read_roots(&[tree], Consistency::Eventual).await?;
        }
        Ok(())
    }

    /// True if the roots of all facet trees that a search may choose are cached. They may be too old.
    pub(super) fn has_facet_roots(&self, target: &SearchTarget) -> bool {
        target.facet_tree_ahead().is_some_and(|tree| self.cache.root(&tree).is_some())
    }

    /// Returns the root of a facet tree, if it is cached and recent enough.
    pub(super) fn cached_facet_root(&self, facet_tree: &FacetTree) -> Option<StoredRoot> {
        self.cache.root(&facet_tree.tree).filter(|root| root.edition >= facet_tree.edition)
    }

    /// Returns the roots of facet trees: from the cache, else eventually read, else strongly read. The roots of their sets name
    /// the least edition of each.
    pub(super) async fn read_facet_roots(
        &self,
        facet_trees: &[FacetTree],
        distrusted: &HashSet<TreeKey>,
    ) -> Result<Vec<Option<StoredRoot>>, Error> {
        let is_distrusted = |facet_tree: &FacetTree| distrusted.contains(&facet_tree.tree);
        let cached = |facet_tree| self.cached_facet_root(facet_tree).filter(|_| !is_distrusted(facet_tree));
        let mut roots: Vec<Option<StoredRoot>> = facet_trees.iter().map(cached).collect();
        for consistency in [Consistency::Eventual, Consistency::Strong] {
            let is_unread = |position: &usize| {
                let is_late = consistency == Consistency::Eventual && is_distrusted(&facet_trees[*position]);
                roots[*position].is_none() && !is_late
            };
            let unread: Vec<usize> = (0..facet_trees.len()).filter(is_unread).collect();
            let trees: Vec<TreeKey> = unread.iter().map(|position| facet_trees[*position].tree.clone()).collect();
            for (tree, root) in self.read_roots(&trees, consistency).await? {
                let position = unread.iter().find(|position| facet_trees[**position].tree == tree);
                let Some(position) = position else { continue };
                // A root that is older than its set's root says is read again, strongly.
                let is_proven = consistency == Consistency::Strong || root.edition >= facet_trees[*position].edition;
                roots[*position] = Some(root).filter(|_| is_proven);
            }
        }
        Ok(roots)
    }
}
