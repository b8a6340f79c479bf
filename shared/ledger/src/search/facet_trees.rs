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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::facet_key;
    use crate::table::Consistency::{Eventual, Strong};
    use crate::table::{NewValue, ValueName};
    use crate::trees::tests::memory_table::{MemoryTable, at_once};
    use crate::{PostingFilter, ReviewSet};
    use presence_domain::ids::OrgId;
    use presence_domain::page::PageRequest;
    use presence_domain::review::{FacetKey, FacetMask};

    /// Returns the tree of an organisation, or of one of its facet keys.
    fn tree(facet_key: Option<FacetKey>) -> TreeKey {
        TreeKey { set: ReviewSet::Org(OrgId::new(1).expect("an id")), facet_key }
    }

    fn store_root(table: &MemoryTable, tree: &TreeKey, edition: u64) {
        table.store(ValueName::Root(tree), NewValue { number: edition, bytes: Vec::new(), oldest: None });
    }

    #[test]
    fn the_root_of_a_facet_tree_is_read_ahead_if_no_root_of_its_set_is_cached() {
        let (set_tree, facet_tree) = (tree(None), tree(Some(facet_key())));
        let filter = PostingFilter { mask: FacetMask::from_iter([facet_key()]), from: Some(86_400), to: None };
        let target = SearchTarget::new([set_tree.set.clone()], filter, true, PageRequest::default());
        for (cached, reads) in [(None, 1), (Some(&set_tree), 0), (Some(&facet_tree), 0)] {
            let table = MemoryTable::default();
            let searcher = Searcher::new(Arc::new(table.clone()));
            store_root(&table, &set_tree, 1);
            store_root(&table, &facet_tree, 1);
            let cached: Vec<TreeKey> = cached.into_iter().cloned().collect();
            at_once(searcher.read_roots(&cached, Eventual)).expect("roots");
            table.take_reads();
            at_once(searcher.read_facet_root_ahead(&target)).expect("a root");
            assert_eq!(table.take_reads(), vec![(Eventual, 1); reads], "cached: {cached:?}");
        }
    }

    #[test]
    fn the_root_of_a_facet_tree_is_read_strongly_only_if_the_cache_and_an_eventual_read_do_not_prove_it() {
        for (cached, least, is_distrusted, reads, found) in [
            (None, 4, false, vec![Eventual], 4),
            (Some(4), 4, false, vec![], 4),
            (Some(3), 3, false, vec![], 3),
            (Some(3), 4, false, vec![Eventual], 4),
            (None, 5, false, vec![Eventual, Strong], 4),
            (None, 4, true, vec![Strong], 4),
            (Some(4), 4, true, vec![Strong], 4),
        ] {
            let (table, tree) = (MemoryTable::default(), tree(Some(facet_key())));
            let searcher = Searcher::new(Arc::new(table.clone()));
            if let Some(edition) = cached {
                store_root(&table, &tree, edition);
                at_once(searcher.read_roots(std::slice::from_ref(&tree), Eventual)).expect("a root");
            }
            store_root(&table, &tree, 4);
            table.take_reads();
            let distrusted: HashSet<TreeKey> = is_distrusted.then(|| tree.clone()).into_iter().collect();
            let facet_tree = FacetTree { tree, edition: least, log: Arc::default() };
            let roots = at_once(searcher.read_facet_roots(&[facet_tree], &distrusted)).expect("roots");
            let editions: Vec<_> = roots.iter().flatten().map(|root| root.edition).collect();
            let made: Vec<_> = table.take_reads().into_iter().map(|(consistency, _)| consistency).collect();
            let case = format!("cached: {cached:?}, least: {least}, distrusted: {is_distrusted}");
            assert_eq!((editions, made), (vec![found], reads), "{case}");
        }
    }
}
