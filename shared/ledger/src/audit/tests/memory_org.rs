//! Organisation in memory: its trees, its reviews, and what the index lists of them.

use std::future::ready;
use std::ops::Range;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::audit::{Auditor, FiledReview, FiledReviews, Slice, WrongTree};
use crate::fixtures::{facet_key, org_id, place};
use crate::table::{Answer, NewValue, ValueName};
use crate::tree::TreeRoot;
use crate::trees::tests::memory_table::{MemoryTable, at_once};
use crate::{
    ALL_KEYS, FoldLimits, LogPosition, LogReader, OrgPostings, Place, PostingKey, ReviewNumber, ReviewSet, TreeKey,
    Trees, root_value,
};
use presence_domain::ids::{BusinessId, OrgId};

/// 2024-01-01.
const START: i64 = 1_704_067_200;
/// Maximum number of postings of a root, so that trees have nodes.
const RECENT_MAX: usize = 2;
/// Number of reviews in a page of the index.
const PAGE: usize = 2;
/// Number of postings from which no set has facet trees.
pub(super) const NO_FACETS: i64 = i64::MAX;

/// Organisation in memory.
#[derive(Debug)]
pub(super) struct Org {
    pub(super) table: MemoryTable,
    trees: Trees,
    logs: LogReader,
    pub(super) items: Items,
}

/// Reviews and businesses of the organisation.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// Reviews that exist.
    pub(super) stored: Vec<FiledReview>,
    /// Reviews as the index lists them, ascending.
    pub(super) listed: Vec<FiledReview>,
    /// Businesses with their cities; `None` for one that is leaving.
    pub(super) businesses: Vec<(BusinessId, Option<String>)>,
    /// Review that changes before each strong read.
    pub(super) busy: Option<ReviewNumber>,
    /// Number of strong reads.
    pub(super) reads: AtomicU64,
}

impl Org {
    /// Builds the trees of reviews that the index lists.
    pub(super) fn of(reviews: &[FiledReview], facets_from: i64) -> Self {
        let table = MemoryTable::default();
        let limits = FoldLimits { facets_from, ..FoldLimits::default() };
        let trees = table.trees().with_fold_limits(limits).with_recent_max(RECENT_MAX);
        let mut postings = OrgPostings::new(org_id());
        for review in reviews {
            postings.add_posting(review.id, review.version, &review.place);
        }
        at_once(trees.build_org(postings, &LogPosition::default(), None)).expect("trees");
        let logs = LogReader::new(Arc::new(table.clone()));
        let items = Items { stored: reviews.to_vec(), listed: reviews.to_vec(), ..Items::default() };
        Self { table, trees, logs, items }
    }

    pub(super) fn auditor(&self) -> Auditor<'_> {
        Auditor::new(&self.logs, &self.trees, &self.items)
    }

    /// Returns all reviews that the index lists.
    pub(super) fn listing(&self) -> Slice {
        Slice { org_id: org_id(), keys: ALL_KEYS, listed: self.items.listed.clone() }
    }

    /// Returns the trees that an audit finds wrong.
    pub(super) fn wrong_trees(&self) -> Vec<WrongTree> {
        let listing = self.listing();
        at_once(self.auditor().find_wrong_trees(&listing, Duration::ZERO)).expect("an audit")
    }

    pub(super) fn mend(&self, wrong: &[WrongTree], max_reviews: usize) -> usize {
        at_once(self.auditor().mend_trees(org_id(), wrong, max_reviews)).expect("a correction")
    }

    pub(super) fn root(&self, tree: &TreeKey) -> TreeRoot {
        at_once(self.trees.read_root(tree)).expect("a root")
    }

    /// Returns the edition of a root that the directory names, or the root of its set.
    pub(super) fn named_edition(&self, tree: &TreeKey) -> u64 {
        if let Some(facet_key) = tree.facet_key {
            let editions = self.root(&tree_of(tree.set.clone())).facet_editions.expect("facet trees");
            return editions[usize::from(facet_key.number())];
        }
        let directory = at_once(self.logs.query_log(org_id())).expect("a log").directory;
        let named = self.trees.named_editions(org_id(), slice::from_ref(tree), directory.org_edition);
        at_once(named).expect("editions")[tree]
    }

    /// Changes a root in the same edition, as no writer does.
    pub(super) fn damage(&self, tree: &TreeKey, damage: impl FnOnce(&mut TreeRoot)) {
        let mut root = self.root(tree);
        damage(&mut root);
        self.table.store(ValueName::Root(tree), root_value(&root));
    }

    /// Replaces a root by one that cannot be read.
    pub(super) fn garble(&self, tree: &TreeKey) {
        let edition = self.root(tree).edition;
        self.table.store(ValueName::Root(tree), NewValue { number: edition, bytes: Vec::new(), oldest: None });
    }
}

