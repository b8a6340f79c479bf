//! Build of all trees of an organisation, for the rebuild.

use std::collections::BTreeSet;

use super::directory::RootEditions;
use super::org_postings::{Level, OrgPostings, SetPostings};
use super::postings::decode_stored;
use crate::parallel::parallel;
use crate::table::Consistency;
use crate::tree::build_tree;
use crate::{Directory, LogPosition, ReviewSet, TreeKey, Trees};
use presence_domain::error::Error;

/// Number of businesses whose trees are built at a time. Organisations and cities are built one by one: they may be large.
const BUSINESSES_IN_FLIGHT: u16 = 16;

/// Result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuiltTrees {
    /// Number of trees that were put, without facet trees.
    pub trees: usize,
    /// Sets whose trees contain later changes, or changed meanwhile. They stay as they are.
    pub lost: Vec<ReviewSet>,
    /// Directory that names the trees.
    pub directory: Directory,
}

impl Trees {
    /// Puts trees of these postings in the place of the stored ones, and names them in the directory. The postings are those of
    /// the whole organisation at the position of the log. Takes only the given sets, if any are given. A tree that contains a
    /// later change stays.
    ///
    /// The directory keeps its position, so that the log keeps every change that a tree may lack. That is a change of a set that has no
    /// postings, or of one in [`BuiltTrees::lost`].
    pub async fn build_org(
        &self,
        mut postings: OrgPostings,
        position: &LogPosition,
        only: Option<&BTreeSet<ReviewSet>>,
    ) -> Result<BuiltTrees, Error> {
        let org_edition = self.logs.query_log(postings.org_id()).await?.directory.org_edition;
        let (mut editions, mut lost) = (RootEditions::new(), Vec::new());
        for level in Level::ALL {
            postings.sort_for(level);
            let in_flight = if level == Level::Business { BUSINESSES_IN_FLIGHT } else { 1 };
            let is_wanted = |number: &usize| only.is_none_or(|only| only.contains(&postings.set_name(level, *number)));
            let numbers: Vec<usize> = (0..postings.sets_of(level)).filter(is_wanted).collect();
            for numbers in numbers.chunks(usize::from(in_flight)) {
                let of_number = |number: &usize| TreeKey { set: postings.set_name(level, *number), facet_key: None };
                let trees: Vec<TreeKey> = numbers.iter().map(of_number).collect();
                let named = self.named_editions(postings.org_id(), &trees, org_edition).await?;
                let builds = numbers.iter().zip(&trees).map(|(number, tree)| {
                    let named = named.get(tree).copied().unwrap_or_default();
                    self.build_set(postings.set_postings(level, *number), position, named)
                });
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
    async fn build_set(
        &self,
        own: SetPostings,
        position: &LogPosition,
        named: u64,
    ) -> Result<(ReviewSet, Option<u64>), Error> {
        let has_facets = own.has_facets(self.fold_limits.facets_from);
        let SetPostings { set, postings } = own;
        let tree = TreeKey { set, facet_key: None };
        let stored = self.get_root(&tree, Consistency::Strong).await?;
        let Some(edition) = self.replacing_edition(&tree, stored.as_ref(), position, named).await? else {
            return Ok((tree.set, None));
        };
        let old_facets = decode_stored(stored.as_ref()).ok().and_then(|root| root.facet_editions);
        let facet_editions = if has_facets || old_facets.is_some() {
            let named = old_facets.unwrap_or_default();
            match self.build_facets(&tree.set, postings.clone(), position, &named).await? {
                Some(editions) => Some(editions),
                None => return Ok((tree.set, None)),
            }
        } else {
            None
        };
        let limits = self.limits_of(&tree, i64::try_from(postings.len()).unwrap_or(i64::MAX));
        let mut root = self.write_nodes(&tree, build_tree(postings, *position, limits), edition).await?;
        root.facet_editions = facet_editions;
        let is_put = self.put_root(&tree, &root, stored.as_ref()).await?;
        Ok((tree.set, is_put.then_some(root.edition)))
    }
}
