//! Differences between the trees of an organisation and its reviews that are certain, although reviews may be written meanwhile.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::time::Duration;

use super::differences::{Difference, differences};
use super::filed::{FiledReview, Slice};
use super::view::TreeView;
use super::{Auditor, TRANSACTION_TIME};
use crate::{LogEntry, Posting, PostingKey, ReviewNumber, ReviewSet, TreeKey};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of times that a slice is looked at again while reviews are written. A difference that is uncertain then is
/// looked at again the next day.
const MAX_LOOKS: usize = 3;

/// Tree that differs from the reviews, or contradicts itself.
#[derive(Debug)]
pub struct WrongTree {
    /// The tree.
    pub view: TreeView,
    /// Differences that are certain.
    pub differences: Vec<Difference>,
}

/// Reviews of an organisation as far as they are known, by their numbers.
#[derive(Debug, Default)]
struct KnownReviews(BTreeMap<ReviewNumber, FiledReview>);

impl KnownReviews {
    fn of(listed: &[FiledReview]) -> Self {
        Self(listed.iter().map(|review| (review.id, review.clone())).collect())
    }

    /// Returns the sets of an organisation that count its reviews.
    fn sets(&self, org_id: OrgId) -> BTreeSet<ReviewSet> {
        let mut sets = BTreeSet::new();
        for review in self.0.values().filter(|review| review.org_id == org_id) {
            sets.extend(review.sets());
        }
        sets
    }

    /// Returns the postings that the trees should have in a range of keys, ascending.
    fn expected(&self, org_id: OrgId, trees: &[&TreeKey], keys: &Range<PostingKey>) -> HashMap<TreeKey, Vec<Posting>> {
        let mut expected: HashMap<TreeKey, Vec<Posting>> =
            trees.iter().map(|tree| ((*tree).clone(), Vec::new())).collect();
        for review in self.0.values().filter(|review| review.org_id == org_id) {
            let posting = review.posting();
            if !keys.contains(&posting.key) {
                continue;
            }
            for set in review.sets() {
                for facet_key in [None, Some(posting.facet_key)] {
                    let tree = TreeKey { set: set.clone(), facet_key };
                    expected.entry(tree).and_modify(|postings| postings.push(posting));
                }
            }
        }
        for postings in expected.values_mut() {
            postings.sort_unstable();
        }
        expected
    }
}