impl FiledReviews for Items {
    fn list_slice(&self, org_id: OrgId, from: PostingKey, _: usize) -> Answer<'_, Slice> {
        let mut rest = self.listed.iter().filter(|review| from <= review.posting().key);
        let listed: Vec<FiledReview> = rest.by_ref().take(PAGE).cloned().collect();
        let end = rest.next().map_or(PostingKey::END, |next| next.posting().key);
        answer(Slice { org_id, keys: from..end, listed })
    }

    fn list_range(&self, org_id: OrgId, keys: Range<PostingKey>) -> Answer<'_, Slice> {
        let in_range = self.listed.iter().filter(|review| keys.contains(&review.posting().key));
        let listed: Vec<FiledReview> = in_range.cloned().collect();
        answer(Slice { org_id, keys, listed })
    }

    fn get_filed<'a>(&'a self, ids: &'a [ReviewNumber]) -> Answer<'a, Vec<FiledReview>> {
        let changes = self.reads.fetch_add(1, Ordering::Relaxed);
        let mut found = self.stored.clone();
        found.retain(|review| ids.contains(&review.id));
        for review in found.iter_mut().filter(|review| self.busy == Some(review.id)) {
            review.version += changes;
        }
        answer(found)
    }

    /// Returns none: the sets follow from the reviews.
    fn list_businesses(&self, _: OrgId) -> Answer<'_, Vec<(BusinessId, String)>> {
        answer(Vec::new())
    }

    fn current_businesses(&self, _: OrgId) -> Answer<'_, Vec<(BusinessId, Option<String>)>> {
        answer(self.businesses.clone())
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

fn answer<'a, T: Send + 'a>(value: T) -> Answer<'a, T> {
    ready(Ok(value)).boxed()
}

pub(super) fn business_id(id: &str) -> BusinessId {
    BusinessId::parse(id).expect("an id")
}

/// Returns a review of this second of 2024, which is its number, too.
pub(super) fn review(second: i64, business: &str) -> FiledReview {
    let place = Place { effective_at: START + second, business_id: business_id(business), ..place() };
    FiledReview { id: ReviewNumber::new(second.unsigned_abs()), version: 1, org_id: org_id(), place }
}

/// Returns five reviews of two businesses in one city, ascending.
pub(super) fn reviews() -> Vec<FiledReview> {
    [(1, "b1"), (2, "b2"), (3, "b1"), (4, "b2"), (5, "b1")].map(|(second, business)| review(second, business)).to_vec()
}

fn tree_of(set: ReviewSet) -> TreeKey {
    TreeKey { set, facet_key: None }
}

pub(super) fn org_tree() -> TreeKey {
    tree_of(ReviewSet::Org(org_id()))
}

pub(super) fn city_tree() -> TreeKey {
    tree_of(ReviewSet::City(org_id(), place().city_key))
}

pub(super) fn business_tree(id: &str) -> TreeKey {
    tree_of(ReviewSet::Business(org_id(), business_id(id)))
}

/// Returns the tree of the facet key that all reviews have, in the city.
pub(super) fn facet_tree() -> TreeKey {
    TreeKey { facet_key: Some(facet_key()), ..city_tree() }
}
