//! Reviews of a build: the rows about each are merged as an import merges them.

use std::collections::HashSet;

use presence_domain::error::Error;
use presence_domain::review::{AcceptedRow, Review, ReviewId};
use presence_ledger::ReviewNumber;
use presence_store::{PutOutcome, REVIEW_ID_SALTS};

use super::records::FIRST_VERSION;
use crate::import::summary::ImportSummary;

/// Maximum number of reviews whose digests collide. Among ten million reviews, two collide in one case of 23,000.
const MAX_COLLISIONS: usize = 10_000;

/// Digest that gives a review its id, with a salt from 0 on.
pub(super) type DeriveId = fn(&Review, u8) -> ReviewId;

/// Returns the id that an import gives a review.
pub(super) fn derive_id(Review { business_id, partner, partner_id, .. }: &Review, salt: u8) -> ReviewId {
    ReviewId::derive(business_id, *partner, partner_id, salt)
}

/// Reviews of one id, while their rows come in the order of the file. There is more than one only if digests collide.
#[derive(Debug, Default)]
pub(super) struct ReviewsOfId(pub(super) Vec<Review>);

impl ReviewsOfId {
    /// Adds a row, by the rule of which row wins. Counts it as if it were written on its own.
    pub(super) fn add(&mut self, row: Review, summary: &mut ImportSummary) {
        let row = Review { version: FIRST_VERSION, ..row };
        match self.0.iter_mut().find(|review| review.same_source(&row)) {
            None => {
                summary.count(PutOutcome::Created);
                self.0.push(row);
            }
            Some(stored) => {
                let AcceptedRow { review, outcome } = Review::accept(Some(stored), &row);
                summary.count(outcome.into());
                *stored = review;
            }
        }
    }
}

/// Reviews whose ids belong to other reviews.
#[derive(Debug, Default)]
pub(super) struct Collisions(Vec<Review>);

impl Collisions {
    /// Adds reviews.
    pub(super) fn extend(&mut self, reviews: impl IntoIterator<Item = Review>) -> Result<(), Error> {
        self.0.extend(reviews);
        if self.0.len() > MAX_COLLISIONS {
            return Err(Error::internal("the ids of too many reviews collide"));
        }
        Ok(())
    }

    /// True if there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives each review the id of the lowest salt whose id is free. `taken` are all ids of salt 0.
    pub(super) fn resolve(
        self,
        derive_id: DeriveId,
        taken: impl Iterator<Item = std::io::Result<ReviewNumber>>,
    ) -> Result<Vec<Review>, Error> {
        let salts = || 1..REVIEW_ID_SALTS;
        let ids = |review: &Review| salts().map(|salt| derive_id(review, salt)).collect::<Vec<ReviewId>>();
        let wanted: HashSet<ReviewNumber> = self.0.iter().flat_map(ids).map(|id| ReviewNumber::of(&id)).collect();
        let mut used = HashSet::new();
        for id in taken {
            let id = id.map_err(Error::internal)?;
            if wanted.contains(&id) {
                used.insert(id);
            }
        }
        let resolved = self.0.into_iter().map(|review| {
            let free = ids(&review).into_iter().find(|id| used.insert(ReviewNumber::of(id)));
            let id = free.ok_or_else(|| Error::internal("more reviews collide than there are salts"))?;
            Ok(Review { id, ..review })
        });
        resolved.collect()
    }
}

#[cfg(test)]
mod tests {
    use presence_domain::review::Rating;

    use super::*;
    use crate::import::bare_review::bare_review;

    fn review(partner_id: &str, rating: usize) -> Review {
        let id = ReviewId::parse("000000000000").expect("an id");
        Review { id, rating: Rating::ALL[rating], ..bare_review(partner_id) }
    }

    /// Returns ids that collide: the salt decides, and the length of the partner's id.
    fn few_ids(review: &Review, salt: u8) -> ReviewId {
        ReviewId::parse(&format!("{:012}", review.partner_id.len() + usize::from(salt))).expect("an id")
    }

    #[test]
    fn last_row_wins_and_each_row_counts_as_if_written_on_its_own() {
        let (mut summary, mut of_id) = (ImportSummary::default(), ReviewsOfId::default());
        for (partner_id, rating) in [("a", 0), ("b", 0), ("a", 1), ("a", 1), ("b", 3), ("a", 0)] {
            of_id.add(review(partner_id, rating), &mut summary);
        }
        let reviews = of_id.0;
        let merged: Vec<_> = reviews.iter().map(|review| (review.partner_id.as_str(), review.rating.get())).collect();
        assert_eq!(merged, [("a", 1), ("b", 4)]);
        assert_eq!((summary.created, summary.updated, summary.unchanged), (2, 3, 1));
    }

    #[test]
    fn reviews_whose_ids_collide_get_the_next_free_ids() {
        let mut collisions = Collisions::default();
        collisions.extend(["b", "c"].map(|id| review(id, 0))).expect("few");
        // The reviews with the ids of salt 0 take 1 and 2, so that the others have 3 and 4.
        let taken = [1, 2].map(|number| Ok(ReviewNumber::new(number)));
        let resolved = collisions.resolve(few_ids, taken.into_iter()).expect("there are free ids");
        let ids: Vec<_> = resolved.iter().map(|review| review.id.as_str()).collect();
        assert_eq!(ids, ["000000000003", "000000000004"]);
    }

    #[test]
    fn more_collisions_than_salts_end_the_build() {
        let mut collisions = Collisions::default();
        collisions.extend((0..REVIEW_ID_SALTS).map(|number| review(&number.to_string(), 0))).expect("few");
        assert!(collisions.resolve(few_ids, std::iter::empty()).is_err());
    }
}
