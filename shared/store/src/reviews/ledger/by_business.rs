//! Searching the reviews of some businesses: `business-index`, read in the range of dates, merged in memory.
//!
//! The index lags a little. What lies on the page is read strongly, and where it says otherwise than the index, it is
//! right: its place is looked for anew, and what the filter does not admit is dropped. That is done a bounded number of
//! times. What lies on the page then and was not read is left out: no review is shown that the filter does not admit.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::item::Posting;
use crate::client::meter::side_by_side;
use crate::client::read::{Item, Partition, parse, text};
use crate::keys::{effective_between, parse_effective_listing};
use crate::reviews::search::ReviewFilter;
use crate::{ReviewStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::FacetKey;
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{Review, ReviewId};

/// Entries in one page of a Query: they are small, and a page ends at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Pages at the most of one business: 200,000 reviews.
const MAX_PAGES: usize = 100;
/// Businesses read side by side.
const READS_IN_FLIGHT: u16 = 64;
/// Rounds of reading reviews: one where the index does not lag. With [`MAX_AHEAD`] some 900 reviews that the index is wrong
/// about are passed over before a page is shown with fewer than it could have.
const ROUNDS: u32 = 6;
/// Reviews read beyond the page where some on it were dropped, at the most: what they hold must fit into memory.
const MAX_AHEAD: usize = 200;

#[derive(Deserialize)]
struct Entry {
    effective_listing: String,
    cell: u8,
}

/// A search under way.
struct Search<'a> {
    store: &'a ReviewStore,
    scope: Scope,
    businesses: HashSet<&'a BusinessId>,
    filter: &'a ReviewFilter,
    request: PageRequest,
    /// Where each review is that may match: by the index, or by itself once it was read. By id: a review whose date changes
    /// while the index is read may be met twice.
    places: HashMap<ReviewId, Posting>,
    /// Those of them that were read, and match.
    bodies: HashMap<ReviewId, Review>,
}

impl ReviewStore {
    /// One page of the matching reviews of these businesses, all of which the caller must be allowed to see.
    pub(crate) async fn find_reviews_of(
        &self,
        scope: Scope,
        businesses: &[BusinessId],
        filter: &ReviewFilter,
        request: PageRequest,
    ) -> Result<Page<Review>, Error> {
        let between = effective_between(filter.from, filter.to);
        let reads = businesses.iter().map(|id| self.slips_of_business(id, between.clone()));
        let slips = side_by_side(READS_IN_FLIGHT, reads).await?.into_iter().flatten();
        let places =
            slips.filter(|slip| filter.admits(slip.at, slip.cell)).map(|slip| (slip.id.clone(), slip)).collect();
        let businesses = businesses.iter().collect();
        let mut search = Search { store: self, scope, businesses, filter, request, places, bodies: HashMap::new() };
        for round in 0..ROUNDS {
            let wanted = search.unread(round);
            if wanted.is_empty() {
                break;
            }
            search.read(&wanted).await?;
        }
        Ok(search.page())
    }

    /// Returns the entries of the index for a business, in a range of its sort keys.
    pub(super) async fn slips_of_business(
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
        self.db.query(partition).await?.into_iter().map(slip).collect()
    }
}

impl Search<'_> {
    /// Returns the reviews on the page that were not read yet, and in later rounds some after it: they move up where others
    /// are dropped. Empty when all on the page were read.
    fn unread(&self, round: u32) -> Vec<ReviewId> {
        let matches = self.in_order();
        let range = self.positions(matches.len());
        let is_unread = |slip: &&&Posting| !self.bodies.contains_key(&slip.id);
        let on_page: Vec<_> = matches[range.clone()].iter().filter(is_unread).collect();
        if on_page.is_empty() {
            return Vec::new();
        }
        let ahead = usize::try_from(self.request.size).unwrap_or(usize::MAX).saturating_mul((1 << round) - 1);
        let after = matches[range.end..].iter().take(ahead.min(MAX_AHEAD)).filter(is_unread);
        on_page.into_iter().chain(after).map(|slip| slip.id.clone()).collect()
    }

    /// Reads reviews strongly. What they say of themselves holds.
    async fn read(&mut self, ids: &[ReviewId]) -> Result<(), Error> {
        let mut bodies = self.store.review_bodies(ids).await?;
        for id in ids {
            match bodies.remove(id).filter(|review| self.admits(review)) {
                Some(review) => {
                    let truth = Posting { at: review.effective_at(), id: id.clone(), cell: FacetKey::of(&review) };
                    self.places.insert(id.clone(), truth);
                    self.bodies.insert(id.clone(), review);
                }
                None => drop(self.places.remove(id)),
            }
        }
        Ok(())
    }

    /// True if the review may be shown. While a business moves to another organisation, its reviews follow one by one.
    fn admits(&self, review: &Review) -> bool {
        self.filter.admits(review.effective_at(), FacetKey::of(review))
            && self.businesses.contains(&review.business_id)
            && self.scope.covers(Some(review.org_id))
    }

    /// Returns the page of what was read. What lies on it and was not read is neither shown nor counted.
    fn page(mut self) -> Page<Review> {
        let matches = self.in_order();
        let on_page: Vec<ReviewId> =
            matches[self.positions(matches.len())].iter().map(|slip| slip.id.clone()).collect();
        let matches = matches.len();
        let items: Vec<Review> = on_page.iter().filter_map(|id| self.bodies.remove(id)).collect();
        let count = (matches - (on_page.len() - items.len())) as u64;
        Page { request: self.request, count, items }
    }

    fn in_order(&self) -> Vec<&Posting> {
        let mut slips: Vec<&Posting> = self.places.values().collect();
        slips.sort_unstable();
        if self.filter.newest_first {
            slips.reverse();
        }
        slips
    }

    /// Returns the positions on the page, of so many matches.
    fn positions(&self, matches: usize) -> std::ops::Range<usize> {
        let range = self.request.range(matches as u64);
        let position = |place: u64| usize::try_from(place).unwrap_or(matches).min(matches);
        position(range.start)..position(range.end)
    }
}

fn slip(item: Item) -> Result<Posting, Error> {
    let entry: Entry = parse(item)?;
    let place = parse_effective_listing(&entry.effective_listing).zip(FacetKey::from_number(entry.cell));
    let slip = place.map(|((at, id), cell)| Posting { at, id, cell });
    slip.ok_or_else(|| Error::internal("an entry of the business index breaks the rules of its fields"))
}
