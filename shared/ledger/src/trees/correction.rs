//! Corrections of single trees that differ from the reviews: puts of their roots on the condition that nobody was first.

use super::nodes::StoredRoot;
use super::postings::decode_stored;
use crate::table::Consistency;
use crate::tree::{OldestPostings, TreeRoot};
use crate::{ReviewSet, TreeDelta, TreeKey, Trees};
use presence_domain::error::Error;
use presence_domain::review::FacetKey;

/// Correction of one tree.
#[derive(Debug)]
pub struct TreeCorrection {
    /// Tree to correct.
    pub tree: TreeKey,
    /// Root that was compared; `None` if the tree was never written.
    pub stored: Option<StoredRoot>,
    /// Postings of the stored root and its nodes to remove and to add.
    pub change: TreeDelta,
}

impl Trees {
    /// Corrects a tree. Returns the edition of its new root; `None` if another root was put meanwhile.
    ///
    /// The position of the root stays: what the log adds to the tree from there on is the same as before. A root that moved on
    /// alone would hide changes from the next fold, which brings them into the facet trees too.
    pub async fn correct_tree(&self, correction: &TreeCorrection) -> Result<Option<u64>, Error> {
        let TreeCorrection { tree, stored, change } = correction;
        let root = decode_stored(stored.as_ref())?;
        let (position, edition) = (root.position, root.edition + 1);
        // The copies of the oldest postings may be wrong, too. Without them, the edit collects new ones from the leaves.
        let root = TreeRoot { oldest: OldestPostings::NONE, ..root };
        let Some(edited) = self.edit_tree(tree, root, change, &position).await? else { return Ok(None) };
        let root = self.write_nodes(tree, edited, edition).await?;
        let is_put = self.put_root(tree, &root, stored.as_ref()).await?;
        Ok(is_put.then_some(edition))
    }

    /// Names higher editions of facet trees in the root of their set. Returns the edition of the new root.
    ///
    /// Without it a search may take an older root of a facet tree for the present one.
    pub async fn name_facet_editions(
        &self,
        set: &ReviewSet,
        editions: &[(FacetKey, u64)],
    ) -> Result<Option<u64>, Error> {
        let tree = TreeKey { set: set.clone(), facet_key: None };
        let mut pauses = self.table.pauses();
        loop {
            let stored = self.get_root(&tree, Consistency::Strong).await?;
            let Some(root) = with_facet_editions(decode_stored(stored.as_ref())?, editions) else { return Ok(None) };
            if self.put_root(&tree, &root, stored.as_ref()).await? {
                return Ok(Some(root.edition));
            }
            if !pauses.pause_after_progress().await {
                return Err(Error::Unavailable("the root of a tree kept changing while it was written".into()));
            }
        }
    }
}

/// Returns the next edition of a root, which names at least these editions of facet trees; `None` if it names none.
fn with_facet_editions(root: TreeRoot, editions: &[(FacetKey, u64)]) -> Option<TreeRoot> {
    let mut facet_editions = root.facet_editions?;
    for (facet_key, edition) in editions {
        if let Some(named) = facet_editions.get_mut(usize::from(facet_key.number())) {
            *named = (*named).max(*edition);
        }
    }
    Some(TreeRoot { edition: root.edition + 1, facet_editions: Some(facet_editions), ..root })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_edition_of_a_root_names_the_higher_editions_of_facet_trees() {
        let root =
            |edition, named: &[u64]| TreeRoot { edition, facet_editions: Some(named.to_vec()), ..TreeRoot::empty() };
        let editions =
            [(0, 4), (1, 9), (7, 5)].map(|(key, edition)| (FacetKey::from_number(key).expect("a key"), edition));
        assert_eq!(with_facet_editions(root(12, &[6, 6, 6]), &editions), Some(root(13, &[6, 9, 6])));
        assert_eq!(with_facet_editions(TreeRoot::empty(), &editions), None);
    }
}
