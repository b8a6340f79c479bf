//! Trees of single facet keys, built from all postings of a set.

use super::nodes::StoredRoot;
use super::org_postings::split_by_facet;
use super::postings::decode_stored;
use crate::parallel::parallel;
use crate::table::Consistency;
use crate::tree::build_tree;
use crate::{LogPosition, Posting, ReviewSet, TreeKey, Trees};
use presence_domain::error::Error;
use presence_domain::review::FacetKey;

/// Number of facet trees of one set that are written at a time.
pub(super) const FACETS_IN_FLIGHT: u16 = 8;

/// Maximum number of editions by which a root is ahead of the one that is named: sweeps, and folds that died before they named
/// theirs. The next fold names them.
const UNNAMED_EDITIONS: u64 = 1_000;

/// Returns the trees of every facet key of a set, in the order of their numbers.
pub fn facet_trees(set: &ReviewSet) -> Vec<TreeKey> {
    let keys = (0..).map_while(FacetKey::from_number);
    keys.map(|facet_key| TreeKey { set: set.clone(), facet_key: Some(facet_key) }).collect()
}

impl Trees {
    /// Builds all facet trees of a set from its postings. Returns their editions; `None` if they cannot be built now, because a
    /// fold is under way. `named` are the editions that the root of the set names, if any.
    ///
    /// Roots of an earlier fold that died may exist. They are not continued: nothing kept them complete. Their put is conditional,
    /// and never goes back in position: a fold whose root names one of them already stays right.
    pub(super) async fn build_facets(
        &self,
        set: &ReviewSet,
        postings: Vec<Posting>,
        position: &LogPosition,
        named: &[u64],
    ) -> Result<Option<Vec<u64>>, Error> {
        let trees = facet_trees(set);
        let named = named.iter().copied().chain(std::iter::repeat(0));
        let builds = trees.iter().zip(split_by_facet(postings)).zip(named);
        let builds = builds.map(|((tree, postings), named)| self.replace_tree(tree, postings, position, named));
        Ok(parallel(FACETS_IN_FLIGHT, builds).await?.into_iter().collect())
    }

    /// Puts a new tree in the place of a stored one, without facet trees. Returns its edition; `None` if the stored tree contains
    /// later changes, or another writer was first.
    async fn replace_tree(
        &self,
        tree: &TreeKey,
        postings: Vec<Posting>,
        position: &LogPosition,
        named: u64,
    ) -> Result<Option<u64>, Error> {
        let stored = self.get_root(tree, Consistency::Strong).await?;
        let Some(edition) = self.replacing_edition(tree, stored.as_ref(), position, named).await? else {
            return Ok(None);
        };
        let limits = self.limits_of(tree, i64::try_from(postings.len()).unwrap_or(i64::MAX));
        let built = build_tree(postings, *position, limits);
        let root = self.write_nodes(tree, built, edition).await?;
        let is_put = self.put_root(tree, &root, stored.as_ref()).await?;
        Ok(is_put.then_some(edition))
    }

    /// Returns the edition of a new root in the place of a stored one: above it, and above the edition that the directory or the
    /// root of the set names. `None` if the stored tree contains changes behind the position: the log may not have them any more.
    ///
    /// A root that cannot be read is replaced. So is one with changes that the present log does not reach: its log was lost.
    pub(super) async fn replacing_edition(
        &self,
        tree: &TreeKey,
        stored: Option<&StoredRoot>,
        position: &LogPosition,
        named: u64,
    ) -> Result<Option<u64>, Error> {
        // A root that was lost may have had a higher edition than the one that is named, and searches may have it in their cache.
        let stored_edition = stored.map_or(0, |stored| stored.edition);
        let edition = if stored_edition < named { named + UNNAMED_EDITIONS } else { stored_edition } + 1;
        match decode_stored(stored) {
            Ok(root) if !position.covers(&root.position) => {
                let log = self.logs.query_log(tree.set.org_id()).await?;
                Ok((!log.end.covers(&root.position)).then_some(edition))
            }
            _ => Ok(Some(edition)),
        }
    }
}
