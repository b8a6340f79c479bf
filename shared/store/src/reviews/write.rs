//! Writes of reviews: each review and its changes in the log are stored in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use futures::FutureExt as _;

use super::body_item::review_to_item;
use super::log::{LaneAppend, LaneKey, changes_by_lane, lanes_of};
use super::places::Places;
use crate::client::tables::{Condition, ItemWrite};
use crate::client::transaction::{Transaction, TransactionError};
use crate::{Database, ReviewStore, audit_trail, idempotency, schema};
use presence_domain::audit::AuditRecord;
use presence_domain::error::Error;
use presence_domain::idempotency::KeptAnswer;
use presence_domain::ids::BusinessId;
use presence_domain::review::Review;
use presence_ledger::LogChange;

/// Maximum number of items in a transaction: DynamoDB's limit.
const MAX_ITEMS: usize = 100;
/// Items of a lane in a transaction at most: the lane item and a sealed chunk.
const ITEMS_PER_LANE: usize = 2;
/// Maximum number of bytes of text in a transaction. DynamoDB takes 4 MB; a quarter is left for names, keys, numbers and changes.
const MAX_TEXT_BYTES: usize = 3_000_000;

/// One review, before and after a write.
#[derive(Clone, Debug)]
pub struct ReviewWrite {
    /// Review as it was read; `None` for a new one. The write fails if it has changed since.
    pub old: Option<Review>,
    /// Review as it shall be. The write sets its version.
    pub new: Review,
}

/// Items that are written with a review that somebody changed here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Companions<'a> {
    /// Record of the change.
    pub(super) record: Option<&'a AuditRecord>,
    /// Answer to keep under the idempotency key of the request.
    pub(super) answer: Option<&'a KeptAnswer>,
}

/// A write with the caller's number for it.
#[derive(Clone, Debug)]
pub(crate) struct NumberedWrite {
    pub(crate) position: usize,
    pub(crate) write: ReviewWrite,
}

/// Failure of a write of reviews. Nothing was written, unless the error says otherwise.
#[derive(Debug)]
pub enum WriteReviewsError {
    /// The reviews at these positions changed since they were read, or exist already.
    Stale(Vec<usize>),
    /// These businesses may have moved since their places were read.
    Unplaced(Vec<BusinessId>),
    /// Any other failure. The reviews may have been written, if no answer came.
    Failed(Error),
}

/// Thing that a condition of the transaction protects.
#[derive(Clone, Copy, Debug)]
enum Guard {
    /// Review, by its position among the writes.
    Review(usize),
    /// Lane with its last sequence number and its fence as they were known.
    Lane(LaneKey, (u64, u64)),
    /// Answer of the request.
    Answer,
    /// Nothing: the item has no condition.
    None,
}

/// Failure of one attempt.
enum AttemptError {
    /// Another writer added to a lane first.
    LaneMoved,
    Final(WriteReviewsError),
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        Self::Final(WriteReviewsError::Failed(error))
    }
}

impl ReviewWrite {
    /// Returns how many of the writes, from the first on, fit into one transaction. Writes of one lane fit best.
    pub fn count_fitting(writes: &[Self]) -> usize {
        let (mut lanes, mut text_bytes) = (BTreeSet::new(), 0);
        for (position, write) in writes.iter().enumerate() {
            lanes.extend(lanes_of(write));
            text_bytes += write.new.text_bytes();
            if position + 1 + ITEMS_PER_LANE * lanes.len() > MAX_ITEMS || text_bytes > MAX_TEXT_BYTES {
                // The first write always fits: one review has at most 5 items.
                return position.max(1);
            }
        }
        writes.len()
    }

    /// Returns the version of the review after the write.
    pub(crate) fn new_version(&self) -> u64 {
        self.old.as_ref().map_or(1, |old| old.version + 1)
    }

    /// Returns the put of the review. Its condition is that the stored review is still the one that was read.
    pub(crate) fn put(&self) -> Result<ItemWrite, Error> {
        let new = Review { version: self.new_version(), ..self.new.clone() };
        let conditions = self.old.as_ref().map_or_else(|| vec![Condition::NotThere], |old| if_unchanged(old).into());
        Ok(ItemWrite::put(&schema::REVIEWS, review_to_item(&new)?, conditions))
    }
}

impl Companions<'_> {
    fn add_to(self, transaction: &mut Transaction<Guard>, db: &Database) -> Result<(), Error> {
        if let Some(record) = self.record {
            transaction.write(Guard::None, audit_trail::put(db, record)?);
        }
        if let Some(answer) = self.answer {
            transaction.put(Guard::Answer, idempotency::put(db, answer)?);
        }
        Ok(())
    }
}

/// Returns the conditions that a stored review is still the one that was read. Of what a row says, the stamp alone may change without
/// the version.
pub(crate) fn if_unchanged(old: &Review) -> [Condition; 2] {
    let stamp = old.seen_at.map(|seen_at| Condition::TextIs("seen_at", seen_at.to_string()));
    [Condition::NumberIs("version", old.version), stamp.unwrap_or(Condition::Without("seen_at"))]
}

