//! Relocation of reviews whose business moved to another city or organisation.

use super::upsert::{kept_changing, may_succeed_later};
use crate::client::read::{Item, Partition, text};
use crate::keys::parse_effective_listing;
use crate::reviews::write::{NumberedWrite, ReviewWrite};
use crate::{BusinessLocation, ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Review, ReviewId};

/// Reviews in one page of `business-index`.
const PAGE: i32 = 1_000;
/// Maximum number of pages: ten million reviews of one business.
const MAX_PAGES: usize = 10_000;

/// Result of one attempt to move reviews.
struct RelocationRound {
    moved: u64,
    /// Reviews that were not moved.
    pending: Vec<ReviewId>,
    /// Reason for pending reviews; `None` if they changed meanwhile.
    error: Option<Error>,
}

impl BusinessLocation {
    /// True if the review is counted in this organisation and city.
    pub(super) fn matches(&self, review: &Review) -> bool {
        (review.org_id, &review.city_key) == (self.org_id, &self.city_key)
    }

    /// Returns the write that moves a review here.
    fn write_moving(&self, review: &Review) -> ReviewWrite {
        let new = Review { org_id: self.org_id, city_key: self.city_key.clone(), ..review.clone() };
        ReviewWrite { old: Some(review.clone()), new }
    }
}

impl ReviewStore {
    /// Moves the reviews of a business that are counted elsewhere to this location. Returns their number.
    pub async fn relocate_business_reviews(
        &self,
        business: &BusinessId,
        location: &BusinessLocation,
    ) -> Result<u64, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: Some(&schema::BUSINESS_INDEX),
            value: text(business.as_str()),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        let (mut moved, mut start) = (0, None);
        for _ in 0..MAX_PAGES {
            let (page, next) = self.db.query_page(&partition, start).await?;
            moved += self.relocate_reviews(page.iter().filter_map(review_id).collect(), location).await?;
            start = next;
            if start.is_none() {
                return Ok(moved);
            }
        }
        Err(Error::internal("a business has more reviews than the bound on its pages"))
    }

    /// Moves those of the reviews that are counted elsewhere to this location. Returns their number.
    ///
    /// A review that changed meanwhile is read and moved again, as long as some reviews are moved or retries are left.
    pub(crate) async fn relocate_reviews(
        &self,
        mut ids: Vec<ReviewId>,
        location: &BusinessLocation,
    ) -> Result<u64, Error> {
        let (mut moved, mut retries) = (0, self.db.retries());
        loop {
            let round = self.relocate_once(&ids, location).await?;
            moved += round.moved;
            if round.pending.is_empty() {
                return Ok(moved);
            }
            if round.moved > 0 {
                retries = self.db.retries();
            }
            let error = round.error.unwrap_or_else(kept_changing);
            if !may_succeed_later(&error) || !retries.pause().await {
                return Err(error);
            }
            ids = round.pending;
        }
    }

    /// Reads the reviews, and moves those that are counted elsewhere, each at most once.
    async fn relocate_once(&self, ids: &[ReviewId], location: &BusinessLocation) -> Result<RelocationRound, Error> {
        let stored = self.get_reviews(ids).await?;
        let elsewhere: Vec<Review> = stored.into_values().filter(|review| !location.matches(review)).collect();
        if elsewhere.iter().any(|review| review.org_id != location.org_id) {
            self.register_org_with_reviews(location.org_id).await?;
        }
        let writes = elsewhere.iter().map(|review| location.write_moving(review)).enumerate();
        let writes = writes.map(|(position, write)| NumberedWrite { position, write }).collect();
        let outcome = self.write_all(writes).await;
        if let Some((_, error)) = outcome.rejected.into_iter().next() {
            return Err(Error::internal(error));
        }
        Ok(RelocationRound {
            moved: (elsewhere.len() - outcome.pending.len()) as u64,
            pending: outcome.pending.iter().map(|pending| elsewhere[pending.position].id.clone()).collect(),
            error: outcome.error,
        })
    }
}

/// Returns the review of an index entry.
fn review_id(entry: &Item) -> Option<ReviewId> {
    let (_, id) = parse_effective_listing(entry.get("effective_listing")?.as_s().ok()?)?;
    Some(id)
}
