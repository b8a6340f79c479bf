//! Correction of trees that differ from the reviews.
//!
//! Wrong postings are replaced in the tree itself, under the condition of its root. The log may have them right, and trees that are right
//! would count another change there twice. A set with a tree that contradicts itself is rebuilt from its reviews.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Auditor;
use super::confirm::WrongTree;
use super::differences::Difference;
use super::view::TreeView;
use crate::{
    LogPosition, Posting, PostingKey, ReviewNumber, ReviewSet, RootEditions, TreeCorrection, TreeDelta, TreeKey,
};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Number of wrong postings of a tree from which its set is rebuilt.
const MANY: usize = 5_000;

/// Correction of the wrong postings of a tree, as far as its stored nodes have them.
struct PostingChange {
    change: TreeDelta,
    /// True if nothing else is wrong.
    is_complete: bool,
}

impl Auditor<'_> {
    /// Corrects trees of an organisation. Returns how many of them are right now.
    ///
    /// A set with a damaged tree is rebuilt, if the organisation has at most `max_reviews`. A tree that changes meanwhile stays
    /// wrong.
    pub async fn mend_trees(&self, org_id: OrgId, wrong: &[WrongTree], max_reviews: usize) -> Result<usize, Error> {
        let damaged = wrong.iter().filter(|wrong| wrong.is_damaged()).map(|wrong| &wrong.view.tree.set);
        let damaged: BTreeSet<ReviewSet> = damaged.cloned().collect();
        let mut mended = 0;
        if !damaged.is_empty() {
            let built = self.rebuild_sets(org_id, &damaged, max_reviews).await?;
            mended += wrong.iter().filter(|wrong| built.contains(&wrong.view.tree.set)).count();
        }
        let mut by_set: BTreeMap<&ReviewSet, Vec<&WrongTree>> = BTreeMap::new();
        for wrong in wrong.iter().filter(|wrong| !damaged.contains(&wrong.view.tree.set)) {
            by_set.entry(&wrong.view.tree.set).or_default().push(wrong);
        }
        let mut editions = RootEditions::new();
        for (set, trees) in by_set {
            mended += self.correct_set(set, &trees, &mut editions).await?;
        }
        if !editions.is_empty() {
            self.trees.raise_directory(org_id, &editions, &LogPosition::default()).await?;
        }
        Ok(mended)
    }

    /// Corrects the postings of trees of one set: its facet trees first, since their editions are named in the root of the set.
    /// Returns how many are right now.
    async fn correct_set(
        &self,
        set: &ReviewSet,
        trees: &[&WrongTree],
        editions: &mut RootEditions,
    ) -> Result<usize, Error> {
        let (mut mended, mut of_facets) = (0, Vec::new());
        for wrong in trees {
            let PostingChange { change, is_complete } = posting_change(&wrong.view, &wrong.differences);
            // An edit without a change renews the copies of the oldest postings.
            if change.is_empty() && !wrong.view.has_wrong_copies {
                continue;
            }
            let (tree, stored) = (wrong.view.tree.clone(), wrong.view.stored_root.clone());
            let correction = TreeCorrection { tree: tree.clone(), stored, change };
            let Some(edition) = self.trees.correct_tree(&correction).await? else { continue };
            mended += usize::from(is_complete);
            match tree.facet_key {
                Some(facet_key) => of_facets.push((facet_key, edition)),
                None => drop(editions.insert(tree, edition)),
            }
        }
        if !of_facets.is_empty()
            && let Some(edition) = self.trees.name_facet_editions(set, &of_facets).await?
        {
            editions.insert(TreeKey { set: set.clone(), facet_key: None }, edition);
        }
        Ok(mended)
    }

    /// Rebuilds these sets of an organisation from the reviews. Returns those that were rebuilt; none if the organisation has
    /// more than `max_reviews`. A set whose root was put by somebody else meanwhile is left out.
    async fn rebuild_sets(
        &self,
        org_id: OrgId,
        sets: &BTreeSet<ReviewSet>,
        max_reviews: usize,
    ) -> Result<BTreeSet<ReviewSet>, Error> {
        let read = self.read_org_postings(org_id, max_reviews).await?;
        let Some((mut postings, position)) = read else { return Ok(BTreeSet::new()) };
        for set in sets {
            postings.add_set(set);
        }
        let built = Box::pin(self.trees.build_org(postings, &position, Some(sets))).await?;
        let lost: BTreeSet<ReviewSet> = built.lost.into_iter().collect();
        Ok(sets.difference(&lost).cloned().collect())
    }
}

impl WrongTree {
    /// True if only a build of the set removes what is wrong, or if it does so more cheaply.
    fn is_damaged(&self) -> bool {
        !self.view.faults.is_empty() || has_twice(&self.differences) || self.differences.len() >= MANY
    }
}

