//! Search of the reviews of some businesses: `business-index`, read in the range of dates and merged in memory.
//!
//! The ledger counts no single business, so every entry of the businesses is read. The index lags a little behind the
//! reviews. The reviews of the page are therefore read strongly. A review that differs from its entry is right: it is sorted
//! anew, or dropped if it does not match. Others move up in its place and are read in the next round.
//!
//! The number of rounds is bounded. What lies on the page after the last one and was not read is left out: no review is
//! shown that does not match.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::Deserialize;

use super::item::Posting;
use crate::client::parallel::parallel;
use crate::client::read::{Item, Partition, text};
use crate::format::parse;
use crate::keys::{effective_between, parse_effective_listing};
use crate::reviews::search::ReviewFilter;
use crate::{ReviewStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::FacetKey;
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{Review, ReviewId};

/// Entries in one page of a Query. They are small, and DynamoDB ends a page at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Maximum number of pages of one business: 200,000 reviews.
const MAX_PAGES: usize = 100;
/// Maximum number of businesses that are read at a time.
const READS_IN_FLIGHT: u16 = 64;
/// Maximum number of rounds of reading reviews. One is enough if the index does not lag. Six rounds, with
/// [`MAX_READ_AHEAD`], pass over some 900 wrong entries before a page is shown with fewer reviews than it could have.
const MAX_ROUNDS: u32 = 6;
/// Maximum number of reviews that a round reads beyond the page. Their texts must fit into memory.
const MAX_READ_AHEAD: usize = 200;

/// The attributes of an index entry that a search needs.
#[derive(Deserialize)]
struct IndexEntry {
    effective_listing: String,
    cell: u8,
}

/// A search in progress.
struct Search<'a> {
    store: &'a ReviewStore,
    scope: Scope,
    businesses: HashSet<&'a BusinessId>,
    filter: &'a ReviewFilter,
    request: PageRequest,
    /// Postings that may match: from the index, or from the review once it is read. A map by id, because an index read may
    /// meet a review twice while its date changes.
    postings: HashMap<ReviewId, Posting>,
    /// Reviews that were read and match.
    reviews: HashMap<ReviewId, Review>,
}

impl ReviewStore {
    /// Returns one page of the matching reviews of these businesses. The caller must be allowed to see all of them.
    pub(crate) async fn find_reviews_of(
        &self,
        scope: Scope,
        businesses: &[BusinessId],
        filter: &ReviewFilter,
        request: PageRequest,
    ) -> Result<Page<Review>, Error> {
        let between = effective_between(filter.from, filter.to);
        let reads = businesses.iter().map(|id| self.query_business_postings(id, between.clone()));
        let listed = parallel(READS_IN_FLIGHT, reads).await?.into_iter().flatten();
        let matching = listed.filter(|posting| filter.admits(posting.effective_at, posting.facet_key));
        let mut search = Search {
            store: self,
            scope,
            businesses: businesses.iter().collect(),
            filter,
            request,
            postings: matching.map(|posting| (posting.id.clone(), posting)).collect(),
            reviews: HashMap::new(),
        };
        for round in 0..MAX_ROUNDS {
            let unread = search.unread_ids(round);
            if unread.is_empty() {
                break;
            }
            search.read_reviews(&unread).await?;
        }
        Ok(search.into_page())
    }

    /// Returns the postings of a business from `business-index`, in a range of its sort keys.
    pub(super) async fn query_business_postings(
        &self,
        id: &BusinessId,
        between: Option<(String, String)>,
    ) -> Result<Vec<Posting>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: Some(&schema::BUSINESS_INDEX),
            value: text(id.as_str()),
            between,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.db.query(partition).await?.into_iter().map(read_entry).collect()
    }
}

impl Search<'_> {
    /// Returns the reviews of the page that are not read yet. Empty if all are read.
    ///
    /// From the second round on, some reviews after the page are returned too: they move up if others are dropped. Their
    /// number doubles with each round.
    fn unread_ids(&self, round: u32) -> Vec<ReviewId> {
        let sorted = self.sorted_postings();
        let page = self.positions_on_page(sorted.len());
        let is_unread = |posting: &&&Posting| !self.reviews.contains_key(&posting.id);
        let on_page: Vec<_> = sorted[page.clone()].iter().filter(is_unread).collect();
        if on_page.is_empty() {
            return Vec::new();
        }
        let page_size = usize::try_from(self.request.size).unwrap_or(usize::MAX);
        let read_ahead = page_size.saturating_mul((1 << round) - 1).min(MAX_READ_AHEAD);
        let after_page = sorted[page.end..].iter().take(read_ahead).filter(is_unread);
        on_page.into_iter().chain(after_page).map(|posting| posting.id.clone()).collect()
    }

    /// Reads reviews strongly, and corrects their postings.
    async fn read_reviews(&mut self, ids: &[ReviewId]) -> Result<(), Error> {
        let mut stored = self.store.get_reviews(ids).await?;
        for id in ids {
            match stored.remove(id).filter(|review| self.admits(review)) {
                Some(review) => {
                    self.postings.insert(id.clone(), Posting::of(&review));
                    self.reviews.insert(id.clone(), review);
                }
                None => drop(self.postings.remove(id)),
            }
        }
        Ok(())
    }

    /// True if the review may be shown. The scope is checked for each review: while a business moves to another
    /// organisation, its reviews follow one by one.
    fn admits(&self, review: &Review) -> bool {
        self.filter.admits(review.effective_at(), FacetKey::of(review))
            && self.businesses.contains(&review.business_id)
            && self.scope.covers(Some(review.org_id))
    }

    /// Returns the page. Reviews on it that were not read are neither shown nor counted.
    fn into_page(mut self) -> Page<Review> {
        let sorted = self.sorted_postings();
        let matches = sorted.len();
        let on_page = &sorted[self.positions_on_page(matches)];
        let ids: Vec<ReviewId> = on_page.iter().map(|posting| posting.id.clone()).collect();
        let items: Vec<Review> = ids.iter().filter_map(|id| self.reviews.remove(id)).collect();
        let unread = ids.len() - items.len();
        Page { request: self.request, count: (matches - unread) as u64, items }
    }

    fn sorted_postings(&self) -> Vec<&Posting> {
        let mut postings: Vec<&Posting> = self.postings.values().collect();
        postings.sort_unstable();
        if self.filter.newest_first {
            postings.reverse();
        }
        postings
    }

    /// Returns the positions of the page in a list of this length.
    fn positions_on_page(&self, length: usize) -> Range<usize> {
        let range = self.request.range(length as u64);
        let position = |number: u64| usize::try_from(number).unwrap_or(length).min(length);
        position(range.start)..position(range.end)
    }
}

fn read_entry(item: Item) -> Result<Posting, Error> {
    let entry: IndexEntry = parse(item)?;
    let listing = parse_effective_listing(&entry.effective_listing).zip(FacetKey::from_number(entry.cell));
    let posting = listing.map(|((effective_at, id), facet_key)| Posting { effective_at, id, facet_key });
    posting.ok_or_else(|| Error::internal("an entry of the business index breaks the rules of its fields"))
}
