//! Putting reviews by what their partners call them: found where they are, written where they differ.

use std::collections::HashSet;

use super::write::{PostingItemFullError, ReviewWrite, WriteReviewsError};
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::ledger::{Day, FacetKey};
use presence_domain::review::{Review, ReviewId};

/// How many reviews may have colliding digests. Of ten million reviews, two do in one case of 23,000.
const SALTS: u8 = 8;

/// A posting that was not done.
pub(super) struct PendingWrite {
    /// What the caller calls it.
    pub(super) position: usize,
    /// Whether it may have been done after all: no answer came.
    unsure: bool,
}

/// The outcome of postings.
#[derive(Default)]
pub(super) struct Posted {
    pub(super) left: Vec<PendingWrite>,
    /// Why some are left; none where their reviews changed meanwhile.
    pub(super) failure: Option<Error>,
    /// Those that will never be done, as slips are full.
    pub(super) full: Vec<(usize, PostingItemFullError)>,
}

/// The outcome of reviews that were to be put.
#[derive(Debug)]
pub struct UpsertOutcome {
    /// The stored review before each of them.
    pub before: Vec<Option<Review>>,
    /// Positions of those that are not known to be stored; empty when all went well.
    pub left: Vec<usize>,
    /// Why some are left.
    pub failure: Option<Error>,
    /// Positions of those that cannot be stored, as slips are full.
    pub full: Vec<(usize, PostingItemFullError)>,
}

impl ReviewStore {
    /// What is stored of each of these reviews, whose ids do not count: a review is found by business, partner and
    /// partner's id. Writes nothing.
    pub async fn find_stored_reviews(&self, wanted: &[Review]) -> Result<Vec<Option<Review>>, Error> {
        Ok(self.look_up(wanted).await?.into_iter().map(|posting| posting.old).collect())
    }

    /// Writes those of the reviews that differ from what is stored, each review once. Ids and versions are set here.
    /// Returns what was there before each.
    ///
    /// A failure leaves some of them written, each with everything that counts it; doing it again does the rest.
    pub async fn upsert_reviews(&self, wanted: &[Review]) -> Result<Vec<Option<Review>>, Error> {
        let put = self.try_upsert_reviews(wanted).await;
        let full = put.full.into_iter().next().map(|(_, full)| Error::internal(full));
        put.failure.or(full).map_or(Ok(put.before), Err)
    }

    /// As [`ReviewStore::upsert_reviews`]; after a failure it says which are stored.
    ///
    /// Reviews that another writer was faster with are read and written again, and so is what was refused for now: for as
    /// long as each round does some of them, or the store's patience lasts. Two imports of one file meet in every transaction
    /// of a month, and in each round at least one of them gets on.
    pub async fn try_upsert_reviews(&self, wanted: &[Review]) -> UpsertOutcome {
        let mut before = vec![None; wanted.len()];
        let mut left: Vec<PendingWrite> =
            (0..wanted.len()).map(|position| PendingWrite { position, unsure: false }).collect();
        let (mut retries, mut full) = (self.db.retries(), Vec::new());
        loop {
            let count = left.len();
            let failure = self.put_round(wanted, &mut before, &mut left, &mut full).await.err();
            if left.len() < count {
                retries = self.db.retries();
            }
            let may_pass = failure.as_ref().is_none_or(|error| matches!(error, Error::Unavailable(_)));
            if left.is_empty() {
                return UpsertOutcome { before, left: Vec::new(), failure: None, full };
            }
            if !may_pass || !retries.pause().await {
                let left = left.into_iter().map(|left| left.position).collect();
                let failure = Some(failure.unwrap_or_else(kept_changing));
                return UpsertOutcome { before, left, failure, full };
            }
        }
    }

