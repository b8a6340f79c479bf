//! Fold of one review set: its facet trees first, if it has any, and then the tree of all its reviews.
//!
//! The root of the whole tree names the editions of the facet trees. So a reader who finds a new root never accepts an older
//! facet tree with it.

use super::facets::FACETS_IN_FLIGHT;
use super::nodes::StoredRoot;
use super::postings::{ALL_KEYS, decode_stored};
use super::touched_sets::SetChanges;
use crate::parallel::parallel;
use crate::table::Consistency;
use crate::tree::{EditedTree, TreeEdit, TreeRoot};
use crate::{LogPosition, ReviewSet, TreeDelta, TreeKey, Trees};
use presence_domain::error::Error;
use presence_domain::review::FacetKey;

/// Fold of one set in progress.
pub(super) struct SetFold<'a> {
    pub(super) store: &'a Trees,
    /// Tree of all reviews of the set.
    pub(super) tree: TreeKey,
    /// Every change of the set that its trees may lack.
    pub(super) changes: SetChanges<'a>,
    /// Position up to which the trees shall contain every change.
    pub(super) to: LogPosition,
}

/// Set whose trees contain every change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FoldedSet {
    /// Edition of the root.
    pub(super) edition: u64,
    /// True if this fold put the root.
    pub(super) is_written: bool,
    /// Number of changes that did not fit.
    pub(super) mismatches: usize,
}

impl SetFold<'_> {
    /// Folds the set. `stored` is its root by a strong read. Returns `None` if another fold was first.
    pub(super) async fn run(self, stored: Option<StoredRoot>) -> Result<Option<FoldedSet>, Error> {
        let root = decode_stored(stored.as_ref())?;
        let edition = root.edition;
        if root.position.covers(&self.to) {
            // An earlier fold was here, and then died.
            return Ok(Some(FoldedSet { edition, ..FoldedSet::default() }));
        }
        let delta = self.delta(&self.tree, &root.position);
        let mut folded = FoldedSet { edition: edition + 1, is_written: true, mismatches: 0 };
        let facet_editions = match &root.facet_editions {
            None => None,
            Some(named) => match self.fold_facets(named, &mut folded).await? {
                Some(editions) => Some(editions),
                None => return Ok(None),
            },
        };
        let Some(edited) = self.store.edit_tree(&self.tree, root, &delta, &self.to).await? else { return Ok(None) };
        folded.mismatches += edited.mismatches;
        let needs_facets = facet_editions.is_none() && self.has_facets(edited.total());
        let mut root = self.store.write_nodes(&self.tree, edited, folded.edition).await?;
        root.facet_editions = facet_editions;
        if needs_facets {
            root.facet_editions = self.create_facets(&root).await?;
        }
        let is_put = self.store.put_root(&self.tree, &root, stored.as_ref()).await?;
        Ok(is_put.then_some(folded))
    }

    /// True if the set has trees of single facet keys from now on.
    fn has_facets(&self, postings: i64) -> bool {
        postings >= self.store.fold_limits.facets_from && !matches!(self.tree.set, ReviewSet::Business(..))
    }

    /// Folds the facet trees that the changes touch. Returns the editions of all facet trees; `None` if another fold was first.
    async fn fold_facets(&self, named: &[u64], folded: &mut FoldedSet) -> Result<Option<Vec<u64>>, Error> {
        let mut editions = named.to_vec();
        let touched = self.changes.facet_keys();
        let trees: Vec<TreeKey> = touched.into_iter().map(|facet_key| self.facet_tree(facet_key)).collect();
        let roots = self.store.get_roots(&trees, Consistency::Strong).await?;
        let folds = trees.iter().zip(roots).map(|(tree, root)| self.fold_facet(tree, root));
        for (tree, outcome) in trees.iter().zip(parallel(FACETS_IN_FLIGHT, folds).await?) {
            let Some(facet) = outcome else { return Ok(None) };
            let edition = tree.facet_key.and_then(|facet_key| editions.get_mut(usize::from(facet_key.number())));
            let edition = edition.ok_or_else(|| Error::internal("a root names too few facet trees"))?;
            if facet.edition < *edition {
                return Err(Error::internal("a facet tree is older than the root that names it"));
            }
            *edition = facet.edition;
            folded.mismatches += facet.mismatches;
        }
        Ok(Some(editions))
    }

    async fn fold_facet(&self, tree: &TreeKey, stored: Option<StoredRoot>) -> Result<Option<FoldedSet>, Error> {
        let root = decode_stored(stored.as_ref())?;
        let edition = root.edition;
        if root.position.covers(&self.to) {
            return Ok(Some(FoldedSet { edition, ..FoldedSet::default() }));
        }
        let delta = self.delta(tree, &root.position);
        let Some(edited) = self.store.edit_tree(tree, root, &delta, &self.to).await? else { return Ok(None) };
        let folded = FoldedSet { edition: edition + 1, is_written: true, mismatches: edited.mismatches };
        let root = self.store.write_nodes(tree, edited, folded.edition).await?;
        let is_put = self.store.put_root(tree, &root, stored.as_ref()).await?;
        Ok(is_put.then_some(folded))
    }

    /// Builds all facet trees from the postings of the set. Returns their editions; `None` if they cannot be built now. A later fold
    /// builds them then.
    async fn create_facets(&self, root: &TreeRoot) -> Result<Option<Vec<u64>>, Error> {
        let Some(postings) = self.store.postings_of_root(&self.tree, root, &ALL_KEYS).await? else { return Ok(None) };
        self.store.build_facets(&self.tree.set, postings, &root.position, &[]).await
    }

    /// Returns the changes of a tree behind a position.
    ///
    /// A tree without a difference is written too, for its position. Otherwise a search, or a fold with older knowledge, could still bring
    /// in a change that a later one takes back. The later one is no more in the log.
    fn delta(&self, tree: &TreeKey, from: &LogPosition) -> TreeDelta {
        TreeDelta::between(tree, self.changes.entries.iter().copied(), from, &self.to)
    }

    fn facet_tree(&self, facet_key: FacetKey) -> TreeKey {
        TreeKey { set: self.tree.set.clone(), facet_key: Some(facet_key) }
    }
}

impl Trees {
    /// Applies changes to a tree, and reads the nodes for it. Returns `None` if a node is no more: another fold put a newer root.
    pub(super) async fn edit_tree(
        &self,
        tree: &TreeKey,
        root: TreeRoot,
        delta: &TreeDelta,
        target: &LogPosition,
    ) -> Result<Option<EditedTree>, Error> {
        let limits = self.limits_of(tree, delta.total_after(&root));
        let mut edit = TreeEdit::new(root, delta, *target, limits);
        loop {
            let missing = edit.missing_nodes();
            if missing.is_empty() {
                return edit.finish().map(Some).map_err(Error::internal);
            }
            let Some(nodes) = self.get_all_nodes(tree, &missing).await? else { return Ok(None) };
            for (name, bytes) in missing.into_iter().zip(nodes) {
                edit.insert_node(name, &bytes).map_err(Error::internal)?;
            }
        }
    }
}
