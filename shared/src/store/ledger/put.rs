//! Putting reviews by what their partners call them: found where they are, written where they differ.

use std::collections::HashSet;
use std::time::Duration;

use super::post::{PostRefused, Posting};
use crate::domain::ledger::Day;
use crate::domain::review::{Review, ReviewId};
use crate::error::Error;
use crate::store::{Store, transaction};

/// How often reviews that another writer was faster with are read and written again. Two imports of one file meet in every
/// transaction of a month; each round at least one of them gets on.
pub(super) const ROUNDS: u32 = 12;
/// The longest pause before the second of these; it doubles, up to [`MAX_PAUSE`].
const ROUND_PAUSE: Duration = Duration::from_millis(25);
/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// How many reviews may have colliding digests. Of ten million reviews, two do in one case of 23,000.
const SALTS: u8 = 8;

/// A posting that was not done.
pub(super) struct Left {
    /// What the caller calls it.
    pub(super) position: usize,
    /// Whether it may have been done after all: no answer came.
    unsure: bool,
}

impl Store {
    /// What is stored of each of these reviews, whose ids do not count: a review is found by business, partner and
    /// partner's id. Writes nothing.
    pub async fn compare_reviews(&self, wanted: &[Review]) -> Result<Vec<Option<Review>>, Error> {
        Ok(self.look_up(wanted).await?.into_iter().map(|posting| posting.old).collect())
    }

    /// Writes those of the reviews that differ from what is stored, each review once. Ids and versions are set here.
    /// Returns what was there before each.
    ///
    /// A failure leaves some of them written, each with everything that counts it; doing it again does the rest.
    pub async fn put_reviews(&self, wanted: &[Review]) -> Result<Vec<Option<Review>>, Error> {
        let mut before = vec![None; wanted.len()];
        let mut left: Vec<Left> = (0..wanted.len()).map(|position| Left { position, unsure: false }).collect();
        for round in 0..ROUNDS {
            let reviews: Vec<Review> = left.iter().map(|left| wanted[left.position].clone()).collect();
            let mut postings = Vec::new();
            for (left, posting) in left.into_iter().zip(self.look_up(&reviews).await?) {
                let done = posting.old.as_ref().is_some_and(|old| old.says_the_same(&posting.new));
                // What no answer came for and is there now was written here: what was before it has been seen.
                if !(done && left.unsure) {
                    before[left.position].clone_from(&posting.old);
                }
                if !done {
                    postings.push((left.position, posting));
                }
            }
            left = self.post_all(postings).await?;
            if left.is_empty() {
                return Ok(before);
            }
            pause(round).await;
        }
        Err(kept_changing())
    }

    /// Finds each review, and the id that it has or is to have.
    async fn look_up(&self, wanted: &[Review]) -> Result<Vec<Posting>, Error> {
        let mut found: Vec<Option<Posting>> = vec![None; wanted.len()];
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
                let is_its_own = old.as_ref().is_none_or(|old| old.is_one_with(review)) && taken.insert(id.clone());
                if is_its_own {
                    found[*position] = Some(Posting { old, new: Review { id, ..review.clone() } });
                }
                !is_its_own
            });
            if open.is_empty() {
                return Ok(found.into_iter().flatten().collect());
            }
        }
        Err(Error::internal("more reviews collide than there are salts"))
    }

    /// Posts as many at a time as fit. Returns those that were not done, because they changed or no answer came.
    pub(super) async fn post_all(&self, mut postings: Vec<(usize, Posting)>) -> Result<Vec<Left>, Error> {
        // Reviews of one city and day share tallies, and more of them fit into a transaction.
        postings.sort_by_cached_key(|(_, Posting { new, .. })| {
            (new.org_id, new.city_key.clone(), Day::of(new.effective_at()), new.cell())
        });
        let (positions, postings): (Vec<usize>, Vec<Posting>) = postings.into_iter().unzip();
        let mut left = Vec::new();
        let mut next = 0;
        while next < postings.len() {
            let end = next + Posting::fitting(&postings[next..]);
            let mut leave = |range: std::ops::Range<usize>, unsure| {
                left.extend(positions[range].iter().map(|position| Left { position: *position, unsure }));
            };
            match self.post_reviews(&postings[next..end]).await {
                Ok(()) => {}
                Err(PostRefused::Stale(_)) => leave(next..end, false),
                Err(PostRefused::Failed(Error::Unavailable(error))) => {
                    tracing::debug!(%error, "reviews were not posted");
                    leave(next..end, true);
                    leave(end..positions.len(), false);
                    break;
                }
                Err(PostRefused::Failed(error)) => return Err(error),
            }
            next = end;
        }
        Ok(left)
    }
}

/// Waits before the next round.
pub(super) async fn pause(round: u32) {
    transaction::pause(ROUND_PAUSE, round, MAX_PAUSE).await;
}

/// The failure after the last round.
pub(super) fn kept_changing() -> Error {
    Error::Unavailable("reviews kept changing, or their tables did not answer, while they were written".into())
}
