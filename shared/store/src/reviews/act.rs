//! Changes that people make to a review. The domain decides on the review that was read. The review is then written in the place of its
//! business, with the record of the change and the answer of the request. Begins again if another writer came first, also while the
//! business moves.

use super::places::Places;
use super::write::{Companions, ReviewWrite, WriteReviewsError};
use crate::ReviewStore;
use presence_domain::access::Scope;
use presence_domain::audit::AuditRecord;
use presence_domain::error::Error;
use presence_domain::idempotency::KeptAnswer;
use presence_domain::review::{Review, ReviewId};

/// Decision on a review as it was read.
#[derive(Debug)]
pub struct ReviewDecision<A> {
    /// Review after the change, and the record of it; `None` if nothing changes.
    pub change: Option<(Review, AuditRecord)>,
    /// Answer of the request.
    pub answer: A,
}

impl ReviewStore {
    /// Changes a review as `decide` says, and returns the answer. `read` runs while the review is read, and `decide` gets its result. `kept`
    /// returns the part of an answer that is kept under an idempotency key, with the change or alone.
    ///
    /// - [`Error::NotFound`] if there is none in the scope.
    /// - [`Error::Conflict`] if others changed it as long as there was time.
    /// - [`Error::InProgress`] if an answer is kept already.
    pub async fn update_review<C, A, Read>(
        &self,
        scope: Scope,
        id: &ReviewId,
        read: impl Fn() -> Read,
        decide: impl Fn(&Review, C) -> Result<ReviewDecision<A>, Error>,
        kept: fn(&A) -> Option<&KeptAnswer>,
    ) -> Result<A, Error>
    where
        Read: Future<Output = Result<C, Error>>,
    {
        let mut retries = self.db.retries();
        loop {
            let (stored, context) = futures::try_join!(self.get_review(scope, id), read())?;
            let stored = stored.ok_or(Error::NotFound)?;
            let ReviewDecision { change, answer } = decide(&stored, context)?;
            let Some((new, record)) = change else {
                if let Some(kept) = kept(&answer) {
                    self.answers.put(kept).await?;
                }
                return Ok(answer);
            };
            let companions = Companions { record: Some(&record), answer: kept(&answer) };
            if self.write_act(ReviewWrite { old: Some(stored), new }, companions).await? {
                return Ok(answer);
            }
            if !retries.pause().await {
                return Err(Error::Conflict);
            }
        }
    }

    /// Writes a change. False if the review must be read again: another writer came first, or its business is elsewhere.
    ///
    /// A review whose business is elsewhere is moved there first. The caller may have no rights there.
    async fn write_act(&self, write: ReviewWrite, companions: Companions<'_>) -> Result<bool, Error> {
        let (id, business) = (write.new.id.clone(), write.new.business_id.clone());
        let mut places = Places::from([(business.clone(), self.known_place(&write.new))]);
        match self.write_in_places(&[write], &mut places, companions).await {
            Ok(()) => Ok(true),
            Err(WriteReviewsError::Stale(_)) => Ok(false),
            Err(WriteReviewsError::Unplaced(_)) => {
                self.place_reviews(&business, vec![id]).await?;
                Ok(false)
            }
            Err(WriteReviewsError::Failed(error)) => Err(error),
        }
    }
}