    /// Looks for those that are left, and writes those that differ.
    async fn put_round(
        &self,
        wanted: &[Review],
        before: &mut [Option<Review>],
        left: &mut Vec<PendingWrite>,
        full: &mut Vec<(usize, PostingItemFullError)>,
    ) -> Result<(), Error> {
        let reviews: Vec<Review> = left.iter().map(|left| wanted[left.position].clone()).collect();
        let found = self.look_up(&reviews).await?;
        let mut postings = Vec::new();
        for (left, posting) in left.drain(..).zip(found) {
            let done = posting.old.as_ref().is_some_and(|old| old.content_eq(&posting.new));
            // What no answer came for and is there now was written here: what was before it has been seen.
            if !(done && left.unsure) {
                before[left.position].clone_from(&posting.old);
            }
            if !done {
                postings.push((left.position, posting));
            }
        }
        let posted = self.post_all(postings).await;
        *left = posted.left;
        full.extend(posted.full);
        posted.failure.map_or(Ok(()), Err)
    }

    /// Finds each review, and the id that it has or is to have.
    async fn look_up(&self, wanted: &[Review]) -> Result<Vec<ReviewWrite>, Error> {
        let mut found: Vec<Option<ReviewWrite>> = vec![None; wanted.len()];
        let mut open: Vec<usize> = (0..wanted.len()).collect();
        let mut taken = HashSet::new();
        for salt in 0..SALTS {
            let id = |position: &usize| {
                let Review { business_id, partner, partner_id, .. } = &wanted[*position];
                ReviewId::derive(business_id, *partner, partner_id, salt)
            };
            let ids: HashSet<ReviewId> = open.iter().map(id).collect();
            let stored = self.review_bodies(&ids.into_iter().collect::<Vec<_>>()).await?;
            open.retain(|position| {
                let (id, review) = (id(position), &wanted[*position]);
                let old = stored.get(&id).cloned();
                let is_its_own = old.as_ref().is_none_or(|old| old.same_source(review)) && taken.insert(id.clone());
                if is_its_own {
                    found[*position] = Some(ReviewWrite { old, new: Review { id, ..review.clone() } });
                }
                !is_its_own
            });
            if open.is_empty() {
                return Ok(found.into_iter().flatten().collect());
            }
        }
        Err(Error::internal("more reviews collide than there are salts"))
    }

    /// Posts as many at a time as fit. Some are left when they changed, or after a failure. Where slips are full, fewer and
    /// fewer are posted at a time, so that only those which do not fit are not done.
    pub(super) async fn post_all(&self, mut postings: Vec<(usize, ReviewWrite)>) -> Posted {
        // Reviews of one city and day share tallies, and more of them fit into a transaction.
        postings.sort_by_cached_key(|(_, ReviewWrite { new, .. })| {
            (new.org_id, new.city_key.clone(), Day::of(new.effective_at()), FacetKey::of(new))
        });
        let (positions, postings): (Vec<usize>, Vec<ReviewWrite>) = postings.into_iter().unzip();
        let mut posted = Posted::default();
        let (mut next, mut most) = (0, usize::MAX);
        while next < postings.len() {
            let end = next + ReviewWrite::count_fitting(&postings[next..]).min(most);
            let mut leave = |range: std::ops::Range<usize>, unsure| {
                posted
                    .left
                    .extend(positions[range].iter().map(|position| PendingWrite { position: *position, unsure }));
            };
            match self.write_reviews(&postings[next..end]).await {
                Ok(()) => most = most.saturating_mul(2),
                Err(WriteReviewsError::Full(_)) if end - next > 1 => {
                    most = (end - next) / 2;
                    continue;
                }
                Err(WriteReviewsError::Full(full)) => posted.full.push((positions[next], full)),
                Err(WriteReviewsError::Stale(_)) => leave(next..end, false),
                Err(WriteReviewsError::Failed(error)) => {
                    leave(next..end, true);
                    leave(end..positions.len(), false);
                    posted.failure = Some(error);
                    break;
                }
            }
            next = end;
        }
        posted
    }
}

/// The failure of reviews that others wrote first, again and again.
pub(super) fn kept_changing() -> Error {
    Error::Unavailable("reviews kept changing while they were written".into())
}
