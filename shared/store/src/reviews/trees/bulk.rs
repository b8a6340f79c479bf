//! Items of the whole reviews table at once, for samples, benchmarks and tests with many reviews.

use std::collections::BTreeMap;

use super::directory::{RootEditions, bucket_item, directory_item, raise_editions};
use super::facets::facet_trees;
use super::items::{EDITION, STAMP, node_key, numbered_item, root_key};
use super::org_postings::{OrgPostings, SetPostings, split_by_facet};
use crate::client::read::Item;
use crate::reviews::body_item::review_to_item;
use crate::reviews::registered_orgs::registration_item;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::tree::{EditedTree, NodeRef, TreeLimits, build_tree, encode_root};
use presence_domain::ledger::{
    DIRECTORY_BUCKETS, Directory, DirectoryBucket, LogPosition, Posting, ReviewSet, TreeKey,
};
use presence_domain::review::Review;

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
        postings.into_items(facets_from, |item| {
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

impl OrgPostings {
    /// Gives every item of the organisation but the reviews: its trees, its directory, and its entry among those with reviews. The
    /// log is empty. Sets of at least `facets_from` postings have facet trees.
    pub fn into_items(self, facets_from: i64, mut give: impl FnMut(Item) -> Result<(), Error>) -> Result<(), Error> {
        let org_id = self.org_id();
        let mut editions = RootEditions::new();
        self.for_each_set(|own| {
            editions.insert(TreeKey { set: own.set.clone(), facet_key: None }, FIRST_EDITION);
            give_set(own, facets_from, &mut give)
        })?;
        let mut buckets: [DirectoryBucket; DIRECTORY_BUCKETS] = std::array::from_fn(|_| DirectoryBucket::default());
        let mut directory = Directory { edition: FIRST_EDITION, org_edition: FIRST_EDITION, ..Directory::default() };
        for number in raise_editions(&mut buckets, &editions) {
            buckets[number].edition = FIRST_EDITION;
            directory.bucket_editions[number] = FIRST_EDITION;
            give(bucket_item(org_id, number, &buckets[number]))?;
        }
        give(directory_item(org_id, &directory))?;
        give(registration_item(org_id))
    }
}

/// Gives the items of the trees of one set.
fn give_set(own: SetPostings, facets_from: i64, give: &mut impl FnMut(Item) -> Result<(), Error>) -> Result<(), Error> {
    let has_facets = own.has_facets(facets_from);
    let SetPostings { set, postings } = own;
    let facet_editions = if has_facets { Some(give_facets(&set, &postings, give)?) } else { None };
    give_tree(&TreeKey { set, facet_key: None }, postings, facet_editions, give)
}

fn give_facets(
    set: &ReviewSet,
    postings: &[Posting],
    give: &mut impl FnMut(Item) -> Result<(), Error>,
) -> Result<Vec<u64>, Error> {
    let trees = facet_trees(set);
    let editions = vec![FIRST_EDITION; trees.len()];
    for (tree, postings) in trees.into_iter().zip(split_by_facet(postings.iter().copied())) {
        give_tree(&tree, postings, None, give)?;
    }
    Ok(editions)
}

/// Gives the items of one tree. Slots are numbered from 0.
fn give_tree(
    tree: &TreeKey,
    postings: Vec<Posting>,
    facet_editions: Option<Vec<u64>>,
    give: &mut impl FnMut(Item) -> Result<(), Error>,
) -> Result<(), Error> {
    let limits = TreeLimits::of(tree, i64::try_from(postings.len()).unwrap_or(i64::MAX));
    let mut built: EditedTree = build_tree(postings, LogPosition::default(), limits);
    let mut slots = 0..;
    let mut name_and_give = |bytes: Vec<u8>| -> Result<NodeRef, Error> {
        let slot = slots.next().ok_or_else(|| Error::internal("a tree has too many nodes"))?;
        let node = NodeRef { slot, stamp: 0 };
        give(numbered_item(node_key(tree, node), STAMP, node.stamp, bytes))?;
        Ok(node)
    };
    let leaves: Vec<NodeRef> = built.new_leaves().map(&mut name_and_give).collect::<Result<_, _>>()?;
    built.name_leaves(&leaves);
    let branches: Vec<NodeRef> = built.new_branches().map(&mut name_and_give).collect::<Result<_, _>>()?;
    built.name_branches(&branches);
    let mut root = built.into_root(FIRST_EDITION, Vec::new());
    root.facet_editions = facet_editions;
    give(numbered_item(root_key(tree), EDITION, root.edition, encode_root(&root)))
}
