//! Items of the whole reviews table at once: for `ops reviews build`, and for samples, benchmarks and tests with many reviews.

use std::collections::BTreeMap;

use super::items::value_item;
use crate::client::read::Item;
use crate::reviews::body_item::review_to_item;
use crate::reviews::orgs_with_reviews::listed_org_item;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::{FACET_KEY_COUNT, Review};
use presence_ledger::table::{NewValue, ValueName};
use presence_ledger::tree::{MonthCounts, NodeRef, TreeLimits, stream_tree};
use presence_ledger::{
    DIRECTORY_BUCKETS, Directory, DirectoryBucket, OrgPostings, Posting, ReviewSet, RootEditions, SetPostings, TreeKey,
    facet_trees, has_facet_trees, raise_editions, root_value, split_by_facet,
};

/// Edition of every item of a bulk.
const FIRST_EDITION: u64 = 1;

/// Returns every item of a reviews table that holds these reviews, with their versions: bodies, trees, directories, and no log. Sets
/// of at least `facets_from` reviews have facet trees.
///
/// The reviews of an organisation must be given together. Reviews that do not fit the memory are given to [`OrgPostings`] one by
/// one.
pub fn bulk_review_items(reviews: &[Review], facets_from: i64) -> Result<Vec<Item>, Error> {
    let mut by_org: BTreeMap<OrgId, OrgPostings> = BTreeMap::new();
    let mut items = Vec::new();
    for review in reviews {
        by_org.entry(review.org_id).or_insert_with(|| OrgPostings::new(review.org_id)).add(review);
        items.push(review_to_item(review)?);
    }
    for postings in by_org.into_values() {
        bulk_org_items(postings, facets_from, |item| {
            items.push(item);
            Ok(())
        })?;
    }
    Ok(items)
}

/// Returns the item of a review.
pub fn bulk_body_item(review: &Review) -> Result<Item, Error> {
    review_to_item(review)
}

/// Gives every item of an organisation but the reviews: its trees, its directory, and its entry among those with reviews. The log is
/// empty. Sets of at least `facets_from` postings have facet trees.
pub fn bulk_org_items(
    postings: OrgPostings,
    facets_from: i64,
    mut give: impl FnMut(Item) -> Result<(), Error>,
) -> Result<(), Error> {
    let org_id = postings.org_id();
    let mut sets = Vec::new();
    postings.for_each_set(|own| {
        sets.push(own.set.clone());
        give_set(own, facets_from, &mut give)
    })?;
    bulk_directory_items(org_id, sets, give)
}

/// Gives the items of one tree of a bulk: its nodes, then its root. The postings are ascending and were counted by month. They are
/// never in memory together. The tree of a set with facet trees names these; each of them is given by a call of its own, the empty
/// ones too.
pub fn bulk_tree_items(
    tree: &TreeKey,
    months: &MonthCounts,
    has_facet_trees: bool,
    postings: impl IntoIterator<Item = Result<Posting, Error>>,
    mut give: impl FnMut(Item) -> Result<(), Error>,
) -> Result<(), Error> {
    let limits = TreeLimits::of(tree, i64::try_from(months.total()).unwrap_or(i64::MAX));
    let mut slots = 0..;
    let put_node = |bytes: Vec<u8>| -> Result<NodeRef, Error> {
        let slot = slots.next().ok_or_else(|| Error::internal("a tree has too many nodes"))?;
        let node = NodeRef { slot, stamp: 0 };
        give(value_item(ValueName::Slot(tree, slot), numbered(node.stamp.into(), bytes)))?;
        Ok(node)
    };
    let mut root = stream_tree(months, postings, limits, put_node)?;
    root.edition = FIRST_EDITION;
    root.facet_editions = has_facet_trees.then(|| vec![FIRST_EDITION; FACET_KEY_COUNT]);
    give(value_item(ValueName::Root(tree), root_value(&root)))
}

/// Gives the directory of an organisation with trees of these sets, and its entry among those with reviews.
pub fn bulk_directory_items(
    org_id: OrgId,
    sets: impl IntoIterator<Item = ReviewSet>,
    mut give: impl FnMut(Item) -> Result<(), Error>,
) -> Result<(), Error> {
    let first = |set| (TreeKey { set, facet_key: None }, FIRST_EDITION);
    let editions: RootEditions = sets.into_iter().map(first).collect();
    let mut buckets: [DirectoryBucket; DIRECTORY_BUCKETS] = std::array::from_fn(|_| DirectoryBucket::default());
    let mut directory = Directory { edition: FIRST_EDITION, org_edition: FIRST_EDITION, ..Directory::default() };
    for number in raise_editions(&mut buckets, &editions) {
        buckets[number].edition = FIRST_EDITION;
        directory.bucket_editions[number] = FIRST_EDITION;
        give(value_item(ValueName::Bucket(org_id, number), numbered(FIRST_EDITION, buckets[number].encode())))?;
    }
    give(value_item(ValueName::Directory(org_id), numbered(FIRST_EDITION, directory.encode())))?;
    give(listed_org_item(org_id))
}

fn numbered(number: u64, bytes: Vec<u8>) -> NewValue {
    NewValue { number, bytes, oldest: None }
}

/// Gives the items of the trees of one set.
fn give_set(own: SetPostings, facets_from: i64, give: &mut impl FnMut(Item) -> Result<(), Error>) -> Result<(), Error> {
    let has_facets = has_facet_trees(&own.set, own.postings.len(), facets_from);
    let SetPostings { set, postings } = own;
    if has_facets {
        for (tree, postings) in facet_trees(&set).into_iter().zip(split_by_facet(postings.iter().copied())) {
            give_tree(&tree, &postings, false, give)?;
        }
    }
    give_tree(&TreeKey { set, facet_key: None }, &postings, has_facets, give)
}

fn give_tree(
    tree: &TreeKey,
    postings: &[Posting],
    has_facets: bool,
    give: &mut impl FnMut(Item) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut months = MonthCounts::default();
    for posting in postings {
        months.add(posting);
    }
    bulk_tree_items(tree, &months, has_facets, postings.iter().copied().map(Ok), give)
}
