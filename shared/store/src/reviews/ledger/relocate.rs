//! Moving the reviews of a business that is in another city, or another organisation, than they are counted in.

use super::upsert::kept_changing;
use super::write::ReviewWrite;
use crate::client::read::{Item, Partition, text};
use crate::keys::parse_effective_listing;
use crate::{BusinessLocation, ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Review, ReviewId};

/// Reviews of one page of `business-index`.
const PAGE: i32 = 1_000;
/// Pages at the most: ten million reviews of one business.
const MAX_PAGES: usize = 10_000;

impl BusinessLocation {
    /// True if the review is counted here.
    pub(super) fn counts(&self, review: &Review) -> bool {
        (review.org_id, &review.city_key) == (self.org_id, &self.city_key)
    }
}

impl ReviewStore {
    /// Posts those of the business's reviews that are counted elsewhere anew, for this place. Returns how many they were.
    pub async fn relocate_business_reviews(
        &self,
        business: &BusinessId,
        place: &BusinessLocation,
    ) -> Result<u64, Error> {
        let (mut moved, mut start) = (0, None);
        for _ in 0..MAX_PAGES {
            let (page, next) = self.db.query_page(&entries(business), start).await?;
            moved += self.repost(page.iter().filter_map(listed).map(|(id, _)| id).collect(), place).await?;
            start = next;
            if start.is_none() {
                return Ok(moved);
            }
        }
        Err(Error::internal("a business has more reviews than the bound on its pages"))
    }

    /// Posts those of the reviews that are counted elsewhere anew, for this place.
    pub(super) async fn repost(&self, mut ids: Vec<ReviewId>, place: &BusinessLocation) -> Result<u64, Error> {
        let mut moved = 0;
        let mut retries = self.db.retries();
        loop {
            let bodies = self.review_bodies(&ids).await?;
            let elsewhere: Vec<Review> = bodies.into_values().filter(|body| !place.counts(body)).collect();
            if elsewhere.is_empty() {
                return Ok(moved);
            }
            if elsewhere.iter().any(|body| body.org_id != place.org_id) {
                self.register_org_with_reviews(place.org_id).await?;
            }
            let BusinessLocation { org_id, city_key } = place;
            let posting = |old: &Review| ReviewWrite {
                old: Some(old.clone()),
                new: Review { org_id: *org_id, city_key: city_key.clone(), ..old.clone() },
            };
            let posted = self.post_all(elsewhere.iter().map(posting).enumerate().collect()).await;
            if let Some((_, full)) = posted.full.into_iter().next() {
                return Err(Error::internal(full));
            }
            let done = elsewhere.len() - posted.left.len();
            moved += done as u64;
            if done > 0 {
                retries = self.db.retries();
            }
            if posted.left.is_empty() {
                return Ok(moved);
            }
            let failure = posted.failure.unwrap_or_else(kept_changing);
            if !matches!(failure, Error::Unavailable(_)) || !retries.pause().await {
                return Err(failure);
            }
            ids = posted.left.iter().map(|left| elsewhere[left.position].id.clone()).collect();
        }
    }
}

/// What `business-index` says of a business.
fn entries(business: &BusinessId) -> Partition<'static> {
    Partition {
        table: &schema::REVIEWS,
        index: Some(&schema::BUSINESS_INDEX),
        value: text(business.as_str()),
        between: None,
        page: PAGE,
        max_pages: MAX_PAGES,
    }
}

/// The review of an entry, and its effective second.
fn listed(entry: &Item) -> Option<(ReviewId, i64)> {
    let (second, id) = parse_effective_listing(entry.get("effective_listing")?.as_s().ok()?)?;
    Some((id, second))
}
