//! Relocation of reviews whose business moved to another city or organisation.

use std::collections::BTreeSet;

use super::trees::postings::ALL_KEYS;
use super::upsert::{kept_changing, may_succeed_later};
use super::write::{NumberedWrite, ReviewWrite};
use crate::{BusinessLocation, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::{Posting, ReviewSet, TreeKey};
use presence_domain::review::{Review, ReviewId};

/// Reviews that are read at a time, and then moved by some ten transactions.
const STEP: usize = 1_000;

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
    pub(crate) fn matches(&self, review: &Review) -> bool {
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
    ///
    /// Takes the reviews from the trees of the business in the organisation that has them and in the new one. A run that was
    /// interrupted has moved some of them: the next run finds and moves the others. Each step is in the log when it is done, so that
    /// searches find every review meanwhile.
    pub async fn relocate_business_reviews(
        &self,
        business: &BusinessId,
        old: &BusinessLocation,
        location: &BusinessLocation,
    ) -> Result<u64, Error> {
        let mut moved = 0;
        for org_id in BTreeSet::from([old.org_id, location.org_id]) {
            let tree = TreeKey { set: ReviewSet::Business(org_id, business.clone()), facet_key: None };
            let postings = self.postings_of_tree(&tree, ALL_KEYS).await?;
            for step in postings.chunks(STEP) {
                moved += self.relocate_reviews(step.iter().filter_map(review_id).collect(), location).await?;
            }
        }
        Ok(moved)
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
        let outcome = self.write_all(writes, &|_| {}).await;
        Ok(RelocationRound {
            moved: (elsewhere.len() - outcome.pending.len()) as u64,
            pending: outcome.pending.iter().map(|pending| elsewhere[pending.position].id.clone()).collect(),
            error: outcome.error,
        })
    }
}

/// Returns the review of a posting.
fn review_id(posting: &Posting) -> Option<ReviewId> {
    posting.key.id.to_id()
}
