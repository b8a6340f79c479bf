//! Reads of the reviews of a page, whose postings are known.
//!
//! A review counts only in the version that its posting names. Reads of `listing-index` and eventual reads may return an
//! earlier version: it is read strongly. A later version changed after the position of the log that the search answers.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::client::read::{Consistency, Item, Order, Partition, number, pk_sk};
use crate::keys::{REVIEW_SK, effective_between, effective_listing, review_pk};
use crate::reviews::body_item::review_from_item;
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::Review;
use presence_ledger::search::{PostingPage, PostingRange, SearchTarget};
use presence_ledger::{Place, Posting, ReviewNumber, TreeKey};

/// Least share of the postings of a range, in percent, that must be on the page for one Query of the whole range. Reviews
/// have some 440 bytes. A read of one costs half a unit; a Query reads nine for that.
const MIN_SHARE_PERCENT: u64 = 11;
/// Entries that a Query of `listing-index` may read beyond twice the expected number, which is an estimate.
const SPARE_ENTRIES: u64 = 20;
/// Maximum number of entries that a Query of `listing-index` reads. [`MIN_SHARE_PERCENT`] of them is the largest page.
const MAX_ENTRIES: u64 = 1_000;
/// Number of reviews up to which those that are still missing after a first read are read strongly at once. One round trip fewer is
/// worth half a unit for each.
const MAX_HASTY: usize = 10;

/// Reviews that were read, in the latest version that was met.
#[derive(Debug, Default)]
pub(super) struct Bodies(HashMap<ReviewNumber, Review>);

/// Range of `listing-index`.
struct ListingRange {
    org_id: OrgId,
    between: Option<(String, String)>,
    entries: u64,
    order: Order,
}

impl Bodies {
    pub(super) fn add(&mut self, reviews: Vec<Review>) {
        for review in reviews {
            match self.0.entry(ReviewNumber::of(&review.id)) {
                Entry::Vacant(place) => {
                    place.insert(review);
                }
                Entry::Occupied(known) if known.get().version >= review.version => {}
                Entry::Occupied(mut known) => {
                    known.insert(review);
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the postings whose review is not known, or only in an earlier version.
    fn missing<'a>(&self, postings: &'a [(TreeKey, Posting)]) -> Vec<&'a Posting> {
        let is_missing =
            |posting: &&Posting| self.0.get(&posting.key.id).is_none_or(|review| review.version < posting.version);
        postings.iter().map(|(_, posting)| posting).filter(is_missing).collect()
    }
}

impl ReviewStore {
    /// Reads the first reviews of an organisation in the order of the answer, as `listing-index` has them. They are the reviews
    /// of the first page of a search without a filter of facets.
    pub(super) async fn read_first_bodies(&self, org_id: OrgId, target: &SearchTarget) -> Result<Vec<Review>, Error> {
        let order = if target.newest_first { Order::Descending } else { Order::Ascending };
        let between = effective_between(target.filter.from, target.filter.to);
        self.query_range(ListingRange { org_id, between, entries: target.page.size, order }).await
    }

    /// Reads reviews of a page that are not known, from where they cost less: by one Query of their range, or one by one. Nodes
    /// of the next page are read beside them.
    pub(super) async fn read_bodies(&self, page: &PostingPage, bodies: &Bodies) -> Result<Vec<Review>, Error> {
        let missing = bodies.missing(&page.postings);
        let read = async {
            match listing_range(page, &missing) {
                Some(range) => self.query_range(range).await,
                None => self.get_bodies(&missing, Consistency::Eventual).await,
            }
        };
        let (reviews, ()) = futures::try_join!(read, self.searcher.read_ahead(&page.next_nodes))?;
        Ok(reviews)
    }

    /// Returns those reviews of a page that may be shown, in order. Reads those that are not known yet.
    pub(super) async fn load_page(
        &self,
        target: &SearchTarget,
        page: &PostingPage,
        mut bodies: Bodies,
    ) -> Result<Vec<Review>, Error> {
        let missing = bodies.missing(&page.postings).len();
        if missing > 0 && (bodies.is_empty() || missing > MAX_HASTY) {
            let read = self.read_bodies(page, &bodies).await?;
            bodies.add(read);
        }
        let missing = bodies.missing(&page.postings);
        if !missing.is_empty() {
            let read = self.get_bodies(&missing, Consistency::Strong).await?;
            bodies.add(read);
        }
        Ok(take_page(target, page, bodies))
    }

    async fn get_bodies(&self, postings: &[&Posting], consistency: Consistency) -> Result<Vec<Review>, Error> {
        // Two organisations may name one review while it moves. DynamoDB refuses a key that comes twice.
        let ids: HashSet<ReviewNumber> = postings.iter().map(|posting| posting.key.id).collect();
        let ids = ids.into_iter().filter_map(ReviewNumber::to_id);
        let keys: Vec<Item> = ids.map(|id| pk_sk(review_pk(&id), REVIEW_SK)).collect();
        let items = self.db.tables.get_batch(&schema::REVIEWS, keys, &[], consistency).await?;
        items.iter().map(review_from_item).collect()
    }

    /// Returns the reviews of a range of `listing-index`: those of one page of the Query, which ends at 1 MB.
    async fn query_range(&self, range: ListingRange) -> Result<Vec<Review>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: Some(&schema::LISTING_INDEX),
            value: number(range.org_id.get()),
            between: range.between,
            page: i32::try_from(range.entries).unwrap_or(i32::MAX),
            max_pages: 1,
        };
        let (items, _) = self.db.query_page_with(&partition, None, Consistency::Eventual, range.order).await?;
        items.iter().map(review_from_item).collect()
    }
}

