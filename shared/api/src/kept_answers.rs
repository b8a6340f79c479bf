//! Answers that are kept under idempotency keys, and given again.

use std::sync::Arc;

use jiff::Timestamp;
use lambda_http::http::{HeaderName, StatusCode};

use crate::{Answer, request_context};
use presence_domain::error::Error;
use presence_domain::idempotency::{IdempotentRequest, KeptAnswer, LookupResult};
use presence_runtime::clock::Clock;
use presence_store::{AnswerStore, Database};

/// Header of an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Answers that are kept under idempotency keys, and the clock by which they expire.
pub(crate) struct KeptAnswers {
    store: AnswerStore,
    clock: Arc<dyn Clock>,
}

/// Result of the first lookup.
pub(crate) enum FirstLookup {
    /// The request was answered before.
    Answered(Answer),
    /// The request is a new one.
    New(IdempotentRequest),
}

impl KeptAnswers {
    pub(crate) fn new(database: &Database, clock: Arc<dyn Clock>) -> Self {
        Self { store: AnswerStore::new(database), clock }
    }

    /// Returns the answer that was given to a request, after its operation failed. Returns the error of the operation if there is none.
    ///
    /// A lookup that fails is an error of its own. The operation may have failed for the effect of the very same request.
    pub(crate) async fn look_up_again(&self, request: &IdempotentRequest, error: Error) -> Result<Answer, Error> {
        // On the heap: the SDK's futures are large.
        let stored = Box::pin(self.store.get_settled(request.id)).await?;
        self.replayed(request, stored)?.ok_or(error)
    }

    /// Looks for the answer that was given to a request.
    pub(crate) async fn look_up(&self, request: IdempotentRequest) -> Result<FirstLookup, Error> {
        let stored = Box::pin(self.store.get(request.id)).await?;
        Ok(self.replayed(&request, stored)?.map_or(FirstLookup::New(request), FirstLookup::Answered))
    }

    fn replayed(&self, request: &IdempotentRequest, stored: Option<KeptAnswer>) -> Result<Option<Answer>, Error> {
        match LookupResult::of(request, stored, self.clock.now()) {
            LookupResult::NotFound => Ok(None),
            LookupResult::OtherBody => Err(Error::KeyReused),
            LookupResult::Found(kept) => {
                let status = StatusCode::from_u16(kept.status).map_err(Error::internal)?;
                request_context::record(|identity| identity.is_replay = true);
                Ok(Some(Answer::from_json_text(status, kept.body).with(REPLAYED, "true")))
            }
        }
    }
}

/// Returns an answer in the form in which it is kept.
pub(crate) fn kept(request: IdempotentRequest, answer: &Answer, at: Timestamp) -> KeptAnswer {
    KeptAnswer { request, status: answer.status.as_u16(), body: answer.body().to_owned(), at }
}
