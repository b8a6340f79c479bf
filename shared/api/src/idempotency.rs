//! Changes with an idempotency key: the first answer is given again, and nothing is changed twice.
//!
//! 1. **First lookup**: the kept answer is read while the key of the caller is verified, with the cached caller; after it for a key that is
//!    not cached. So a repeated request costs no more than that.
//! 2. The operation runs, and writes its answer in the transaction of its change.
//! 3. **Second lookup**, if the operation does not succeed: a request with the same key may have come first, or the reply of the own
//!    transaction was lost.
//!
//! `shared/docs/idempotency.md` explains it by an example.

use std::sync::Arc;

use jiff::Timestamp;
use lambda_http::Request;
use lambda_http::http::{HeaderName, StatusCode};

use crate::auth::{Authenticator, VerifiedKey};
use crate::input::Input;
use crate::{Answer, request_context};
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_domain::idempotency::{IdempotencyKey, IdempotentRequest, KeptAnswer, LookupResult};
use presence_domain::ids::UserId;
use presence_runtime::clock::Clock;
use presence_store::{AnswerStore, Database};

/// Header with the key of a change. Errors name it in this spelling.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// Header of an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Change with an idempotency key, before its caller is known.
#[derive(Debug)]
pub(crate) struct KeyedChange {
    key: IdempotencyKey,
    method: &'static str,
    path: String,
    input: Arc<Input>,
}

impl KeyedChange {
    /// Reads the key of a change; `None` if it has none.
    pub(crate) fn read(
        request: &Request,
        method: &'static str,
        path: String,
        input: &Arc<Input>,
    ) -> Result<Option<Self>, Error> {
        let Some(value) = request.headers().get(IDEMPOTENCY_KEY) else { return Ok(None) };
        // Bytes that are not UTF-8 become a character that no key has.
        let key = IdempotencyKey::parse(&String::from_utf8_lossy(value.as_bytes()));
        let key = key.map_err(|error| Error::invalid_field(IDEMPOTENCY_KEY, error))?;
        Ok(Some(Self { key, method, path, input: Arc::clone(input) }))
    }

    fn by(&self, caller: UserId) -> IdempotentRequest {
        IdempotentRequest::new(&self.key, caller, self.method, &self.path, self.input.body_fields())
    }
}

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

    async fn look_up(&self, request: IdempotentRequest) -> Result<FirstLookup, Error> {
        let stored = Box::pin(self.store.get(request.id)).await?;
        Ok(self.replayed(&request, stored)?.map_or(FirstLookup::New(request), FirstLookup::Answered))
    }

    fn replayed(&self, request: &IdempotentRequest, stored: Option<KeptAnswer>) -> Result<Option<Answer>, Error> {
        match LookupResult::of(request, stored, self.clock.now()) {
            LookupResult::NotFound => Ok(None),
            LookupResult::OtherBody => Err(Error::KeyReused),
            LookupResult::Found(kept) => Ok(Some(replay(kept)?)),
        }
    }
}

/// Verifies the key of the caller, and looks for the answer of its request meanwhile.
pub(crate) async fn authenticate_and_look_up(
    authenticator: &Authenticator,
    hash: &ApiKeyHash,
    change: &KeyedChange,
) -> Result<(VerifiedKey, FirstLookup), Error> {
    let answers = &authenticator.answers;
    let cached = authenticator.cached_principal(hash).filter(|_| !authenticator.is_refused(hash));
    let Some(cached) = cached else {
        let key = Box::pin(authenticator.authenticate(hash)).await?;
        let lookup = answers.look_up(change.by(key.principal.user_id)).await?;
        return Ok((key, lookup));
    };
    // A key belongs to one user for its whole life, so the cached owner is the right one.
    let (key, lookup) = authenticator.authenticate_alongside(hash, answers.look_up(change.by(cached.user_id))).await?;
    Ok((key, lookup?))
}

/// Returns an answer in the form in which it is kept.
pub(crate) fn kept(request: IdempotentRequest, answer: &Answer, at: Timestamp) -> KeptAnswer {
    KeptAnswer { request, status: answer.status.as_u16(), body: answer.body().to_owned(), at }
}

fn replay(kept: KeptAnswer) -> Result<Answer, Error> {
    let status = StatusCode::from_u16(kept.status).map_err(Error::internal)?;
    request_context::record_replay();
    Ok(Answer::from_json_text(status, kept.body).with(REPLAYED, "true"))
}
