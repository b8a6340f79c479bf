//! Moves of businesses: their reviews leave the places that the businesses left.
//!
//! A business has its new place first, and lists the organisations that may still have reviews of it elsewhere. Then the fences of these
//! are raised, so that nobody writes there any more who knows the old place. Then the reviews that are there are moved. A move that was
//! interrupted anywhere is finished by the next process that runs this.

use std::collections::BTreeSet;

use super::places::{KnownPlace, Places};
use super::upsert::{kept_changing, may_succeed_later};
use super::write::{NumberedWrite, ReviewWrite};
use crate::businesses::PutStep;
use crate::{Business, BusinessLocation, PutOutcome, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Review, ReviewId};
use presence_ledger::moves::MoveRegister;
use presence_ledger::{ALL_KEYS, ReviewSet, TreeKey};

/// Reviews that are read at a time, and then moved by some ten transactions.
const STEP: usize = 1_000;

/// Result of one attempt to move reviews.
struct MoveRound {
    moved: u64,
    /// Reviews that were not moved.
    pending: Vec<ReviewId>,
    /// Reason for pending reviews; `None` if they changed meanwhile.
    error: Option<Error>,
}

impl BusinessLocation {
    /// Returns the write that moves a review here.
    fn write_moving(&self, review: Review) -> ReviewWrite {
        let mut new = review.clone();
        self.place(&mut new);
        ReviewWrite { old: Some(review), new }
    }
}

impl ReviewStore {
    /// Writes a business, unless the same one is stored, and moves its reviews to its place. Finishes a move that was interrupted.
    pub async fn put_business(&self, business: &Business) -> Result<PutOutcome, Error> {
        loop {
            match self.businesses.try_put(business).await? {
                PutStep::Done { outcome, is_moving } => {
                    if is_moving {
                        self.finish_move(&business.id).await?;
                    }
                    return Ok(outcome);
                }
                // The process that moves it may be dead.
                PutStep::TooManyMoves(other) => drop(self.finish_move(&other).await?),
            }
        }
    }

    /// Returns the moves that are not finished, by a strong read.
    pub async fn unfinished_moves(&self) -> Result<MoveRegister, Error> {
        self.businesses.get_move_register().await
    }

    /// Finishes moves while there is time, each as [`ReviewStore::finish_move`]. Returns their number. Moves that others are making are
    /// finished too: both move the same reviews, each of them once.
    ///
    /// A move that fails does not stop the others. The last error is returned.
    pub async fn finish_moves(&self, has_time: impl Fn() -> bool) -> Result<usize, Error> {
        let (mut finished, mut failure) = (0, None);
        for business in self.unfinished_moves().await?.moves.keys().take_while(|_| has_time()) {
            match self.finish_move(business).await {
                Ok(_) => finished += 1,
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(finished), Err)
    }

    /// Moves the reviews of a business from the places that it left. Returns their number. Others may do the same meanwhile.
    pub async fn finish_move(&self, business: &BusinessId) -> Result<u64, Error> {
        let mut moved = 0;
        loop {
            let Some((place, leaving, revision)) = self.read_move(business).await? else { return Ok(moved) };
            for org_id in &leaving {
                self.raise_fences(*org_id).await?;
            }
            let mut places = Places::from([(business.clone(), place)]);
            for org_id in leaving {
                let tree = TreeKey { set: ReviewSet::Business(org_id, business.clone()), facet_key: None };
                // After the raise: what was written before it is here, and nothing comes after it.
                let postings = self.trees.postings_of_tree(&tree, ALL_KEYS).await?;
                for step in postings.chunks(STEP) {
                    let ids = step.iter().filter_map(|posting| posting.key.id.to_id()).collect();
                    moved += self.move_reviews(business, ids, &mut places).await?;
                }
            }
            // If the business has changed since, it may have left another place.
            if self.businesses.end_move(business, revision).await? {
                return Ok(moved);
            }
        }
    }

    /// Returns the place of a business that moves, the organisations that it is leaving, and its revision.
    async fn read_move(&self, business: &BusinessId) -> Result<Option<(KnownPlace, BTreeSet<OrgId>, u64)>, Error> {
        let read = self.lanes.number_read();
        let mut found = self.businesses.get_review_locations(std::slice::from_ref(business)).await?;
        let moving = found.remove(business).filter(|found| !found.leaving.is_empty());
        Ok(moving.map(|found| (KnownPlace { location: found.location, read }, found.leaving, found.revision)))
    }

    /// Moves those of the reviews of a business that are counted elsewhere to its place. Returns their number.
    pub(crate) async fn place_reviews(&self, business: &BusinessId, ids: Vec<ReviewId>) -> Result<u64, Error> {
        let mut places = self.read_places(std::slice::from_ref(business)).await?;
        self.move_reviews(business, ids, &mut places).await
    }

    /// Moves those of the reviews that are counted elsewhere to the place of their business. Returns their number.
    ///
    /// A review that changed meanwhile is read and moved again, as long as some reviews are moved or changed, or retries are left.
    async fn move_reviews(
        &self,
        business: &BusinessId,
        mut ids: Vec<ReviewId>,
        places: &mut Places,
    ) -> Result<u64, Error> {
        let (mut moved, mut retries) = (0, self.db.retries());
        loop {
            let Some(KnownPlace { location, .. }) = places.get(business).cloned() else { return Ok(moved) };
            let round = self.move_once(&ids, &location, places).await?;
            moved += round.moved;
            if round.pending.is_empty() {
                return Ok(moved);
            }
            if round.moved > 0 {
                retries = self.db.retries();
            }
            let has_time = match &round.error {
                None => retries.pause_after_progress().await,
                Some(error) => may_succeed_later(error) && retries.pause().await,
            };
            if !has_time {
                return Err(round.error.unwrap_or_else(kept_changing));
            }
            ids = round.pending;
        }
    }

    /// Reads the reviews, and moves those that are counted elsewhere, each at most once.
    async fn move_once(
        &self,
        ids: &[ReviewId],
        location: &BusinessLocation,
        places: &mut Places,
    ) -> Result<MoveRound, Error> {
        let stored = self.get_reviews(ids).await?.into_values();
        let elsewhere: Vec<Review> = stored.filter(|review| !location.matches(review)).collect();
        if !elsewhere.is_empty() {
            self.register_org_with_reviews(location.org_id).await?;
        }
        let ids: Vec<ReviewId> = elsewhere.iter().map(|review| review.id.clone()).collect();
        let writes = elsewhere.into_iter().map(|review| location.write_moving(review)).enumerate();
        let writes = writes.map(|(position, write)| NumberedWrite { position, write }).collect();
        let outcome = self.write_all(writes, places, &|_| {}).await;
        Ok(MoveRound {
            moved: (ids.len() - outcome.pending.len()) as u64,
            pending: outcome.pending.iter().map(|pending| ids[pending.position].clone()).collect(),
            error: outcome.error,
        })
    }
}
