//! Build of all trees of an organisation, for the migration and the rebuild.

use super::directory::RootEditions;
use super::org_postings::{Level, OrgPostings, SetPostings};
use super::postings::decode_stored;
use crate::ReviewStore;
use crate::client::parallel::parallel;
use crate::client::read::Consistency;
use presence_domain::error::Error;
use presence_domain::ledger::tree::{TreeLimits, build_tree};
use presence_domain::ledger::{Directory, LogPosition, ReviewSet, TreeKey};

/// Number of businesses whose trees are built at a time. Organisations and cities are built one by one: they may be large.
const BUSINESSES_IN_FLIGHT: u16 = 16;

/// Result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BuiltTrees {
    /// Number of trees that were put, without facet trees.
    pub(crate) trees: usize,
    /// Sets whose trees contain later changes, or changed meanwhile. They stay as they are.
    pub(crate) lost: Vec<ReviewSet>,
    /// Directory that names the trees.
    pub(crate) directory: Directory,
}

impl ReviewStore {
    /// Puts trees of these postings in the place of the stored ones, and names them in the directory. The postings are those at
    /// the position of the log. A tree that contains a later change stays.
    ///
    /// The directory keeps its position, so that the log keeps every change that a tree may lack: one of a set that has no
    /// postings, or of a set in [`BuiltTrees::lost`].
    pub(crate) async fn build_org(
        &self,
        mut postings: OrgPostings,
        position: &LogPosition,
    ) -> Result<BuiltTrees, Error> {
        let (mut editions, mut lost) = (RootEditions::new(), Vec::new());
        for level in Level::ALL {
            postings.sort_for(level);
            let in_flight = if level == Level::Business { BUSINESSES_IN_FLIGHT } else { 1 };
            let numbers: Vec<usize> = (0..postings.sets_of(level)).collect();
            for numbers in numbers.chunks(usize::from(in_flight)) {
                let builds =
                    numbers.iter().map(|number| self.build_set(postings.set_postings(level, *number), position));
                for (set, edition) in parallel(in_flight, builds).await? {
                    match edition {
                        Some(edition) => drop(editions.insert(TreeKey { set, facet_key: None }, edition)),
                        None => lost.push(set),
                    }
                }
            }
        }
        let directory = self.raise_directory(postings.org_id(), &editions, &LogPosition::default()).await?;
        Ok(BuiltTrees { trees: editions.len(), lost, directory })
    }

    /// Builds the trees of one set. Returns the edition of its root; `None` if the stored tree contains later changes, or changed.
    async fn build_set(&self, own: SetPostings, position: &LogPosition) -> Result<(ReviewSet, Option<u64>), Error> {
        let has_facets = own.has_facets(self.fold_limits.facets_from);
        let SetPostings { set, postings } = own;
        let tree = TreeKey { set, facet_key: None };
        let stored = self.get_root(&tree, Consistency::Strong).await?;
        let old = decode_stored(stored.as_ref())?;
        if !position.covers(&old.position) {
            return Ok((tree.set, None));
        }
        let facet_editions = if has_facets || old.facet_editions.is_some() {
            match self.build_facets(&tree.set, postings.clone(), position).await? {
                Some(editions) => Some(editions),
                None => return Ok((tree.set, None)),
            }
        } else {
            None
        };
        let limits = TreeLimits::of(&tree, i64::try_from(postings.len()).unwrap_or(i64::MAX));
        let mut root = self.write_nodes(&tree, build_tree(postings, *position, limits), old.edition + 1).await?;
        root.facet_editions = facet_editions;
        let is_put = self.put_root(&tree, &root, stored.as_ref()).await?;
        Ok((tree.set, is_put.then_some(root.edition)))
    }
}