impl Auditor<'_> {
    /// Returns the trees of an organisation that certainly differ from its reviews in the range of a slice.
    ///
    /// The first look compares with the index, which costs a fraction of reading the reviews. Differences are compared with the index once
    /// more after `index_time`, and then with the reviews themselves. A difference is certain if strong reads before and after the look at
    /// the trees saw the same version of the review. Then its last change was in the log that the look read, and there was no other one.
    /// Pauses between these reads outlast a transaction, whose review and change appear one by one.
    pub async fn find_wrong_trees(&self, slice: &Slice, index_time: Duration) -> Result<Vec<WrongTree>, Error> {
        let Slice { org_id, keys, listed } = slice;
        let sets = self.sets_of_org(*org_id).await?;
        let wrong = self.compare_sets(*org_id, keys, &KnownReviews::of(listed), sets).await?;
        if wrong.is_empty() {
            return Ok(Vec::new());
        }
        self.items.sleep(index_time).await;
        let mut known = KnownReviews::of(&self.items.list_range(*org_id, keys.clone()).await?.listed);
        let mut wrong = self.compare_again(*org_id, keys, &known, &wrong).await?;
        for _ in 0..MAX_LOOKS {
            let ids = ids_of(&wrong);
            let before = self.read_into(&mut known, &ids).await?;
            self.items.sleep(TRANSACTION_TIME).await;
            wrong = self.compare_again(*org_id, keys, &known, &wrong).await?;
            self.items.sleep(TRANSACTION_TIME).await;
            let after = versions(&self.items.get_filed(&ids_of(&wrong).into_iter().collect::<Vec<_>>()).await?);
            let is_certain = |id: &ReviewNumber| ids.contains(id) && before.get(id) == after.get(id);
            let certain = certain_trees(&mut wrong, is_certain);
            if !certain.is_empty() || wrong.is_empty() {
                return Ok(certain);
            }
        }
        Ok(Vec::new())
    }

    /// True if trees differ from what the index lists. Reads no reviews.
    pub async fn differs_from_index(&self, slice: &Slice) -> Result<bool, Error> {
        let Slice { org_id, keys, listed } = slice;
        let sets = self.sets_of_org(*org_id).await?;
        Ok(!self.compare_sets(*org_id, keys, &KnownReviews::of(listed), sets).await?.is_empty())
    }

    /// Reads reviews strongly into those that are known. Returns their versions.
    async fn read_into(
        &self,
        known: &mut KnownReviews,
        ids: &BTreeSet<ReviewNumber>,
    ) -> Result<HashMap<ReviewNumber, u64>, Error> {
        let found = self.items.get_filed(&ids.iter().copied().collect::<Vec<_>>()).await?;
        // A review that was not found does not exist.
        known.0.retain(|id, _| !ids.contains(id));
        known.0.extend(found.iter().map(|review| (review.id, review.clone())));
        Ok(versions(&found))
    }

    /// Returns the review sets of an organisation: its own, those of its businesses and their cities, and those of the changes in its log.
    /// Some may have no business and no review any more, and still keep the log from being folded, or a move from its end.
    pub async fn sets_of_org(&self, org_id: OrgId) -> Result<BTreeSet<ReviewSet>, Error> {
        let mut sets = BTreeSet::from([ReviewSet::Org(org_id)]);
        for LogEntry { change, .. } in self.logs.query_log(org_id).await?.entries {
            sets.extend([change.old, change.new].iter().flatten().flat_map(|place| place.sets(org_id)));
        }
        for (business_id, city_key) in self.items.list_businesses(org_id).await? {
            sets.insert(ReviewSet::Business(org_id, business_id));
            sets.insert(ReviewSet::City(org_id, city_key));
        }
        Ok(sets)
    }

    /// Compares the trees of these sets, and of those of the reviews, with the reviews. Returns those that differ.
    async fn compare_sets(
        &self,
        org_id: OrgId,
        keys: &Range<PostingKey>,
        known: &KnownReviews,
        mut sets: BTreeSet<ReviewSet>,
    ) -> Result<Vec<WrongTree>, Error> {
        sets.extend(known.sets(org_id));
        let trees: Vec<TreeKey> = sets.into_iter().map(|set| TreeKey { set, facet_key: None }).collect();
        let mut wrong = Vec::new();
        for group in trees.chunks(super::view::TREES_AT_ONCE) {
            let views = self.view_trees(org_id, group, keys).await?;
            let facet_trees: Vec<TreeKey> = views.iter().flat_map(TreeView::facet_trees).collect();
            wrong.extend(compare(org_id, views, known, keys));
            let views = self.view_trees(org_id, &facet_trees, keys).await?;
            wrong.extend(compare(org_id, views, known, keys));
        }
        Ok(wrong)
    }

    /// Compares those trees again that differed.
    async fn compare_again(
        &self,
        org_id: OrgId,
        keys: &Range<PostingKey>,
        known: &KnownReviews,
        wrong: &[WrongTree],
    ) -> Result<Vec<WrongTree>, Error> {
        let trees: Vec<TreeKey> = wrong.iter().map(|wrong| wrong.view.tree.clone()).collect();
        Ok(compare(org_id, self.view_trees(org_id, &trees, keys).await?, known, keys))
    }
}

fn compare(org_id: OrgId, views: Vec<TreeView>, known: &KnownReviews, keys: &Range<PostingKey>) -> Vec<WrongTree> {
    let trees: Vec<&TreeKey> = views.iter().map(|view| &view.tree).collect();
    let expected = known.expected(org_id, &trees, keys);
    let mut wrong = Vec::new();
    for view in views {
        // A tree that contradicts itself is rebuilt as a whole. What a damaged node held is no news.
        let expected = expected.get(&view.tree).filter(|_| view.faults.is_empty());
        let differences = expected.map_or_else(Vec::new, |postings| differences(&view.current, postings));
        if !differences.is_empty() || !view.faults.is_empty() || view.has_wrong_copies {
            wrong.push(WrongTree { view, differences });
        }
    }
    wrong
}

/// Takes the trees with certain differences or faults out of the list. The other differences of these trees are left out.
fn certain_trees(wrong: &mut Vec<WrongTree>, is_certain: impl Fn(&ReviewNumber) -> bool) -> Vec<WrongTree> {
    let has_certain = |wrong: &mut WrongTree| {
        let is_wrong_itself = !wrong.view.faults.is_empty() || wrong.view.has_wrong_copies;
        is_wrong_itself || wrong.differences.iter().any(|difference| is_certain(&difference.id))
    };
    let mut certain: Vec<WrongTree> = wrong.extract_if(.., has_certain).collect();
    for wrong in &mut certain {
        wrong.differences.retain(|difference| is_certain(&difference.id));
    }
    certain
}

fn ids_of(wrong: &[WrongTree]) -> BTreeSet<ReviewNumber> {
    wrong.iter().flat_map(|wrong| &wrong.differences).map(|difference| difference.id).collect()
}

fn versions(reviews: &[FiledReview]) -> HashMap<ReviewNumber, u64> {
    reviews.iter().map(|review| (review.id, review.version)).collect()
}
