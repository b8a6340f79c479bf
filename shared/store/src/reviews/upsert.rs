//! Upsert of reviews by what their partners call them: each review is found, and written if it differs.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use crate::client::parallel::parallel;
use crate::client::tables::ItemWrite;
use crate::reviews::body_item::review_to_item;
use crate::reviews::log::lanes_of;
use crate::reviews::places::Places;
use crate::reviews::write::{Companions, NumberedWrite, ReviewWrite, WriteReviewsError, if_unchanged};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Review, ReviewId};

/// Maximum number of reviews with one digest: number of salts, from 0 on. Among ten million reviews, two collide in one case of 23,000.
pub const REVIEW_ID_SALTS: u8 = 8;

/// Stamps that are written at the same time: far below what a partition takes.
const STAMPS_IN_FLIGHT: u16 = 16;

/// A write that was not done.
pub(crate) struct PendingWrite {
    /// The caller's number for the write.
    pub(crate) position: usize,
    /// True if the write may have been done after all, because no answer came.
    is_uncertain: bool,
}

/// Result of several writes.
#[derive(Default)]
pub(crate) struct WriteOutcome {
    pub(crate) pending: Vec<PendingWrite>,
    /// Reason for pending writes; `None` if their reviews changed meanwhile.
    pub(crate) error: Option<Error>,
}

/// Result of an upsert. Positions are those in the list of wanted reviews.
#[derive(Debug)]
pub struct UpsertOutcome {
    /// Stored review before the upsert, for each wanted review.
    pub before: Vec<Option<Review>>,
    /// Positions of the reviews that are not known to be stored; empty after a success.
    pub unwritten: Vec<usize>,
    /// Reason for unwritten reviews.
    pub error: Option<Error>,
}

/// Observer of an upsert: gets the number of further reviews that are stored now.
pub type OnStored<'a> = &'a (dyn Fn(usize) + Sync);

/// An upsert in progress.
struct Upsert<'a> {
    store: &'a ReviewStore,
    on_stored: OnStored<'a>,
    /// Rows of each review, in their order.
    wanted: Vec<&'a [Review]>,
    before: Vec<Option<Review>>,
    pending: Vec<PendingWrite>,
    places: Places,
}

impl ReviewStore {
    /// Returns the stored review for each wanted one. Writes nothing.
    ///
    /// A review is found by its business, its partner and the partner's id. The ids of the wanted reviews are ignored.
    pub async fn find_stored_reviews(&self, wanted: &[Review]) -> Result<Vec<Option<Review>>, Error> {
        let rows: Vec<&[Review]> = wanted.iter().map(std::slice::from_ref).collect();
        Ok(self.plan_upsert(&rows).await?.into_iter().map(|write| write.old).collect())
    }

    /// Writes those of the wanted reviews that differ from what is stored. Returns the stored review before each of them.
    ///
    /// Takes each review once. Ids and versions are set here. An error leaves some reviews written; each of them is counted.
    /// Calling it again writes the rest.
    pub async fn upsert_reviews(&self, wanted: &[Review]) -> Result<Vec<Option<Review>>, Error> {
        let outcome = self.try_upsert_reviews(wanted).await;
        outcome.error.map_or(Ok(outcome.before), Err)
    }

    /// Does the same as [`ReviewStore::upsert_reviews`], and tells after an error which reviews are written.
    ///
    /// Reviews that another writer changed first are read and written again, as are those that DynamoDB refused for now. It
    /// gives up when the retries end without a single write, or a change by others. Two imports of one file meet in every lane,
    /// and in each round at least one of them makes progress.
    pub async fn try_upsert_reviews(&self, wanted: &[Review]) -> UpsertOutcome {
        self.upsert_rows(wanted.iter().map(std::slice::from_ref).collect(), &|_| {}).await
    }

    /// Does the same for rows about reviews, and reports each part as it is stored.
    ///
    /// Takes the rows of each review together, in their order, all of them about this review. Which row wins is decided here, where the
    /// stored review is known: [`Review::accept`]. A row that only tells that the stored content is still true changes the stamp alone,
    /// which takes no part in the ledger.
    pub async fn upsert_rows(&self, wanted: Vec<&[Review]>, on_stored: OnStored<'_>) -> UpsertOutcome {
        let mut upsert = Upsert::new(self, wanted, on_stored);
        let mut retries = self.db.retries();
        loop {
            let pending_before = upsert.pending.len();
            let error = upsert.write_pending().await.err();
            if upsert.pending.is_empty() {
                return upsert.finish(None);
            }
            if upsert.pending.len() < pending_before {
                retries = self.db.retries();
            }
            let has_time = match &error {
                // Others changed the reviews, or moved their businesses.
                None => retries.pause_after_progress().await,
                Some(error) => may_succeed_later(error) && retries.pause().await,
            };
            if !has_time {
                return upsert.finish(Some(error.unwrap_or_else(kept_changing)));
            }
        }
    }