impl ReviewStore {
    /// Writes the reviews and their changes in the log, all or nothing.
    ///
    /// Takes each review once, and at most [`ReviewWrite::count_fitting`] of them. Another writer of the same lane may be first:
    /// then the changes get the next sequence numbers, as long as others make progress, or retries are left.
    ///
    /// Does not look at the places of the businesses: the caller knows that none of them moves.
    pub async fn write_reviews(&self, writes: &[ReviewWrite]) -> Result<(), WriteReviewsError> {
        self.write_placed_reviews(writes, None, Companions::default()).await
    }

    /// Writes reviews as [`ReviewStore::write_reviews`], each in the place of its business. Fails with [`WriteReviewsError::Unplaced`],
    /// and writes nothing, if a place may be out of date.
    pub(super) async fn write_placed_reviews(
        &self,
        writes: &[ReviewWrite],
        places: Option<&Places>,
        companions: Companions<'_>,
    ) -> Result<(), WriteReviewsError> {
        let changes = changes_by_lane(writes);
        let mut retries = self.db.retries();
        loop {
            match self.try_write(writes, &changes, places, companions).await {
                Ok(()) => {
                    self.fold_after(&changes).await;
                    return Ok(());
                }
                Err(AttemptError::LaneMoved) => {}
                Err(AttemptError::Final(error)) => return Err(error),
            }
            // A lane only moves on: its last number and its fence rise.
            if !retries.pause_after_progress().await {
                let text = "other writers kept adding to the log of reviews first";
                return Err(WriteReviewsError::Failed(Error::Unavailable(text.into())));
            }
        }
    }

    /// Counts the changes that were added to the logs, and folds the logs that are long enough.
    async fn fold_after(&self, changes: &BTreeMap<LaneKey, Vec<LogChange>>) {
        for (key, changes) in changes {
            self.due_folds.add(key.org_id, changes.len() as u64);
        }
        for org_id in changes.keys().map(|key| key.org_id).collect::<BTreeSet<_>>() {
            self.fold_if_due(org_id).await;
        }
    }

    /// Makes one transaction, with the lanes as this process knows them.
    async fn try_write(
        &self,
        writes: &[ReviewWrite],
        changes: &BTreeMap<LaneKey, Vec<LogChange>>,
        places: Option<&Places>,
        companions: Companions<'_>,
    ) -> Result<(), AttemptError> {
        let _guards = self.lanes.lock_lanes(changes.keys().copied()).await;
        let (mut transaction, mut states) = (Transaction::new(), Vec::new());
        for (position, write) in writes.iter().enumerate() {
            transaction.write(Guard::Review(position), write.put()?);
        }
        for (key, changes) in changes {
            let known = self.lane_state(*key).await?;
            let LaneAppend { update, chunk, after } = LaneAppend::to(&known, *key, changes, self.max_unsealed);
            transaction.write(Guard::Lane(*key, (known.last, known.fence)), update);
            if let Some(chunk) = chunk {
                transaction.write(Guard::None, chunk);
            }
            states.push((*key, after));
        }
        let unproven = places.map_or_else(Vec::new, |places| self.unproven_places(writes, places));
        if !unproven.is_empty() {
            return Err(AttemptError::Final(WriteReviewsError::Unplaced(unproven)));
        }
        companions.add_to(&mut transaction, &self.db)?;
        let is_lost = |guard| self.is_lost(guard).boxed();
        match transaction.commit_unless(&self.db, is_lost).await {
            Ok(()) => {
                for (key, after) in states {
                    self.lanes.insert(key, after);
                }
                Ok(())
            }
            Err(TransactionError::ConditionsFailed(guards)) => Err(self.forget_lost_lanes(guards)),
            Err(TransactionError::Failed(error)) => {
                // Without an answer, nobody knows the lanes: the transaction may have happened.
                for (key, _) in &states {
                    self.lanes.remove(*key);
                }
                Err(error.into())
            }
        }
    }

    /// True if the condition of an item, which another transaction held, fails by now.
    async fn is_lost(&self, guard: Guard) -> Result<bool, Error> {
        match guard {
            Guard::Lane(key, known) => {
                let state = self.read_lane(key).await?;
                Ok((state.last, state.fence) != known)
            }
            Guard::Review(_) | Guard::Answer | Guard::None => Ok(false),
        }
    }

    /// Returns the meaning of failed conditions. An answer that is kept already counts first. A changed review is a reason to give up. A
    /// lane that moved on is none: the next attempt reads the lane, and finds out if its fence was raised.
    fn forget_lost_lanes(&self, guards: Vec<Guard>) -> AttemptError {
        let (mut reviews, mut is_answered) = (Vec::new(), false);
        for guard in guards {
            match guard {
                Guard::Review(position) => reviews.push(position),
                Guard::Lane(key, _) => self.lanes.remove(key),
                Guard::Answer => is_answered = true,
                Guard::None => {}
            }
        }
        if is_answered {
            return Error::InProgress.into();
        }
        if reviews.is_empty() {
            AttemptError::LaneMoved
        } else {
            AttemptError::Final(WriteReviewsError::Stale(reviews))
        }
    }
}