/// True if a review is there twice among what is to be removed: an edit takes one posting of a review.
fn has_twice(differences: &[Difference]) -> bool {
    let mut ids: HashSet<ReviewNumber> = HashSet::new();
    differences.iter().filter(|difference| difference.found.is_some()).any(|difference| !ids.insert(difference.id))
}

/// Returns the change of the stored tree that corrects it.
///
/// Changes of the log behind the root are left alone. If one of them is wrong, the tree is corrected after the next fold.
fn posting_change(view: &TreeView, differences: &[Difference]) -> PostingChange {
    let added: HashSet<PostingKey> = view.delta.added.iter().map(|posting| posting.key).collect();
    let removed: HashSet<PostingKey> = view.delta.removed.values().map(|posting| posting.key).collect();
    let (mut change, mut is_complete) = (TreeDelta::default(), true);
    for Difference { id, found, expected } in differences {
        let is_stored = |found: Posting| view.stored.binary_search(&found).is_ok() && !added.contains(&found.key);
        let is_fixed = found.is_none_or(is_stored)
            && expected.is_none_or(|expected| !added.contains(&expected.key) && !removed.contains(&expected.key));
        is_complete &= is_fixed;
        if is_fixed {
            change.removed.extend(found.map(|found| (*id, found)));
            change.added.extend(*expected);
        }
    }
    change.added.sort_unstable();
    PostingChange { change, is_complete }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeRoot;
    use presence_domain::review::FacetKey;

    fn posting(number: u64) -> Posting {
        let key = PostingKey { effective_at: 0, id: ReviewNumber::new(number) };
        Posting { key, facet_key: FacetKey::from_number(0).expect("a facet key"), version: 1 }
    }

    fn view_of(stored: Vec<Posting>, delta: TreeDelta) -> TreeView {
        let tree = TreeKey { set: ReviewSet::Org(OrgId::new(1).expect("an id")), facet_key: None };
        let (root, current, faults) = (TreeRoot::empty(), Vec::new(), Vec::new());
        TreeView { tree, stored_root: None, root, delta, stored, current, faults, has_wrong_copies: false }
    }

    fn difference(id: u64, found: Option<u64>, expected: Option<u64>) -> Difference {
        Difference { id: ReviewNumber::new(id), found: found.map(posting), expected: expected.map(posting) }
    }

    /// The tree has postings 1 to 3. The log adds 3 and 4, and removes 5. Nothing has 6.
    #[test]
    fn only_what_the_stored_tree_has_is_corrected_in_it() {
        let removed = [(ReviewNumber::new(5), posting(5))].into();
        let delta = TreeDelta { removed, added: vec![posting(3), posting(4)] };
        let view = view_of(vec![posting(1), posting(2), posting(3)], delta);
        for (found, expected, is_fixed) in [
            (Some(1), None, true),
            (None, Some(6), true),
            (Some(1), Some(2), true),
            (Some(3), None, false),
            (Some(4), None, false),
            (Some(6), None, false),
            (Some(6), Some(1), false),
            (Some(1), Some(4), false),
            (None, Some(5), false),
        ] {
            let (fixed, other) = (difference(7, Some(2), None), difference(8, found, expected));
            for differences in [[fixed, other], [other, fixed]] {
                let PostingChange { change, is_complete } = posting_change(&view, &differences);
                assert_eq!(is_complete, is_fixed, "{differences:?}");
                let removed = 1 + usize::from(is_fixed && found.is_some());
                let added = expected.filter(|_| is_fixed).map(posting);
                assert_eq!((change.removed.len(), change.added), (removed, added.into_iter().collect()));
            }
        }
    }

    #[test]
    fn a_set_is_rebuilt_if_its_tree_contradicts_itself_has_a_review_twice_or_has_much_wrong() {
        let few = |count: usize| (0..count as u64).map(|id| difference(id, Some(id), None)).collect::<Vec<_>>();
        for (faults, differences, is_damaged) in [
            (vec![], few(1), false),
            (vec!["a fault".to_owned()], vec![], true),
            (vec![], vec![difference(1, Some(1), None), difference(1, Some(2), None)], true),
            (vec![], vec![difference(1, None, Some(1)), difference(1, None, Some(2))], false),
            (vec![], vec![difference(1, Some(1), None), difference(1, None, Some(2))], false),
            (vec![], few(MANY - 1), false),
            (vec![], few(MANY), true),
        ] {
            let view = TreeView { faults, ..view_of(Vec::new(), TreeDelta::default()) };
            let what = format!("{:?} {}", view.faults, differences.len());
            assert_eq!(WrongTree { view, differences }.is_damaged(), is_damaged, "{what}");
        }
    }
}