    /// Finds the stored review for each wanted one, and the id that the wanted one has or is to have.
    ///
    /// The id is a digest. If the id belongs to another review, the next salt gives another id.
    async fn plan_upsert(&self, wanted: &[&[Review]]) -> Result<Vec<ReviewWrite>, Error> {
        let mut writes: Vec<Option<ReviewWrite>> = vec![None; wanted.len()];
        let mut taken_ids = HashSet::new();
        for salt in 0..REVIEW_ID_SALTS {
            let without_id = wanted.iter().zip(&mut writes).filter(|(_, write)| write.is_none());
            let with_id = without_id.filter_map(|(rows, write)| {
                let first = rows.first()?;
                let id = ReviewId::derive(&first.business_id, first.partner, &first.partner_id, salt);
                Some((*rows, first.clone(), id, write))
            });
            let without_id: Vec<_> = with_id.collect();
            if without_id.is_empty() {
                break;
            }
            let ids: HashSet<&ReviewId> = without_id.iter().map(|(_, _, id, _)| id).collect();
            let stored = self.get_reviews(&ids.into_iter().cloned().collect::<Vec<_>>()).await?;
            for (rows, first, id, write) in without_id {
                let old = stored.get(&id).cloned();
                let is_free = old.as_ref().is_none_or(|old| old.same_source(&first));
                if is_free && taken_ids.insert(id.clone()) {
                    *write = Some(ReviewWrite { new: Review { id, ..accept_all(old.as_ref(), first, rows) }, old });
                }
            }
        }
        let writes: Option<Vec<ReviewWrite>> = writes.into_iter().collect();
        writes.ok_or_else(|| Error::internal("more reviews collide than there are salts"))
    }

    /// Does the writes in transactions that are as large as possible, each of one lane of a log. A review that moves to another
    /// organisation is in a lane of both logs.
    ///
    /// Writes of reviews that changed meanwhile stay pending, and so do all that follow an error.
    pub(crate) async fn write_all(
        &self,
        mut writes: Vec<NumberedWrite>,
        places: &mut Places,
        on_stored: OnStored<'_>,
    ) -> WriteOutcome {
        writes.sort_by_cached_key(|numbered| lanes_of(&numbered.write).collect::<Vec<_>>());
        let (positions, writes): (Vec<usize>, Vec<ReviewWrite>) =
            writes.into_iter().map(|NumberedWrite { position, write }| (position, write)).unzip();
        let pending = |range: Range<usize>, is_uncertain: bool| {
            positions[range].iter().map(move |position| PendingWrite { position: *position, is_uncertain })
        };
        let mut outcome = WriteOutcome::default();
        let mut start = 0;
        while start < writes.len() {
            let end = start + count_in_transaction(&writes[start..]);
            match self.write_in_places(&writes[start..end], places, Companions::default()).await {
                Ok(()) => on_stored(end - start),
                Err(WriteReviewsError::Stale(_) | WriteReviewsError::Unplaced(_)) => {
                    outcome.pending.extend(pending(start..end, false));
                }
                Err(WriteReviewsError::Failed(error)) => {
                    outcome.pending.extend(pending(start..end, true));
                    outcome.pending.extend(pending(end..positions.len(), false));
                    outcome.error = Some(error);
                    break;
                }
            }
            start = end;
        }
        outcome
    }
}

impl ReviewStore {
    /// Writes reviews in one transaction. Reads those places again that may be out of date. Fails with [`WriteReviewsError::Unplaced`] if
    /// a review shall go to another place than its business has now: that is in `places`.
    pub(super) async fn write_in_places(
        &self,
        writes: &[ReviewWrite],
        places: &mut Places,
        companions: Companions<'_>,
    ) -> Result<(), WriteReviewsError> {
        loop {
            let is_elsewhere =
                |review: &Review| places.get(&review.business_id).is_some_and(|place| !place.location.matches(review));
            // A transaction before this one may have read the places again.
            let elsewhere = writes.iter().map(|write| &write.new).filter(|review| is_elsewhere(review));
            let elsewhere: Vec<BusinessId> = elsewhere.map(|review| review.business_id.clone()).collect();
            if !elsewhere.is_empty() {
                return Err(WriteReviewsError::Unplaced(elsewhere));
            }
            let unplaced = match self.write_placed_reviews(writes, Some(places), companions).await {
                Err(WriteReviewsError::Unplaced(unplaced)) => unplaced,
                other => return other,
            };
            // Each further time another move has raised a fence meanwhile.
            self.read_places_again(&unplaced, places).await.map_err(WriteReviewsError::Failed)?;
        }
    }