/// Returns the range of `listing-index` from the first to the last missing review, if enough of it is needed.
fn listing_range(page: &PostingPage, missing: &[&Posting]) -> Option<ListingRange> {
    let PostingRange { org_id, total: entries } = page.range?;
    if missing.len() < 2 || (missing.len() as u64).saturating_mul(100) < entries.saturating_mul(MIN_SHARE_PERCENT) {
        return None;
    }
    let listing = |posting: &Posting| Some(effective_listing(posting.key.effective_at, &posting.key.id.to_id()?));
    let first = missing.iter().min_by_key(|posting| posting.key)?;
    let last = missing.iter().max_by_key(|posting| posting.key)?;
    let between = Some((listing(first)?, listing(last)?));
    // The Query ends at the last review in any case. The limit only keeps it from reading far more than was estimated.
    let entries = entries.saturating_mul(2).saturating_add(SPARE_ENTRIES).min(MAX_ENTRIES);
    Some(ListingRange { org_id, between, entries, order: Order::Ascending })
}

/// Returns those reviews of the page that may be shown, in order.
///
/// A review that is gone, or that changed what the search depends on, is left out: it changed after the position of the log
/// that the search answers, or the ledger has drifted. A review that changed in anything else may be shown.
fn take_page(target: &SearchTarget, page: &PostingPage, mut bodies: Bodies) -> Vec<Review> {
    let mut reviews = Vec::with_capacity(page.postings.len());
    for (tree, posting) in &page.postings {
        // A review that two organisations name is taken once, and missing the second time.
        let review = bodies.0.remove(&posting.key.id).filter(|review| review.version >= posting.version);
        reviews.extend(review.filter(|review| admits(target, tree, posting, review)));
    }
    reviews
}

/// True if the review may be shown in the place of this posting. Its version may be a later one, as long as everything is the same that
/// the search depends on.
fn admits(target: &SearchTarget, tree: &TreeKey, posting: &Posting, review: &Review) -> bool {
    let place = Place::of(review);
    place.effective_at == posting.key.effective_at
        && target.filter.mask.contains(place.facet_key)
        && place.sets(review.org_id).contains(&tree.set)
}
