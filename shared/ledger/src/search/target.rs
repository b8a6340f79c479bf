//! Target of a search: the trees that it looks at, by organisation, and what it looks for in them.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::NodeRef;
use crate::{Posting, PostingFilter, ReviewSet, TreeKey};
use presence_domain::ids::OrgId;
use presence_domain::instant::{FIRST_SECOND, LAST_SECOND};
use presence_domain::page::PageRequest;
use presence_domain::review::FacetMask;

/// Trees to search, and the page to find in them.
#[derive(Clone, Debug)]
pub struct SearchTarget {
    /// Organisations, ascending. Each has a log of its own.
    pub orgs: Vec<OrgTarget>,
    /// Filter of the postings.
    pub filter: PostingFilter,
    /// True for newest first.
    pub newest_first: bool,
    /// Page to find.
    pub page: PageRequest,
}

/// Trees of one organisation.
#[derive(Clone, Debug)]
pub struct OrgTarget {
    /// Organisation.
    pub org_id: OrgId,
    /// Trees of whole sets. No review is in two of them.
    pub trees: Vec<TreeKey>,
}

/// Page of postings, each with the tree that has it.
#[derive(Clone, Debug)]
pub struct PostingPage {
    /// Number of all matches.
    pub count: u64,
    /// Postings of the page, in the order of the answer.
    pub postings: Vec<(TreeKey, Posting)>,
    /// Range of the organisation's reviews that has the page, if it is known.
    pub range: Option<PostingRange>,
    /// Nodes of the next page that are not cached.
    pub next_nodes: Vec<(TreeKey, NodeRef)>,
}

/// Range of all reviews of an organisation, from the first to the last one of a page.
#[derive(Clone, Copy, Debug)]
pub struct PostingRange {
    /// Organisation.
    pub org_id: OrgId,
    /// Estimated number of its reviews, on the page or not.
    pub total: u64,
}

impl SearchTarget {
    /// Returns the target of a search in review sets of the caller's scope.
    pub fn new(
        sets: impl IntoIterator<Item = ReviewSet>,
        filter: PostingFilter,
        newest_first: bool,
        page: PageRequest,
    ) -> Self {
        let (orgs, filter) = (trees_by_org(sets), without_idle_ends(filter));
        Self { orgs, filter, newest_first, page }
    }

    /// Returns the organisation if every one of its reviews is searched, and no other one.
    pub fn only_whole_org(&self) -> Option<OrgId> {
        let [org] = &self.orgs[..] else { return None };
        let [tree] = &org.trees[..] else { return None };
        matches!(tree.set, ReviewSet::Org(_)).then_some(org.org_id)
    }

    /// True for the first page of a search without a filter of facets.
    pub fn is_first_page_of_all(&self) -> bool {
        self.page.page == 1 && self.filter.mask == FacetMask::ALL
    }

    /// Returns the tree of the only facet key of a search in one organisation or city and in a range of dates. If it is chosen in place of
    /// the tree of the set, its root is read beside that one. Then its branches and leaves are left to read, which takes two round trips.
    pub(super) fn facet_tree_ahead(&self) -> Option<TreeKey> {
        let [OrgTarget { trees, .. }] = &self.orgs[..] else { return None };
        let [TreeKey { set: set @ (ReviewSet::Org(_) | ReviewSet::City(..)), .. }] = &trees[..] else { return None };
        let has_range = self.filter.from.is_some() || self.filter.to.is_some();
        let facet_key = self.filter.mask.only_key().filter(|_| has_range)?;
        Some(TreeKey { set: set.clone(), facet_key: Some(facet_key) })
    }
}

/// Returns the trees of review sets by organisation. A set that is named twice is searched once.
pub fn trees_by_org(sets: impl IntoIterator<Item = ReviewSet>) -> Vec<OrgTarget> {
    let mut by_org: BTreeMap<OrgId, BTreeSet<ReviewSet>> = BTreeMap::new();
    for set in sets {
        by_org.entry(set.org_id()).or_default().insert(set);
    }
    let orgs = by_org.into_iter().map(|(org_id, sets)| {
        let trees = sets.into_iter().map(|set| TreeKey { set, facet_key: None }).collect();
        OrgTarget { org_id, trees }
    });
    orgs.collect()
}

/// Returns the filter with an open end in the place of one that excludes no review. Such an end could cut a period, which costs
/// more reads.
pub fn without_idle_ends(filter: PostingFilter) -> PostingFilter {
    let from = filter.from.filter(|from| *from > FIRST_SECOND);
    let to = filter.to.filter(|to| *to < LAST_SECOND);
    PostingFilter { from, to, ..filter }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::ids::BusinessId;
    use presence_domain::review::FacetKey;

    fn target(sets: &[ReviewSet], mask: FacetMask, from: Option<i64>, page: u64) -> SearchTarget {
        let filter = PostingFilter { mask, from, to: None };
        SearchTarget::new(sets.to_vec(), filter, true, PageRequest { page, size: 10 })
    }

    #[test]
    fn ends_of_a_filter_stay_if_they_exclude_a_second() {
        for (from, to, from_is_left, to_is_left) in [
            (FIRST_SECOND, LAST_SECOND, false, false),
            (FIRST_SECOND + 1, LAST_SECOND, true, false),
            (FIRST_SECOND, LAST_SECOND - 1, false, true),
        ] {
            let left = without_idle_ends(PostingFilter { mask: FacetMask::ALL, from: Some(from), to: Some(to) });
            assert_eq!(left.from, from_is_left.then_some(from));
            assert_eq!(left.to, to_is_left.then_some(to));
        }
    }

    #[test]
    fn what_is_read_ahead_follows_from_sets_filter_and_page() {
        let org = OrgId::new(1).expect("an id");
        let (whole, other) = (ReviewSet::Org(org), ReviewSet::Org(OrgId::new(2).expect("an id")));
        let city = ReviewSet::City(org, "lyon".to_owned());
        let business = ReviewSet::Business(org, BusinessId::parse("b1").expect("an id"));
        let key = FacetKey::from_number(3).expect("a key");
        let (all, one) = (FacetMask::ALL, FacetMask::from_iter([key]));
        let day = Some(86_400);
        for (sets, mask, from, page, whole_org, first_of_all, facet_tree) in [
            (vec![whole.clone()], all, None, 1, Some(org), true, None),
            (vec![whole.clone()], all, day, 2, Some(org), false, None),
            (vec![whole.clone()], one, None, 1, Some(org), false, None),
            (vec![whole.clone()], one, day, 2, Some(org), false, Some(&whole)),
            (vec![city.clone()], one, day, 1, None, false, Some(&city)),
            (vec![business], one, day, 1, None, false, None),
            (vec![city.clone(), whole.clone()], one, day, 1, None, false, None),
            (vec![whole.clone(), other], all, None, 1, None, true, None),
        ] {
            let target = target(&sets, mask, from, page);
            let facet_tree = facet_tree.map(|set| TreeKey { set: set.clone(), facet_key: Some(key) });
            assert_eq!(target.only_whole_org(), whole_org, "{sets:?}");
            assert_eq!(target.is_first_page_of_all(), first_of_all, "{sets:?}, page {page}");
            assert_eq!(target.facet_tree_ahead(), facet_tree, "{sets:?}");
        }
        let until = PostingFilter { mask: one, from: None, to: day };
        let target = SearchTarget::new([whole], until, true, PageRequest { page: 1, size: 10 });
        assert!(target.facet_tree_ahead().is_some());
    }
}