    /// Writes the stamps of reviews that stay as they are. Those that changed meanwhile stay pending, and all after an error.
    async fn write_stamps(&self, writes: Vec<NumberedWrite>, on_stored: OnStored<'_>) -> WriteOutcome {
        let mut outcome = WriteOutcome::default();
        for portion in writes.chunks(usize::from(STAMPS_IN_FLIGHT)) {
            if outcome.error.is_none() {
                let calls = portion.iter().map(|numbered| self.write_stamp(&numbered.write));
                match parallel(STAMPS_IN_FLIGHT, calls).await {
                    Ok(written) => {
                        on_stored(written.iter().filter(|is_written| **is_written).count());
                        let lost = portion.iter().zip(written).filter(|(_, is_written)| !is_written);
                        let lost = lost.map(|(numbered, _)| numbered.position);
                        outcome.pending.extend(lost.map(|position| PendingWrite { position, is_uncertain: false }));
                        continue;
                    }
                    Err(error) => outcome.error = Some(error),
                }
            }
            let positions = portion.iter().map(|numbered| numbered.position);
            outcome.pending.extend(positions.map(|position| PendingWrite { position, is_uncertain: true }));
        }
        outcome
    }

    /// Writes a review of which the stamp alone changed. False if the review changed since it was read.
    async fn write_stamp(&self, write: &ReviewWrite) -> Result<bool, Error> {
        let Some(old) = &write.old else { return Ok(true) };
        let stamped = Review { id: old.id.clone(), version: old.version, ..write.new.clone() };
        self.db.write(ItemWrite::put(&schema::REVIEWS, review_to_item(&stamped)?, if_unchanged(old))).await
    }
}

/// Returns the review after all rows, the first of which is given.
fn accept_all(old: Option<&Review>, first: Review, rows: &[Review]) -> Review {
    let accept = |stored: Option<Review>, row| Some(Review::accept(stored.as_ref(), row).review);
    rows.iter().fold(old.cloned(), accept).unwrap_or(first)
}

/// Returns how many of the writes, from the first on, are of its lanes and fit into one transaction.
fn count_in_transaction(writes: &[ReviewWrite]) -> usize {
    let same_lanes = writes.chunk_by(|one, other| lanes_of(one).eq(lanes_of(other))).next();
    same_lanes.map_or(0, ReviewWrite::count_fitting)
}

impl<'a> Upsert<'a> {
    fn new(store: &'a ReviewStore, wanted: Vec<&'a [Review]>, on_stored: OnStored<'a>) -> Self {
        let pending = (0..wanted.len()).map(|position| PendingWrite { position, is_uncertain: false }).collect();
        let reviews = wanted.iter().filter_map(|rows| rows.last());
        let places = reviews.map(|review| (review.business_id.clone(), store.known_place(review))).collect();
        Self { store, on_stored, before: vec![None; wanted.len()], wanted, pending, places }
    }

    /// Finds the pending reviews, and writes those that differ. An error leaves some of them pending.
    async fn write_pending(&mut self) -> Result<(), Error> {
        let rows: Vec<&[Review]> = self.pending.iter().map(|pending| self.wanted[pending.position]).collect();
        for org_id in self.places.values().map(|place| place.location.org_id).collect::<BTreeSet<_>>() {
            self.store.register_org_with_reviews(org_id).await?;
        }
        let planned = self.store.plan_upsert(&rows).await?;
        let (mut writes, mut stamps) = (Vec::new(), Vec::new());
        for (PendingWrite { position, is_uncertain }, mut write) in self.pending.drain(..).zip(planned) {
            // The row may have its place from long ago.
            if let Some(place) = self.places.get(&write.new.business_id) {
                place.location.place(&mut write.new);
            }
            let is_stored = write.old.as_ref().is_some_and(|old| old.content_eq(&write.new));
            let is_stamped = is_stored && write.old.as_ref().is_some_and(|old| old.seen_at == write.new.seen_at);
            // A review that is stored after an uncertain write was most likely written by it: the review before the write
            // was noted in an earlier round.
            if !(is_stored && is_uncertain) {
                self.before[position].clone_from(&write.old);
            }
            match (is_stored, is_stamped) {
                (false, _) => writes.push(NumberedWrite { position, write }),
                (true, false) => stamps.push(NumberedWrite { position, write }),
                (true, true) => {}
            }
        }
        (self.on_stored)(rows.len() - writes.len() - stamps.len());
        let outcome = self.store.write_all(writes, &mut self.places, self.on_stored).await;
        self.pending = outcome.pending;
        let stamped = self.store.write_stamps(stamps, self.on_stored).await;
        self.pending.extend(stamped.pending);
        outcome.error.or(stamped.error).map_or(Ok(()), Err)
    }

    fn finish(self, error: Option<Error>) -> UpsertOutcome {
        let unwritten = self.pending.into_iter().map(|pending| pending.position).collect();
        UpsertOutcome { before: self.before, unwritten, error }
    }
}

/// True if the same call may succeed at another time.
pub(crate) fn may_succeed_later(error: &Error) -> bool {
    matches!(error, Error::Unavailable(_))
}

/// Returns the error of reviews that other writers kept changing first.
pub(crate) fn kept_changing() -> Error {
    Error::Unavailable("reviews kept changing while they were written".into())
}
