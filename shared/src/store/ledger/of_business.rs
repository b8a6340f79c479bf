//! Searching the reviews of some businesses: `business-index`, read in the range of dates, merged in memory.
//!
//! The index lags a little. What lies on the page is read strongly, and where it says otherwise than the index, it is
//! right: its place is looked for anew. So no review is shown that the filter does not admit.

use std::collections::HashMap;

use serde::Deserialize;

use super::item::Slip;
use crate::domain::ids::BusinessId;
use crate::domain::ledger::Cell;
use crate::domain::page::{Page, PageRequest};
use crate::domain::review::{Review, ReviewId};
use crate::error::Error;
use crate::store::keys::{effective_between, parse_effective_listing};
use crate::store::meter::side_by_side;
use crate::store::read::{Item, Partition, parse, text};
use crate::store::reviews::ReviewFilter;
use crate::store::{Store, schema};

/// Entries in one page of a Query: they are small, and a page ends at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Pages at the most of one business: 200,000 reviews.
const MAX_PAGES: usize = 100;
/// Businesses read side by side.
const READS_IN_FLIGHT: u16 = 64;
/// How often the page is looked for where the index lags: once, and once with what the reviews themselves say.
const ATTEMPTS: u32 = 2;

type Found = HashMap<ReviewId, Slip>;

#[derive(Deserialize)]
struct Entry {
    effective_listing: String,
    cell: u8,
}

impl Store {
    /// One page of the matching reviews of these businesses, all of which the caller must be allowed to see.
    pub(in crate::store) async fn find_reviews_of(
        &self,
        businesses: &[BusinessId],
        filter: &ReviewFilter,
        request: PageRequest,
    ) -> Result<Page<Review>, Error> {
        let between = effective_between(filter.from, filter.to);
        let reads = businesses.iter().map(|id| self.slips_of_business(id, between.clone()));
        let slips = side_by_side(READS_IN_FLIGHT, reads).await?.into_iter().flatten();
        // By id: a review whose date changes while it is read may be met twice.
        let mut found: Found = slips.map(|slip| (slip.id.clone(), slip)).collect();
        let mut page = self.page_of(&found, filter, request).await?;
        for _ in 1..ATTEMPTS {
            let Some(lagging) = page.1 else { break };
            found.extend(lagging.into_iter().map(|slip| (slip.id.clone(), slip)));
            page = self.page_of(&found, filter, request).await?;
        }
        Ok(page.0)
    }

    /// The page, and what the index is wrong about, if anything.
    async fn page_of(
        &self,
        found: &Found,
        filter: &ReviewFilter,
        request: PageRequest,
    ) -> Result<(Page<Review>, Option<Vec<Slip>>), Error> {
        let mut slips: Vec<&Slip> = found.values().filter(|slip| admits(filter, slip)).collect();
        slips.sort_unstable();
        if filter.newest_first {
            slips.reverse();
        }
        let count = slips.len() as u64;
        let range = request.range(count);
        let on_page = (0..).zip(slips).filter(|(place, _)| range.contains(place)).map(|(_, slip)| slip);
        let on_page: Vec<Slip> = on_page.cloned().collect();
        let ids: Vec<ReviewId> = on_page.iter().map(|slip| slip.id.clone()).collect();
        let mut bodies = self.review_bodies(&ids).await?;
        let (mut items, mut lagging) = (Vec::with_capacity(ids.len()), Vec::new());
        for slip in on_page {
            let Some(review) = bodies.remove(&slip.id) else { continue };
            let truth = Slip { at: review.effective_at(), id: slip.id.clone(), cell: review.cell() };
            if truth != slip {
                lagging.push(truth);
            }
            items.push(review);
        }
        Ok((Page { request, count, items }, (!lagging.is_empty()).then_some(lagging)))
    }

    async fn slips_of_business(&self, id: &BusinessId, between: Option<(String, String)>) -> Result<Vec<Slip>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: Some(&schema::BUSINESS_INDEX),
            value: text(id.as_str()),
            between,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.query(partition).await?.into_iter().map(slip).collect()
    }
}

fn slip(item: Item) -> Result<Slip, Error> {
    let entry: Entry = parse(item)?;
    let place = parse_effective_listing(&entry.effective_listing).zip(Cell::from_number(entry.cell));
    let slip = place.map(|((at, id), cell)| Slip { at, id, cell });
    slip.ok_or_else(|| Error::internal("an entry of the business index breaks the rules of its fields"))
}

fn admits(filter: &ReviewFilter, slip: &Slip) -> bool {
    filter.mask.contains(slip.cell)
        && filter.from.is_none_or(|from| from <= slip.at)
        && filter.to.is_none_or(|to| slip.at <= to)
}
